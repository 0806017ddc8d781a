import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { createLog } from '../kernel/log.ts';
import { createMetrics } from '../kernel/metrics.ts';
import { type AfterCommit, createBatchedWriter, createOutcomeWriter } from './batched-writer.ts';
import { query, type Sql } from './sql.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await query(database.pool, 'create table numbers (n int primary key)');
});
afterAll(() => database.drop());
beforeEach(() => query(database.pool, 'delete from numbers'));

const options = { concurrency: 1, maxItems: 100 };
const insert = (tx: Sql, numbers: number[]) =>
  query(tx, 'insert into numbers select unnest($1::int[])', [numbers]);
const stored = async (): Promise<number[]> =>
  (await query<{ n: number }>(database.pool, 'select n from numbers order by n')).map(({ n }) => n);
const failing = (code: string) => Object.assign(new Error(code), { code });
const shutdown = '57P01';
const deadlock = '40P01';

/** Fails the first batches with these errors of the database, then writes. */
function writeAfter(codes: string[], batches: number[][]) {
  return async (tx: Sql, numbers: number[]): Promise<AfterCommit> => {
    batches.push(numbers);
    await insert(tx, numbers);
    const code = codes.shift();
    if (code !== undefined) throw failing(code);
    return () => undefined;
  };
}

test('items that arrive together share a transaction, and each gets its result after the commit', async () => {
  const batches: number[][] = [];
  const write = createBatchedWriter<number, string>(
    database.pool,
    async (tx, numbers) => {
      batches.push(numbers);
      await insert(tx, numbers);
      return async () => {
        expect(await stored()).toEqual(numbers);
        return numbers.map((number) => `wrote ${number}`);
      };
    },
    { ...options, whenUnavailable: 'fail' },
  );
  expect(await Promise.all([1, 2, 3].map(write))).toEqual(['wrote 1', 'wrote 2', 'wrote 3']);
  expect(batches).toEqual([[1, 2, 3]]);
});

test.each(['wait', 'fail'] as const)('a bad item fails alone (%s)', async (whenUnavailable) => {
  const write = createBatchedWriter<number>(database.pool, writeAfter([], []), {
    ...options,
    whenUnavailable,
  });
  const results = await Promise.allSettled([1, 2, 2, 3].map(write));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await stored()).toEqual([1, 2, 3]);
});

test('a batch that must not be lost is written again after a restart of the database and a deadlock', async () => {
  const batches: number[][] = [];
  const write = createBatchedWriter<number>(database.pool, writeAfter([shutdown, deadlock], batches), {
    ...options,
    whenUnavailable: 'wait',
  });
  await Promise.all([1, 2].map(write));
  expect(batches).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ]); // whole, and nothing of the first two is left
  expect(await stored()).toEqual([1, 2]);
});

test('a batch that its callers can repeat fails at once and whole while the database is unavailable', async () => {
  const batches: number[][] = [];
  const write = createBatchedWriter<number>(database.pool, writeAfter([shutdown], batches), {
    ...options,
    whenUnavailable: 'fail',
  });
  const results = await Promise.allSettled([1, 2].map(write));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(batches).toEqual([[1, 2]]);
  expect(await stored()).toEqual([]);
});

test('an outcome that fails for any reason is kept, reported and written again; its neighbours do not wait for it', async () => {
  const lines: string[] = [];
  const metrics = createMetrics();
  const kept: number[] = [];
  await query(database.pool, 'insert into numbers values (2)');
  const write = createOutcomeWriter<number>(
    {
      pool: database.pool,
      log: createLog('info', { write: (line) => void lines.push(line) }),
      metrics,
    },
    async (tx, numbers) => {
      await insert(tx, numbers);
      return () => undefined;
    },
    {
      ...options,
      kind: 'number',
      idOf: String,
      async keep(number) {
        kept.push(number);
        // What was wrong with the outcome ends only now.
        await query(database.pool, 'delete from numbers where n = 2');
      },
    },
  );
  const poison = write(2);
  await Promise.all([1, 3].map(write));
  expect(await stored()).toEqual([1, 2, 3]);
  await poison;
  expect(await stored()).toEqual([1, 2, 3]);
  expect(kept).toEqual([2]);
  expect(await metrics.outcomeWriteFailures.get()).toMatchObject({
    values: [{ labels: { kind: 'number' }, value: 1 }],
  });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 50, id: '2', msg: 'an outcome cannot be written; repeating until it is' },
    { level: 30, id: '2', attempt: 1 },
  ]);
});
