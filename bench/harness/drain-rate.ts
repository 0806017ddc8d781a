import { query } from '../../server/src/db/sql.ts';
import type { BenchDatabase } from './database.ts';
import { startService } from './service.ts';
import type { Drained } from './stopwatch.ts';

interface Drain {
  notifications: number;
  /** The first of them are for the compiler and not counted. */
  warmUp: number;
  env?: Record<string, string>;
}

/** Starts a worker (a program below bench/harness) on what waits, until nothing does; resolves to its notifications a second. */
export async function drainRate(
  program: string,
  database: BenchDatabase,
  { notifications, warmUp, env }: Drain,
): Promise<number> {
  const worker = await startService(program, database, {
    CARILLON_ROLES: 'worker',
    BENCH_WARM_UP: String(warmUp),
    BENCH_COUNT: String(notifications - warmUp),
    ...env,
  });
  const { perSecond } = await worker.said<Drained>();
  await worker.stop();
  await checkDelivered(database);
  return perSecond;
}

/** A drain that left something undone would be fast for the wrong reason. */
async function checkDelivered({ pool }: BenchDatabase): Promise<void> {
  const [left] = await query<{ count: number }>(
    pool,
    `select count(*)::int from notifications where status <> 'delivered'`,
  );
  if (left?.count !== 0) throw new Error(`${left?.count} notifications were not delivered`);
}
