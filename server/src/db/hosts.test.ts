import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTcpProxy, type Target, type TcpProxy, targetOf } from '../../test/failover/tcp-proxy.ts';
import { startTestApp, waitUntil } from '../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { createLog } from '../kernel/log.ts';
import { createDoorbell, type Doorbell } from './doorbell.ts';
import { createPool, isDatabaseUnavailable, isReadOnly, type Pool, query } from './sql.ts';
import { waitUntilWritable } from './standby.ts';

/** The same database behind two addresses. */
let database: TestDatabase;
let name: string;
let first: TcpProxy;
let second: TcpProxy;
let pool: Pool | null = null;
let doorbell: Doorbell | null = null;
const quick = { deadlineMs: 2_000, connectWithinMs: 1_000 };

beforeAll(async () => {
  database = await createTestDatabase();
  name = new URL(database.url).pathname.slice(1);
});
afterAll(() => database.drop());
beforeEach(async () => {
  [first, second] = [await startTcpProxy(server()), await startTcpProxy(server())];
});
afterEach(async () => {
  await doorbell?.stop();
  await pool?.end();
  [pool, doorbell] = [null, null];
  await Promise.all([first.stop(), second.stop()]);
});

const server = (): Target => targetOf(database.url);

function bothHosts(params = ''): string {
  const { username, password } = new URL(database.url);
  const hosts = [first, second].map(({ port }) => `127.0.0.1:${port}`).join();
  return `postgres://${username}:${password}@${hosts}/${name}?${params}`;
}

const setReadOnly = (value: 'on' | 'off') =>
  database.pool.query(
    `begin; set transaction read write; alter database ${name} set default_transaction_read_only = ${value}; commit`,
  );

test('the first host is used while it answers, the second when it does not, and the second stays in use', async () => {
  pool = createPool(bothHosts(), 2, {}, quick);
  await query(pool, 'select 1');
  expect([first.open(), second.open()]).toEqual([1, 0]);
  await first.stop();
  await waitUntil(async () => pool?.totalCount === 0 || new Error('still connected'));
  await query(pool, 'select 1');
  expect(second.open()).toBe(1);
  await Promise.all([query(pool, 'select pg_sleep(0.05)'), query(pool, 'select pg_sleep(0.05)')]);
  expect(second.open()).toBe(2);
});

test('a host that swallows connections costs its share of the time, not the connection', async () => {
  first.blackhole();
  pool = createPool(bothHosts(), 1, {}, quick);
  expect(await query(pool, 'select 1 as n')).toEqual([{ n: 1 }]);
  expect(second.open()).toBe(1);
});

test('when no host can be used, the error names each with its reason, and counts as unavailable', async () => {
  pool = createPool(bothHosts(), 1, {}, quick);
  await Promise.all([first.stop(), second.stop()]);
  const failure = await query(pool, 'select 1').catch((error) => error);
  expect(failure.message).toMatch(/127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\), 127\.0\.0\.1:\d+ \(.*ECONNREFUSED/);
  expect(isDatabaseUnavailable(failure)).toBe(true);
});

test('a wrong password is not tried on the other hosts', async () => {
  const url = new URL(bothHosts().replace(/127\.0\.0\.1:\d+,/, ''));
  pool = createPool(bothHosts().replace(`:${url.password}@`, ':wrong@'), 1, {}, quick);
  await expect(query(pool, 'select 1')).rejects.toMatchObject({ code: '28P01' });
});

test('read-only servers are passed over, reported as read-only, and waited for at the start, in one sentence', async () => {
  await setReadOnly('on');
  pool = createPool(bothHosts('target_session_attrs=read-write'), 1, {}, quick);
  await expect(query(pool, 'select 1')).rejects.toSatisfy(isReadOnly);
  const lines: string[] = [];
  const writable = waitUntilWritable([pool], (line) => lines.push(line));
  await waitUntil(async () => lines.length > 0 || new Error('nothing is said'));
  await setReadOnly('off');
  await writable;
  expect(lines).toHaveLength(1);
  expect(await query(pool, 'show transaction_read_only')).toEqual([{ transaction_read_only: 'off' }]);
});

test('a start also waits while the pooler leads to a read-only server, and the direct URL does not', async () => {
  await setReadOnly('on');
  const lines: string[] = [];
  const writable = encodeURIComponent('-c default_transaction_read_only=off');
  const starting = startTestApp({
    database,
    settings: { CARILLON_DATABASE_DIRECT_URL: `${database.url}&options=${writable}` },
    progress: (line) => lines.push(line),
  });
  await Promise.race([starting, waitUntil(async () => lines.length > 0 || new Error('nothing is said'))]);
  await setReadOnly('off');
  await (await starting).stop();
  expect(lines).toEqual([expect.stringMatching(/^The database is a standby or read-only\. Waiting/)]);
});

test('a start that waits for a primary can be ended', async () => {
  await setReadOnly('on');
  pool = createPool(database.url, 1, {}, quick);
  const stop = new AbortController();
  await expect(waitUntilWritable([pool], () => stop.abort(), stop.signal)).rejects.toThrow('aborted');
  await setReadOnly('off');
});

test('the doorbell goes on looking for a writable server', async () => {
  await setReadOnly('on');
  const answered = vi.fn();
  const url = bothHosts('target_session_attrs=read-write');
  doorbell = createDoorbell(database.pool, url, createLog('silent'), {
    contact: { answered, suspect: () => {} },
  });
  let rings = 0;
  doorbell.on('topic', () => {
    rings += 1;
  });
  await waitUntil(async () => answered.mock.calls.length > 0 || new Error('no answer'));
  expect(rings).toBe(0);
  await setReadOnly('off');
  await waitUntil(async () => rings > 0 || new Error('not connected'));
});

test('the doorbell listens on the second host when the first is gone', async () => {
  await first.stop();
  doorbell = createDoorbell(database.pool, bothHosts('target_session_attrs=read-write'), createLog('silent'));
  let rings = 0;
  doorbell.on('topic', () => {
    rings += 1;
  });
  await waitUntil(async () => rings > 0 || new Error('not connected'));
  doorbell.ring('topic');
  await waitUntil(async () => rings > 1 || new Error('no ring'));
});

test('a doorbell that is stopped while it connects stops at once', async () => {
  for (let turns = 0; turns < 6; turns += 1) {
    const early = createDoorbell(database.pool, database.url, createLog('silent'));
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await early.stop();
  }
});

test('settings of the URL are kept beside ours, which win', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c search_path=elsewhere -c timezone=Asia/Tokyo');
  pool = createPool(url.href, 1, { synchronous_commit: 'off' });
  const [row] = await query(
    pool,
    `select ${['search_path', 'timezone', 'statement_timeout', 'synchronous_commit']
      .map((each) => `current_setting('${each}') as ${each}`)
      .join(', ')}`,
  );
  expect(row).toEqual({
    search_path: 'elsewhere',
    timezone: 'UTC',
    statement_timeout: '14s',
    synchronous_commit: 'off',
  });
});
