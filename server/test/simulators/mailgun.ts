import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import {
  addressIn,
  type CallbackCall,
  type CallbackKind,
  type EmailProviderSimulator,
  isAddress,
  isAsciiAddress,
  type ReceivedEmail,
  startEmailProvider,
} from './email-provider.ts';
import type { Answer, ReceivedCall } from './http-simulator.ts';
import { type EmailSimulation, type SeenEmail, says } from './simulation.ts';

interface MailgunSimulatorOptions {
  port?: number;
  apiKey?: string;
  /** A key of the domain that may send and nothing else. */
  sendingKey?: string;
  domain?: string;
  signingKey?: string;
}

export interface MailgunSimulator extends EmailProviderSimulator {
  /** The state of the domain, e.g. `active` or `unverified`. */
  state: string;
}

const maxMessage = 25_000_000;
const maxOptions = 16_384;

/** Mailgun on a real socket: strict about the key, the domain, the form and its limits. */
async function startMailgunSimulator(options: MailgunSimulatorOptions = {}): Promise<MailgunSimulator> {
  const {
    apiKey = 'key-mailgun-simulator',
    sendingKey = 'key-mailgun-sending',
    domain = 'mg.acme.example',
    signingKey = 'mailgun-signing-key',
  } = options;

  function handle(call: ReceivedCall): Answer | Promise<Answer> {
    const key = [apiKey, sendingKey].find(
      (each) => call.headers.authorization === `Basic ${Buffer.from(`api:${each}`).toString('base64')}`,
    );
    if (key === undefined) return { status: 401, body: 'Forbidden' };
    if (call.method === 'POST' && call.path === `/v3/${domain}/messages`) return send(call);
    if (key === sendingKey) return { status: 403, body: { message: 'Forbidden' } };
    if (call.method === 'GET' && call.path === `/v4/domains/${domain}`)
      return { status: 200, body: { domain: { name: domain, state: simulator.state } } };
    return { status: 404, body: { message: 'Domain not found' } };
  }

  async function send(call: ReceivedCall): Promise<Answer> {
    if (call.body.length > maxMessage) return { status: 413, body: 'Request Entity Too Large' };
    const form = await formOf(call);
    if (!form) return refuse('The form cannot be read');
    const text = (name: string): string => String(form.get(name) ?? '');
    if (!isAsciiAddress(text('from')))
      return refuse("'from' parameter is not a valid address. please check documentation");
    if (!isAddress(text('to')))
      return refuse("'to' parameter is not a valid address. please check documentation");
    if (!text('text') && !text('html'))
      return refuse("Need at least one of 'text', 'html', 'amp-html' or 'template' parameters specified");
    if (simulator.state !== 'active')
      return refuse(`Domain ${domain} is not allowed to send: the domain is ${simulator.state}`);
    const fields = [...form].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    const extra = fields
      .filter(([name]) => /^[ohvt]:/.test(name))
      .reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    if (extra > maxOptions) return refuse('The o:, h:, v: and t: parameters are larger than 16 KB');
    const id = `<${Date.now()}.${randomUUID()}@${domain}>`;
    simulator.received.push({
      id,
      to: addressIn(text('to')),
      from: addressIn(text('from')),
      subject: text('subject'),
      tags: Object.fromEntries(
        fields.filter(([name]) => name.startsWith('v:')).map(([name, value]) => [name.slice(2), value]),
      ),
      request: { ...Object.fromEntries(fields), files: await filesOf(form) },
    });
    return { status: 200, body: { id, message: 'Queued. Thank you.' } };
  }

  function sign(kind: CallbackKind, email: ReceivedEmail, at: number): CallbackCall {
    const timestamp = String(Math.floor(at / 1000));
    const token = randomBytes(25).toString('hex');
    const signature = createHmac('sha256', signingKey)
      .update(timestamp + token)
      .digest('hex');
    return {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        signature: { timestamp, token, signature },
        'event-data': mailgunEvent(kind, email, at),
      }),
    };
  }

  const server = await startEmailProvider({ ...options, handle, sign });
  const simulator: MailgunSimulator = Object.assign(server, { state: 'active' });
  return simulator;
}

function refuse(message: string): Answer {
  return { status: 400, body: { message } };
}

