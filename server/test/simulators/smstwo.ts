import { createHmac, randomBytes } from 'node:crypto';
import { type Answer, type HttpSimulator, type ReceivedCall, startHttpSimulator } from './http-simulator.ts';
import type { SmsSimulation } from './simulation.ts';

/** A text message that was accepted. */
interface SmstwoMessage {
  id: string;
  to: string;
  from: string;
  text: string;
  type: string;
  clientRef: string | null;
  callback: string | null;
}

interface SmstwoSimulatorOptions {
  port?: number;
  apiKey?: string;
  apiSecret?: string;
  /** Receipts are signed when this is set. */
  signatureSecret?: string | null;
}

export interface SmstwoSimulator extends HttpSimulator {
  apiKey: string;
  apiSecret: string;
  signatureSecret: string | null;
  /** How receipts are sent; the account chooses. */
  style: 'json' | 'form' | 'query';
  received: SmstwoMessage[];
  /** The status of every message from now on, or of each of its parts; null when messages are accepted. */
  statuses: string[] | null;
  receipt(
    message: SmstwoMessage,
    status: string,
    errCode?: string,
    changes?: ReceiptChanges,
  ): Promise<number>;
  inbound(url: string, from: string, text: string, changes?: ReceiptChanges): Promise<number>;
}

interface ReceiptChanges {
  fields?: Record<string, string>;
  /** Replaces the right signature; null leaves it out. */
  signature?: string | null;
  /** Unix seconds. */
  timestamp?: number;
}

const texts: Record<string, string> = {
  '1': 'Throughput Rate Exceeded',
  '2': 'Missing Parameters',
  '3': 'Invalid Parameters',
  '4': 'Bad Credentials',
  '5': 'Internal Error',
  '6': 'Unroutable message - rejected',
  '7': 'Number barred',
  '9': 'Quota Exceeded - rejected',
  '15': 'Illegal Sender Address - rejected',
  '33': 'Number De-activated',
};

/** smstwo (Vonage SMS) on a real socket: strict about requests, and 200 even for refusals. */
export async function startSmstwoSimulator(options: SmstwoSimulatorOptions = {}): Promise<SmstwoSimulator> {
  const received: SmstwoMessage[] = [];

  function handle(request: ReceivedCall): Answer {
    if (request.method === 'GET' && request.path === '/account/get-balance') {
      return isRight(request.query)
        ? { status: 200, body: { value: 10.17, autoReload: false } }
        : { status: 401, body: { 'error-code': '401', 'error-code-label': 'authentication failed' } };
    }
    if (request.method !== 'POST' || request.path !== '/sms/json')
      return { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>Not Found</h1>' };
    if (request.headers['content-type']?.split(';')[0] !== 'application/x-www-form-urlencoded')
      return answered(['2']);
    return send(new URLSearchParams(request.text));
  }

  const isRight = (params: URLSearchParams): boolean =>
    params.get('api_key') === simulator.apiKey && params.get('api_secret') === simulator.apiSecret;

  function send(form: URLSearchParams): Answer {
    const problem = problemOf(form);
    if (problem) return answered([problem]);
    const statuses = simulator.statuses ?? partsOf(form.get('text') ?? '', form.get('type') === 'unicode');
    if (statuses.some((status) => status !== '0')) return answered(statuses);
    const message = {
      id: randomBytes(8).toString('hex').toUpperCase(),
      to: form.get('to') ?? '',
      from: form.get('from') ?? '',
      text: form.get('text') ?? '',
      type: form.get('type') ?? 'text',
      clientRef: form.get('client-ref'),
      callback: form.get('callback'),
    };
    received.push(message);
    return answered(statuses, message);
  }

  function problemOf(form: URLSearchParams): string | null {
    if (!form.get('api_key') || !form.get('from') || !form.get('to') || !form.get('text')) return '2';
    if (!isRight(form)) return '4';
    if (!/^\d{7,15}$/.test(form.get('to') ?? '')) return '3';
    if (!/^(\d{1,15}|[A-Za-z0-9]{1,11})$/.test(form.get('from') ?? '')) return '15';
    if ((form.get('text') ?? '').length > 3_200) return '12';
    if ((form.get('client-ref') ?? '').length > 40) return '3';
    if (!['true', 'false', null].includes(form.get('status-report-req'))) return '3';
    if ((form.get('callback') ?? '').length > 100) return '23';
    return null;
  }

  async function call(url: string, fields: Record<string, string>, changes: ReceiptChanges): Promise<number> {
    const params: Record<string, string> = { ...fields, 'api-key': simulator.apiKey, ...changes.fields };
    if (simulator.signatureSecret !== null) {
      params.timestamp = String(changes.timestamp ?? Math.floor(Date.now() / 1000));
      params.nonce = randomBytes(8).toString('hex');
      const signature =
        changes.signature === undefined ? sign(params, simulator.signatureSecret) : changes.signature;
      if (signature !== null) params.sig = signature;
    }
    const query = new URLSearchParams(params).toString();
    if (simulator.style === 'query') return (await fetch(`${url}?${query}`)).status;
    const isJson = simulator.style === 'json';
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded' },
      body: isJson ? JSON.stringify(params) : query,
    });
    return answer.status;
  }

  async function receipt(
    message: SmstwoMessage,
    status: string,
    errCode = '0',
    changes: ReceiptChanges = {},
  ) {
    if (!message.callback) throw new Error('the message named no callback');
    const fields = {
      msisdn: message.to,
      to: message.from,
      'network-code': '310260',
      messageId: message.id,
      price: '0.03330000',
      status,
      scts: '2611150932',
      'err-code': errCode,
      'message-timestamp': '2026-11-15 09:32:00',
      ...(message.clientRef === null ? {} : { 'client-ref': message.clientRef }),
    };
    return call(message.callback, fields, changes);
  }

  function inbound(url: string, from: string, text: string, changes: ReceiptChanges = {}): Promise<number> {
    const fields = {
      msisdn: from.replace('+', ''),
      to: '14155550100',
      messageId: randomBytes(8).toString('hex').toUpperCase(),
      text,
      type: 'text',
      keyword: text.trim().split(/\s/)[0]?.toUpperCase() ?? '',
      'message-timestamp': '2026-11-15 09:32:00',
    };
    return call(url, fields, changes);
  }

  const messageOf = (id: unknown): SmstwoMessage => {
    const found = id === undefined ? received.at(-1) : received.find((each) => each.id === id);
    if (!found) throw new Error('there is no such message');
    return found;
  };
  const http = await startHttpSimulator({
    ...(options.port === undefined ? {} : { port: options.port }),
    handle,
    controls: {
      received: () => received,
      statuses: ({ statuses }) => {
        simulator.statuses = Array.isArray(statuses) ? statuses.map(String) : null;
      },
      receipt: async ({ id, status, err_code: code }) => ({
        answered: await receipt(messageOf(id), String(status), code === undefined ? undefined : String(code)),
      }),
      inbound: async ({ url, from, text }) => ({
        answered: await inbound(String(url), String(from), String(text)),
      }),
    },
  });
  const simulator: SmstwoSimulator = Object.assign(http, {
    apiKey: options.apiKey ?? 'abcd1234',
    apiSecret: options.apiSecret ?? 'smstwo-api-secret',
    signatureSecret: options.signatureSecret ?? null,
    style: 'json' as const,
    received,
    statuses: null,
    receipt,
    inbound,
  });
  return simulator;
}

