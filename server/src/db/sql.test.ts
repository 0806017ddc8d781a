import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/database.ts';
import { query, transaction, untilDatabaseAnswers } from './sql.ts';

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
