import { randomUUID } from 'node:crypto';
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

interface PostmarkSimulatorOptions {
  port?: number;
  serverToken?: string;
  streams?: string[];
  /** The credentials that Postmark sends with its webhooks. */
  webhookUser?: { username: string; password: string };
}

interface PostmarkSimulator extends EmailProviderSimulator {
  /** Addresses to which Postmark no longer sends. */
  inactive: Set<string>;
}

const maxBody = 5_000_000;
const maxAttachments = 10_000_000;

/** Postmark on a real socket: strict about the token, the fields and its limits. */
async function startPostmarkSimulator(options: PostmarkSimulatorOptions = {}): Promise<PostmarkSimulator> {
  const {
    serverToken = 'postmark-simulator-token',
    streams = ['outbound', 'broadcast'],
    webhookUser = { username: 'postmark', password: 'webhook-password' },
  } = options;

  function handle(call: ReceivedCall): Answer | Promise<Answer> {
    if (call.headers['x-postmark-server-token'] !== serverToken)
      return refuse(401, 10, 'Request does not contain a valid Server token.');
    if (call.method === 'GET' && call.path === '/server')
      return { status: 200, body: { ID: 1, Name: 'Simulator', ApiTokens: [] } };
    if (call.method === 'POST' && call.path === '/email') return send(call);
    return { status: 404, body: '' };
  }

  function send(call: ReceivedCall): Answer {
    if (!call.headers['content-type']?.startsWith('application/json'))
      return refuse(415, 403, 'The Content-Type must be application/json.');
    const body = objectOf(call.text);
    if (!body) return refuse(422, 402, 'Invalid JSON');
    const { From, To, Subject, TextBody = '', HtmlBody = '', Headers = [], Attachments = [] } = body;
    const { Metadata = {}, MessageStream = 'outbound' } = body;
    if (!isAsciiAddress(From)) return refuse(422, 300, "Invalid 'From' address.");
    if (!isAsciiAddress(To)) return refuse(422, 300, "Error parsing 'To': Illegal email address.");
    if (body.ReplyTo !== undefined && !isAsciiAddress(body.ReplyTo))
      return refuse(422, 300, "Error parsing 'ReplyTo': Illegal email address.");
    if (typeof Subject !== 'string') return refuse(422, 300, "Provide a 'Subject'.");
    if (!TextBody && !HtmlBody) return refuse(422, 300, 'Provide either email TextBody or HtmlBody or both.');
    if (Buffer.byteLength(String(TextBody)) > maxBody || Buffer.byteLength(String(HtmlBody)) > maxBody)
      return refuse(413, 300, 'The body is too large.');
    const bytes = (Attachments as { Content: string }[]).reduce(
      (sum, { Content }) => sum + Content.length * 0.75,
      0,
    );
    if (bytes > maxAttachments) return refuse(422, 300, 'The attachments are too large.');
    if ((Attachments as { Name: string }[]).some(({ Name }) => /\.(exe|bat|vbs)$/i.test(Name)))
      return refuse(422, 411, 'Forbidden attachment type.');
    if (
      !(Headers as { Name?: string; Value?: string }[]).every(
        ({ Name, Value }) => Name && Value !== undefined,
      )
    )
      return refuse(422, 300, "Invalid 'Headers'.");
    const entries = Object.entries(Metadata as Record<string, string>);
    if (entries.length > 10 || entries.some(([name, value]) => name.length > 20 || String(value).length > 80))
      return refuse(422, 300, 'Invalid metadata.');
    if (!streams.includes(String(MessageStream)))
      return refuse(422, 1235, `The MessageStream '${MessageStream}' does not exist.`);
    const to = addressIn(String(To));
    if (simulator.inactive.has(to))
      return refuse(
        422,
        406,
        `You tried to send to a recipient that has been marked as inactive. Found inactive addresses: ${to}.`,
      );
    const id = randomUUID();
    simulator.received.push({
      id,
      to,
      from: addressIn(String(From)),
      subject: Subject,
      tags: Object.fromEntries(entries),
      request: body,
    });
    return {
      status: 200,
      body: { To, SubmittedAt: new Date().toISOString(), MessageID: id, ErrorCode: 0, Message: 'OK' },
    };
  }

  const { username, password } = webhookUser;
  const sign = (kind: CallbackKind, email: ReceivedEmail, at: number): CallbackCall => ({
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    },
    body: JSON.stringify(postmarkRecord(kind, email, at)),
  });

  const server = await startEmailProvider({ ...options, handle, sign });
  const simulator: PostmarkSimulator = Object.assign(server, { inactive: new Set<string>() });
  return simulator;
}

function refuse(status: number, code: number, message: string): Answer {
  return { status, body: { ErrorCode: code, Message: message } };
}

