import { type Static, Type } from 'typebox';
import { channels } from '../../../channels/contract.ts';
import { DateTime, JsonObject, Nullable, OneOf, PageOf, pageQuery, Uuid } from '../../../http/schema.ts';
import { extrasInput, InboxAction } from '../../inbox/index.ts';
import { WebhookDelivery } from '../../webhooks/index.ts';
import { statusDetails } from './status-detail.ts';

const statuses = [
  'queued',
  'sending',
  'sent',
  'failed',
  'suppressed',
  'delivered',
  'bounced',
  'complained',
] as const;
export type NotificationStatus = (typeof statuses)[number];

const priorities = ['critical', 'normal', 'bulk'] as const;
export type Priority = (typeof priorities)[number];

const NullableText = (maxLength: number, description?: string) =>
  Type.Optional(Nullable(Type.String({ maxLength, ...(description && { description }) })));

/** Limits on one notification; the body limit of the request bounds their sum. */
export const sendLimits = {
  subject: 998, // a header line (RFC 5322)
  body: 2_000_000,
  address: 2_048,
  name: 200,
  url: 2_048,
  key: 255,
  attachments: 10,
  attachmentBytes: 15 * 1_048_576,
  attachmentName: 255,
  contentId: 127, // Resend takes fewer than 128
  templateDataBytes: 262_144,
  sendAtDays: 90,
  attachmentDays: 7,
  batch: 500,
} as const;

/** The empty text is no key: it is refused, and not the same as none. */
const NullableKey = (description: string) =>
  Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: sendLimits.key, description })));

const Recipient = Type.Object({
  address: NullableText(
    sendLimits.address,
    'An email address, a phone number in E.164 format, a user id (in_app), an http or https URL (webhook), or the id or key of a chat target.',
  ),
  name: NullableText(sendLimits.name, 'The display name in the To header of emails and in the inbox.'),
  external_user_id: NullableText(
    sendLimits.key,
    'Your id of the user. Beside an address, the pair is remembered; alone, it stands for the address stored for the channel.',
  ),
  endpoint: NullableKey(
    'The key of a Microsoft Teams or Discord endpoint, the id of a webhook endpoint, or the id or team of a Slack installation.',
  ),
  chatone_user_id: NullableText(sendLimits.key, 'A Slack user id (`U…`), for a direct message.'),
  chatone_channel_id: NullableText(sendLimits.key, 'A Slack channel id (`C…`).'),
  chattwo_endpoint_id: NullableText(
    sendLimits.key,
    'The id of a Microsoft Teams endpoint; prefer `endpoint`.',
  ),
  chatthree_endpoint_id: NullableText(sendLimits.key, 'The id of a Discord endpoint; prefer `endpoint`.'),
});

/** Channels other than email ignore attachments, whatever they contain: the service has their limits. */
const AttachmentInput = Type.Object({
  filename: Type.String({
    description: `The name that the recipient sees, at most ${sendLimits.attachmentName} characters.`,
  }),
  content_type: Type.String({
    description: `A MIME type, for example \`application/pdf\`, at most ${sendLimits.attachmentName} characters.`,
  }),
  content_base64: Type.String({ description: 'The bytes of the file in base64.' }),
  content_id: Type.Optional(
    Nullable(
      Type.String({
        description: `For an image within the HTML: the body shows it with \`<img src="cid:…">\` and this id (at most ${sendLimits.contentId} letters, digits and \`.!#$%&'*+/=?^_{|}~@-\`).`,
      }),
    ),
  ),
});

const content = {
  subject: Type.Optional(
    Nullable(
      Type.String({
        description: `At most ${sendLimits.subject} characters. Beside a \`template_key\`, replaces the subject of the template. Channels without a subject ignore it.`,
      }),
    ),
  ),
  html_body: NullableText(
    sendLimits.body,
    'HTML, for email and in_app. Ignored beside a `template_key`, and by channels without HTML.',
  ),
  text_body: NullableText(
    sendLimits.body,
    'Plain text, for email, sms and in_app. An email without it gets the text of its HTML.',
  ),
  template_data: Type.Optional(
    Nullable({
      ...JsonObject,
      description: `The data of the template. Without a template, \`subject\`, \`html_body\` and \`text_body\` are Liquid when it is given, also as \`{}\`, and literal otherwise. At most ${sendLimits.templateDataBytes} bytes as JSON.`,
    }),
  ),
  action_url: NullableText(sendLimits.url, 'The link of an inbox item.'),
  ...extrasInput,
  send_at: Type.Optional(
    Nullable(
      Type.String({
        format: 'date-time',
        description: `Not before this time, at most ${sendLimits.sendAtDays} days ahead. Until then the notification can be changed.`,
      }),
    ),
  ),
};

