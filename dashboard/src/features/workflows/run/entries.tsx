import type { WorkflowStep } from '@carillon/sdk';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useEnvironment } from '../../../api/environment.tsx';
import { workflows } from '../../../strings/workflows.ts';
import { classes, duration, ExactTime, Icon, JsonBlock, Pairs } from '../../../ui/index.ts';
import { isObject, type Step, textOf } from '../definition.ts';
import { StateBadge } from '../graph/graph-node.tsx';
import { iconOf, summaryOf } from '../graph/summary.ts';
import styles from './entries.module.css';
import { outputOf, progressOf } from './timeline.ts';

const { run } = workflows;

/** The entries of a run in order; the open one shows its times and its output. */
export function Entries(props: {
  entries: readonly WorkflowStep[];
  steps: readonly Step[];
  open: string | null;
  onOpen(attemptId: string | null): void;
  /** A simulation has no notifications to link to. */
  isReal: boolean;
}) {
  const { entries, steps, open, onOpen, isReal } = props;
  return (
    <ol className={styles.list} aria-label={run.timeline}>
      {entries.map((entry) => {
        const step = steps.find(({ id }) => id === entry.step_id);
        const state = progressOf([entry]).states.get(entry.step_id);
        const isOpen = entry.attempt_id === open;
        return (
          <li key={entry.attempt_id} className={styles.entry}>
            <button
              type="button"
              className={classes(styles.head, isOpen && styles.open)}
              aria-expanded={isOpen}
              onClick={() => onOpen(isOpen ? null : entry.attempt_id)}
            >
              <Icon name={iconOf(step ?? { kind: entry.kind })} />
              <span className={styles.text}>
                <strong>
                  <bdi>{entry.step_id}</bdi>
                </strong>
                <span className={styles.small}>
                  <ExactTime at={entry.started_at} />
                </span>
              </span>
              {state && <StateBadge state={state} />}
            </button>
            {isOpen && <Details entry={entry} step={step} isReal={isReal} />}
          </li>
        );
      })}
    </ol>
  );
}

function Details(props: { entry: WorkflowStep; step: Step | undefined; isReal: boolean }) {
  const { entry, step, isReal } = props;
  const { kind } = useEnvironment();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A simulation opens entries automatically, and the page would not stop scrolling.
    if (isReal) void place.current?.scrollIntoView({ block: 'nearest' });
  }, [isReal]);
  const output = outputOf(entry);
  const survivor = isObject(output) ? textOf(output.surviving_run_id) : '';
  const { started_at, completed_at, next_scheduled_at, next_step_id, notification_id } = entry;
  return (
    <div className={styles.details} ref={place}>
      {step && <p className={styles.small}>{summaryOf(step)}</p>}
      <Pairs
        pairs={[
          [run.started, <ExactTime key="started" at={started_at} />],
          completed_at !== null && [run.ended, <ExactTime key="ended" at={completed_at} />],
          completed_at !== null && [run.took, duration(Date.parse(completed_at) - Date.parse(started_at))],
          completed_at === null &&
            next_scheduled_at !== null && [
              run.waitingUntil,
              <ExactTime key="until" at={next_scheduled_at} />,
            ],
          completed_at !== null && [run.next, next_step_id ?? run.endOfRun],
          isReal &&
            notification_id !== null && [
              run.notification,
              <Link key="notification" to={`/${kind}/notifications/${notification_id}`}>
                {run.openNotification}
              </Link>,
            ],
          isReal &&
            survivor !== '' && [
              run.absorbed,
              <Link key="survivor" to={`/${kind}/runs/${survivor}`}>
                {run.surviving}
              </Link>,
            ],
        ]}
      />
      {output === undefined ? (
        <p className={styles.small}>{run.noOutput}</p>
      ) : (
        <JsonBlock label={run.output} value={output} />
      )}
    </div>
  );
}
