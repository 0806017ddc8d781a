import { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTcpProxy, type Target, type TcpProxy, targetOf } from '../../test/failover/tcp-proxy.ts';
import { waitUntil } from '../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { createLog } from '../kernel/log.ts';
import { type DatabaseContact, watchDatabase } from './contact.ts';
import { createDoorbell, type Doorbell } from './doorbell.ts';
import {
  createPool,
  isDatabaseUnavailable,
  type Pool,
  query,
  trackWrite,
  transaction,
  untilDatabaseAnswers,
} from './sql.ts';

/** A database behind a proxy that can fall silent. */
let database: TestDatabase;
let proxy: TcpProxy;
let proxied: string;
let pool: Pool;
let contact: DatabaseContact | null = null;
let doorbell: Doorbell | null = null;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('create table notes (text text primary key)');
});
afterAll(() => database.drop());
beforeEach(async () => {
  proxy = await startTcpProxy(sameServer());
  const url = new URL(database.url);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  proxied = url.toString();
  pool = createPool(proxied, 4, {}, { deadlineMs: 400, connectWithinMs: 400 });
});
afterEach(async () => {
  contact?.stop();
  await doorbell?.stop();
  [contact, doorbell] = [null, null];
  await proxy.stop();
  await pool.end();
  await database.pool.query('delete from notes');
});

const sameServer = (): Target => targetOf(database.url);

/** Opens connections and leaves them idle. */
async function fill(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => query(pool, 'select pg_sleep(0.02)')));
  expect(pool.idleCount).toBe(count);
}

test('a statement without an answer fails at its deadline, and its connection is never used again', async () => {
  await fill(1);
  proxy.blackhole();
  await expect(query(pool, 'select 1')).rejects.toSatisfy(isDatabaseUnavailable);
  await waitUntil(async () => pool.totalCount === 0 || new Error('the connection is kept'));
});

test('statements pipelined behind one without an answer fail with it, and the transaction with them', async () => {
  const sent = transaction(pool, async (tx) => {
    await query(tx, `insert into notes values ('before')`);
    proxy.blackhole();
    await Promise.all([query(tx, 'select 1 as n'), query(tx, 'select 2 as n')]);
  });
  await expect(sent).rejects.toSatisfy(isDatabaseUnavailable);
  await waitUntil(async () => pool.totalCount === 0 || new Error('the connection is kept'));
});