const exampleSend = {
  channel: 'email',
  recipient: { address: 'delivered@sandbox.test' },
  subject: 'Hello',
  text_body: 'Hello from Carillon.',
};

export const SendRequest = Type.Object(
  {
    channel: OneOf(channels, {
      description: '`chatone` is Slack, `chattwo` is Microsoft Teams, `chatthree` is Discord.',
    }),
    recipient: { ...Recipient, description: 'Who gets it; each channel reads the fields that it knows.' },
    ...content,
    template_key: NullableKey('The template to render; chat channels require one.'),
    category: NullableKey(
      'What the notification is about, for example `product_news`. It is not sent to people who opted out.',
    ),
    attachments: Type.Optional(
      Nullable(
        Type.Array(AttachmentInput, {
          description: 'For email: at most 10 files, 15 MiB in total. They are deleted after the delivery.',
        }),
      ),
    ),
    // Other channels ignore these two, whatever they contain: the rule of the channel has their limits.
    from_name: Type.Optional(
      Nullable(
        Type.String({
          description:
            'For email: the display name of the sender, instead of that of the environment. At most 200 characters, without `<`, `>` and control characters.',
        }),
      ),
    ),
    reply_to: Type.Optional(
      Nullable(
        Type.String({
          description: 'For email: the address that replies go to, without a name. At most 320 characters.',
        }),
      ),
    ),
    priority: Type.Optional(
      Nullable(
        OneOf(priorities, {
          description:
            'Each priority has a lane of its own, so bulk sends delay no others. The default is normal, and critical for a critical category.',
        }),
      ),
    ),
    idempotency_key: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: sendLimits.key,
          description:
            'The same as the header Idempotency-Key, which a batch does not have. If a single send has both, they must be equal.',
        }),
      ),
    ),
  },
  {
    title: 'SendRequest',
    examples: [exampleSend],
  },
);
export type SendRequest = Static<typeof SendRequest>;

/** The service checks the elements one by one, so that a bad one does not fail the others. */
export const BatchRequest = Type.Object({
  notifications: Type.Array(Type.Unknown(), {
    minItems: 1,
    maxItems: sendLimits.batch,
    examples: [[{ ...exampleSend, idempotency_key: 'order-1001' }]],
  }),
});

export const NotificationPatch = Type.Object(
  {
    ...content,
    send_at: Type.Optional(
      Nullable(Type.String({ format: 'date-time', description: 'null or a past time sends immediately.' })),
    ),
  },
  {
    title: 'NotificationPatch',
    examples: [{ send_at: '2030-01-01T09:00:00Z' }],
    description:
      'Omitted fields stay unchanged; null clears a field: `template_data` becomes `{}`, `tags` and `actions` `[]`, and null for `send_at` sends now.',
  },
);
export type NotificationPatch = Static<typeof NotificationPatch>;

export const EventEntry = Type.Object(
  {
    type: Type.String(),
    occurred_at: DateTime,
    detail: Nullable(Type.String()),
    suppression_reason: Nullable(Type.String()),
  },
  { title: 'Event' },
);
export type EventEntry = Static<typeof EventEntry>;

const AttachmentMetadata = Type.Object(
  {
    filename: Type.String(),
    content_type: Type.String(),
    size_bytes: Type.Integer(),
    content_id: Nullable(Type.String({ description: 'Of an image within the HTML; otherwise null.' })),
    purged: Type.Boolean(),
  },
  { title: 'Attachment' },
);

