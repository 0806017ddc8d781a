import { Type } from 'typebox';
import { channels } from '../../../channels/contract.ts';
import { DateTime, JsonObject, Nullable, OneOf, PageOf, pageQuery, Uuid } from '../../../http/schema.ts';
import { oneLine } from '../../../kernel/patterns.ts';
import { InboxAction } from '../../inbox/index.ts';

export const SandboxQuery = Type.Object({
  ...pageQuery,
  notification_id: Type.Optional(Uuid),
  channel: Type.Optional(OneOf(channels)),
  to: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 320,
      pattern: oneLine,
      description: 'The beginning of the recipient’s address, case-insensitive.',
    }),
  ),
  created_after: Type.Optional(Type.String({ format: 'date-time', description: 'Created after this time.' })),
});

const Mailbox = Type.Object({ address: Type.String(), name: Nullable(Type.String()) });

const EmailPayload = Type.Object(
  {
    message_id: Type.String(),
    from: Mailbox,
    to: Mailbox,
    reply_to: Nullable(Type.String()),
    subject: Type.String(),
    html: Nullable(Type.String()),
    text: Type.String({ description: 'As sent, or derived from the HTML.' }),
    headers: Type.Record(Type.String(), Type.String()),
    attachments: Type.Array(
      Type.Object({
        filename: Type.String(),
        content_type: Type.String(),
        size_bytes: Type.Integer(),
        content_id: Type.Optional(Type.String()),
      }),
    ),
    mime: Type.String({ description: 'The message, byte for byte.' }),
    mime_complete: Type.Boolean({
      description:
        'False if there were attachments: their bytes are not kept, and `mime` has a placeholder line.',
    }),
  },
  { title: 'SandboxEmail' },
);

const WebhookPayload = Type.Object(
  {
    method: Type.String(),
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String({ description: 'The JSON that would have been posted, byte for byte.' }),
  },
  { title: 'SandboxWebhook' },
);

const InAppPayload = Type.Object(
  {
    subject: Nullable(Type.String()),
    html_body: Nullable(Type.String({ description: 'Sanitised, as shown in the inbox.' })),
    text_body: Nullable(Type.String()),
    action_url: Nullable(Type.String()),
    data: JsonObject,
    tags: Type.Optional(Type.Array(Type.String())),
    actions: Type.Optional(Type.Array(InboxAction)),
  },
  { title: 'SandboxInboxItem' },
);

const SmsPayload = Type.Object(
  {
    to: Type.String(),
    from: Type.String(),
    text: Type.String(),
    encoding: OneOf(['GSM-7', 'UCS-2']),
    segments: Type.Integer({ description: 'The number of SMS segments.' }),
  },
  { title: 'SandboxSms' },
);

const ChatPayload = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  title: 'SandboxChatPost',
  description: 'The JSON that would have been posted to the chat service.',
});

export const SandboxMessage = Type.Object(
  {
    id: Uuid,
    notification_id: Uuid,
    channel: OneOf(channels),
    provider: Type.String(),
    to: Type.String(),
    created_at: DateTime,
    payload: Type.Union([EmailPayload, WebhookPayload, InAppPayload, SmsPayload, ChatPayload], {
      description: 'The message as it would have been sent, by channel.',
    }),
  },
  { title: 'SandboxMessage' },
);

export const SandboxPage = PageOf(SandboxMessage);
