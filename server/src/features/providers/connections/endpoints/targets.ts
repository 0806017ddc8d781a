import type { ChatTargets } from '../../../../channels/chat-endpoint-plan.ts';
import { isGone } from '../../../../channels/chatthree/index.ts';
import type { Deps } from '../../../../deps.ts';
import { createCache } from '../../../../kernel/cache.ts';
import { createConnectionHealth } from '../../provider-health/index.ts';
import { type ChatEndpointRow, listEndpointsById } from './store.ts';

export function createChatTargets(deps: Pick<Deps, 'pool' | 'keyring' | 'clock' | 'log'>): ChatTargets {
  const opened = createCache<string>(10_000);
  function open({ id, url_sealed: sealed }: ChatEndpointRow): string | null {
    try {
      const url = opened.get(sealed) ?? deps.keyring.open(sealed, endpointContext(id));
      opened.set(sealed, url);
      return url;
    } catch (error) {
      deps.log.error({ err: error, endpoint_id: id }, 'failed to decrypt the URL of a chat endpoint');
      return null;
    }
  }
  return {
    health: createConnectionHealth(deps, 'chat_endpoints', isGone),
    async targetsOf(channel, addressees) {
      const ids = [...new Set(addressees.flatMap(({ connection_id: id }) => id ?? []))];
      const rows = ids.length === 0 ? [] : await listEndpointsById(deps.pool, ids);
      const found = new Map(rows.filter((row) => row.channel === channel).map((row) => [row.id, row]));
      return ({ environment_id, connection_id }) => {
        const row = connection_id === null ? undefined : found.get(connection_id);
        return row && row.environment_id === environment_id ? { ...row, url: open(row) } : null;
      };
    },
  };
}

export function endpointContext(id: string): string {
  return `chat_endpoint:${id}`;
}
