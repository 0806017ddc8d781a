import { setTimeout as delay } from 'node:timers/promises';
import { type BatcherOptions, createBatcher } from '../kernel/batcher.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import {
  isDatabaseUnavailable,
  type Pool,
  type Sql,
  trackWrite,
  transaction,
  untilDatabaseAnswers,
  type WithCommit,
} from './sql.ts';

/**
 * What follows from a batch once it is committed: counters, doorbells. Returns one result per item, in order, or nothing when
 * items have no result.
 */
export type AfterCommit<Result = undefined> = () => BatchResults<Result> | Promise<BatchResults<Result>>;
type BatchResults<Result> = [Result] extends [undefined] ? undefined : Result[];

interface BatchedWriterOptions<Item> extends Omit<BatcherOptions<Item>, 'splitOn'> {
  /**
   * `wait` retries while the database is unavailable, for outcomes that must not be lost: the batch must have the same effect
   * when it is written twice. `fail` rejects the items, for callers that can repeat their request.
   */
  whenUnavailable: 'wait' | 'fail';
}

/**
 * Writes items in micro-batches, each batch in one transaction. A batch with a bad item is split until that item fails alone.
 * The returned function resolves when the item is committed.
 */
export function createBatchedWriter<Item, Result = undefined>(
  pool: Pool,
  write: (tx: Sql, items: Item[], withCommit: WithCommit) => Promise<AfterCommit<Result>>,
  { whenUnavailable, ...options }: BatchedWriterOptions<Item>,
): (item: Item) => Promise<Result> {
  async function writeBatch(items: Item[]): Promise<Result[]> {
    const afterCommit = await transaction(pool, (tx, withCommit) => write(tx, items, withCommit));
    return ((await afterCommit()) ?? []) as Result[];
  }
  const batcher =
    whenUnavailable === 'wait'
      ? createBatcher(
          (items: Item[]) => trackWrite(pool, () => untilDatabaseAnswers(() => writeBatch(items))),
          options,
        )
      : createBatcher((items: Item[]) => trackWrite(pool, () => writeBatch(items)), {
          ...options,
          splitOn: (error) => !isDatabaseUnavailable(error),
        });
  return (item) => batcher.add(item);
}

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
