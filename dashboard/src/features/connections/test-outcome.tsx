import type { Notification } from '@carillon/sdk';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { connections, testSend as text } from '../../strings/connections.ts';
import { ErrorState, LinkButton, Notice, Skeleton, StatusBadge } from '../../ui/index.ts';
import { adviceOn } from './advice.ts';
import styles from './connections.module.css';

/** The first response is awaited by a person; retries take longer. */
const firstEveryMs = 1500;
const againEveryMs = 5000;
const finalStatuses: Notification['status'][] = [
  'sent',
  'delivered',
  'failed',
  'bounced',
  'complained',
  'suppressed',
];

/** Follows a test message until its status is final. */
export function TestOutcome({ notificationId: id }: { notificationId: string }) {
  const { kind } = useEnvironment();
  const query = useRead(['test-send', id], (api, signal) => api.notifications.get(id, { signal }), {
    everyMs: (last) => (last ? pauseFor(last) : firstEveryMs),
  });
  if (!query.data) {
    return query.error ? <ErrorState error={query.error} /> : <Skeleton lines={2} />;
  }
  return (
    <div className={styles.outcome} aria-live="polite">
      <div>
        <StatusBadge status={query.data.status} />
      </div>
      <Words notification={query.data} isSandbox={kind === 'test'} />
      <div>
        <LinkButton to={`/${kind}/notifications/${id}`}>{connections.toTrace}</LinkButton>
      </div>
    </div>
  );
}

function pauseFor(notification: Notification): number | false {
  if (finalStatuses.includes(notification.status)) return false;
  return refusalOf(notification) === null ? firstEveryMs : againEveryMs;
}

/** The last error of the provider. */
function refusalOf({ last_error: error, events }: Notification): string | null {
  return (
    error ?? events.findLast(({ type }) => type === 'AttemptFailed' || type === 'Retrying')?.detail ?? null
  );
}

function Words({ notification, isSandbox }: { notification: Notification; isSandbox: boolean }) {
  const { status } = notification;
  const refusal = refusalOf(notification);
  switch (status) {
    case 'delivered':
      return <Notice tone="green">{isSandbox ? text.inSandbox : text.delivered}</Notice>;
    case 'sent':
      return <Notice tone="green">{isSandbox ? text.inSandbox : text.sent}</Notice>;
    case 'queued':
    case 'sending':
      if (refusal === null) return <Notice>{text.sending}</Notice>;
      return (
        <Notice tone="amber">
          <strong>{text.retrying}</strong> {adviceOn(refusal)}
          <div className={styles.answer}>{connections.lastSaid(refusal)}</div>
        </Notice>
      );
    case 'suppressed':
      return <Notice tone="amber">{text.suppressed}</Notice>;
    case 'failed':
    case 'bounced':
    case 'complained':
      return (
        <Notice tone="red">
          <strong>{text.failed}</strong> {refusal && adviceOn(refusal)}
          {refusal && <div className={styles.answer}>{connections.lastSaid(refusal)}</div>}
        </Notice>
      );
  }
}
