// A broadcast: recipients/s against batch accepts, the worker's memory against a small one, critical sends beside it. BENCH_RECIPIENTS=1000000 for figures.
import { readFileSync, writeFileSync } from 'node:fs';
import { query } from '../server/src/db/sql.ts';
import { idTime, newId } from '../server/src/kernel/ids.ts';
import { lanes, workKinds } from '../server/src/queue/index.ts';
import { startDatabase } from './harness/database.ts';
import { openLoad, postRequest, quantile } from './harness/load.ts';
import { message } from './harness/message.ts';
import { sendByClock } from './harness/open-loop.ts';
import { createReport } from './harness/report.ts';
import { seedEnvironments, until } from './harness/seed.ts';
import { startService, testKey } from './harness/service.ts';

if (process.platform !== 'linux') throw new Error('memory is read from /proc, which only Linux has');
const few = 10_000;
const many = Number(process.env.BENCH_RECIPIENTS ?? 50_000);
const batchSize = 100;
const seconds = 6;

const report = createReport('broadcast');
const database = await startDatabase();
const { pool } = database;
try {
  const accepted = await acceptBatches();
  const [small = '', large = ''] = await seedEnvironments(pool, 2);
  await seedUsers(small, few);
  await seedUsers(large, many);
  const created = await fanOut(large);
  report.line(`${'recipients created'.padEnd(34)} ${created.toFixed(0)}/s`);
  report.line(`${'accepted by the batch route'.padEnd(34)} ${accepted.toFixed(0)}/s`);

  const [fewMegabytes = 0, manyMegabytes = 0] = await weigh([
    [small, few],
    [large, many],
  ]);
  report.line(`${`peak memory, ${few} recipients`.padEnd(34)} ${fewMegabytes.toFixed(0)} MB`);
  report.line(`${`peak memory, ${many} recipients`.padEnd(34)} ${manyMegabytes.toFixed(0)} MB`);

  const { idle, busy } = await latencies(large);
  report.line(`${'critical, idle and beside it, p99'.padEnd(34)} ${idle.toFixed(1)}, ${busy.toFixed(1)} ms`);
  report.goal('\nrecipients / batch accepts', created / accepted, { op: '>=', figure: 0.8 });
  report.goal('critical beside a broadcast / idle, p99', busy / idle, { op: '<=', figure: 2 });
  report.close(manyMegabytes / fewMegabytes, { op: '<=', figure: 1.2 });
} finally {
  await database.stop();
}

/** Notifications/s of the batch route. It also makes the database and the organization. */
async function acceptBatches(): Promise<number> {
  const service = await startService('worker.ts', database, { CARILLON_ROLES: 'api' });
  const load = await openLoad({
    url: service.url,
    connections: 4,
    nextRequest: postRequest('/v1/notifications/batch', testKey, {
      notifications: Array(batchSize).fill(message),
    }),
    expectedStatus: 202,
  });
  await load.run({ durationMs: 4_000 });
  const { perSecond: batches } = await load.run({ durationMs: 8_000 });
  load.close();
  await service.stop();
  await query(pool, 'delete from queue_ready');
  return batches * batchSize;
}

async function seedUsers(environmentId: string, count: number): Promise<void> {
  await query(
    pool,
    `insert into end_users (environment_id, external_user_id, email)
     select $1, 'user-' || n, 'delivered+' || n || '@sandbox.test' from generate_series(1, $2::int) n`,
    [environmentId, count],
  );
  await query(pool, 'vacuum analyze end_users');
}

/** A broadcast to all users of the environment, as the service would have stored it. Returns its id. */
async function seedBroadcast(environmentId: string): Promise<string> {
  const id = newId();
  const { subject, html_body, text_body } = message;
  const content = { subject, html_body, text_body, from_name: null, reply_to: null };
  const filter = { locales: [], timezones: [], topicsAny: [], topicsAll: [], topicsNone: [], attributes: [] };
  await query(
    pool,
    `with broadcast as (
       insert into broadcasts (id, environment_id, status, name, request, filter, channels, contents, template_data, timezone, cursor)
       values ($1, $2, 'preparing', 'bench', $3, $4, '{email}', $5, '{}', 'UTC', '')
     )
     insert into queue_ready (id, kind, lane, tag, environment_id, note) values ($1, $6, $7, 1, $2, $8)`,
    [
      id,
      environmentId,
      JSON.stringify({ audience: { all: true } }),
      JSON.stringify(filter),
      JSON.stringify({ email: { ...content, template_version_id: null, connection_id: null } }),
      workKinds.broadcast,
      lanes.bulk,
      JSON.stringify({ broadcastId: id, epoch: 0 }),
    ],
  );
  return id;
}

interface Progress {
  status: string;
  cursor: string | null;
  recipients: number;
  started_at: Date;
  last_id: string;
}

async function progressOf(id: string): Promise<Progress> {
  const [row] = await query<Progress & Record<string, unknown>>(
    pool,
    'select status, cursor, recipients, started_at, last_id from broadcasts where id = $1',
    [id],
  );
  if (!row) throw new Error('the broadcast is gone');
  return row;
}

/** Recipients/s of a worker that sends nothing. */
async function fanOut(environmentId: string): Promise<number> {
  const worker = await startService('fan-out.ts', database, { CARILLON_ROLES: 'worker' });
  const id = await seedBroadcast(environmentId);
  await until(async () => (await progressOf(id)).cursor === null, 1_200_000);
  const { recipients, started_at, last_id } = await progressOf(id);
  await worker.stop();
  await clear();
  return (recipients * 1_000) / (idTime(last_id) - started_at.getTime());
}

/** The peak memory of one worker during each broadcast, of which it creates and sends everything. The first one only warms it up. */
async function weigh(broadcasts: [environmentId: string, recipients: number][]): Promise<number[]> {
  const worker = await startService('worker.ts', database, { CARILLON_ROLES: 'worker' });
  const folder = `/proc/${worker.process.pid}`;
  const peaks: number[] = [];
  for (const [environmentId, recipients] of [...broadcasts.slice(0, 1), ...broadcasts]) {
    writeFileSync(`${folder}/clear_refs`, '5'); // the peak begins at what is used now
    const id = await seedBroadcast(environmentId);
    await until(async () => (await progressOf(id)).status === 'done', 3_600_000);
    const { recipients: reached } = await progressOf(id);
    if (reached !== recipients) throw new Error(`${reached} of ${recipients} were reached`);
    peaks.push(Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`${folder}/status`, 'utf8'))?.[1]) / 1024);
  }
  await worker.stop();
  await clear();
  return peaks.slice(1);
}

/** Critical sends of another environment, from acceptance to the provider call: p99 in ms. */
async function latencies(environmentId: string): Promise<{ idle: number; busy: number }> {
  const service = await startService('timed-service.ts', database, { CARILLON_ROLES: 'api,worker' });
  await sendByClock(service, 'critical', 5); // for the compiler
  const idle = await sendByClock(service, 'critical', seconds);
  await seedBroadcast(environmentId);
  const busy = await sendByClock(service, 'critical', seconds);
  await service.stop();
  return { idle: quantile(idle, 0.99), busy: quantile(busy, 0.99) };
}

/** The next measurement begins with an empty queue. */
async function clear(): Promise<void> {
  for (const table of ['queue_ready', 'queue_later', 'queue_leased'])
    await query(pool, `delete from ${table}`);
  for (const table of ['notifications', 'queue_ready']) await query(pool, `vacuum analyze ${table}`);
}
