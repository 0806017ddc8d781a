// Notifications/s from accepted to delivered through the sandbox, against the same writes driven by graphile-worker.
import { runMigrations } from 'graphile-worker';
import { query } from '../server/src/db/sql.ts';
import { startDatabase } from './harness/database.ts';
import { postRequests, runLoad } from './harness/load.ts';
import { message } from './harness/message.ts';
import { createReport } from './harness/report.ts';
import { type Service, startService, testKey } from './harness/service.ts';
import type { Drained } from './harness/stopwatch.ts';

const rounds = 1;
const notifications = 15_000;
const warmUp = 3_000;
const connections = 64;
/** The best for graphile-worker of 20, 50, 100 and 200 jobs at once on 10, 20 and 40 connections. */
const graphile = { BENCH_CONCURRENCY: '20', BENCH_CONNECTIONS: '20' };

const report = createReport('drain');
const database = await startDatabase();
const nextRequest = postRequests('/v1/notifications', testKey, message);
let api: Service | undefined;
try {
  api = await startService('accept-variant.ts', database, { BENCH_VARIANT: 'real', CARILLON_ROLES: 'api' });
  await runMigrations({ pgPool: database.pool });

  const accepted: number[] = [];
  const ours: number[] = [];
  const theirs: number[] = [];
  await accept(api);
  await drain('counted-worker.ts');
  for (let round = 0; round < rounds; round += 1) {
    accepted.push(await accept(api));
    ours.push(await drain('counted-worker.ts'));
    accepted.push(await accept(api));
    await handToGraphile();
    theirs.push(await drain('graphile.ts'));
  }

  const acceptRate = report.rounds('accepted', accepted, 'notifications/s');
  const ourRate = report.rounds('drained by the service', ours, 'notifications/s');
  const theirRate = report.rounds('drained by graphile-worker', theirs, 'notifications/s');
  report.goal('\ndrained / accepted', ourRate / acceptRate, { op: '>=', figure: 0.8 });
  report.close(ourRate / theirRate, { op: '>=', figure: 1.2 });
} finally {
  await api?.stop();
  await database.stop();
}

async function accept(service: Service): Promise<number> {
  const load = { url: service.url, connections, nextRequest, expectedStatus: 202, requests: notifications };
  return (await runLoad(load)).perSecond;
}

/** Starts a worker on what waits, until nothing does. */
async function drain(program: string): Promise<number> {
  const worker = await startService(program, database, {
    CARILLON_ROLES: 'worker',
    BENCH_WARM_UP: String(warmUp),
    BENCH_COUNT: String(notifications - warmUp),
    ...graphile,
  });
  const { perSecond } = await worker.said<Drained>();
  await worker.stop();
  await checkDelivered();
  return perSecond;
}

/** A drain that left something undone would be fast for the wrong reason. */
async function checkDelivered(): Promise<void> {
  const [left] = await query<{ count: number }>(
    database.pool,
    `select count(*)::int from notifications where status <> 'delivered'`,
  );
  if (left?.count !== 0) throw new Error(`${left?.count} notifications were not delivered`);
}

/** Its enqueue is not counted. */
async function handToGraphile(): Promise<void> {
  await query(
    database.pool,
    `with waiting as (delete from queue_ready returning id, environment_id)
     select count(graphile_worker.add_job('send', json_build_object('id', id, 'environment_id', environment_id))) from waiting`,
  );
}