export const Notification = Type.Object(
  {
    id: Uuid,
    environment_id: Uuid,
    status: OneOf(statuses),
    status_detail: Nullable(
      Type.String({
        description: `Why the notification waits, or why it ended without a send; null when the status says it all. Today ${statusDetails.map((detail) => `\`${detail}\``).join(', ')}; more are added over time.`,
      }),
    ),
    held_until: Nullable(
      Type.String({
        format: 'date-time',
        description:
          'While the brake holds the notification: when the hold expires, or the window of the rule opens.',
      }),
    ),
    channel: OneOf(channels),
    recipient: Type.Object({ address: Nullable(Type.String()), name: Nullable(Type.String()) }),
    subject: Nullable(Type.String()),
    html_body: Nullable(Type.String()),
    text_body: Nullable(Type.String()),
    template_key: Nullable(Type.String()),
    template_data: JsonObject,
    category: Nullable(Type.String()),
    priority: OneOf(priorities),
    idempotency_key: Nullable(Type.String()),
    action_url: Nullable(Type.String()),
    tags: Type.Array(Type.String(), { description: 'As the request gave them.' }),
    actions: Type.Array(InboxAction, { description: 'As the request gave them.' }),
    attempt_count: Type.Integer(),
    suppression_reason: Nullable(
      Type.String({
        description:
          'Why a suppressed notification was not sent. Today `hard_bounce`, `complaint`, `manual_add`, `unsubscribed`, `category_opt_out`, `category_default`, `frequency_capped`, `held_expired`, `held_cancelled`, `broadcast_cancelled` and `cancelled`; more are added over time.',
      }),
    ),
    last_error: Nullable(Type.String()),
    resent_from: Nullable(Uuid),
    broadcast_id: Nullable(Uuid),
    send_at: Nullable(DateTime),
    sent_at: Nullable(DateTime),
    created_at: DateTime,
    events: Type.Array(EventEntry),
    attachments: Type.Optional(Type.Array(AttachmentMetadata)),
  },
  { title: 'Notification' },
);
export type Notification = Static<typeof Notification>;

export const NotificationQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(OneOf(statuses)),
  status_detail: Type.Optional(
    OneOf(statusDetails, { description: 'Why they wait, or ended without a send. It implies the status.' }),
  ),
  channel: Type.Optional(OneOf(channels)),
  category: Type.Optional(Type.String({ maxLength: sendLimits.key })),
  template_key: Type.Optional(Type.String({ maxLength: sendLimits.key })),
  recipient: Type.Optional(
    Type.String({
      maxLength: sendLimits.address,
      description: 'The recipient address (`recipient.address`), case-insensitive.',
    }),
  ),
  external_user_id: Type.Optional(Type.String({ maxLength: sendLimits.key })),
  broadcast_id: Type.Optional(Uuid),
  created_after: Type.Optional(DateTime),
  created_before: Type.Optional(DateTime),
});
export type NotificationQuery = Static<typeof NotificationQuery>;

export const NotificationPage = PageOf(Notification);

export const BatchResponse = Type.Object({
  data: Type.Array(
    Type.Object({
      index: Type.Integer(),
      notification: Type.Optional(Notification),
      error: Type.Optional(
        Type.Object({
          type: Type.String(),
          code: Type.String(),
          message: Type.String(),
          param: Nullable(Type.String()),
        }),
      ),
    }),
  ),
});

export const TraceEntry = Type.Object(
  {
    at: DateTime,
    kind: OneOf(['gate', 'attempt', 'decision']),
    name: Type.String({ description: 'The gate, the provider, or the rule that decided.' }),
    verdict: Type.String({ description: 'pass, suppress, defer, hold, drop; or the outcome of an attempt.' }),
    detail: Nullable(Type.String()),
    code: Nullable(Type.String()),
    provider_kind: Nullable(Type.String()),
    provider_message_id: Nullable(Type.String()),
    latency_ms: Nullable(Type.Integer()),
    exchange: Nullable(
      Type.Object(
        {
          method: Type.String(),
          url: Type.String({
            description: 'Without the query, and without path segments that are not plain words.',
          }),
          request_bytes: Type.Integer(),
          status: Nullable(Type.Integer({ description: 'Null if there was no response.' })),
          response_bytes: Type.Integer({ description: 'The number of bytes read.' }),
        },
        {
          title: 'ProviderExchange',
          description:
            'The last HTTP call of the attempt. The response of the provider is in `code` and `detail`; bodies are not kept, because a response may repeat secrets. Null for attempts without HTTP, and for providers of the operator.',
        },
      ),
    ),
  },
  { title: 'TraceEntry' },
);
export type TraceEntry = Static<typeof TraceEntry>;

export const Trace = Type.Object(
  {
    notification_id: Uuid,
    status: OneOf(statuses),
    summary: Type.String({ description: 'Why the notification did or did not arrive, in one sentence.' }),
    next_attempt_at: Nullable(DateTime),
    entries: Type.Array(TraceEntry),
    webhook_deliveries: Type.Array(WebhookDelivery),
  },
  { title: 'Trace' },
);
export type Trace = Static<typeof Trace>;
