import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';

/** Reads from the overview which providers are throttled and whether the operator has a server. Test has neither. */
export function useProviderStates() {
  const { kind, can } = useEnvironment();
  const { data } = useRead(['connection-states'], (api, signal) => api.overview.get({}, { signal }), {
    everyMs: 30_000,
    enabled: kind === 'live' && can('notifications:read'),
  });
  const emails = (data?.providers ?? []).filter(({ channel }) => channel === 'email');
  return {
    hasManaged: emails.some(({ id }) => id === 'managed'),
    pausedUntil: (id: string | null) => emails.find((each) => each.id === id)?.paused_until ?? null,
  };
}
