import { setTimeout as delay } from 'node:timers/promises';
import type { QueryConfig } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { waitUntil } from '../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { bundledThreads } from '../../test/harness/threads.ts';
import { createDoorbell, type Doorbell } from '../db/doorbell.ts';
import { type Pool, transaction } from '../db/sql.ts';
import { newId } from '../kernel/ids.ts';
import { createLog } from '../kernel/log.ts';
import { createMetrics } from '../kernel/metrics.ts';
import { createLowWater } from './fairness.ts';
import { type Runner, startRunner } from './runner.ts';
import * as store from './store.ts';
import { type Job, type Lane, lanes, type WorkKind, workKinds } from './work.ts';

const log = createLog('fatal');
const kind = workKinds.notification;
const environmentId = newId();
let database: TestDatabase;
let doorbell: Doorbell;
let runner: Runner;
beforeAll(async () => {
  database = await createTestDatabase();
  doorbell = createDoorbell(database.pool, database.url, log);
});
afterEach(async () => {
  await runner.stop(5_000);
  await database.pool.query('delete from queue_leased');
});
afterAll(async () => {
  await doorbell.stop();
  await database.drop();
});

const put = (lane: Lane, count: number) =>
  store.insertReady(
    database.pool,
    Array.from({ length: count }, () => ({
      kind,
      id: newId(),
      lane: lanes[lane],
      environment_id: environmentId,
      note: null,
    })),
  );

/** Starts a runner whose work takes 10 ms; tells of each claim of bulk when it came and when the last of it was done. */
function startWork(
  onBulk: () => Promise<void> = async () => {},
): { count: number; from: number; to: number }[] {
  const portions: { count: number; from: number; to: number }[] = [];
  start<{ to: number }>({
    async load(claims) {
      const portion = { count: claims.length, from: Date.now(), to: 0 };
      if (claims[0]?.lane === 'bulk') {
        portions.push(portion);
        await onBulk();
      }
      return new Map(claims.map(({ id }) => [id, portion]));
    },
    async run(_claim, portion) {
      await delay(10);
      if (portion) portion.to = Date.now();
    },
  });
  return portions;
}

function start<Input>(
  job: Pick<Job<Input>, 'load' | 'run' | 'onFailed'>,
  others: Partial<Parameters<typeof startRunner>[0]> = {},
): void {
  const none: Job = { batch: 1, capacity: 4, load: async () => new Map(), run: async () => {} };
  const jobs = Object.fromEntries(Object.keys(workKinds).map((name) => [name, none])) as Record<
    WorkKind,
    Job
  >;
  runner = startRunner({
    pool: database.pool,
    claimPool: database.pool,
    doorbell,
    log,
    metrics: createMetrics(),
    workerId: newId(),
    database: database.url,
    heartbeatEntry: bundledThreads().heartbeat,
    jobs: { ...jobs, notification: { batch: 100, capacity: 400, ...job } as Job },
    begun: new Set(),
    lowWater: createLowWater(),
    refillConcurrency: async () => {},
    ...others,
  });
}

test('bulk that is alone comes in whole batches', async () => {
  await put('bulk', 150);
  const portions = startWork();
  await waitUntil(async () => (portions[1]?.to ?? 0) > 0 || new Error('not done'));
  expect(portions.map(({ count }) => count)).toEqual([100, 50]);
});

test('bulk comes in small portions, and rests after each, while critical work comes', async () => {
  await put('bulk', 250);
  await put('critical', 1);
  const portions = startWork(async () => {
    await put('critical', 1);
    runner.wake('notification');
  });
  await waitUntil(async () => (portions[9]?.to ?? 0) > 0 || new Error('not done'));
  expect(portions.map(({ count }) => count)).toEqual(Array(10).fill(25));
  // Of one that takes 50 ms or more nobody waits for the end.
  const quick = portions.slice(0, -1).flatMap(({ from, to }, index) => {
    const rest = (portions[index + 1]?.from ?? 0) - to;
    return to - from < 50 ? [{ rest, least: Math.min(3 * (to - from), 50) - 2 }] : [];
  });
  expect(quick.length).toBeGreaterThan(0);
  for (const { rest, least } of quick) expect(rest).toBeGreaterThanOrEqual(least);
});

test('what is critical is done while what the rest of its claim needs is still being read', async () => {
  await put('normal', 5);
  await put('critical', 1);
  const done: Lane[] = [];
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  start({
    async load(claims) {
      if (claims.some(({ lane }) => lane !== 'critical')) await held;
      return new Map();
    },
    async run({ lane }) {
      done.push(lane);
    },
  });
  await waitUntil(async () => done.length > 0 || new Error('nothing is done'));
  expect(done).toEqual(['critical']);
  goOn();
  await waitUntil(async () => done.length === 6 || new Error(`${done.length} are done`));
});

