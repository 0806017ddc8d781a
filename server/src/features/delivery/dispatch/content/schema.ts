import { type Static, Type } from 'typebox';
import { channels } from '../../../../channels/contract.ts';
import { Nullable, OneOf, Uuid } from '../../../../http/schema.ts';

const Text = Nullable(Type.String());
const Mailbox = Type.Object({ address: Type.String(), name: Text });

/** Fields that the channel does not have are null. */
export const Content = Type.Object(
  {
    notification_id: Uuid,
    channel: OneOf(channels),
    rendered: Type.Boolean({
      description:
        'False if the template cannot be rendered: the content is then empty, and `error` says why.',
    }),
    error: Nullable(Type.String({ description: 'Why the notification cannot be sent; null if it can.' })),
    source: OneOf(['sandbox', 'rendered'], {
      description: '`sandbox`: the sandbox kept the message; sender and headers are as sent.',
    }),
    sandbox_message_id: Nullable(Uuid),
    from: Nullable(Mailbox),
    to: Mailbox,
    reply_to: Text,
    headers: Nullable(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'For email: headers in addition to the usual ones.',
      }),
    ),
    subject: Text,
    html: Text,
    text: Text,
    structured: Type.Unknown({
      description:
        'For chat channels and webhooks: the posted JSON. For in_app: `action_url`, `data`, `tags` and `actions`.',
    }),
    sms: Nullable(
      Type.Object({
        encoding: OneOf(['GSM-7', 'UCS-2']),
        segments: Type.Integer({ description: 'The number of SMS segments.' }),
        length: Type.Integer({
          description:
            'In units of the encoding: septets (some characters count twice), or UTF-16 code units.',
        }),
      }),
    ),
  },
  { title: 'NotificationContent' },
);
export type Content = Static<typeof Content>;
