import { createHash, createHmac, randomUUID } from 'node:crypto';
import PostalMime, { type Address } from 'postal-mime';
import {
  type CallbackKind,
  type EmailProviderSimulator,
  isAddress,
  type ReceivedEmail,
  startEmailProvider,
} from './email-provider.ts';
import { type Answer, objectOf, type ReceivedCall } from './http-simulator.ts';
import { type EmailSimulation, says } from './simulation.ts';
import { createSnsSimulator, type SnsSimulator } from './sns.ts';

interface SesSimulatorOptions {
  port?: number;
  region?: string;
  accessKeyId?: string;
  secretAccessKey?: string;
  configurationSets?: string[];
  topicArn?: string;
}

export interface SesSimulator extends EmailProviderSimulator {
  sns: SnsSimulator;
  /** The state of the account, as GetAccount shows it. */
  account: { sendingEnabled: boolean; productionAccess: boolean };
}

const maxMessage = 40_000_000;

/** Amazon SES v2 on a real socket: checks signatures and fields as the real one does. Its SNS topic is at the same address. */
async function startSesSimulator(options: SesSimulatorOptions = {}): Promise<SesSimulator> {
  const {
    region = 'eu-west-1',
    accessKeyId = 'AKIDSIMULATOR',
    secretAccessKey = 'ses-simulator-secret',
    configurationSets = ['events'],
    topicArn = 'arn:aws:sns:eu-west-1:123456789012:ses-events',
  } = options;

  function handle(call: ReceivedCall): Answer | Promise<Answer> {
    const reply = sns.handle(call) ?? checkSignature(call, { region, accessKeyId, secretAccessKey });
    if (reply) return reply;
    if (call.method === 'GET' && call.path === '/v2/email/account') {
      return {
        status: 200,
        body: {
          SendingEnabled: simulator.account.sendingEnabled,
          ProductionAccessEnabled: simulator.account.productionAccess,
          EnforcementStatus: 'HEALTHY',
          SendQuota: { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: 0 },
        },
      };
    }
    if (call.method === 'POST' && call.path === '/v2/email/outbound-emails') return send(call);
    return error(404, 'NotFoundException', 'No such operation.');
  }
  const sns = createSnsSimulator(() => simulator.url, topicArn);

  function send(call: ReceivedCall): Answer {
    const body = objectOf(call.text);
    if (!body) return error(400, 'BadRequestException', 'The request is not valid JSON.');
    const { FromEmailAddress: from, Destination, Content, EmailTags = [], ConfigurationSetName: set } = body;
    const { ToAddresses: to = [] } = (Destination ?? {}) as { ToAddresses?: string[] };
    const { Raw } = (Content ?? {}) as { Raw?: { Data?: string } };
    if (!isAddress(from))
      return error(400, 'BadRequestException', 'Missing final @domain in FromEmailAddress.');
    if (to.length === 0 || to.length > 50 || !to.every(isAddress))
      return error(400, 'BadRequestException', 'Illegal address in Destination.');
    if (/\P{ASCII}/u.test(`${from}${to}`))
      return error(400, 'BadRequestException', 'Local address contains control or whitespace.');
    if (!Raw?.Data) return error(400, 'BadRequestException', 'Content is required.');
    const mime = Buffer.from(Raw.Data, 'base64');
    if (mime.length > maxMessage) return error(400, 'MessageRejected', 'The message is too long.');
    if (/\P{ASCII}/u.test(mime.toString('latin1', 0, mime.indexOf('\r\n\r\n'))))
      return error(400, 'BadRequestException', 'The headers of a raw message must be 7-bit ASCII.');
    if (!/^From:/im.test(mime.toString('latin1', 0, 20_000)))
      return error(400, 'MessageRejected', 'Missing required header From.');
    const tags = EmailTags as { Name: string; Value: string }[];
    if (!tags.every(({ Name, Value }) => /^[\w-]{1,256}$/.test(Name) && /^[\w-]{1,256}$/.test(Value)))
      return error(400, 'BadRequestException', 'Tag names and values take A-Z a-z 0-9 _ - only.');
    if (set !== undefined && !configurationSets.includes(String(set)))
      return error(404, 'NotFoundException', `Configuration set <${set}> does not exist.`);
    const id = `0102${randomUUID().replaceAll('-', '')}-${simulator.received.length}`;
    simulator.received.push({
      id,
      to: to[0] ?? '',
      from: String(from),
      subject: /^Subject: (.*)$/im.exec(mime.toString('utf8'))?.[1]?.trim() ?? '',
      tags: Object.fromEntries(tags.map(({ Name, Value }) => [Name, Value])),
      request: { ...body, mime: withFrom(mime, String(from)) },
    });
    return { status: 200, body: { MessageId: id } };
  }

  const server = await startEmailProvider({
    ...options,
    handle,
    sign: (kind, email, at) => sns.notification(sesEvent(kind, email, at), { at }),
  });
  const simulator: SesSimulator = Object.assign(server, {
    sns,
    account: { sendingEnabled: true, productionAccess: true },
  });
  return simulator;
}

