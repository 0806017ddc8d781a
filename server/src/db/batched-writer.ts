import { type BatcherOptions, createBatcher } from '../kernel/batcher.ts';
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

export interface BatchedWriterOptions<Item> extends Omit<BatcherOptions<Item>, 'splitOn'> {
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
