import { type ReactNode, useEffect } from 'react';
import { common } from '../strings/common.ts';
import { Button } from './button.tsx';
import { describeError, isUnreached } from './error.ts';
import { EmptyState } from './notice.tsx';
import styles from './page.module.css';

const againMs = 5000;

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { text, detail } = describeError(error);
  const again = isUnreached(error) ? onRetry : undefined;
  useEffect(() => {
    if (!again) return;
    const timer = setInterval(again, againMs);
    return () => clearInterval(timer);
  }, [again]);
  return (
    <div role="alert">
      <EmptyState
        title={text}
        icon="warning"
        action={
          onRetry && (
            <Button icon="retry" onClick={onRetry}>
              {common.retry}
            </Button>
          )
        }
      >
        {detail}
        {again && ` ${common.triesAgain}`}
      </EmptyState>
    </div>
  );
}

export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div className={styles.cardBody} role="status" aria-label={common.loading}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <div key={index} className={styles.skeleton} style={{ width: `${92 - ((index * 23) % 50)}%` }} />
      ))}
    </div>
  );
}

/** The states of a query: loading, failed, loaded. */
export function Loaded<T>(props: {
  query: { data: T | undefined; error: unknown; refetch(): unknown };
  lines?: number;
  children(data: T): ReactNode;
}) {
  const { query, lines, children } = props;
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  return <Skeleton lines={lines} />;
}