/** FromEmailAddress takes the place of the From header of a raw message, display name and all. */
function withFrom(mime: Buffer, from: string): Buffer {
  const header = /^From:.*(?:\r\n[ \t].*)*/im;
  return Buffer.from(
    mime.toString('latin1').replace(header, () => `From: ${from}`),
    'latin1',
  );
}

function error(status: number, type: string, message: string): Answer {
  return { status, headers: { 'x-amzn-errortype': `${type}:` }, body: { message } };
}

/** Signature Version 4, as the documentation describes it and independent of the library that signs. */
function checkSignature(
  { method, path, headers, body }: ReceivedCall,
  { region, accessKeyId, secretAccessKey }: { region: string; accessKeyId: string; secretAccessKey: string },
): Answer | null {
  const [, id, date = '', scope, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const at = headers['x-amz-date'] ?? '';
  if (!id) return error(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  if (id !== accessKeyId)
    return error(
      403,
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
    );
  const signed = names.split(';');
  const canonical = [
    method,
    path,
    '',
    ...signed.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    names,
    createHash('sha256').update(body).digest('hex'),
  ].join('\n');
  const toSign = [
    'AWS4-HMAC-SHA256',
    at,
    `${date}/${region}/ses/aws4_request`,
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n');
  const key = [date, region, 'ses', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  const isRight =
    scope === `${region}/ses/aws4_request` &&
    at.startsWith(date) &&
    signed.includes('host') &&
    createHmac('sha256', key).update(toSign).digest('hex') === signature;
  return isRight
    ? null
    : error(
        403,
        'SignatureDoesNotMatch',
        'The request signature we calculated does not match the signature you provided.',
      );
}

function sesEvent(kind: CallbackKind, email: ReceivedEmail, at: number): object {
  const timestamp = new Date(at).toISOString();
  const mail = {
    timestamp,
    messageId: email.id,
    source: email.from,
    destination: [email.to],
    tags: Object.fromEntries(Object.entries(email.tags).map(([name, value]) => [name, [value]])),
  };
  const recipients = [
    { emailAddress: email.to, status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' },
  ];
  switch (kind) {
    case 'delivered':
      return {
        eventType: 'Delivery',
        mail,
        delivery: { timestamp, recipients: [email.to], smtpResponse: '250 2.6.0 Message received' },
      };
    case 'delayed':
      return {
        eventType: 'DeliveryDelay',
        mail,
        deliveryDelay: {
          timestamp,
          delayType: 'MailboxFull',
          delayedRecipients: [{ emailAddress: email.to }],
        },
      };
    case 'bounced':
    case 'soft_bounced': {
      const [bounceType, bounceSubType] =
        kind === 'bounced' ? ['Permanent', 'General'] : ['Transient', 'MailboxFull'];
      const bounce = {
        bounceType,
        bounceSubType,
        bouncedRecipients: recipients,
        timestamp,
        feedbackId: randomUUID(),
      };
      return { eventType: 'Bounce', mail, bounce };
    }
    case 'complained':
      return {
        eventType: 'Complaint',
        mail,
        complaint: {
          timestamp,
          complainedRecipients: [{ emailAddress: email.to }],
          complaintFeedbackType: 'abuse',
        },
      };
    case 'opened':
      return { eventType: 'Open', mail, open: { timestamp, ipAddress: '192.0.2.1', userAgent: 'Mail' } };
    case 'clicked':
      return {
        eventType: 'Click',
        mail,
        click: { timestamp, link: 'https://acme.example/', userAgent: 'Mail' },
      };
  }
}

const errorOf = (status: number, type: string, message: string) => says(error(status, type, message));

export const ses: EmailSimulation<SesSimulator> = {
  kind: 'ses',
  port: 8_426,
  async start({ port, secretFor }) {
    const secretAccessKey = secretFor('secret_access_key');
    const simulator = await startSesSimulator({
      port,
      secretAccessKey,
    });
    return {
      simulator,
      config: {
        region: 'eu-west-1',
        access_key_id: 'AKIDSIMULATOR',
        secret_access_key: secretAccessKey,
        configuration_set: 'events',
        sns_topic_arn: simulator.sns.topicArn,
      },
    };
  },
  credential: 'secret_access_key',
  idempotent: false,
  errorBody: (message) => ({ message }),
  refusals: [
    {
      title: 'too many requests',
      provoke: errorOf(429, 'TooManyRequestsException', 'Too many requests'),
      outcome: { kind: 'throttled', code: 'TooManyRequestsException', retryAfterMs: null },
    },
    {
      title: 'above the sending rate',
      provoke: errorOf(400, 'ThrottlingException', 'Maximum sending rate exceeded.'),
      outcome: { kind: 'throttled', retryAfterMs: null },
    },
    {
      title: 'above the daily quota',
      provoke: errorOf(400, 'ThrottlingException', 'Daily message quota exceeded.'),
      outcome: { kind: 'throttled', retryAfterMs: 3_600_000 },
    },
    {
      title: 'a limit of the account',
      provoke: errorOf(400, 'LimitExceededException', 'Limit exceeded'),
      outcome: { kind: 'throttled', retryAfterMs: 3_600_000 },
    },
    {
      title: 'refused content',
      provoke: errorOf(400, 'MessageRejected', 'Message contains a virus.'),
      outcome: { kind: 'rejected', code: 'MessageRejected' },
    },
    {
      title: 'an unverified sender',
      provoke: errorOf(400, 'MessageRejected', 'Email address is not verified.'),
      outcome: { kind: 'broken', code: 'MessageRejected' },
    },
    ...['AccountSuspendedException', 'SendingPausedException', 'MailFromDomainNotVerifiedException'].map(
      (type) => ({
        title: type,
        provoke: errorOf(400, type, 'no'),
        outcome: { kind: 'broken' as const, code: type },
      }),
    ),
    {
      title: 'an unknown configuration set',
      provoke: errorOf(404, 'NotFoundException', 'Configuration set does not exist.'),
      outcome: { kind: 'broken', code: 'NotFoundException' },
    },
    {
      title: 'a bad request',
      provoke: errorOf(400, 'BadRequestException', 'Missing final @domain'),
      outcome: { kind: 'rejected', code: 'BadRequestException' },
    },
    ...[
      'InvalidClientTokenId',
      'AccessDeniedException',
      'ExpiredTokenException',
      'SignatureDoesNotMatch',
    ].map((type) => ({
      title: `credentials that no longer hold (${type})`,
      provoke: errorOf(403, type, 'no'),
      outcome: { kind: 'broken' as const, code: type },
    })),
    {
      title: 'an error with a type in its body, as older services send it',
      provoke: says({ status: 400, body: { __type: 'com.amazonaws.ses#MessageRejected', message: 'spam' } }),
      outcome: { kind: 'rejected', code: 'MessageRejected' },
    },
    {
      title: 'a failure of the service',
      provoke: errorOf(503, 'ServiceUnavailable', 'try again'),
      outcome: { kind: 'retry' },
    },
  ],
  async read({ mime, EmailTags }) {
    const mail = await PostalMime.parse(mime);
    return {
      from: boxed(mail.from),
      to: boxed(mail.to?.[0]),
      replyTo: mail.replyTo?.[0]?.address ?? '',
      subject: mail.subject ?? '',
      text: mail.text?.trim() ?? '',
      html: mail.html?.trim() ?? '',
      headers: Object.fromEntries(mail.headers.map(({ originalKey, value }) => [originalKey, value])),
      attachments: mail.attachments.map(({ filename, mimeType, content, disposition, contentId }) => ({
        filename: filename ?? '',
        contentType: mimeType,
        bytes: Buffer.from(content as ArrayBuffer),
        ...(disposition === 'inline' && contentId && { contentId: contentId.slice(1, -1) }),
      })),
      tags: Object.fromEntries(EmailTags.map(({ Name, Value }: Record<string, string>) => [Name, Value])),
    };
  },
  callbacks: {
    needs: 'sns_topic_arn',
    foreign: () => 'arn:aws:sns:eu-west-1:123456789012:another-topic',
    forge: ({ headers, body }) => ({
      headers,
      body: JSON.stringify({ ...JSON.parse(body), Signature: Buffer.alloc(256, 1).toString('base64') }),
    }),
    signsBody: true,
    age: { takenMs: 3_600_000, refusedMs: 3 * 3_600_000 },
  },
};

function boxed(person: Address | undefined): string {
  return `"${(person?.name ?? '').replace(/["\\]/g, '\\$&')}" <${person?.address}>`;
}
