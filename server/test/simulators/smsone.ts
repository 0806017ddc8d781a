import { createHmac, randomBytes } from 'node:crypto';
import type { Outcome } from '../../src/channels/contract.ts';
import { type Answer, type HttpSimulator, type ReceivedCall, startHttpSimulator } from './http-simulator.ts';
import { type SmsSimulation, says } from './simulation.ts';

/** A text message that was accepted. */
export interface SmsoneMessage {
  sid: string;
  to: string;
  from: string;
  text: string;
  statusCallback: string | null;
}

interface SmsoneSimulatorOptions {
  port?: number;
  accountSid?: string;
  authToken?: string;
}

export interface SmsoneSimulator extends HttpSimulator {
  accountSid: string;
  /** A change makes the token of all clients wrong. */
  authToken: string;
  status: 'active' | 'suspended' | 'closed';
  /** Everything accepted, in order. */
  received: SmsoneMessage[];
  /** Makes the status callback for a message; resolves to the status of the answer. */
  receipt(
    message: SmsoneMessage,
    status: string,
    errorCode?: number,
    changes?: CallbackChanges,
  ): Promise<number>;
  /** Makes the callback for a message to our number; resolves to the status and body of the answer. */
  inbound(
    url: string,
    from: string,
    text: string,
    changes?: CallbackChanges,
  ): Promise<{ status: number; body: string }>;
}

/** For callbacks that are not as they should be. */
interface CallbackChanges {
  fields?: Record<string, string>;
  signature?: string | null;
  /** The id of the message, for repetitions. */
  sid?: string;
}

/** Numbers for which the real service always answers with this code. */
const byNumber: Record<string, [number, string]> = {
  '+15005550001': [21211, "The 'To' number is not a valid phone number."],
  '+15005550002': [21612, "The 'To' phone number cannot be reached from the 'From' number."],
  '+15005550003': [21408, 'Permission to send an SMS has not been enabled for the region.'],
  '+15005550004': [21610, 'Attempt to send to unsubscribed recipient.'],
  '+15005550009': [21614, "The 'To' number is not a valid mobile number."],
};

/** smsone (Twilio Messages) on a real socket: strict about requests. */
export async function startSmsoneSimulator(options: SmsoneSimulatorOptions = {}): Promise<SmsoneSimulator> {
  const received: SmsoneMessage[] = [];

  function handle(request: ReceivedCall): Answer {
    const root = `/2010-04-01/Accounts/${simulator.accountSid}`;
    const credentials = Buffer.from(`${simulator.accountSid}:${simulator.authToken}`).toString('base64');
    if (request.headers.authorization !== `Basic ${credentials}`) return refusal(401, 20003, 'Authenticate');
    if (request.method === 'GET' && request.path === `${root}.json`)
      return { status: 200, body: { sid: simulator.accountSid, status: simulator.status, type: 'Full' } };
    if (request.method !== 'POST' || request.path !== `${root}/Messages.json`)
      return refusal(404, 20404, `The requested resource ${request.path} was not found`);
    if (simulator.status !== 'active') return refusal(403, 20005, 'Account is not active');
    if (request.headers['content-type']?.split(';')[0] !== 'application/x-www-form-urlencoded')
      return refusal(400, 21604, "A 'To' phone number is required.");
    return send(new URLSearchParams(request.text));
  }

  function send(form: URLSearchParams): Answer {
    const to = form.get('To') ?? '';
    const from = form.get('From') ?? '';
    const text = form.get('Body') ?? '';
    const problem = problemOf(to, from, text, form.get('StatusCallback'));
    if (problem) return refusal(400, ...problem);
    const message = {
      sid: `SM${randomBytes(16).toString('hex')}`,
      to,
      from,
      text,
      statusCallback: form.get('StatusCallback'),
    };
    received.push(message);
    return {
      status: 201,
      body: {
        sid: message.sid,
        status: 'queued',
        to,
        from,
        body: text,
        num_segments: '1',
        error_code: null,
        error_message: null,
        account_sid: simulator.accountSid,
        direction: 'outbound-api',
      },
    };
  }

  async function call(
    url: string,
    fields: Record<string, string>,
    changes: CallbackChanges,
  ): Promise<Response> {
    const form = new URLSearchParams({
      AccountSid: simulator.accountSid,
      ApiVersion: '2010-04-01',
      ...fields,
      ...changes.fields,
    });
    const signed = [...form.keys()].sort().reduce((text, name) => text + name + form.get(name), url);
    const right = createHmac('sha1', simulator.authToken).update(signed).digest('base64');
    const signature = changes.signature === undefined ? right : changes.signature;
    return fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(signature === null ? {} : { 'x-twilio-signature': signature }),
      },
      body: form.toString(),
    });
  }

  async function receipt(
    message: SmsoneMessage,
    status: string,
    errorCode?: number,
    changes: CallbackChanges = {},
  ): Promise<number> {
    if (!message.statusCallback) throw new Error('the message asked for no callback');
    const sid = changes.sid ?? message.sid;
    const fields = {
      MessageSid: sid,
      SmsSid: sid,
      MessageStatus: status,
      SmsStatus: status,
      To: message.to,
      From: message.from,
      ...(errorCode === undefined ? {} : { ErrorCode: String(errorCode) }),
    };
    return (await call(message.statusCallback, fields, changes)).status;
  }

  async function inbound(url: string, from: string, text: string, changes: CallbackChanges = {}) {
    const sid = changes.sid ?? `SM${randomBytes(16).toString('hex')}`;
    const fields = {
      MessageSid: sid,
      SmsSid: sid,
      SmsStatus: 'received',
      From: from,
      To: '+14155550100',
      Body: text,
    };
    const answer = await call(url, fields, changes);
    return { status: answer.status, body: await answer.text() };
  }

  const messageOf = (sid: unknown): SmsoneMessage => {
    const found = sid === undefined ? received.at(-1) : received.find((each) => each.sid === sid);
    if (!found) throw new Error('there is no such message');
    return found;
  };
  const http = await startHttpSimulator({
    ...(options.port === undefined ? {} : { port: options.port }),
    handle,
    controls: {
      received: () => received,
      receipt: async ({ sid, status, error_code: code }) => ({
        answered: await receipt(
          messageOf(sid),
          String(status),
          code === undefined ? undefined : Number(code),
        ),
      }),
      inbound: ({ url, from, text }) => inbound(String(url), String(from), String(text)),
    },
  });
  const simulator: SmsoneSimulator = Object.assign(http, {
    accountSid: options.accountSid ?? `AC${'0'.repeat(31)}1`,
    authToken: options.authToken ?? 'smsone-auth-token',
    status: 'active' as const,
    received,
    receipt,
    inbound,
  });
  return simulator;
}

