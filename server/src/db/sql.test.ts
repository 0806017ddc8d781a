import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/database.ts';
import { createPool, query, transaction, untilDatabaseAnswers } from './sql.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('create table pairs (id int primary key, n int not null)');
  await database.pool.query('insert into pairs values (1, 0), (2, 0)');
});
afterAll(() => database.drop());

test('work that the database ended because of a deadlock is done again', async () => {
  let tries = 0;
  let waiting = 2;
  let bothHold = () => {};
  const held = new Promise<void>((resolve) => {
    bothHold = resolve;
  });
  const count = (ids: number[]) =>
    untilDatabaseAnswers(() =>
      transaction(database.pool, async (tx) => {
        tries += 1;
        for (const id of ids) {
          await query(tx, 'update pairs set n = n + 1 where id = $1', [id]);
          waiting -= 1;
          if (waiting === 0) bothHold();
          await held;
        }
      }),
    );
  await Promise.all([count([1, 2]), count([2, 1])]);
  expect(tries).toBe(3);
  const { rows } = await database.pool.query('select n from pairs');
  expect(rows).toEqual([{ n: 2 }, { n: 2 }]);
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
