import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { problemOf } from '../http/problem.ts';
import { createPool, type Pool, query, transaction, untilDatabaseAnswers } from './sql.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('create table pairs (id int primary key, n int not null)');
  await database.pool.query('insert into pairs values (1, 0), (2, 0)');
});
afterAll(() => database.drop());

describe('a deadlock', () => {
  /** Two callers that lock the same rows in opposite order, and each hold the first when they ask for the second. */
  async function cross(count: (ids: number[], held: () => Promise<void>) => Promise<unknown>): Promise<void> {
    await query(database.pool, 'update pairs set n = 0');
    let waiting = 2;
    let bothHold = () => {};
    const held = new Promise<void>((resolve) => {
      bothHold = resolve;
    });
    const holds = (): Promise<void> => {
      waiting -= 1;
      if (waiting === 0) bothHold();
      return held;
    };
    await Promise.all([count([1, 2], holds), count([2, 1], holds)]);
    expect(await query(database.pool, 'select n from pairs')).toEqual([{ n: 2 }, { n: 2 }]);
  }

  test('ends neither of two transactions: the one that the database ends runs again', async () => {
    let tries = 0;
    await cross((ids, held) =>
      transaction(database.pool, async (tx) => {
        tries += 1;
        for (const id of ids) {
          await query(tx, 'update pairs set n = n + 1 where id = $1', [id]);
          await held();
        }
      }),
    );
    expect(tries).toBeGreaterThanOrEqual(3); // the repeated one may meet the other again
  });

  test('ends no statement outside of a transaction either', async () => {
    const lock = (first: number, second: number) =>
      `do $$ begin update pairs set n = n + 1 where id = ${first}; perform pg_sleep(0.3);
       update pairs set n = n + 1 where id = ${second}; end $$`;
    await query(database.pool, 'update pairs set n = 0');
    await Promise.all([query(database.pool, lock(1, 2)), query(database.pool, lock(2, 1))]);
    expect(await query(database.pool, 'select n from pairs')).toEqual([{ n: 2 }, { n: 2 }]);
  });

  test.each(['40P01', '40001'])('%s that comes again and again ends the work, for a 503', async (code) => {
    let tries = 0;
    const failure = await transaction(database.pool, async (tx) => {
      tries += 1;
      await query(tx, `do $$ begin raise exception 'conflict' using errcode = '${code}'; end $$`);
    }).catch((error) => error);
    expect([failure.code, tries]).toEqual([code, 5]);
    expect(problemOf(failure)).toMatchObject({ code: 'temporarily_unavailable', status: 503 });
  });
});

test('work of an organization on the move is done again while its fence is up, and not once it has moved', async () => {
  const fail = (code: string) =>
    query(database.pool, `do $$ begin raise exception 'fenced' using errcode = '${code}'; end $$`);
  let tries = 0;
  const count = await untilDatabaseAnswers(async () => {
    tries += 1;
    if (tries < 3) await fail('CM503');
    return tries;
  });
  expect(count).toBe(3);
  await expect(untilDatabaseAnswers(() => fail('CM421'))).rejects.toMatchObject({ code: 'CM421' });
});

test('through a pooler every statement and transaction brings its settings, and leaves none in the session', async () => {
  const pool = createPool(database.url, 1, { synchronous_commit: 'local' }, { throughPooler: true });
  const settings = `select current_setting('statement_timeout') as timeout, current_setting('synchronous_commit') as commit`;
  try {
    const ours = [{ timeout: '14s', commit: 'local' }];
    expect(await query(pool, settings)).toEqual(ours);
    expect(await transaction(pool, (tx) => query(tx, settings))).toEqual(ours);
    await expect(query(pool, 'select 1 / 0')).rejects.toMatchObject({ code: '22012' });
    const session = await pool.connect();
    const { rows } = await session.query(settings);
    const { rows: defaults } = await session.query(
      `select reset_val as commit from pg_settings where name = 'synchronous_commit'`,
    );
    session.release();
    expect(rows).toEqual([{ timeout: '0', ...defaults[0] }]);
  } finally {
    await pool.end();
  }
});

test('through a pooler a statement that cannot be committed fails', async () => {
  await database.pool.query(
    'create table later (id int unique deferrable initially deferred); insert into later values (1)',
  );
  const pool = createPool(database.url, 1, {}, { throughPooler: true });
  try {
    await expect(query(pool, 'insert into later values (1)')).rejects.toMatchObject({ code: '23505' });
    expect(await query(pool, 'select 1 as n')).toEqual([{ n: 1 }]);
  } finally {
    await pool.end();
  }
});

describe('a migration beside prepared statements', () => {
  const all = 'select p.* from pairs p where id = $1';
  const connections = 3;

  /** Prepares the statement on every connection of the pool, then changes what it returns. */
  async function warmed(throughPooler: boolean): Promise<Pool> {
    const pool = createPool(database.url, connections, {}, { throughPooler });
    const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()));
    for (const client of clients) await client.query({ name: 'all_pairs', text: all, values: [1] });
    for (const client of clients) client.release();
    await query(database.pool, `alter table pairs add "c${Math.random()}" int default 7`);
    return pool;
  }

  test.each([false, true])('fails no statement and no transaction (through a pooler: %s)', async (pooled) => {
    const statement = { name: 'all_pairs', text: all, values: [1] };
    const one = await warmed(pooled);
    const answers = await Promise.all(Array.from({ length: 9 }, () => one.query(statement)));
    expect(new Set(answers.map(({ rows: [row] }) => row.id))).toEqual(new Set([1]));
    await one.end();

    const two = await warmed(pooled);
    let runs = 0;
    const inTransaction = () =>
      transaction(two, async (tx, withCommit) => {
        runs += 1;
        withCommit(tx.query(statement));
        // Finds the transaction aborted by the one before it.
        await query(tx, 'update pairs set n = n where id = 2');
      });
    await Promise.all(Array.from({ length: 9 }, inTransaction));
    expect(runs).toBeGreaterThan(9);
    // The connections with the old plan are gone: nothing runs twice any more.
    runs = 0;
    if (!pooled) for (let count = 0; count < connections; count += 1) await inTransaction();
    expect(runs).toBe(pooled ? 0 : connections);
    await two.end();
  });
});
