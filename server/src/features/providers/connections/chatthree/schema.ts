import { type Static, Type } from 'typebox';
import { DateTime, Nullable } from '../../../../http/schema.ts';
import { EndpointListOf, endpointFields, health, Key, Label, WebhookUrl } from '../endpoints/schema.ts';

const defaults = {
  default_username: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 80,
        description:
          'The sender name, unless a send sets `template_data.username`. Null uses the name of the webhook.',
      }),
    ),
  ),
  default_avatar_url: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 2_048,
        description: 'The sender avatar, unless a send sets `template_data.avatar_url`.',
      }),
    ),
  ),
};

export const NewChatthreeEndpoint = Type.Object(
  { label: Label, webhook_url: WebhookUrl, key: Key, ...defaults },
  {
    title: 'NewChatthreeEndpoint',
    examples: [
      { label: 'Operations', webhook_url: 'https://discord.com/api/webhooks/123456789012345678/token' },
    ],
  },
);

export const ChatthreeEndpointChange = Type.Object(
  { label: Type.Optional(Label), webhook_url: Type.Optional(WebhookUrl), ...defaults },
  { title: 'ChatthreeEndpointChange', examples: [{ label: 'Operations', default_username: 'Acme' }] },
);

export const ChatthreeEndpoint = Type.Object(
  {
    ...endpointFields,
    default_username: Nullable(Type.String()),
    default_avatar_url: Nullable(Type.String()),
    ...health,
    created_at: DateTime,
  },
  { title: 'ChatthreeEndpoint' },
);
export type ChatthreeEndpoint = Static<typeof ChatthreeEndpoint>;

export const ChatthreeEndpointList = EndpointListOf(ChatthreeEndpoint);
