import type { Schedule, ScheduleRun } from '@carillon/sdk';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { schedules as text } from '../../strings/schedules.ts';
import { Button, Dialog, ExactTime, Loaded, Stack, StatusBadge } from '../../ui/index.ts';
import { NextRuns } from './next-runs.tsx';
import styles from './schedules.module.css';

/** The next ten runs of a schedule, and the last ones. */
export function DetailsDialog({ schedule, onClose }: { schedule: Schedule; onClose(): void }) {
  const { key, name } = schedule;
  const { kind } = useEnvironment();
  const startedBy = ({ broadcast_id, started_count }: ScheduleRun) =>
    broadcast_id ? (
      <a href={`/${kind}/broadcasts/${broadcast_id}`}>{text.openBroadcast}</a>
    ) : (
      text.started_count(started_count)
    );
  const query = useRead(['schedules', 'details', key], async (api, signal) => {
    const [detail, { data }] = await Promise.all([
      api.schedules.get(key, { signal }),
      api.schedules.listRuns(key, { limit: 10 }, { signal }).page(),
    ]);
    return { detail, runs: data };
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={name}
      description={`${schedule.cron} · ${schedule.timezone}`}
      foot={<Button onClick={onClose}>{text.close}</Button>}
    >
      <Loaded query={query} lines={10}>
        {({ detail, runs }) => (
          <Stack>
            <NextRuns runs={detail.next_runs} />
            <section aria-label={text.history}>
              <h3 className={styles.heading}>{text.history}</h3>
              {runs.length === 0 && <p>{text.noHistory}</p>}
              <ul className={styles.runs}>
                {runs.map((run) => (
                  <li key={run.id}>
                    <ExactTime at={run.slot} /> <StatusBadge status={run.status} />{' '}
                    {run.status === 'missed' ? text.missed_count(run.missed_count) : startedBy(run)}{' '}
                    {run.failure_reason}
                  </li>
                ))}
              </ul>
            </section>
          </Stack>
        )}
      </Loaded>
    </Dialog>
  );
}
