// Notifications/s from accepted to delivered, against the same writes driven by graphile-worker, and against the accept rate.
import { makeWorkerUtils } from 'graphile-worker';
import { query } from '../server/src/db/sql.ts';
import { startDatabase } from './harness/database.ts';
import { postRequests, runLoad } from './harness/load.ts';
import { createReport } from './harness/report.ts';
import { countWaiting, sentSince, until } from './harness/seed.ts';
import { startService, testKey } from './harness/service.ts';

const rounds = 3;
const acceptMs = 6_000;

const request = postRequests('/v1/notifications', testKey, {
  channel: 'email',
  recipient: { address: 'delivered@sandbox.test', name: 'Ada Lovelace' },
  subject: 'Your order has been shipped',
  html_body: `<p>${'The parcel left our warehouse this morning. '.repeat(10)}</p>`,
  text_body: 'The parcel left our warehouse this morning.',
});

const report = createReport('drain');
const database = await startDatabase();
const { pool } = database;
const api = await startService(database, 'worker.ts', { CARILLON_ROLES: 'api' });
try {
  const utils = await makeWorkerUtils({ connectionString: database.url });
  await utils.migrate();
  await utils.release();

  const rates = { accept: [] as number[], ours: [] as number[], graphile: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    rates.accept.push(await accept());
    rates.ours.push(await drain('worker.ts', { CARILLON_ROLES: 'worker' }, () => countWaiting(pool)));
    rates.accept.push(await accept());
    await query(
      pool,
      `with taken as (delete from queue_ready returning id, environment_id)
       select graphile_worker.add_jobs(array(
         select row('notify', json_build_object('id', id, 'environment_id', environment_id), null, null, null, null, null, null)::graphile_worker.job_spec
         from taken))`,
    );
    await query(pool, 'vacuum analyze graphile_worker._private_jobs');
    rates.graphile.push(
      await drain('graphile.ts', { CARILLON_ROLES: 'api', BENCH_CONCURRENCY: '200' }, async () => {
        const [row] = await query<{ n: number }>(
          pool,
          'select count(*)::int as n from graphile_worker._private_jobs',
        );
        return row?.n ?? 0;
      }),
    );
  }

  const accepted = report.rounds('accepted', rates.accept, 'notifications/s');
  const ours = report.rounds('accepted → delivered, our queue', rates.ours, 'notifications/s');
  const graphile = report.rounds('accepted → delivered, graphile', rates.graphile, 'notifications/s');
  report.goal('\ndelivered / accepted', ours / accepted, { op: '>=', figure: 0.8 });
  report.close(ours / graphile, { op: '>=', figure: 1.2 });
} finally {
  await api.stop();
  await database.stop();
}

async function accept(): Promise<number> {
  const { perSecond } = await runLoad({
    url: api.url,
    connections: 64,
    durationMs: acceptMs,
    nextRequest: request,
    expectedStatus: 202,
  });
  return perSecond;
}

/** Everything that waits, from the first to the last that was sent. */
async function drain(
  program: string,
  settings: Record<string, string>,
  waiting: () => Promise<number>,
): Promise<number> {
  const since = new Date();
  const worker = await startService(database, program, settings);
  await until(async () => (await waiting()) === 0, 120_000);
  await worker.stop();
  return (await sentSince(pool, since)).perSecond;
}
