import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestApp, waitUntil } from '../../test/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/database.ts';
import { startTcpProxy, type Target, type TcpProxy, targetOf } from '../../test/failover/tcp-proxy.ts';
import { createLog } from '../kernel/log.ts';
import { createDoorbell, type Doorbell } from './doorbell.ts';
import { parseDatabaseUrl } from './hosts.ts';
import { createPool, isDatabaseUnavailable, isReadOnly, type Pool, query } from './sql.ts';
import { waitUntilWritable } from './standby.ts';

test.each([
  ['postgres://u:p@db/name', ['postgres://u:p@db/name'], false],
  [
    'postgresql://u:p@one:5433,two:/name?target_session_attrs=read-write',
    ['postgresql://u:p@one:5433/name', 'postgresql://u:p@two:/name'],
    true,
  ],
  [
    'postgres://[::1]:5433,[fe80::2]/name?sslmode=verify-full&target_session_attrs=primary',
    ['postgres://[::1]:5433/name?sslmode=verify-full', 'postgres://[fe80::2]/name?sslmode=verify-full'],
    true,
  ],
  [
    'postgres://u:p%40%2C%2F@one,two/n',
    ['postgres://u:p%40%2C%2F@one/n', 'postgres://u:p%40%2C%2F@two/n'],
    false,
  ],
  ['postgres:///name?host=/run/pg', ['postgres:///name?host=%2Frun%2Fpg'], false],
  ['postgres://u@%2Frun%2Fpg/name', ['postgres://u@%2Frun%2Fpg/name'], false],
  [
    'postgres://u@/name?host=/run/a,/run/b&port=5433&target_session_attrs=any',
    ['postgres://u@/name?host=%2Frun%2Fa&port=5433', 'postgres://u@/name?host=%2Frun%2Fb&port=5433'],
    false,
  ],
  [
    'postgres:///n?host=one,two&port=1,2',
    ['postgres:///n?host=one&port=1', 'postgres:///n?host=two&port=2'],
    false,
  ],
])('%s is read as its hosts', (text, urls, mustBeWritable) => {
  expect(parseDatabaseUrl(text)).toEqual({ urls, mustBeWritable, options: '' });
});

test.each([
  ['mysql://db/name', 'must be a URL that begins with postgres:// or postgresql://'],
  ['postgres://one,,two/name', 'has an empty host in its list'],
  ['postgres://one,/name', 'has an empty host in its list'],
  ['postgres://one,two:70000/name', 'has a port that is not a number from 1 to 65535'],
  [
    'postgres://one,two:x/name',
    'must list its hosts as host, host:port or [IPv6 address]:port, comma-separated',
  ],
  [
    'postgres://one,fe80::1/name',
    'must list its hosts as host, host:port or [IPv6 address]:port, comma-separated',
  ],
  ['postgres:///n?host=a,b&port=1,2,3', 'must have one port, or as many ports as hosts (2)'],
  ['postgres://a,b/n?host=c', 'must list its hosts in one place: before the path, or as host= and port='],
  [
    'postgres://one,two/n?target_session_attrs=standby',
    'has a target_session_attrs other than any, read-write and primary',
  ],
  [
    'postgres://u:%zz@one two/n',
    'must be a valid URL: percent-encode special characters in the user and password',
  ],
])('%s is refused in words, without its secrets', (text, words) => {
  expect(() => parseDatabaseUrl(text)).toThrow(new Error(words));
});

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
