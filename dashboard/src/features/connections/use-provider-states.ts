import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import type { ChainChannel } from './provider-kinds.ts';

/** Reads from the overview which providers are throttled and whether the operator has a server. Test has neither. */
export function useProviderStates(channel: ChainChannel) {
  const { kind, can } = useEnvironment();
  const { data } = useRead(['connection-states'], (api, signal) => api.overview.get({}, { signal }), {
    everyMs: 30_000,
    enabled: kind === 'live' && can('notifications:read'),
  });
  const providers = (data?.providers ?? []).filter((each) => each.channel === channel);
  return {
    hasManaged: providers.some(({ id }) => id === 'managed'),
    pausedUntil: (id: string | null) => providers.find((each) => each.id === id)?.paused_until ?? null,
  };
}
