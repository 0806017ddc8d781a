import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import {
  type CallbackCall,
  type CallbackKind,
  type EmailProviderSimulator,
  isAsciiAddress,
  type ReceivedEmail,
  startEmailProvider,
} from './email-provider.ts';
import { type Answer, objectOf, type ReceivedCall } from './http-simulator.ts';
import { type EmailSimulation, says, withHeader } from './simulation.ts';

interface SendgridSimulatorOptions {
  port?: number;
  apiKey?: string;
  /** The permissions of the key. */
  scopes?: string[];
}

export interface SendgridSimulator extends EmailProviderSimulator {
  /** The verification key of its signed event webhook. */
  publicKey: string;
  /** Signs a body. */
  sign(body: string, at: number): CallbackCall;
}

const reservedHeaders =
  /^(x-sg-id|x-sg-eid|received|dkim-signature|content-type|content-transfer-encoding|to|from|subject|reply-to|cc|bcc)$/i;
const maxMessage = 30_000_000;

/** SendGrid v3 on a real socket: strict about the key and the fields. */
export async function startSendgridSimulator(
  options: SendgridSimulatorOptions = {},
): Promise<SendgridSimulator> {
  const { apiKey = 'SG.simulator.key', scopes = ['mail.send', 'alerts.read'] } = options;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

  function handle(call: ReceivedCall): Answer | Promise<Answer> {
    if (call.headers.authorization !== `Bearer ${apiKey}`)
      return refuse(401, 'The provided authorization grant is invalid, expired, or revoked', null);
    if (call.method === 'GET' && call.path === '/v3/scopes') return { status: 200, body: { scopes } };
    if (call.method === 'POST' && call.path === '/v3/mail/send') return send(call);
    return refuse(404, 'not found', null);
  }

  function send(call: ReceivedCall): Answer {
    if (!scopes.includes('mail.send')) return refuse(403, 'access forbidden', null);
    if (call.body.length > maxMessage) return refuse(413, 'The message is too large.', null);
    const body = objectOf(call.text);
    if (!body) return refuse(400, 'Bad Request', null);
    const problem = problemIn(body);
    if (problem) return refuse(400, problem[1], problem[0]);
    const id = randomUUID().replaceAll('-', '').slice(0, 22);
    const [personalization] = body.personalizations as Personalization[];
    simulator.received.push({
      id,
      to: personalization?.to?.[0]?.email ?? '',
      from: (body.from as { email: string }).email,
      subject: String(body.subject),
      tags: (personalization?.custom_args ?? {}) as Record<string, string>,
      request: body,
    });
    return { status: 202, headers: { 'x-message-id': id } };
  }

  function sign(body: string, at: number): CallbackCall {
    const timestamp = String(Math.floor(at / 1000));
    return {
      headers: {
        'content-type': 'application/json',
        'x-twilio-email-event-webhook-timestamp': timestamp,
        'x-twilio-email-event-webhook-signature': createSign('sha256')
          .update(timestamp + body)
          .sign(privateKey, 'base64'),
      },
      body,
    };
  }

  const server = await startEmailProvider({
    ...options,
    handle,
    sign: (kind, email, at) => sign(`${JSON.stringify([sendgridEvent(kind, email, at)])}\r\n`, at),
  });
  const simulator: SendgridSimulator = Object.assign(server, {
    sign,
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  });
  return simulator;
}

function refuse(status: number, message: string, field: string | null): Answer {
  return { status, body: { errors: [{ message, field, help: null }] } };
}

type Json = Record<string, unknown>;

interface Personalization {
  to?: { email?: string; name?: string }[];
  custom_args?: Json;
}

/** A comma or semicolon outside quotes would separate recipients in the header that SendGrid writes from it. */
const separatesRecipients = (name: string): boolean => /[,;]/.test(name.replace(/"(?:[^"\\]|\\.)*"/g, ''));

/** The field that is wrong, and the message about it. */
function problemIn(body: Json): [field: string, message: string] | null {
  const { personalizations, from, subject, content, headers = {}, attachments = [] } = body;
  if (!Array.isArray(personalizations) || personalizations.length === 0)
    return [
      'personalizations',
      'The personalizations field is required and must have at least one personalization.',
    ];
  const people = (personalizations as Personalization[]).flatMap(({ to }) => to ?? []);
  if (people.length === 0 || !people.every(({ email }) => isAsciiAddress(email)))
    return ['personalizations.0.to.0.email', 'Does not contain a valid address.'];
  if (people.some(({ name }) => name && separatesRecipients(name)))
    return ['personalizations.0.to.0.name', 'The name must not contain , or ; outside quotes.'];
  if (!isAsciiAddress((from as { email?: string } | undefined)?.email))
    return ['from.email', 'The from email does not contain a valid address.'];
  if (body.reply_to !== undefined && !isAsciiAddress((body.reply_to as { email?: string }).email))
    return ['reply_to.email', 'The reply_to email does not contain a valid address.'];
  if (typeof subject !== 'string' || subject === '') return ['subject', 'The subject is required.'];
  const parts = Array.isArray(content) ? (content as { type?: string; value?: string }[]) : [];
  if (parts.length === 0 || !parts.every(({ type, value }) => type && value))
    return ['content', 'The content value must be a string at least one character in length.'];
  if (parts.findIndex(({ type }) => type === 'text/plain') > 0)
    return ['content', 'If present, text/plain must be the first part.'];
  if (Object.keys(headers as object).some((name) => reservedHeaders.test(name)))
    return ['headers', 'The headers may not contain reserved names.'];
  const files = attachments as { content?: string; filename?: string }[];
  if (!files.every(({ content: bytes, filename }) => bytes && filename && isBase64(bytes)))
    return ['attachments.0.content', 'The attachment content must be base64 encoded.'];
  const values = (personalizations as Personalization[]).flatMap(({ custom_args = {} }) =>
    Object.values(custom_args),
  );
  if (body.custom_args !== undefined || !values.every((value) => typeof value === 'string'))
    return ['personalizations.0.custom_args', 'Custom arguments must be strings within a personalization.'];
  return null;
}

