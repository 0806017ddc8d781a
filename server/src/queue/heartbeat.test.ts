import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTcpProxy, targetOf } from '../../test/failover/tcp-proxy.ts';
import { waitUntil } from '../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { bundledThreads, openThreads } from '../../test/harness/threads.ts';
import { createPool, type Pool, query } from '../db/sql.ts';
import { newId } from '../kernel/ids.ts';
import { createLog } from '../kernel/log.ts';
import { startThread, type Thread } from '../threads/start.ts';
import { createHeartbeat, type Heartbeat, type HeartbeatDeps, type HeartbeatOptions } from './heartbeat.ts';

let database: TestDatabase;
let claimPool: Pool;
let heartbeat: Heartbeat | null = null;
let thread: Thread | null = null;

/** Every beat is written down by the database. */
beforeAll(async () => {
  database = await createTestDatabase();
  claimPool = createPool(database.url, 1);
  await database.pool.query(
    `create table beats (worker_id uuid, at timestamptz default clock_timestamp(), pid int default pg_backend_pid());
     create function note_beat() returns trigger language plpgsql
       as 'begin insert into beats (worker_id) values (new.id); return new; end';
     create trigger noted after insert or update on workers for each row execute function note_beat()`,
  );
});
afterEach(async () => {
  await heartbeat?.stop();
  await thread?.end();
  [heartbeat, thread] = [null, null];
  expect(openThreads()).toBe(0);
});
afterAll(async () => {
  await claimPool.end();
  await database.drop();
});

async function beatsOf(workerId: string): Promise<Date[]> {
  const rows = await query<{ at: Date }>(
    database.pool,
    'select at from beats where worker_id = $1 order by at',
    [workerId],
  );
  return rows.map(({ at }) => at);
}

const beats = (workerId: string, count: number): Promise<Date[]> =>
  waitUntil(async () => {
    const found = await beatsOf(workerId);
    return found.length >= count ? found : new Error(`${found.length} beats`);
  }, 15_000);

/** Waits for a beat over another connection than that of the main thread. */
const beatOfThread = (workerId: string, connections = 2): Promise<unknown> =>
  waitUntil(async () => {
    const sql = 'select distinct pid from beats where worker_id = $1';
    const { length } = await query(database.pool, sql, [workerId]);
    return length >= connections || new Error(`beats over ${length} connections`);
  });

/** The heartbeats of a worker whose pool has one connection. */
function create(options: Partial<HeartbeatDeps> = {}): string {
  const workerId = newId();
  heartbeat = createHeartbeat({
    ...options,
    ...{ claimPool, database: database.url, workerId, log: createLog('silent') },
    heartbeatEntry: bundledThreads().heartbeat,
  });
  return workerId;
}

/** The thread alone, as fast as a test can wait for. */
function startBeating(options: Partial<HeartbeatOptions> = {}): { workerId: string; pulse: Int32Array } {
  const workerId = newId();
  const pulse = new Int32Array(new SharedArrayBuffer(4));
  const timing = { intervalMs: 20, aliveSeconds: 8, hungAfterMs: 60_000 };
  thread = startThread(
    bundledThreads().heartbeat,
    { database: database.url, workerId, pulse, ...timing, ...options },
    { message: () => {}, failed: () => {} },
  );
  return { workerId, pulse };
}

test('a worker without leases needs no thread, and one that has leases does', async () => {
  const workerId = create({ threadIdleMs: 100 });
  await heartbeat?.begin();
  heartbeat?.setBusy(false);
  await beats(workerId, 2);
  expect(openThreads()).toBe(0);
  heartbeat?.setBusy(true);
  heartbeat?.setBusy(true);
  await beatOfThread(workerId);
  expect(openThreads()).toBe(1);
  await waitUntil(async () => {
    heartbeat?.setBusy(false);
    return openThreads() === 0 || new Error('the thread is there');
  });
  const { length } = await beatsOf(workerId);
  await beats(workerId, length + 1);
  heartbeat?.setBusy(true);
  await beatOfThread(workerId, 3);
});

test('a heartbeat without an answer starts the thread, which repeats it on other connections', async () => {
  const workerId = create();
  await heartbeat?.begin();
  const connection = await database.pool.connect();
  await connection.query({ text: 'begin' });
  await connection.query({ text: 'select from workers where id = $1 for update', values: [workerId] });
  await waitUntil(async () => openThreads() === 1 || new Error('no thread'));
  await connection.query({ text: 'commit' });
  connection.release();
  await beatOfThread(workerId);
});

test('a held event loop goes on breathing', async () => {
  const workerId = create();
  await heartbeat?.begin();
  heartbeat?.setBusy(true);
  await beatOfThread(workerId);
  const heldFrom = Date.now();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
  const heldUntil = Date.now();
  const meanwhile = (await beatsOf(workerId)).filter(
    (at) => at.getTime() > heldFrom + 500 && at.getTime() < heldUntil - 500,
  );
  expect(meanwhile).not.toEqual([]);
  expect(heartbeat?.isAlive()).toBe(true);
});

test('a main thread that shows no life for long is left to die, until it shows some', async () => {
  const { workerId, pulse } = startBeating({ hungAfterMs: 300 });
  await beats(workerId, 1);
  const last = await waitUntil(async () => {
    const [row] = await query<{ at: Date; quiet: boolean }>(
      database.pool,
      `select max(at) as at, max(at) < clock_timestamp() - interval '1 second' as quiet from beats where worker_id = $1`,
      [workerId],
    );
    return row?.quiet ? row.at : new Error('it goes on');
  });
  Atomics.add(pulse, 0, 1);
  await waitUntil(async () => ((await beatsOf(workerId)).at(-1) ?? last) > last || new Error('still quiet'));
});

test('beats go on after the connection was lost', async () => {
  const { workerId, pulse } = startBeating();
  const before = await beats(workerId, 3);
  await query(
    database.pool,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query like '%into workers%' and pid <> pg_backend_pid()`,
  );
  Atomics.add(pulse, 0, 1);
  await beats(workerId, before.length + 20);
});

test('a server that falls silent costs a heartbeat a second, not its deadline', async () => {
  const server = () => targetOf(database.url);
  const proxy = await startTcpProxy(server());
  try {
    const url = new URL(database.url);
    url.searchParams.delete('host');
    url.host = `127.0.0.1:${proxy.port}`;
    const { workerId } = startBeating({ database: url.toString() });
    const before = await beats(workerId, 3);
    proxy.blackhole();
    proxy.redirect(server());
    // Well before the deadline of a heartbeat, 5 s, and the 3 s after which others may rescue its work.
    await waitUntil(async () => {
      const { length } = await beatsOf(workerId);
      return length > before.length + 20 || new Error(`${length} beats`);
    }, 3_000);
    await thread?.end();
  } finally {
    await proxy.stop();
  }
});

test('after a stop no beat comes any more', async () => {
  const workerId = create();
  await heartbeat?.begin();
  const startedAt = new Date();
  heartbeat?.setBusy(true);
  await beatOfThread(workerId);
  await heartbeat?.stop();
  await query(database.pool, 'delete from workers where id = $1', [workerId]);
  // The connection of the thread is gone, so nothing can come from it.
  await waitUntil(async () => {
    const open = await query(
      database.pool,
      `select from pg_stat_activity where datname = current_database() and query like '%insert into workers%'
         and pid <> pg_backend_pid() and backend_start > $1`,
      [startedAt],
    );
    return open.length === 0 || new Error('its connection is open');
  });
  expect(await query(database.pool, 'select from workers where id = $1', [workerId])).toEqual([]);
});