function answered(statuses: string[], message?: SmstwoMessage): Answer {
  const messages = statuses.map((status, index) =>
    status === '0'
      ? {
          to: message?.to ?? '',
          'message-id': message
            ? index === 0
              ? message.id
              : `${message.id}${index}`
            : randomBytes(8).toString('hex'),
          status,
          'remaining-balance': '10.17',
          'message-price': '0.0333',
          network: '310260',
        }
      : { status, 'error-text': texts[status] ?? 'Refused' },
  );
  return { status: 200, body: { 'message-count': String(messages.length), messages } };
}

/** A rough count: a long text must be answered with several parts, however many. */
function partsOf(text: string, isUnicode: boolean): string[] {
  const [single, joined] = isUnicode ? [70, 67] : [160, 153];
  return Array.from({ length: text.length <= single ? 1 : Math.ceil(text.length / joined) }, () => '0');
}

function sign(params: Record<string, string>, secret: string): string {
  const text = Object.keys(params)
    .sort()
    .map((name) => `&${name}=${(params[name] ?? '').replace(/[&=]/g, '_')}`)
    .join('');
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** Every status that the service documents. */
const documented = [
  ...['1', '10'].map((status) => [status, { kind: 'throttled' }] as const),
  ['5', { kind: 'retry' }] as const,
  ...['4', '8', '9', '11', '14', '32', '15', '29'].map((status) => [status, { kind: 'broken' }] as const),
  ...['2', '3', '6', '12', '22', '23'].map((status) => [status, { kind: 'rejected' }] as const),
  ...['7', '33'].map((status) => [status, { kind: 'suppress', reason: 'hard_bounce' }] as const),
];

export const smstwo: SmsSimulation<SmstwoSimulator> = {
  kind: 'smstwo',
  port: 8_432,
  async start({ port, secretFor }) {
    const apiKey = secretFor('api_key').slice(0, 8);
    const apiSecret = secretFor('api_secret');
    const signatureSecret = secretFor('signature_secret');
    const simulator = await startSmstwoSimulator({
      port,
      apiKey,
      apiSecret,
      signatureSecret,
    });
    return {
      simulator,
      config: { api_key: apiKey, api_secret: apiSecret, signature_secret: signatureSecret },
    };
  },
  idOf: ({ id }) => id,
  credential: 'api_secret',
  idempotent: false,
  errorBody: (text) => ({ messages: [{ status: '3', 'error-text': text }], 'error-code-label': text }),
  refusals: [
    ...documented.map(([status, outcome]) => ({
      title: `status ${status}`,
      provoke: ({ simulator }: { simulator: SmstwoSimulator }) => {
        simulator.statuses = [status];
      },
      outcome,
    })),
    {
      title: 'some parts taken and others not',
      provoke: ({ simulator }) => {
        simulator.statuses = ['0', '1'];
      },
      outcome: { kind: 'ambiguous' },
    },
  ],
};
