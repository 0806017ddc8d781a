import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { type AfterCommit, type BatchedWriterOptions, createBatchedWriter } from './batched-writer.ts';
import type { Pool, Sql, WithCommit } from './sql.ts';

interface OutcomeWriterOptions<Item> extends Omit<BatchedWriterOptions<Item>, 'whenUnavailable'> {
  /** The kind of work, for the log and the metric. */
  kind: string;
  idOf: (item: Item) => string;
  /** Keeps an outcome that cannot be written where a crash of this process does not lose it. */
  keep?: (item: Item) => Promise<void>;
}

const retryMs = 1_000;
const maxRetryMs = 30_000;

/**
 * Writes outcomes of effects that cannot be undone: the message has left, so its outcome is written again until the database has
 * it, whatever the reason of the failure, or until the process ends. An outcome that fails alone is repeated alone: it neither
 * fails its neighbours again nor holds up the batches.
 */
export function createOutcomeWriter<Item>(
  { pool, log, metrics }: { pool: Pool; log: Log; metrics: Pick<Metrics, 'outcomeWriteFailures'> },
  write: (tx: Sql, items: Item[], withCommit: WithCommit) => Promise<AfterCommit>,
  { kind, idOf, keep, ...options }: OutcomeWriterOptions<Item>,
): (item: Item) => Promise<void> {
  const together = createBatchedWriter(pool, write, { ...options, whenUnavailable: 'wait' });
  const alone = createBatchedWriter(pool, write, { concurrency: 1, maxItems: 1, whenUnavailable: 'wait' });

  async function repeat(item: Item, failure: unknown): Promise<void> {
    const id = idOf(item);
    for (let attempt = 1; ; attempt += 1) {
      if (pool.ending) throw failure;
      metrics.outcomeWriteFailures.inc({ kind });
      if (attempt === 1)
        log.error({ err: failure, kind, id }, 'an outcome cannot be written; repeating until it is');
      await keep?.(item).catch((error) => log.warn({ err: error, kind, id }, 'an outcome cannot be kept'));
      await delay(Math.min(attempt * retryMs, maxRetryMs), undefined, { ref: false });
      try {
        await alone(item);
        log.info({ kind, id, attempt }, 'the outcome is written');
        return;
      } catch (error) {
        failure = error;
      }
    }
  }

  return (item) => together(item).catch((error) => repeat(item, error));
}
