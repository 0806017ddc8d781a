// The drain rate with 1,000,000 notifications of 1,000 environments waiting, fresh and after an hour's churn, against 10,000.
import { createPool, type Pool } from '../server/src/db/sql.ts';
import { newId } from '../server/src/kernel/ids.ts';
import { lanes, workKinds } from '../server/src/queue/index.ts';
import { claim, releaseToReady } from '../server/src/queue/store.ts';
import { startDatabase } from './harness/database.ts';
import { createReport } from './harness/report.ts';
import { seedEnvironments, seedQueued } from './harness/seed.ts';
import { startService } from './harness/service.ts';
import type { Drained } from './harness/stopwatch.ts';

const few = 10_000;
const many = 1_000_000;
const environments = 1_000;
const rounds = 3;
const roundMs = 5_000;
const warmUp = 2_000;
const churned = 3_600_000; // an hour at 1,000 a second
const churnLimitMs = 900_000;

interface Side {
  url: string;
  dataDir: string;
  pool: Pool;
}

// Two databases of one server, so that the rounds of both can take turns.
const report = createReport('backlog');
const database = await startDatabase();
try {
  const small = await prepare(await database.beside('few'));
  const large = await prepare(await database.beside('many'));
  await seedQueued(large.pool, large.environments, many, 'normal');
  report.line('1,000,000 notifications wait in one database\n');

  const fresh = await compare('1,000,000 waiting');
  const began = Date.now();
  const moved = await churn(large.url);
  report.line(`\n${moved} rows moved ready → leased → ready in ${Math.round((Date.now() - began) / 1000)} s`);
  if (moved < churned) throw new Error(`the churn was not finished within ${churnLimitMs} ms`);
  const after = await compare('1,000,000 waiting, after churn');

  report.goal('\n1,000,000 / 10,000', fresh, { op: '>=', figure: 0.8 });
  report.close(after, { op: '>=', figure: 0.8 });

  /** The ratio of the rates of both sides, taken in turns. */
  async function compare(what: string): Promise<number> {
    const rates = { few: [] as number[], many: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      await seedQueued(small.pool, small.environments, few, 'normal');
      rates.few.push(await drain(small, { BENCH_COUNT: String(few - warmUp) }));
      rates.many.push(await drain(large, { BENCH_MS: String(roundMs) }));
    }
    const fewRate = report.rounds('10,000 waiting', rates.few, 'notifications/s');
    return report.rounds(what, rates.many, 'notifications/s') / fewRate;
  }
} finally {
  await database.stop();
}

/** Lets the service make its tables and its first organization. */
async function prepare(side: Side) {
  const service = await startService('worker.ts', side, { CARILLON_ROLES: 'api' });
  await service.stop();
  return { ...side, environments: await seedEnvironments(side.pool, environments) };
}

async function drain(side: Side, until: Record<string, string>): Promise<number> {
  const worker = await startService('counted-worker.ts', side, {
    CARILLON_ROLES: 'worker',
    BENCH_WARM_UP: String(warmUp),
    ...until,
  });
  const { perSecond } = await worker.said<Drained>();
  await worker.stop();
  return perSecond;
}

/** Claimers that take a hundred and put them back at the end of their lines, by the queue's own statements. */
async function churn(url: string): Promise<number> {
  const pool = createPool(url, 3, { synchronous_commit: 'off' });
  const end = Date.now() + churnLimitMs;
  let moved = 0;
  async function claimer(): Promise<void> {
    const worker = newId();
    while (moved < churned && Date.now() < end) {
      const rows = await claim(pool, workKinds.notification, lanes.bulk, 100, worker);
      const ids = rows.map((row) => row.id);
      await releaseToReady(pool, workKinds.notification, ids, worker);
      moved += rows.length;
    }
  }
  await Promise.all([claimer(), claimer(), claimer()]);
  await pool.end();
  return moved;
}
