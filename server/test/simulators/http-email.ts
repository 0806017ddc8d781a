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

/** An imaginary mail service that Carillon does not know: everything about it is in the settings of the kind `http`. */
async function startHttpEmailSimulator(options: {
  port: number;
  apiKey: string;
  callbackSecret: string;
}): Promise<EmailProviderSimulator> {
  const { apiKey, callbackSecret } = options;
  const taken = new Map<string, string>();

  function handle(call: ReceivedCall): Answer {
    if (call.headers.authorization !== `Bearer ${apiKey}`)
      return refuse(401, 'unauthorized', 'Wrong API key');
    if (call.method === 'GET' && call.path === '/v1/account') return { status: 200, body: { plan: 'pro' } };
    if (call.method !== 'POST' || call.path !== '/v1/messages')
      return refuse(404, 'not_found', 'No such path');
    const body = objectOf(call.text);
    if (!body) return refuse(400, 'invalid_json', 'The body is not JSON');
    const { reference, environment, from, to, subject, text, files = [] } = body;
    if (!isAsciiAddress(from) || !isAsciiAddress(to)) return refuse(422, 'invalid_address', 'Wrong address');
    if (!reference || !subject || !text) return refuse(422, 'missing_field', 'A field is missing');
    if (!(files as { filename?: string; content?: string }[]).every((file) => file.filename && file.content))
      return refuse(422, 'invalid_file', 'A file has no name or no content');
    const key = call.headers['idempotency-key'] ?? randomUUID();
    const id = taken.get(key) ?? randomUUID();
    if (!taken.has(key))
      simulator.received.push({
        id,
        to: addressIn(String(to)),
        from: addressIn(String(from)),
        subject: String(subject),
        tags: { notification_id: String(reference), environment_id: String(environment) },
        request: body,
      });
    taken.set(key, id);
    return { status: 202, body: { message: { id } } };
  }

  function sign(kind: CallbackKind, email: ReceivedEmail, at: number): CallbackCall {
    const event = {
      event_id: randomUUID(),
      reference: email.tags.notification_id,
      state: states[kind],
      at: new Date(at).toISOString(),
      ...(kind === 'clicked' ? { info: 'https://acme.example/' } : {}),
    };
    const body = JSON.stringify({ events: [event] });
    const signature = createHmac('sha256', callbackSecret).update(body).digest('hex');
    return {
      headers: { 'content-type': 'application/json', 'x-signature': `sha256=${signature}` },
      body,
    };
  }

  const simulator = await startEmailProvider({ port: options.port, handle, sign });
  return simulator;
}

function refuse(status: number, code: string, message: string): Answer {
  return { status, body: { error: { code, message } } };
}

const states: Record<CallbackKind, string> = {
  delivered: 'DELIVERED',
  delayed: 'DEFERRED',
  bounced: 'UNKNOWN_USER',
  soft_bounced: 'MAILBOX_FULL',
  complained: 'SPAM',
  opened: 'OPEN',
  clicked: 'CLICK',
};

const errorOf = (status: number, code: string) => says(refuse(status, code, 'no'));

const body = `{
  "reference": "{{ notification_id }}",
  "environment": "{{ environment_id }}",
  "from": "{{ from_mailbox }}",
  "to": "{{ to_mailbox }}",
  {% if reply_to %}"reply_to": "{{ reply_to }}",{% endif %}
  "subject": "{{ subject }}",
  "text": "{{ text }}",
  {% if html %}"html": "{{ html }}",{% endif %}
  "headers": {{ headers }},
  "files": {{ attachments }}
}`;

export const httpEmail: EmailSimulation = {
  kind: 'http',
  name: 'http_email',
  port: 8_439,
  async start({ port, secretFor }) {
    const apiKey = secretFor('secret');
    const callbackSecret = secretFor('callback_secret');
    const simulator = await startHttpEmailSimulator({ port, apiKey, callbackSecret });
    return {
      simulator,
      config: {
        secret: apiKey,
        ...settingsFor(simulator.url),
        headers: { Authorization: 'Bearer {{ secret }}', 'Idempotency-Key': '{{ notification_id }}' },
        body,
        idempotent: true,
        message_id_pointer: '/message/id',
        error_code_pointer: '/error/code',
        error_message_pointer: '/error/message',
        error_classes: {
          over_quota: 'broken',
          suspended_recipient: 'unreachable',
          busy: 'throttled',
          '409': 'retry',
        },
        callback_auth: 'hmac_sha256',
        callback_header: 'X-Signature',
        callback_secret: callbackSecret,
        callback_items_pointer: '/events',
        callback_id_pointer: '/reference',
        callback_status_pointer: '/state',
        callback_event_pointer: '/event_id',
        callback_time_pointer: '/at',
        callback_detail_pointer: '/info',
        callback_statuses: {
          delivered: 'delivered',
          deferred: 'delayed',
          unknown_user: 'bounced',
          mailbox_full: 'soft_bounced',
          spam: 'complained',
          open: 'opened',
          click: 'clicked',
        },
      },
    };
  },
  settingsFor,
  credential: 'secret',
  idempotent: true,
  errorBody: (text) => ({ error: { code: text, message: text } }),
  refusals: [
    ...(
      [
        [400, 'invalid_json', 'rejected'],
        [401, 'unauthorized', 'broken'],
        [409, 'conflict', 'retry'],
        [422, 'missing_field', 'rejected'],
        [422, 'over_quota', 'broken'],
        [422, 'suspended_recipient', 'suppress'],
        [503, 'busy', 'throttled'],
        [503, 'maintenance', 'retry'],
      ] as const
    ).map(([status, code, kind]) => ({
      title: `${status} ${code}`,
      provoke: errorOf(status, code),
      outcome: { kind, code },
    })),
  ],
  read: (request) => ({
    from: request.from,
    to: request.to,
    replyTo: request.reply_to,
    subject: request.subject,
    text: request.text,
    html: request.html,
    headers: request.headers,
    attachments: request.files.map(
      ({ filename, content_type, content_id, content }: Record<string, string>) => ({
        filename,
        ...(content_id && { contentId: content_id }),
        contentType: content_type,
        bytes: Buffer.from(content ?? '', 'base64'),
      }),
    ),
    tags: { notification_id: request.reference, environment_id: request.environment },
  }),
  callbacks: {
    needs: 'callback_secret',
    foreign: () => 'the secret of another account',
    forge: (call) => withHeader(call, 'x-signature', `sha256=${'0'.repeat(64)}`),
    signsBody: true,
    age: null,
  },
};

function settingsFor(url: string) {
  return { url: `${url}/v1/messages`, check_url: `${url}/v1/account` };
}
