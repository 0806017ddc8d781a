import type { ReactNode } from 'react';
import { connections as text } from '../../strings/connections.ts';
import { Notice, Time } from '../../ui/index.ts';
import styles from './connections.module.css';

interface ConnectionHealth {
  status: 'active' | 'broken' | 'gone';
  last_success_at: string | null;
  last_failure_at: string | null;
  last_failure_reason: string | null;
}

/** The times of the last success and the last failure. */
export function LastCalls({ health }: { health: ConnectionHealth }) {
  const { last_success_at: success, last_failure_at: failure } = health;
  if (!success && !failure) return <span>{text.notUsed}</span>;
  return (
    <>
      {success && (
        <span>
          {text.lastSuccess} <Time at={success} />
        </span>
      )}
      {failure && (
        <span>
          {text.lastFailure} <Time at={failure} />
        </span>
      )}
    </>
  );
}

/** The reason of a failing connection and the next step; nothing for a healthy one. */
export function Trouble(props: {
  health: ConnectionHealth;
  words: { broken: string; gone: string };
  action?: ReactNode;
}) {
  const { health, words, action } = props;
  if (health.status === 'active') return null;
  return (
    <Notice tone={health.status === 'gone' ? 'red' : 'amber'} action={action}>
      {words[health.status]}
      {health.last_failure_reason && (
        <div className={styles.answer}>{text.lastSaid(health.last_failure_reason)}</div>
      )}
    </Notice>
  );
}
