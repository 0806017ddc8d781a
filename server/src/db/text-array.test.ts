import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { createPool, type Pool, query } from './sql.ts';
import { textArray } from './text-array.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, 1);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function roundTrip(values: (string | null)[]): Promise<(string | null)[]> {
  const rows = await query<{ value: string | null }>(pool, 'select value from unnest($1::text[]) as value', [
    textArray(values),
  ]);
  return rows.map(({ value }) => value);
}

test('PostgreSQL reads back what was written, whatever it is', async () => {
  const values = ['plain', '', null, 'NULL', '{"a":"b\\"}', 'a,b', 'é€😀', '\n\t', 'x'.repeat(100_000)];
  expect(await roundTrip(values)).toEqual(values);
});

test('what all have in common is there as often', async () => {
  for (const value of ['', 'x', 'é€😀', '{"a":1}']) {
    for (const count of [1, 2, 3, 64]) {
      const values = Array.from({ length: count }, () => value);
      expect(await roundTrip(values)).toEqual(values);
    }
  }
});

test('an array of nulls is left out, and others beside it are filled up', async () => {
  expect(textArray([null, null])).toBeNull();
  const rows = await query(pool, 'select * from unnest($1::text[], $2::text[]) as t (a, b)', [
    textArray(['x', 'y']),
    textArray([null, null]),
  ]);
  expect(rows).toEqual([
    { a: 'x', b: null },
    { a: 'y', b: null },
  ]);
});
