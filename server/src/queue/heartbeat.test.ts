import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTcpProxy, targetOf } from '../../test/failover/tcp-proxy.ts';
import { waitUntil } from '../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { bundledThreads, openThreads } from '../../test/harness/threads.ts';
import { query } from '../db/sql.ts';
import { newId } from '../kernel/ids.ts';
import { createLog } from '../kernel/log.ts';
import { startThread, type Thread } from '../threads/start.ts';
import { createHeartbeat, type Heartbeat, type HeartbeatOptions } from './heartbeat.ts';

let database: TestDatabase;
let heartbeat: Heartbeat | null = null;
let thread: Thread | null = null;

/** Every beat is written down by the database. */
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(
    `create table beats (worker_id uuid, at timestamptz default clock_timestamp());
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
afterAll(() => database.drop());

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

function create(): string {
  const workerId = newId();
  heartbeat = createHeartbeat({
    ...{ pool: database.pool, database: database.url, workerId, log: createLog('silent') },
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

test('a held event loop goes on breathing', async () => {
  const workerId = create();
  await heartbeat?.begin();
  await beats(workerId, 2); // the first of the thread
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
  await beats(workerId, 2);
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
