// From acceptance to the provider call at 50/s, and for critical sends while 100,000 bulk sends of another environment drain.
import { query } from '../server/src/db/sql.ts';
import { startDatabase } from './harness/database.ts';
import { quantile } from './harness/load.ts';
import { sendByClock } from './harness/open-loop.ts';
import { createReport } from './harness/report.ts';
import { countWaiting, seedEnvironments, seedQueued, until } from './harness/seed.ts';
import { type Service, startService } from './harness/service.ts';

const seconds = 6;
const rounds = 8; // taking turns, so that a machine that is slow for a while is slow for all of them
const bulk = 100_000;

const report = createReport('latency');
const database = await startDatabase();
const { pool } = database;
let service: Service | undefined;
try {
  service = await startService('timed-service.ts', database, { CARILLON_ROLES: 'api,worker' });
  const environments = await seedEnvironments(pool, 1);
  await sendByClock(service, 'normal', 5); // for the compiler

  const normal: number[] = [];
  const idle: number[] = [];
  const busy: number[] = [];
  const left: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    normal.push(...(await sendByClock(service, 'normal', seconds)));
    idle.push(...(await sendByClock(service, 'critical', seconds)));
    await seedQueued(pool, environments, bulk, 'bulk');
    busy.push(...(await sendByClock(service, 'critical', seconds)));
    left.push(await countWaiting(pool));
    await clear();
  }

  report.line(`${normal.length} sends of each kind, from acceptance to the provider call:`);
  for (const [what, tookMs] of Object.entries({ normal, critical: idle, 'critical beside bulk': busy })) {
    const shares = [0.5, 0.9, 0.99, 0.999].map((share) => quantile(tookMs, share).toFixed(1));
    report.line(`${what.padEnd(34)} p50, p90, p99, p99.9: ${shares.join(', ')} ms`);
  }
  report.rounds('  bulk sends that still waited', left, `of ${bulk}`);
  report.goal('\nnormal, p50 in ms', quantile(normal, 0.5), { op: '<=', figure: 3.5 });
  report.goal('normal, p99 in ms', quantile(normal, 0.99), { op: '<=', figure: 10 });
  report.close(quantile(busy, 0.99) / quantile(idle, 0.99), { op: '<=', figure: 1.5 });
} finally {
  await service?.stop();
  await database.stop();
}

/** What is left of the bulk is taken away: the next round begins with an idle service. */
async function clear(): Promise<void> {
  await query(pool, 'delete from queue_ready');
  await until(async () => (await countWaiting(pool)) === 0, 30_000);
}
