import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { waitUntil } from '../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { bundledThreads } from '../../test/harness/threads.ts';
import { createDoorbell } from '../db/doorbell.ts';
import { query } from '../db/sql.ts';
import { newId } from '../kernel/ids.ts';
import { createLog } from '../kernel/log.ts';
import { createMetrics } from '../kernel/metrics.ts';
import { createConcurrencyLimits } from './concurrency.ts';
import {
  type Claim,
  type ConcurrencyLimits,
  createQueue,
  type Job,
  type Permit,
  type Queue,
  type Work,
  type WorkKind,
  workKinds,
} from './index.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() =>
  query(database.pool, 'truncate queue_ready, queue_later, queue_leased, queue_parked, queue_turns, workers'),
);

const kind = 'webhook_delivery';
const environmentId = newId();
let stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops) await stop();
  stops = [];
});

interface Worker {
  queue: Queue;
  /** The work that is under way, by id; calling it ends the call, with or without an answer. */
  underWay: Map<string, (answered: boolean) => void>;
  done: string[];
  stop(): Promise<void>;
}

/** A process whose calls last until the test says so. The concurrency key of a job is in its note. */
function startWorker(atOnce = 4): Worker {
  const { pool } = database;
  const log = createLog('silent');
  const doorbell = createDoorbell(pool, database.url, log);
  const queue = createQueue({
    ...{ pool, claimPool: pool, database: database.url, doorbell, log, metrics: createMetrics() },
    heartbeatEntry: bundledThreads().heartbeat,
  });
  const limits: ConcurrencyLimits = queue.concurrencyLimits(kind, {
    total: 400,
    maxConcurrent: atOnce,
    maxConcurrentWhenFailing: 1,
  });
  const underWay: Worker['underWay'] = new Map();
  const done: string[] = [];
  const nothing: Job = { batch: 1, capacity: 4, load: async () => new Map(), run: async () => {} };
  const job: Job = {
    batch: 20,
    capacity: 40,
    load: async () => new Map(),
    async run(claim) {
      const room = await limits.acquire(claim, (claim.note as { key: string }).key);
      if (!room) return;
      const answered = await new Promise<boolean>((resolve) => underWay.set(claim.id, resolve));
      underWay.delete(claim.id);
      room.release(answered);
      await queue.finish(pool, kind, [claim.id]);
      done.push(claim.id);
    },
  };
  const jobs = Object.fromEntries(
    (Object.keys(workKinds) as WorkKind[]).map((each) => [each, each === kind ? job : nothing]),
  ) as Record<WorkKind, Job>;
  queue.start(jobs);
  let stopped = false;
  const worker: Worker = {
    queue,
    underWay,
    done,
    async stop() {
      if (stopped) return;
      stopped = true;
      for (const end of underWay.values()) end(true);
      await queue.stop(2_000);
      await doorbell.stop();
    },
  };
  stops.push(() => worker.stop());
  return worker;
}

const workFor = (key: string, count: number, lane: Work['lane'] = 'normal'): Work[] =>
  Array.from({ length: count }, () => ({
    kind,
    id: newId(),
    lane,
    environmentId,
    note: { key },
  }));

async function enqueue({ queue }: Worker, work: Work[]): Promise<string[]> {
  await queue.enqueue(database.pool, work);
  queue.ring(kind);
  return work.map(({ id }) => id);
}

async function parkedAt(key: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    database.pool,
    'select id from queue_parked where place = $1 order by id',
    [key],
  );
  return rows.map(({ id }) => id);
}

const until = (condition: () => boolean | Promise<boolean>, what: () => unknown) =>
  waitUntil(async () => ((await condition()) ? true : new Error(JSON.stringify(what()))));

/** Ends every call as it comes, until all of the work is done. */
async function finishAll(worker: Worker, ids: string[]): Promise<void> {
  await until(
    () => {
      for (const end of worker.underWay.values()) end(true);
      return ids.every((id) => worker.done.includes(id));
    },
    () => `${worker.done.length} of ${ids.length}`,
  );
}

