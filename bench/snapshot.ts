// The drain rate while a session holds an old snapshot, which keeps dead rows from being removed, against the rate without.
import { query, transaction } from '../server/src/db/sql.ts';
import { startDatabase } from './harness/database.ts';
import { createReport } from './harness/report.ts';
import { seedEnvironments, seedQueued } from './harness/seed.ts';
import { startService } from './harness/service.ts';
import type { Drained } from './harness/stopwatch.ts';

const counted = 40_000;
const warmUp = 5_000;
/** Drained with the snapshot open before the measurement: a minute and more of work. */
const drainedBefore = 300_000;
const rounds = 2;

const report = createReport('snapshot');
const database = await startDatabase();
const { pool } = database;
try {
  const service = await startService('worker.ts', database, { CARILLON_ROLES: 'api' }); // makes the tables
  await service.stop();
  const environments = await seedEnvironments(pool, 10);

  const without: number[] = [];
  const withSnapshot: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    without.push(await drain(warmUp));
    withSnapshot.push(await withOldSnapshot(() => drain(drainedBefore)));
    await query(pool, 'vacuum queue_ready, queue_leased, queue_turns'); // the next round begins without dead rows
  }
  const base = report.rounds('drained', without, 'notifications/s');
  const rate = report.rounds('drained beside an old snapshot', withSnapshot, 'notifications/s');
  report.close(rate / base, { op: '>=', figure: 0.8 });

  /** Drains a number of notifications, and then measures. */
  async function drain(before: number): Promise<number> {
    await seedQueued(pool, environments, before + counted, 'normal');
    const worker = await startService('counted-worker.ts', database, {
      CARILLON_ROLES: 'worker',
      BENCH_WARM_UP: String(before),
      BENCH_COUNT: String(counted),
    });
    const { perSecond } = await worker.said<Drained>();
    await worker.stop();
    return perSecond;
  }

  function withOldSnapshot<Result>(work: () => Promise<Result>): Promise<Result> {
    return transaction(pool, async (tx) => {
      await query(tx, 'set transaction isolation level repeatable read');
      await query(tx, 'select count(*) from queue_ready'); // takes the snapshot
      return work();
    });
  }
} finally {
  await database.stop();
}