test('a ring that comes while a claim is ending is not lost', async () => {
  let rounds = 0;
  let ringAfter: number | null = null;
  const claimPool = {
    async query(config: QueryConfig) {
      const result = await database.pool.query(config);
      const [claimed, lows] = config.name === 'queue_claim' ? (config.values ?? []) : [];
      if (claimed !== kind || (lows as number[]).length <= lanes.bulk) return result;
      rounds += 1; // bulk is the last that a round claims
      if (ringAfter === null) return result;
      let microtasks = Promise.resolve();
      for (let each = 0; each < ringAfter; each += 1) microtasks = microtasks.then(() => {});
      void microtasks.then(() => runner.wake('notification'));
      ringAfter = null;
      return result;
    },
  } as Pool;
  start({ load: async () => new Map(), run: async () => {} }, { claimPool });
  for (let microtasks = 0; microtasks < 20; microtasks += 1) {
    const before = rounds;
    ringAfter = microtasks;
    runner.wake('notification');
    await waitUntil(
      async () => rounds >= before + 2 || new Error(`lost ${microtasks} microtasks after the claim`),
      2_000,
    );
  }
});

test('work whose handler throws is told to its job once it waits, and the log names it', async () => {
  await put('normal', 3);
  const lines: string[] = [];
  const failed: string[] = [];
  const ids = async () =>
    (await database.pool.query('select id from queue_later order by id')).rows.map(({ id }) => id);
  start(
    {
      async load(claims) {
        if (lines.length === 0) throw new Error('cannot be read');
        return new Map(claims.map(({ id }) => [id, null]));
      },
      run: async () => {
        throw new Error('a fault of ours');
      },
      async onFailed(given) {
        expect(await ids()).toEqual(expect.arrayContaining(given));
        failed.push(...given);
      },
    },
    { log: createLog('warn', { write: (line) => lines.push(line) }) },
  );
  await waitUntil(async () => failed.length === 3 || new Error(`${failed.length} of 3`));
  await database.pool.query('update queue_later set run_at = now()');
  await waitUntil(async () => failed.length === 6 || new Error(`${failed.length} of 6`));
  const [first, ...others] = lines.map((line) => JSON.parse(line));
  expect(first).toMatchObject({ level: 50, err: { message: 'cannot be read' } });
  expect(first.ids.toSorted()).toEqual(await ids());
  expect(others.map(({ id }) => id).sort()).toEqual(await ids());
  expect(others[0]).toMatchObject({ level: 50, err: { message: 'a fault of ours' }, retry_in_seconds: 30 });
  await database.pool.query('delete from queue_later');
});

test('what puts itself back, and comes before its end is known here, is done again at once', async () => {
  const workerId = newId();
  const warnings: string[] = [];
  let claims = 0;
  let runs = 0;
  const claimPool = {
    async query(config: QueryConfig) {
      const result = await database.pool.query(config);
      if (result.rows.length > 0) setImmediate(() => (claims += 1)); // when it has been taken up
      return result;
    },
  } as Pool;
  start(
    {
      load: async () => new Map(),
      async run({ id }) {
        runs += 1;
        await transaction(database.pool, async (tx) => {
          await store.deleteLeases(tx, kind, [id], workerId);
          if (runs === 1)
            await store.insertReady(tx, [{ kind, id, lane: 1, environment_id: environmentId, note: null }]);
        });
        runner.wake('notification');
        await waitUntil(async () => claims >= Math.min(2, runs + 1) || new Error('not claimed again'));
      },
    },
    { workerId, claimPool, log: createLog('warn', { write: (line) => warnings.push(line) }) },
  );
  await put('normal', 1);
  runner.wake('notification');
  await waitUntil(async () => runs === 2 || new Error('done once'));
  expect(warnings).toEqual([]);
});

test('a worker whose clock is set back goes on breathing, and its bulk with it', async () => {
  let done = 0;
  start({
    load: async (claims) => new Map(claims.map(({ id }) => [id, null])),
    run: async () => {
      done += 1;
    },
  });
  const aliveUntil = () =>
    waitUntil(async () => {
      const { rows } = await database.pool.query(`select max(alive_until) as until from workers`);
      return (rows[0].until as Date | null) ?? new Error('no worker has been heard');
    });
  await put('critical', 1);
  await put('bulk', 30);
  await waitUntil(async () => (done === 31 ? true : new Error(`${done} are done`)));
  const before = await aliveUntil();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 600_000 });
  try {
    await put('bulk', 30);
    while (done < 61 || (await aliveUntil()) <= before) await delay(50);
    expect(runner.health().ok).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('a tick that hangs does not end the ticks', async () => {
  let ticks = 0;
  let done = 0;
  start(
    {
      load: async () => new Map(),
      run: async () => {
        done += 1;
      },
    },
    {
      tickWithinMs: 50,
      refillConcurrency() {
        ticks += 1;
        return ticks === 1 ? new Promise(() => {}) : Promise.resolve();
      },
    },
  );
  await waitUntil(async () => ticks > 1 || new Error('no other tick'));
  await put('normal', 1); // no doorbell rings: only a tick finds it
  await waitUntil(async () => done === 1 || new Error('not done'));
});
