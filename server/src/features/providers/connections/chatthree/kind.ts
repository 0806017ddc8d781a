import { type Static, Type } from 'typebox';
import { isAcceptedUrl } from '../../../../channels/chatthree/index.ts';
import { parseTarget } from '../../../../channels/net.ts';
import type { Deps } from '../../../../deps.ts';
import { DateTime, Nullable } from '../../../../http/schema.ts';
import { Problem } from '../../../../kernel/errors.ts';
import { idTime } from '../../../../kernel/ids.ts';
import { connectionHealthView } from '../../provider-health/index.ts';
import { EndpointListOf, endpointFields, health, Key, Label, WebhookUrl } from '../endpoints/schema.ts';
import type { EndpointKind } from '../endpoints/service.ts';
import type { ChatEndpointRow } from '../endpoints/store.ts';

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

export function chatthreeKind({ config }: Pick<Deps, 'config'>): EndpointKind<ChatthreeEndpoint> {
  return {
    channel: 'chatthree',
    readUrl(url) {
      const accepted =
        isAcceptedUrl(url, config.CARILLON_CHATTHREE_URL_PATTERNS) &&
        !('problem' in parseTarget(url, config.CARILLON_ALLOW_PRIVATE_NETWORK));
      if (accepted) return null;
      throw new Problem('chatthree_url_not_accepted', 'webhook_url is not a webhook URL.', {
        param: 'webhook_url',
      });
    },
    viewOf,
    test: {
      text: null,
      structured: { title: 'Hello from Carillon.', description: 'A test message: this endpoint works.' },
    },
  };
}

function viewOf(row: ChatEndpointRow): ChatthreeEndpoint {
  return {
    id: row.id,
    key: row.key,
    label: row.label,
    webhook_url_prefix: row.url_prefix,
    default_username: row.default_username,
    default_avatar_url: row.default_avatar_url,
    ...connectionHealthView(row),
    created_at: new Date(idTime(row.id)).toISOString(),
  };
}