/** By decoding: a regular expression over the 20 MB of a large file can overflow the stack. */
function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
}

function sendgridEvent(kind: CallbackKind, email: ReceivedEmail, at: number): object {
  const common = {
    email: email.to,
    timestamp: Math.floor(at / 1000),
    sg_event_id: randomUUID(),
    sg_message_id: `${email.id}.filter0001.16648.5515E0B88.0`,
    'smtp-id': `<${email.id}@simulator>`,
    ...email.tags,
  };
  switch (kind) {
    case 'delivered':
      return { ...common, event: 'delivered', response: '250 OK', tls: 1 };
    case 'delayed':
      return { ...common, event: 'deferred', response: '400 try again later', attempt: '5' };
    case 'bounced':
      return {
        ...common,
        event: 'bounce',
        type: 'bounce',
        status: '5.1.1',
        reason: '550 5.1.1 user unknown',
      };
    case 'soft_bounced':
      return { ...common, event: 'bounce', type: 'blocked', status: '4.7.1', reason: '421 blocked for now' };
    case 'complained':
      return { ...common, event: 'spamreport' };
    case 'opened':
      return { ...common, event: 'open', ip: '192.0.2.1', useragent: 'Mail', sg_machine_open: false };
    case 'clicked':
      return { ...common, event: 'click', url: 'https://acme.example/', ip: '192.0.2.1' };
  }
}

const errorOf = (status: number, message: string) =>
  says({ status, body: { errors: [{ message, field: null, help: null }] } });
const boxed = ({ email, name }: { email: string; name: string }): string =>
  `"${name.replace(/["\\]/g, '\\$&')}" <${email}>`;

export const sendgrid: EmailSimulation<SendgridSimulator> = {
  kind: 'sendgrid',
  port: 8_427,
  async start({ port, secretFor }) {
    const apiKey = `SG.${secretFor('api_key')}`;
    const simulator = await startSendgridSimulator({ port, apiKey });
    return { simulator, config: { api_key: apiKey, webhook_public_key: simulator.publicKey } };
  },
  credential: 'api_key',
  idempotent: false,
  errorBody: (message) => ({ errors: [{ message, field: null, help: null }] }),
  refusals: [
    {
      title: 'a bad request',
      provoke: errorOf(400, 'bad'),
      outcome: { kind: 'rejected', detail: '400 bad' },
    },
    {
      title: 'credits used up',
      provoke: errorOf(401, 'Maximum credits exceeded'),
      outcome: { kind: 'broken', detail: '401 Maximum credits exceeded' },
    },
    {
      title: 'an unverified sender',
      provoke: errorOf(403, 'The from address does not match a verified Sender Identity.'),
      outcome: { kind: 'broken' },
    },
    ...[404, 405, 406, 413].map((status) => ({
      title: `status ${status}`,
      provoke: errorOf(status, 'no'),
      outcome: { kind: 'rejected' as const },
    })),
    {
      title: 'an account of another region',
      provoke: errorOf(451, 'data residency'),
      outcome: { kind: 'broken' },
    },
    { title: 'unavailable', provoke: errorOf(503, 'no'), outcome: { kind: 'retry' } },
    {
      title: 'success with errors inside',
      provoke: errorOf(200, 'not really'),
      outcome: { kind: 'rejected', detail: '200 not really' },
    },
    {
      title: 'an error without words',
      provoke: says({ status: 400, body: { errors: [] } }),
      outcome: { kind: 'rejected', detail: 'The service returned 400.' },
    },
  ],
  read: (request) => ({
    from: boxed(request.from),
    to: boxed(request.personalizations[0].to[0]),
    replyTo: request.reply_to.email,
    subject: request.subject,
    text: request.content[0].value,
    html: request.content[1]?.value,
    headers: request.headers,
    attachments: request.attachments.map(
      ({ filename, type, content, disposition, content_id }: Record<string, string>) => ({
        filename,
        contentType: type,
        bytes: Buffer.from(content ?? '', 'base64'),
        ...(disposition === 'inline' && { contentId: content_id }),
      }),
    ),
    tags: request.personalizations[0].custom_args,
  }),
  callbacks: {
    needs: 'webhook_public_key',
    foreign: () =>
      generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
        .publicKey.export({ format: 'der', type: 'spki' })
        .toString('base64'),
    forge: (call) =>
      withHeader(call, 'x-twilio-email-event-webhook-signature', Buffer.from('nonsense').toString('base64')),
    signsBody: true,
    age: { takenMs: 24 * 3_600_000, refusedMs: 26 * 3_600_000 },
  },
};