test('one missed deadline costs no other statement a deadline: idle connections to the same server are dropped', async () => {
  await fill(4);
  proxy.blackhole();
  await expect(query(pool, 'select 1')).rejects.toThrow();
  proxy.redirect(sameServer());
  for (let count = 0; count < 4; count += 1) expect(await query(pool, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('the server cancels a slow statement before the client gives up, so that nothing goes on running', async () => {
  await expect(query(pool, 'select pg_sleep(10)')).rejects.toMatchObject({ code: '57014' });
  expect(
    await query(
      database.pool,
      `select 1 from pg_stat_activity
       where datname = current_database() and query like 'select pg_sleep(10)' and state = 'active'`,
    ),
  ).toEqual([]);
});

test('a session that became read-only is dropped, with the idle ones', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await database.pool.query(`alter database ${name} set default_transaction_read_only = on`);
  await fill(3);
  const writable = createPool(database.url, 1);
  await transaction(writable, async (tx) => {
    await query(tx, 'set transaction read write');
    await query(tx, `alter database ${name} reset default_transaction_read_only`);
  });
  await writable.end();
  const insert = () => transaction(pool, (tx) => query(tx, `insert into notes values ('kept')`));
  await expect(insert()).rejects.toMatchObject({ code: '25006' });
  await insert();
  expect(await query(database.pool, 'select text from notes')).toEqual([{ text: 'kept' }]);
});

test('a write waits until a writable server answers, however long it takes', async () => {
  let tries = 0;
  await untilDatabaseAnswers(async () => {
    tries += 1;
    await transaction(pool, async (tx) => {
      if (tries < 4) await query(tx, 'set transaction read only');
      await query(tx, `insert into notes values ('waited')`);
    });
  });
  expect(tries).toBe(4);
});

test('every failure of a failover counts as unavailable, and no other', () => {
  const withCode = (code: string) => Object.assign(new Error('failed'), { code });
  const known = ['25006', '57014', '57P01', '57P03', '08006', '53300', '53100', '40001'];
  const network = [
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'ECONNREFUSED',
    'EPIPE',
  ];
  for (const code of [...known, ...network]) expect(isDatabaseUnavailable(withCode(code)), code).toBe(true);
  for (const code of ['23505', '42P01', '22P02', '40P01', 'EACCES'])
    expect(isDatabaseUnavailable(withCode(code)), code).toBe(false);
});

test('every connection is kept alive by TCP', async () => {
  const spy = vi.spyOn(Socket.prototype, 'setKeepAlive');
  try {
    doorbell = createDoorbell(pool, proxied, createLog('silent'));
    await query(pool, 'select 1');
    await waitUntil(
      async () => spy.mock.calls.length === 2 || new Error(`${spy.mock.calls.length} connections`),
    );
    for (const call of spy.mock.calls) expect(call).toEqual([true, 10_000]);
  } finally {
    spy.mockRestore();
  }
});

test('the doorbell notices a server that has fallen silent, connects again and rings', async () => {
  const suspected = vi.fn();
  const quick = { pingEveryMs: 50, answerWithinMs: 200, contact: { answered: () => {}, suspect: suspected } };
  doorbell = createDoorbell(database.pool, proxied, createLog('silent'), quick);
  let rings = 0;
  doorbell.on('topic', () => {
    rings += 1;
  });
  await waitUntil(async () => rings > 0 || new Error('not connected'));
  proxy.blackhole();
  await waitUntil(async () => suspected.mock.calls.length > 0 || new Error('not noticed'));
  proxy.redirect(sameServer());
  const before = rings;
  await waitUntil(async () => rings > before || new Error('not connected again'));
  const connected = rings;
  doorbell.ring('topic');
  await waitUntil(async () => rings > connected || new Error('no ring'));
});

test('a database that stays silent costs the process its connections, then its life; an answer resets both', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  try {
    const lost = vi.fn();
    const dropped = vi.spyOn(pool, 'dropAll');
    contact = watchDatabase([pool], createLog('silent'), {
      dropAfterMs: 100,
      giveUpAfterMs: 600,
      onGivenUp: lost,
    });
    for (let passed = 0; passed < 800; passed += 80) {
      await query(pool, 'select 1');
      vi.advanceTimersByTime(80);
    }
    expect(dropped).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    expect(dropped).toHaveBeenCalled();
    expect(contact.hasGivenUp()).toBe(false);
    vi.advanceTimersByTime(500);
    expect(contact.hasGivenUp()).toBe(true);
    expect(lost).toHaveBeenCalledTimes(1);
    expect(lost.mock.calls[0]?.[0]).toBeGreaterThanOrEqual(600);
  } finally {
    vi.useRealTimers();
  }
});

test('a process that was suspended does not take its own absence for silence', async () => {
  const lost = vi.fn();
  contact = watchDatabase([pool], createLog('silent'), {
    dropAfterMs: 500,
    giveUpAfterMs: 1_000,
    onGivenUp: lost,
  });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  await new Promise((resolve) => setImmediate(resolve));
  await query(pool, 'select 1');
  expect(lost).not.toHaveBeenCalled();
});

test('a failed write is unfinished until another succeeds', async () => {
  const minuteMs = 60_000;
  expect(pool.writes.haveSucceededWithin(minuteMs)).toBe(false);
  await trackWrite(pool, () => query(pool, 'select 1'));
  expect(pool.writes.haveSucceededWithin(minuteMs)).toBe(true);
  proxy.blackhole();
  await expect(trackWrite(pool, () => query(pool, 'select 1'))).rejects.toThrow();
  expect(pool.writes.oldestMs()).toBeGreaterThanOrEqual(350); // a sweep may come a fifteenth of the deadline early
  expect(pool.writes.haveSucceededWithin(minuteMs)).toBe(false);
  proxy.redirect(sameServer());
  await trackWrite(pool, () => query(pool, 'select 1'));
  expect(pool.writes.haveSucceededWithin(minuteMs)).toBe(true);
  expect(pool.writes.oldestMs()).toBe(0);
});
