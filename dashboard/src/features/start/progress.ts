import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';

/** Polls the progress of the environment: it changes while the page is open. */
export function useSending() {
  return useRead(
    ['notifications', 'first-steps'],
    async (api, signal) => {
      const newest = (await api.notifications.list({ limit: 1 }, { signal }).page()).data[0] ?? null;
      // Providers without receipts never report more than `sent`.
      const hasArrived = newest !== null && ['sent', 'delivered'].includes(newest.status);
      if (newest === null || hasArrived) return { newest, hasArrived };
      const delivered = await api.notifications.list({ limit: 1, status: 'delivered' }, { signal }).page();
      return { newest, hasArrived: delivered.data.length > 0 };
    },
    { everyMs: 5000 },
  );
}

export type Sending = NonNullable<ReturnType<typeof useSending>['data']>;

export function useKeys() {
  const { can } = useEnvironment();
  return useRead(
    ['api-keys', 'first-steps'],
    (api, signal) => api.apiKeys.list({ limit: 100 }, { signal }).page(),
    { enabled: can('keys:read'), everyMs: 15_000 },
  );
}

/** True when Live has an email provider; Test always has the sandbox. Undefined while loading. */
export function useHasProvider(): boolean | undefined {
  const { kind } = useEnvironment();
  const overview = useRead(
    ['overview', '1h'],
    (api, signal) => api.overview.get({ window: '1h' }, { signal }),
    { enabled: kind === 'live' },
  );
  if (kind === 'test') return true;
  return overview.data?.providers.some(({ channel, status }) => channel === 'email' && status !== 'disabled');
}