let bounces = 4_323_372_036;

function postmarkRecord(kind: CallbackKind, email: ReceivedEmail, at: number): object {
  const when = new Date(at).toISOString();
  const common = {
    MessageID: email.id,
    ServerID: 23,
    MessageStream: 'outbound',
    Tag: '',
    Metadata: email.tags,
  };
  const bounce = (Type: string, TypeCode: number, Inactive: boolean): object => ({
    ...common,
    RecordType: 'Bounce',
    ID: bounces++,
    Type,
    TypeCode,
    Name: Type,
    Email: email.to,
    From: email.from,
    BouncedAt: when,
    Details: 'smtp;550 5.1.1 user unknown',
    Description: 'The server was unable to deliver your message.',
    Inactive,
    CanActivate: true,
    Subject: email.subject,
  });
  switch (kind) {
    case 'delivered':
      return { ...common, RecordType: 'Delivery', Recipient: email.to, DeliveredAt: when, Details: '250 OK' };
    case 'delayed':
      return bounce('Transient', 2, false);
    case 'bounced':
      return bounce('HardBounce', 1, true);
    case 'soft_bounced':
      return bounce('SoftBounce', 4096, false);
    case 'complained':
      return { ...bounce('SpamComplaint', 100_001, true), RecordType: 'SpamComplaint' };
    case 'opened':
      return {
        ...common,
        RecordType: 'Open',
        Recipient: email.to,
        ReceivedAt: when,
        FirstOpen: true,
        UserAgent: 'Mail',
      };
    case 'clicked':
      return {
        ...common,
        RecordType: 'Click',
        Recipient: email.to,
        ReceivedAt: when,
        OriginalLink: 'https://acme.example/',
        ClickLocation: 'HTML',
      };
  }
}

export const postmark: EmailSimulation<PostmarkSimulator> = {
  kind: 'postmark',
  port: 8_428,
  async start({ port, secretFor }) {
    const serverToken = secretFor('server_token');
    const webhookUser = { username: 'postmark', password: secretFor('webhook_password') };
    const simulator = await startPostmarkSimulator({
      port,
      serverToken,
      webhookUser,
    });
    const { username: webhook_username, password: webhook_password } = webhookUser;
    return { simulator, config: { server_token: serverToken, webhook_username, webhook_password } };
  },
  credential: 'server_token',
  idempotent: false,
  errorBody: (Message) => ({ ErrorCode: 300, Message }),
  refusals: [
    {
      title: 'an inactive recipient',
      provoke: ({ simulator }) => void simulator.inactive.add('ada@example.com'),
      outcome: { kind: 'suppress', reason: 'hard_bounce', code: '422 406' },
    },
    ...(
      [
        [401, 10, 'broken'],
        [422, 100, 'retry'],
        [422, 300, 'rejected'],
        [422, 400, 'broken'],
        [422, 401, 'broken'],
        [422, 402, 'rejected'],
        [422, 403, 'rejected'],
        [422, 405, 'broken'],
        [422, 409, 'rejected'],
        [422, 411, 'rejected'],
        [422, 412, 'broken'],
        [422, 413, 'broken'],
        [422, 429, 'throttled'],
        [429, 429, 'throttled'],
        [422, 1101, 'rejected'],
        [500, 0, 'retry'],
        [503, 100, 'retry'],
        [200, 300, 'rejected'],
      ] as const
    ).map(([status, code, kind]) => ({
      title: `status ${status} with code ${code}`,
      provoke: says(refuse(status, code, 'no')),
      outcome: { kind },
    })),
    {
      title: 'a network filter on the way',
      provoke: says({
        status: 403,
        headers: { 'content-type': 'text/html' },
        body: '<html>Forbidden</html>',
      }),
      outcome: { kind: 'retry', detail: 'The service returned 403.' },
    },
  ],
  read: (request) => ({
    from: request.From,
    to: request.To,
    replyTo: request.ReplyTo,
    subject: request.Subject,
    text: request.TextBody,
    html: request.HtmlBody,
    headers: Object.fromEntries(
      request.Headers.map(({ Name, Value }: Record<string, string>) => [Name, Value]),
    ),
    attachments: request.Attachments.map(
      ({ Name, ContentType, Content, ContentID }: Record<string, string>) => ({
        filename: Name,
        contentType: ContentType,
        bytes: Buffer.from(Content ?? '', 'base64'),
        ...(ContentID && { contentId: ContentID.replace(/^cid:/, '') }),
      }),
    ),
    tags: request.Metadata,
  }),
  callbacks: {
    needs: 'webhook_password',
    foreign: () => 'another-password',
    forge: (call) =>
      withHeader(call, 'authorization', `Basic ${Buffer.from('postmark:guess').toString('base64')}`),
    signsBody: false,
    age: null,
  },
};
