import { isAcceptedUrl } from '../../../../channels/chatthree/index.ts';
import { parseTarget } from '../../../../channels/net.ts';
import type { Deps } from '../../../../deps.ts';
import { Problem } from '../../../../kernel/errors.ts';
import { idTime } from '../../../../kernel/ids.ts';
import { connectionHealthView } from '../../provider-health/index.ts';
import type { EndpointKind } from '../endpoints/service.ts';
import type { ChatEndpointRow } from '../endpoints/store.ts';
import type { ChatthreeEndpoint } from './schema.ts';

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