/** A key that has answered quickly: before that, it gets two calls at once. */
async function answerOnce(worker: Worker, ...keys: string[]): Promise<void> {
  const before = worker.done.length;
  for (const key of keys) await enqueue(worker, workFor(key, 1));
  await until(
    () => {
      for (const end of worker.underWay.values()) end(true);
      return worker.done.length === before + keys.length;
    },
    () => worker.done,
  );
  worker.done.length = 0;
}

test('critical work that waits at a full key goes before all that waits there', async () => {
  const limits = createConcurrencyLimits(
    { park: async () => {}, unpark: async () => 0 },
    { total: 400, maxConcurrent: 2, maxConcurrentWhenFailing: 1 },
  );
  const claim = (lane: Work['lane']): Claim => ({
    ...{ kind, id: newId(), lane, environmentId, note: null },
    ...{ leasedAt: new Date(), unparkedFrom: null },
  });
  const rooms = await Promise.all(
    [claim('normal'), claim('normal'), claim('critical')].map((one) => limits.acquire(one, 'full')),
  );
  const order: string[] = [];
  const enter = async (lane: Work['lane']) => {
    const room = await limits.acquire(claim(lane), 'full');
    order.push(`${lane} ${room ? 'goes' : 'is parked'}`);
    return room;
  };
  const waiting = [enter('normal'), enter('critical')];
  rooms[0]?.release(true);
  const [normal, critical] = await Promise.all(waiting);
  expect(order).toEqual(['critical goes', 'normal is parked']);
  for (const room of [rooms[1], rooms[2], normal, critical]) room?.release(true);
});