function problemOf(
  to: string,
  from: string,
  text: string,
  callback: string | null,
): [code: number, message: string] | null {
  if (!to) return [21604, "A 'To' phone number is required."];
  if (!/^\+[1-9]\d{6,14}$/.test(to)) return [21211, `The 'To' number ${to} is not a valid phone number.`];
  if (Object.hasOwn(byNumber, to)) return byNumber[to] ?? null;
  if (!from) return [21603, "A 'From' phone number is required."];
  const isName = /^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/.test(from);
  if (!isName && !/^\+[1-9]\d{6,14}$/.test(from))
    return [21212, "The 'From' number is not a valid phone number."];
  if (isName && to.startsWith('+1')) return [21612, 'The alphanumeric sender cannot reach this country.'];
  if (!text) return [21602, 'Message body is required.'];
  if (text.length > 1_600) return [21617, 'The concatenated message body exceeds the 1600 character limit.'];
  if (callback !== null && !isCallback(callback)) return [21609, 'The StatusCallback URL is not valid.'];
  return null;
}

/** The real service calls public https URLs; the simulator also calls loopback addresses, for development. */
function isCallback(text: string): boolean {
  if (!URL.canParse(text) || text.length > 4_000) return false;
  const { protocol, hostname } = new URL(text);
  if (hostname.includes('_')) return false;
  return protocol === 'https:' || ['127.0.0.1', 'localhost'].includes(hostname);
}

function refusal(status: number, code: number, message: string): Answer {
  return { status, body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status } };
}

const errorOf = (status: number, code: number) => says({ status, body: { code, message: 'no', status } });

/** Every error code that the service documents. */
const codes: [Outcome['kind'], number, number[]][] = [
  ['throttled', 429, [20429]],
  ['throttled', 400, [30001, 21611, 30022, 63017, 63018, 60728, 63038]],
  ['retry', 503, [20500, 20503]],
  ['retry', 400, [14107, 30410, 30003, 30008]],
  ['suppress', 400, [21610, 30005, 30006, 21614, 21211, 21217, 21635]],
  [
    'rejected',
    400,
    [30007, 21602, 21619, 21617, 21618, 21612, 21408, 21604, 21620, 21623, 30011, 30012, 30450],
  ],
  ['rejected', 400, [30004]], // to be suppressed on repetition only
  ['broken', 401, [20003]],
  ['broken', 403, [20005, 30002]],
  ['broken', 404, [20006, 20404]],
  [
    'broken',
    400,
    [21603, 21606, 21212, 21659, 21607, 21608, 21703, 21704, 21705, 30032, 30034, 30024, 21609],
  ],
];

export const smsone: SmsSimulation<SmsoneSimulator> = {
  kind: 'smsone',
  port: 8_431,
  async start({ port, secretFor }) {
    const accountSid = `AC${secretFor('account_sid').slice(0, 32)}`;
    const authToken = secretFor('auth_token');
    const simulator = await startSmsoneSimulator({
      port,
      accountSid,
      authToken,
    });
    return { simulator, config: { account_sid: accountSid, auth_token: authToken } };
  },
  idOf: ({ sid }) => sid,
  credential: 'auth_token',
  idempotent: false,
  errorBody: (message) => ({ code: 21612, message, status: 400 }),
  refusals: [
    ...codes.flatMap(([kind, status, each]) =>
      each.map((code) => ({
        title: `${status} ${code}`,
        provoke: errorOf(status, code),
        outcome: { kind, code: String(code) },
      })),
    ),
    {
      title: 'a recipient who replied STOP',
      provoke: errorOf(400, 21610),
      outcome: { kind: 'suppress', reason: 'unsubscribed' },
    },
    {
      title: 'the cap of the day',
      provoke: errorOf(400, 63038),
      outcome: { kind: 'throttled', retryAfterMs: 3_600_000 },
    },
    {
      title: 'an unknown code',
      provoke: errorOf(400, 99999),
      outcome: { kind: 'rejected', code: '99999' },
    },
    { title: 'a timeout of the request', provoke: says({ status: 408 }), outcome: { kind: 'retry' } },
    {
      title: 'a success that names no message',
      provoke: says({ status: 201, body: { error_code: null } }),
      outcome: { kind: 'ambiguous' },
    },
  ],
};
