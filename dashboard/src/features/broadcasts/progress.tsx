import type { Broadcast } from '@carillon/sdk';
import { broadcasts as text } from '../../strings/broadcasts.ts';
import { classes, ExactTime, ProgressBar } from '../../ui/index.ts';
import styles from './broadcasts.module.css';

/** While a broadcast has not ended, its progress is read this often. */
export const watchMs = 2_000;

export const hasEnded = ({ status }: Broadcast): boolean => status === 'done' || status === 'cancelled';

export function BroadcastProgress({
  broadcast,
  isLarge = false,
}: {
  broadcast: Broadcast;
  isLarge?: boolean;
}) {
  const { done, total, estimated_end_at: end } = broadcast.progress;
  return (
    <div className={styles.progress}>
      <ProgressBar
        className={classes(styles.bar, isLarge && styles.large)}
        label={text.progressLabel}
        {...{ done, total }}
      />
      <span className={styles.small}>
        {text.progress(done, total)}
        {isLarge && end && (
          <>
            {' · '}
            {text.endsAbout} <ExactTime at={end} />
          </>
        )}
      </span>
    </div>
  );
}
