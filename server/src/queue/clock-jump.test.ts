import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { bundledThreads } from '../../test/harness/threads.ts';
import { createDoorbell, type Doorbell } from '../db/doorbell.ts';
import { createPool, type Pool, query } from '../db/sql.ts';
import { newId } from '../kernel/ids.ts';
import { createLog } from '../kernel/log.ts';
import { createMetrics } from '../kernel/metrics.ts';
import { createLowWater } from './fairness.ts';
import { type Runner, startRunner } from './runner.ts';
import * as store from './store.ts';
import { type Job, lanes, type WorkKind, workKinds } from './work.ts';

const log = createLog('fatal');
const kind = workKinds.notification;
let database: TestDatabase;
let pool: Pool;
let doorbell: Doorbell;
const runners: Runner[] = [];
let stop = (): void => {};
const stopping = new Promise<void>((resolve) => {
  stop = resolve;
});

/** A database whose clock can be put forward: who connects from now on finds our `now` before PostgreSQL's. */
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(
    `create table clock (ahead interval not null);
     insert into clock values ('0');
     create function public.now() returns timestamptz stable language sql
       as 'select pg_catalog.now() + ahead from public.clock';
     do 'begin execute format($sql$ alter database %I set search_path = public, pg_catalog $sql$, current_database()); end'`,
  );
  pool = createPool(database.url, 4);
  doorbell = createDoorbell(pool, database.url, log);
});
afterAll(async () => {
  stop();
  for (const runner of runners) await runner.stop(5_000);
  await doorbell.stop();
  await pool.end();
  await database.drop();
});

/** Starts a worker that ends what it is given, except that it never comes to an end with what it is `at`. */
function start(at: string, begun: (id: string) => void): string {
  const workerId = newId();
  const none: Job = { batch: 1, capacity: 4, load: async () => new Map(), run: async () => {} };
  const job: Job = {
    ...none,
    async run({ id }) {
      begun(id);
      if (id === at) await stopping;
      else await store.deleteLeases(pool, kind, [id], workerId);
    },
  };
  const jobs = Object.fromEntries(Object.keys(workKinds).map((name) => [name, none]));
  runners.push(
    startRunner({
      pool,
      claimPool: pool,
      doorbell,
      log,
      metrics: createMetrics(),
      workerId,
      database: database.url,
      heartbeatEntry: bundledThreads().heartbeat,
      jobs: { ...jobs, notification: job } as Record<WorkKind, Job>,
      begun: new Set(),
      lowWater: createLowWater(),
      refillConcurrency: async () => {},
    }),
  );
  return workerId;
}

const leases = () =>
  query<{ id: string; worker_id: string }>(pool, 'select id, worker_id from queue_leased order by id');

const insertLease = (id: string, workerId: string) =>
  query(
    pool,
    `insert into queue_leased (id, kind, lane, environment_id, worker_id) values ($1, ${kind}, ${lanes.normal}, $2, $3)`,
    [id, newId(), workerId],
  );

test('workers that live are not taken for dead when the clock of the database is put forward', async () => {
  const held = newId();
  const begun: string[] = [];
  const first = start(held, (id) => begun.push(id));
  await store.insertReady(pool, [
    { kind, id: held, lane: lanes.normal, environment_id: newId(), note: null },
  ]);
  await waitUntil(async () => (begun.includes(held) ? true : new Error('nobody has it')));
  start('nothing', (id) => begun.push(id));

  // What a dead worker left is taken over once they have been heard for a while: from then on they would take over anything.
  const left = newId();
  await insertLease(left, newId());
  await waitUntil(async () => ((await leases()).length === 1 ? true : new Error('it is not done')), 30_000);
  await query(pool, `update clock set ahead = '10 minutes'`);
  await waitUntil(async () => {
    const [alive] = await query<{ count: number }>(
      pool,
      'select count(*)::int as count from workers where alive_until > now()',
    );
    return alive?.count === 2 ? true : new Error('not both have been heard since');
  }, 30_000);
  expect(await leases()).toEqual([{ id: held, worker_id: first }]);
  expect(begun).toEqual([held, left]);
}, 60_000);
