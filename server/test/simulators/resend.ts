import { createHmac, randomUUID } from 'node:crypto';
import {
  addressIn,
  type CallbackCall,
  type CallbackKind,
  type EmailProviderSimulator,
  isAsciiAddress,
  type ReceivedEmail,
  startEmailProvider,
} from './email-provider.ts';
import { type Answer, objectOf, type ReceivedCall } from './http-simulator.ts';
import { type EmailSimulation, says, withHeader } from './simulation.ts';

interface ResendSimulatorOptions {
  port?: number;
  apiKey?: string;
  /** The key may send and nothing else. */
  restricted?: boolean;
  webhookSecret?: string;
}

export interface ResendSimulator extends EmailProviderSimulator {
  webhookSecret: string;
}

/** Resend on a real socket: strict about the key and the fields, and it keeps idempotency keys for a day. */
export async function startResendSimulator(options: ResendSimulatorOptions = {}): Promise<ResendSimulator> {
  const {
    apiKey = 're_simulator_key',
    restricted = false,
    webhookSecret = `whsec_${Buffer.from('resend-simulator-secret!').toString('base64')}`,
  } = options;
  const answered = new Map<string, { payload: string; reply: Answer }>();

  function handle(call: ReceivedCall): Answer | Promise<Answer> {
    const { authorization } = call.headers;
    if (!authorization) return refuse(401, 'missing_api_key', 'Missing API key in the authorization header');
    if (authorization !== `Bearer ${apiKey}`) return refuse(403, 'invalid_api_key', 'API key is invalid');
    if (call.method === 'POST' && call.path === '/emails') return once(call);
    if (restricted)
      return refuse(401, 'restricted_api_key', 'This API key is restricted to only send emails');
    if (call.method === 'GET' && call.path === '/domains') return { status: 200, body: { data: [] } };
    return refuse(404, 'not_found', 'The requested endpoint does not exist');
  }

  function once(call: ReceivedCall): Answer {
    const key = call.headers['idempotency-key'];
    if (key === undefined) return send(call);
    if (key.length < 1 || key.length > 256)
      return refuse(400, 'invalid_idempotency_key', 'The key must be between 1-256 chars');
    const payload = call.body.toString('utf8');
    const before = answered.get(key);
    if (before && before.payload !== payload)
      return refuse(
        409,
        'invalid_idempotent_request',
        'Same idempotency key used with a different request payload',
      );
    const reply = before?.reply ?? send(call);
    if (reply.status === 200) answered.set(key, { payload, reply });
    return reply;
  }

  function send(call: ReceivedCall): Answer {
    const body = objectOf(call.text);
    if (!body) return refuse(400, 'validation_error', 'The body is not valid JSON');
    const { from, to, subject, html, text, tags = [], headers = {}, attachments = [] } = body;
    for (const field of ['from', 'to', 'subject'])
      if (!body[field]) return refuse(422, 'missing_required_field', `Missing \`${field}\` field`);
    if (!isAsciiAddress(from)) return refuse(422, 'invalid_from_address', 'Invalid `from` field');
    const people = Array.isArray(to) ? (to as string[]) : [String(to)];
    if (people.length > 50 || !people.every(isAsciiAddress))
      return refuse(422, 'validation_error', 'Invalid `to` field');
    if (body.reply_to !== undefined && !isAsciiAddress(body.reply_to))
      return refuse(422, 'validation_error', 'Invalid `reply_to` field');
    if (!html && !text) return refuse(422, 'missing_required_field', 'Missing `html` or `text` field');
    const list = tags as { name: string; value: string }[];
    if (!list.every(({ name, value }) => /^[\w-]{1,256}$/.test(name) && /^[\w-]{1,256}$/.test(value)))
      return refuse(
        422,
        'validation_error',
        'Tags should only contain ASCII letters, numbers, underscores, or dashes',
      );
    if (!Object.values(headers as object).every((value) => typeof value === 'string'))
      return refuse(422, 'invalid_parameter', 'Headers must be strings');
    if (
      !(attachments as { filename?: string; content?: string }[]).every(
        (file) => file.filename && file.content,
      )
    )
      return refuse(422, 'invalid_attachment', 'Attachment must have a filename and content');
    const id = randomUUID();
    simulator.received.push({
      id,
      to: addressIn(people[0] ?? ''),
      from: addressIn(String(from)),
      subject: String(subject),
      tags: Object.fromEntries(list.map(({ name, value }) => [name, value])),
      request: { ...body, idempotencyKey: call.headers['idempotency-key'] },
    });
    return { status: 200, body: { id } };
  }

  function sign(kind: CallbackKind, email: ReceivedEmail, at: number): CallbackCall {
    const id = `msg_${randomUUID().replaceAll('-', '')}`;
    const timestamp = String(Math.floor(at / 1000));
    const body = JSON.stringify(resendEvent(kind, email, at));
    const signature = createHmac('sha256', Buffer.from(webhookSecret.slice('whsec_'.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64');
    return {
      headers: {
        'content-type': 'application/json',
        'svix-id': id,
        'svix-timestamp': timestamp,
        'svix-signature': `v1,${signature}`,
      },
      body,
    };
  }

  const server = await startEmailProvider({ ...options, handle, sign });
  const simulator: ResendSimulator = Object.assign(server, { webhookSecret });
  return simulator;
}

function refuse(statusCode: number, name: string, message: string): Answer {
  return { status: statusCode, body: { statusCode, name, message } };
}

const types: Record<CallbackKind, string> = {
  delivered: 'email.delivered',
  delayed: 'email.delivery_delayed',
  bounced: 'email.bounced',
  soft_bounced: 'email.bounced',
  complained: 'email.complained',
  opened: 'email.opened',
  clicked: 'email.clicked',
};

function resendEvent(kind: CallbackKind, email: ReceivedEmail, at: number): object {
  const created_at = new Date(at).toISOString();
  const extra =
    kind === 'bounced'
      ? { bounce: { type: 'Permanent', subType: 'NoEmail', message: '550 5.1.1 user unknown' } }
      : kind === 'soft_bounced'
        ? { bounce: { type: 'Transient', subType: 'MailboxFull', message: '452 4.2.2 mailbox full' } }
        : kind === 'clicked'
          ? { click: { ipAddress: '192.0.2.1', link: 'https://acme.example/', timestamp: created_at } }
          : {};
  const data = {
    email_id: email.id,
    created_at,
    from: email.from,
    to: [email.to],
    subject: email.subject,
    tags: email.tags,
    ...extra,
  };
  return { type: types[kind], created_at, data };
}

const errorOf = (statusCode: number, name: string, headers: Record<string, string> = {}) =>
  says({ ...refuse(statusCode, name, 'no'), headers });

export const resend: EmailSimulation<ResendSimulator> = {
  kind: 'resend',
  port: 8_429,
  async start({ port, secretFor }) {
    const apiKey = `re_${secretFor('api_key')}`;
    const webhookSecret = `whsec_${secretFor('webhook_secret')}`;
    const simulator = await startResendSimulator({
      port,
      apiKey,
      webhookSecret,
    });
    return { simulator, config: { api_key: apiKey, webhook_secret: webhookSecret } };
  },
  credential: 'api_key',
  idempotent: true,
  errorBody: (text) => ({ statusCode: 400, name: text, message: text }),
  refusals: [
    ...(
      [
        [400, 'invalid_idempotency_key', 'rejected'],
        [400, 'validation_error', 'rejected'],
        [401, 'missing_api_key', 'broken'],
        [401, 'restricted_api_key', 'broken'],
        [403, 'invalid_api_key', 'broken'],
        [403, 'invalid_permission', 'broken'],
        [403, 'suspended_api_key', 'broken'],
        [403, 'validation_error', 'broken'],
        [404, 'not_found', 'rejected'],
        [405, 'method_not_allowed', 'rejected'],
        [409, 'concurrent_idempotent_requests', 'ambiguous'],
        [409, 'resource_locked', 'retry'],
        [409, 'invalid_idempotent_request', 'ambiguous'],
        [422, 'invalid_attachment', 'rejected'],
        [422, 'invalid_parameter', 'rejected'],
        [422, 'invalid_from_address', 'rejected'],
        [422, 'missing_required_field', 'rejected'],
        [429, 'rate_limit_exceeded', 'throttled'],
        [429, 'daily_quota_exceeded', 'throttled'],
        [429, 'monthly_quota_exceeded', 'broken'],
        [500, 'application_error', 'retry'],
        [503, 'service_unavailable', 'retry'],
      ] as const
    ).map(([status, name, kind]) => ({
      title: `${status} ${name}`,
      provoke: errorOf(status, name),
      outcome: { kind, code: name },
    })),
    {
      title: 'throttled with a reset in seconds',
      provoke: errorOf(429, 'rate_limit_exceeded', { 'ratelimit-reset': '2' }),
      outcome: { kind: 'throttled', retryAfterMs: 2_000 },
    },
  ],
  read: (request) => ({
    from: request.from,
    to: request.to[0],
    replyTo: request.reply_to,
    subject: request.subject,
    text: request.text,
    html: request.html,
    headers: request.headers,
    attachments: request.attachments.map(
      ({ filename, content_type, content, content_id }: Record<string, string>) => ({
        filename,
        contentType: content_type,
        bytes: Buffer.from(content ?? '', 'base64'),
        ...(content_id && { contentId: content_id }),
      }),
    ),
    tags: Object.fromEntries(request.tags.map(({ name, value }: Record<string, string>) => [name, value])),
  }),
  callbacks: {
    needs: 'webhook_secret',
    foreign: () => `whsec_${Buffer.from('another account altogether').toString('base64')}`,
    forge: (call) =>
      withHeader(call, 'svix-signature', `v1,${Buffer.alloc(32, 1).toString('base64')} v2,x v1, v1`),
    signsBody: true,
    age: { takenMs: 4 * 60_000, refusedMs: 6 * 60_000 },
  },
};
