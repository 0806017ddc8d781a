import { type Static, Type } from 'typebox';
import { channels } from '../../../channels/contract.ts';
import { Nullable, OneOf, Uuid } from '../../../http/schema.ts';

const Text = Nullable(Type.String());
const Mailbox = Type.Object({ address: Type.String(), name: Text });

/** Fields that the channel does not have are null. */
export const Content = Type.Object(
  {
    notification_id: Uuid,
    channel: OneOf(channels),
    rendered: Type.Boolean({
      description:
        'False when its template cannot be rendered: there are no words then, and `error` says why.',
    }),
    error: Nullable(
      Type.String({ description: 'Why it cannot be sent as it is; null when nothing speaks against it.' }),
    ),
    source: OneOf(['sandbox', 'rendered'], {
      description: '`sandbox`: the sandbox kept the message, and sender and headers are as it got them.',
    }),
    sandbox_message_id: Nullable(Uuid),
    from: Nullable(Mailbox),
    to: Mailbox,
    reply_to: Text,
    headers: Nullable(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Of email: what is added to the usual ones.',
      }),
    ),
    subject: Text,
    html: Text,
    text: Text,
    structured: Type.Unknown({
      description:
        'Of chat channels and webhooks: the JSON that is posted. Of in_app: `action_url` and `data`.',
    }),
    sms: Nullable(
      Type.Object({
        encoding: OneOf(['GSM-7', 'UCS-2']),
        segments: Type.Integer({ description: 'The parts that the network carries it in.' }),
        length: Type.Integer({
          description: 'In units of the encoding: septets (some characters take two), or UTF-16 code units.',
        }),
      }),
    ),
  },
  { title: 'NotificationContent' },
);
export type Content = Static<typeof Content>;
