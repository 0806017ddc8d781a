import type { ScheduleDetail } from '@carillon/sdk';
import { schedules as text } from '../../strings/schedules.ts';
import { describeError, Notice } from '../../ui/index.ts';
import styles from './schedules.module.css';

/** The local times of the next runs: `2026-03-30 09:00 +02:00`. */
export function NextRuns(props: { runs: ScheduleDetail['next_runs'] | undefined; error?: unknown }) {
  const { runs, error } = props;
  if (error) return <Notice tone="amber">{describeError(error).text}</Notice>;
  if (!runs) return null;
  return (
    <section aria-label={text.nextRuns}>
      <h3 className={styles.heading}>{text.nextRuns}</h3>
      {runs.length === 0 ? (
        <p>{text.noNextRuns}</p>
      ) : (
        <ol className={styles.runs}>
          {runs.map(({ at, local_time }) => (
            <li key={at}>
              <time dateTime={at}>{shown(local_time)}</time>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function shown(localTime: string): string {
  const [, date, time, offset] = /^(.{10})T(.{5}):\d\d(.*)$/.exec(localTime) ?? [];
  return `${date} ${time} ${offset}`;
}