async function formOf({ headers, body }: ReceivedCall): Promise<FormData | null> {
  try {
    return await new Response(new Uint8Array(body), {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData();
  } catch {
    return null;
  }
}

/** The filename of an inline file is its content id. */
async function filesOf(form: FormData): Promise<SeenEmail['attachments']> {
  const files = (['inline', 'attachment'] as const).flatMap((field) =>
    form.getAll(field).flatMap((file) => (typeof file === 'string' ? [] : [{ field, file }])),
  );
  return Promise.all(
    files.map(async ({ field, file }) => ({
      filename: file.name,
      contentType: file.type,
      bytes: Buffer.from(await file.arrayBuffer()),
      ...(field === 'inline' && { contentId: file.name }),
    })),
  );
}

function mailgunEvent(kind: CallbackKind, email: ReceivedEmail, at: number): object {
  const common = {
    id: randomBytes(16).toString('base64url'),
    timestamp: at / 1000,
    recipient: email.to,
    message: { headers: { 'message-id': email.id.slice(1, -1), from: email.from, to: email.to } },
    'user-variables': email.tags,
    tags: [],
  };
  const status = (code: number, message: string): object => ({
    'delivery-status': { code, message, description: '' },
  });
  switch (kind) {
    case 'delivered':
      return { ...common, event: 'delivered', ...status(250, 'OK') };
    case 'delayed':
      return {
        ...common,
        event: 'failed',
        severity: 'temporary',
        reason: 'generic',
        ...status(451, 'try later'),
      };
    case 'bounced':
      return {
        ...common,
        event: 'failed',
        severity: 'permanent',
        reason: 'bounce',
        ...status(550, 'user unknown'),
      };
    case 'soft_bounced':
      return { ...common, event: 'failed', severity: 'permanent', reason: 'old', ...status(602, 'Too old') };
    case 'complained':
      return { ...common, event: 'complained' };
    case 'opened':
      return { ...common, event: 'opened', ip: '192.0.2.1' };
    case 'clicked':
      return { ...common, event: 'clicked', url: 'https://acme.example/', ip: '192.0.2.1' };
  }
}

const errorOf = (status: number, message: string) => says({ status, body: { message } });

export const mailgun: EmailSimulation<MailgunSimulator> = {
  kind: 'mailgun',
  port: 8_430,
  async start({ port, secretFor }) {
    const domain = 'mg.acme.example';
    const apiKey = `key-${secretFor('api_key')}`;
    const signingKey = secretFor('webhook_signing_key');
    const simulator = await startMailgunSimulator({
      port,
      apiKey,
      domain,
      signingKey,
    });
    return { simulator, config: { api_key: apiKey, domain, webhook_signing_key: signingKey } };
  },
  credential: 'api_key',
  idempotent: false,
  takesUtf8Recipients: true,
  errorBody: (message) => ({ message }),
  refusals: [
    {
      title: 'a bad address',
      provoke: errorOf(400, "'to' parameter is not a valid address."),
      outcome: { kind: 'rejected' },
    },
    {
      title: 'a domain that may not send',
      provoke: ({ simulator }) => {
        simulator.state = 'unverified';
      },
      outcome: { kind: 'broken', code: '400' },
    },
    {
      title: 'wrong key',
      provoke: says({ status: 401, headers: { 'content-type': 'text/plain' }, body: 'Forbidden' }),
      outcome: { kind: 'broken', detail: '401 Forbidden' },
    },
    ...(
      [
        [402, 'broken'],
        [403, 'broken'],
        [404, 'broken'],
        [413, 'rejected'],
        [500, 'retry'],
        [503, 'retry'],
      ] as const
    ).map(([status, kind]) => ({
      title: `status ${status}`,
      provoke: errorOf(status, 'no'),
      outcome: { kind },
    })),
    {
      title: 'throttled, with the time in words',
      provoke: errorOf(429, 'Too many requests: try again in 5 minutes'),
      outcome: { kind: 'throttled', retryAfterMs: 300_000 },
    },
  ],
  read: (request) => ({
    from: request.from,
    to: request.to,
    replyTo: request['h:Reply-To'],
    subject: request.subject,
    text: request.text,
    html: request.html,
    headers: namesBehind(request, 'h:', ['h:Reply-To']),
    attachments: request.files,
    tags: namesBehind(request, 'v:'),
  }),
  callbacks: {
    needs: 'webhook_signing_key',
    foreign: () => 'another-signing-key',
    forge: ({ headers, body }) => ({
      headers,
      body: body.replace(/"signature":"[0-9a-f]{64}"/, `"signature":"${'0'.repeat(64)}"`),
    }),
    signsBody: false,
    age: { takenMs: 11 * 3_600_000, refusedMs: 13 * 3_600_000 },
  },
};

/** The fields whose names begin with a prefix, without it. */
function namesBehind(
  fields: Record<string, string>,
  prefix: string,
  except: string[] = [],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => name.startsWith(prefix) && !except.includes(name))
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );
}