describe('slow keys', () => {
  const claimOf = (environment: string): Claim => ({
    ...{ kind, id: newId(), lane: 'normal', environmentId: environment, note: null },
    ...{ leasedAt: new Date(), unparkedFrom: null },
  });
  const newLimits = () =>
    createConcurrencyLimits(
      { park: async () => {}, unpark: async () => 0 },
      { total: 800, maxConcurrent: 50, maxConcurrentWhenFailing: 10 },
    );
  const ofKeys = (count: number): string[] => Array.from({ length: count }, (_, number) => `slow ${number}`);

  test('of one environment, however many, leave room for a fast one beside them, and for other environments', async () => {
    const limits = newLimits();
    const slow = await Promise.all(
      ofKeys(200).flatMap((key) => [1, 2, 3].map(() => limits.acquire(claimOf('a'), key))),
    );
    const used = slow.filter((permit) => permit !== null).length;
    expect(used).toBeGreaterThanOrEqual(200);
    expect(used).toBeLessThan(400);
    const fast = await limits.acquire(claimOf('a'), 'fast');
    expect(fast).not.toBeNull();
    fast?.release(true);
    const more = await Promise.all([1, 2, 3].map(() => limits.acquire(claimOf('a'), 'fast')));
    expect(more.some((permit) => permit !== null)).toBe(true);
    const others = await Promise.all(
      ofKeys(20).map((key) => limits.acquire(claimOf('b'), `${key} of another`)),
    );
    expect(others.every((permit) => permit !== null)).toBe(true);
  });

  test('get fewer calls, and more again when they are fast', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const limits = newLimits();
      const take = async (count: number): Promise<Permit[]> => {
        const permits = await Promise.all(
          Array.from({ length: count }, () => limits.acquire(claimOf('a'), 'key')),
        );
        return permits.filter((permit) => permit !== null);
      };
      const end = async (permits: Permit[], afterMs: number): Promise<void> => {
        vi.advanceTimersByTime(afterMs);
        for (const permit of permits) permit.release(true);
        limits.refill([]); // nothing is parked
        await new Promise(setImmediate);
      };
      await end(await take(1), 5);
      const fast = await take(60);
      await end(fast, 5);
      await end(await take(60), 9_000);
      const slow = await take(60);
      await end(slow, 5);
      expect(slow.length).toBeLessThan(fast.length);
      expect(await take(60)).toHaveLength(fast.length);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a key', () => {
  test('gets so many calls at once; the rest is parked, and goes on in its order', async () => {
    const worker = startWorker();
    await answerOnce(worker, 'slow');
    const ids = await enqueue(worker, workFor('slow', 100));
    await until(
      async () => (await parkedAt('slow')).length === 96,
      () => worker.underWay.size,
    );
    expect(worker.underWay.size).toBe(4);
    // Newcomers line up behind what is parked.
    const late = await enqueue(worker, workFor('slow', 1));
    await until(
      async () => (await parkedAt('slow')).includes(late[0] ?? ''),
      () => late,
    );
    const [oldest] = await parkedAt('slow');
    for (const end of worker.underWay.values()) end(true);
    await until(
      () => worker.underWay.has(oldest ?? ''),
      () => worker.underWay.size,
    );
    await finishAll(worker, [...ids, ...late]);
    expect(new Set(worker.done).size).toBe(101);
    expect(worker.done).toHaveLength(101);
  });

  test('that is full does not keep others from going', async () => {
    const worker = startWorker();
    await answerOnce(worker, 'dead', 'alive');
    await enqueue(worker, workFor('dead', 500));
    const quick = await enqueue(worker, workFor('alive', 3));
    await until(
      () => quick.every((id) => worker.underWay.has(id)),
      () => worker.underWay.size,
    );
    expect(worker.underWay.size).toBe(7);
  });

  test('that is full, with others parked, still has room for what is critical', async () => {
    const worker = startWorker();
    await answerOnce(worker, 'slow');
    await enqueue(worker, workFor('slow', 100, 'bulk'));
    await until(
      async () => (await parkedAt('slow')).length === 96,
      () => worker.underWay.size,
    );
    const critical = await enqueue(worker, workFor('slow', 3, 'critical'));
    // Half as much again as the others have; then the first in line.
    await until(
      async () => (await parkedAt('slow')).length === 97,
      () => worker.underWay.size,
    );
    expect(critical.filter((id) => worker.underWay.has(id))).toHaveLength(2);
    for (const end of worker.underWay.values()) end(true);
    await until(
      () => critical.every((id) => worker.underWay.has(id) || worker.done.includes(id)),
      () => worker.underWay.size,
    );
  });

  test('that does not answer gets fewer calls at once, until it does', async () => {
    const worker = startWorker();
    await answerOnce(worker, 'silent');
    await enqueue(worker, workFor('silent', 40));
    await until(
      async () => (await parkedAt('silent')).length === 36,
      () => worker.underWay.size,
    );
    for (const end of worker.underWay.values()) end(false);
    await until(
      () => worker.done.length === 4 && worker.underWay.size === 1,
      () => worker.done.length,
    );
    for (const end of worker.underWay.values()) end(true);
    await until(
      () => worker.underWay.size === 4,
      () => worker.underWay.size,
    );
  });

  test('that answers quickly never has anything parked', async () => {
    const worker = startWorker();
    const work = workFor('quick', 30);
    const ending = setInterval(() => {
      for (const end of worker.underWay.values()) end(true);
    }, 1);
    await enqueue(worker, work);
    await until(
      () => worker.done.length === 30,
      () => worker.done.length,
    );
    clearInterval(ending);
    expect(await parkedAt('quick')).toEqual([]);
  });
});

test('what a process parked is taken up by another one', async () => {
  const first = startWorker();
  await answerOnce(first, 'slow');
  const ids = await enqueue(first, workFor('slow', 10));
  await until(
    async () => (await parkedAt('slow')).length === 6,
    () => first.underWay.size,
  );
  await first.stop();
  expect(first.done).toHaveLength(4);
  const second = startWorker();
  await finishAll(
    second,
    ids.filter((id) => !first.done.includes(id)),
  );
  expect(await parkedAt('slow')).toEqual([]);
});

test('what is parked can be withdrawn like everything that waits', async () => {
  const worker = startWorker();
  await answerOnce(worker, 'slow');
  await enqueue(worker, workFor('slow', 6));
  await until(
    async () => (await parkedAt('slow')).length === 2,
    () => worker.underWay.size,
  );
  const [id = ''] = await parkedAt('slow');
  expect(await worker.queue.withdraw(database.pool, kind, id)).toMatchObject({
    id,
    lane: 'normal',
    note: { key: 'slow' },
    runAt: null,
  });
  expect(await worker.queue.withdraw(database.pool, kind, id)).toBeNull();
});
