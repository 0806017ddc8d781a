// The drain rate with 1,000,000 notifications of 1,000 environments waiting, fresh and after an hour's churn, against 10,000.
import { query } from '../server/src/db/sql.ts';
import { newId } from '../server/src/kernel/ids.ts';
import * as queue from '../server/src/queue/store.ts';
import { startDatabase } from './harness/database.ts';
import { createReport } from './harness/report.ts';
import { countWaiting, seedEnvironments, seedQueued, sentSince, until } from './harness/seed.ts';
import { startService } from './harness/service.ts';

const few = 10_000;
const many = 1_000_000;
const measureMs = 15_000;
const churned = 3_600_000; // an hour at 1,000 a second
const churnLimitMs = 150_000;

const report = createReport('backlog');
const database = await startDatabase();
const { pool } = database;
try {
  const starter = await startService('worker.ts', database, { CARILLON_ROLES: 'api' });
  await starter.stop();
  const environments = await seedEnvironments(pool, 1_000);

  const withFew: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await seedQueued(pool, environments, few, 'normal');
    withFew.push(await drainFor(60_000));
  }
  const small = report.rounds('10,000 waiting', withFew, 'notifications/s');

  await seedQueued(pool, environments, many, 'normal');
  const fresh = report.rounds('1,000,000 waiting', [await drainFor(measureMs)], 'notifications/s');

  const startedAt = Date.now();
  const moved = await churn();
  report.line(
    `churn: ${moved} rows moved ready → leased → ready in ${Math.round((Date.now() - startedAt) / 1000)} s`,
  );
  const after = report.rounds(
    '1,000,000 waiting, after churn',
    [await drainFor(measureMs)],
    'notifications/s',
  );

  report.goal('\n1,000,000 / 10,000', fresh / small, { op: '>=', figure: 0.8 });
  report.close(after / small, { op: '>=', figure: 0.8 });
} finally {
  await database.stop();
}

/** Drains until nothing waits, or for so long; the rate by the times in the rows. */
async function drainFor(limitMs: number): Promise<number> {
  await query(pool, 'checkpoint');
  const since = new Date();
  const worker = await startService('worker.ts', database, { CARILLON_ROLES: 'worker' });
  const end = Date.now() + limitMs;
  await until(
    async () => Date.now() > end || (limitMs > measureMs && (await countWaiting(pool)) === 0),
    limitMs + 5_000,
  );
  await worker.stop();
  return (await sentSince(pool, since)).perSecond;
}

/** Claimers that take a hundred and put them back at the end of their lines, by the queue's own statements. */
async function churn(): Promise<number> {
  const end = Date.now() + churnLimitMs;
  let moved = 0;
  async function claimer(): Promise<void> {
    const worker = newId();
    while (moved < churned && Date.now() < end) {
      const rows = await queue.claim(pool, 1, 2, 100, worker);
      await queue.releaseToReady(
        pool,
        1,
        rows.map((row) => row.id),
        worker,
      );
      moved += rows.length;
    }
  }
  await Promise.all([claimer(), claimer(), claimer()]);
  return moved;
}
