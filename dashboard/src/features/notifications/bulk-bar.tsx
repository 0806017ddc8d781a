import type { BulkAction, ListNotificationsParams } from '@carillon/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead, useWrite } from '../../api/queries.ts';
import { notifications } from '../../strings/notifications.ts';
import { Button, duration, formatCount, Notice, ProgressBar, Row } from '../../ui/index.ts';
import styles from './bulk-bar.module.css';
import { BulkDialog } from './bulk-dialog.tsx';

const text = notifications.bulk;
const pollMs = 1_000;
/** Ended actions stay visible for a minute. */
const showEndedMs = 60_000;

/** Bulk actions for the filters of the list, and the progress of those that run. */
export function BulkBar({ params }: { params: ListNotificationsParams }) {
  const { can } = useEnvironment();
  const [asking, setAsking] = useState(false);
  const action = actionFor(params.status);
  const isAllowed = can('notifications:write') && (action !== 'redrive' || can('notifications:send'));
  return (
    <>
      {action && isAllowed && (
        <Row>
          <Button
            size="small"
            icon={action === 'redrive' ? 'retry' : 'close'}
            onClick={() => setAsking(true)}
          >
            {text[action].open}
          </Button>
        </Row>
      )}
      {action && asking && <BulkDialog action={action} params={params} onClose={() => setAsking(false)} />}
      <BulkProgress />
    </>
  );
}

/** Only failed and bounced notifications can be redriven, and only queued ones cancelled. */
function actionFor(status: ListNotificationsParams['status']): BulkAction['action'] | null {
  if (status === 'queued') return 'cancel';
  return status === 'failed' || status === 'bounced' ? 'redrive' : null;
}

function BulkProgress() {
  const { can, environment } = useEnvironment();
  const queries = useQueryClient();
  const { data } = useRead(
    ['bulk-actions'],
    async (api, signal) => (await api.bulkActions.list({ limit: 5 }, { signal }).page()).data,
    { everyMs: (last) => (last?.some(isRunning) ? pollMs : false) },
  );
  // A short action may have ended before it was ever seen running.
  const lastEnd = data?.reduce((latest, { completed_at: at }) => (at && at > latest ? at : latest), '');
  const before = useRef(lastEnd);
  useEffect(() => {
    if (before.current !== undefined && lastEnd !== before.current)
      void queries.invalidateQueries({ queryKey: [environment.id, 'notifications'] });
    before.current = lastEnd;
  }, [lastEnd, queries, environment.id]);
  const stop = useWrite((api, id: string) => api.bulkActions.cancel(id), { changes: [['bulk-actions']] });
  const shown = (data ?? []).filter((action) => isRunning(action) || endedRecently(action));
  return shown.map((action) => (
    <Notice
      key={action.id}
      tone={tones[action.status]}
      action={
        isRunning(action) &&
        can('notifications:write') && (
          <Button size="small" onClick={() => stop.mutate(action.id)} busy={stop.isPending}>
            {text.stop}
          </Button>
        )
      }
    >
      <div role="status" className={styles.progress}>
        <span>{progressText(action)}</span>
        {isRunning(action) && (
          <ProgressBar
            label={text[action.action].running}
            done={action.done + action.skipped}
            total={action.total || null}
          />
        )}
      </div>
    </Notice>
  ));
}

const tones = { running: 'blue', completed: 'green', cancelled: 'amber' } as const;

const isRunning = ({ status }: BulkAction): boolean => status === 'running';

function endedRecently({ completed_at: at }: BulkAction): boolean {
  return at !== null && Date.now() - Date.parse(at) < showEndedMs;
}

function progressText({ action, status, total, done, skipped, estimated_end_at: end }: BulkAction): string {
  const words = text[action];
  const counts = text.counts(words.done(formatCount(done)), skipped > 0 ? formatCount(skipped) : null);
  if (status === 'completed') return text.completed(counts);
  if (status === 'cancelled') return text.stopped(counts);
  const left = end === null ? null : duration(Math.max(1_000, Date.parse(end) - Date.now()));
  const progress = total === null ? counts : text.of(formatCount(done + skipped), formatCount(total));
  return text.progress(words.running, progress, left);
}
