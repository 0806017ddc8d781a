import type { Notification } from '@carillon/sdk';
import { useState } from 'react';
import { usePlace } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { connections, testSend as text } from '../../strings/connections.ts';
import { ErrorState, LinkButton, Notice, Skeleton, StatusBadge } from '../../ui/index.ts';
import { adviceOn } from './advice.ts';
import styles from './connections.module.css';

/** Somebody waits for it: asked often, and only until it is over. */
const followEveryMs = 1500;
const finalStatuses: Notification['status'][] = [
  'sent',
  'delivered',
  'failed',
  'bounced',
  'complained',
  'suppressed',
];

/** What becomes of a test message, followed until it is final. */
export function TestOutcome({ notificationId: id }: { notificationId: string }) {
  const { kind } = usePlace();
  const [isOver, setOver] = useState(false);
  const query = useRead(['test-send', id], (api, signal) => api.notifications.get(id, { signal }), {
    everyMs: isOver ? false : followEveryMs,
  });
  if (!isOver && query.data && finalStatuses.includes(query.data.status)) setOver(true);
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

function Words({ notification, isSandbox }: { notification: Notification; isSandbox: boolean }) {
  const { status, last_error: error, attempt_count: attempts } = notification;
  switch (status) {
    case 'delivered':
      return <Notice tone="green">{isSandbox ? text.inSandbox : text.delivered}</Notice>;
    case 'sent':
      return <Notice tone="green">{isSandbox ? text.inSandbox : text.sent}</Notice>;
    case 'queued':
    case 'sending':
      return (
        <Notice tone={attempts > 1 || error ? 'amber' : 'blue'}>
          {attempts > 1 || error ? text.retrying : text.sending}
          {error && <div className={styles.said}>{connections.lastSaid(error)}</div>}
        </Notice>
      );
    case 'suppressed':
      return <Notice tone="amber">{text.suppressed}</Notice>;
    case 'failed':
    case 'bounced':
    case 'complained':
      return (
        <Notice tone="red">
          <strong>{text.failed}</strong> {error && adviceOn(error)}
          {error && <div className={styles.said}>{connections.lastSaid(error)}</div>}
        </Notice>
      );
  }
}
