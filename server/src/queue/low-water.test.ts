import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { query, type Sql } from '../db/sql.ts';
import { newId } from '../kernel/ids.ts';
import { createLowWater, lowTagIndex, noLowTags } from './fairness.ts';
import * as store from './store.ts';

let database: TestDatabase;
let now: number;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = 0;
  await query(database.pool, 'truncate queue_ready, queue_leased, queue_turns');
});

const kind = 1;
const lane = 1;
const environment_id = newId();
const noRows = { rows: [], rowCount: 0, command: 'SELECT', oid: 0, fields: [] };
const row = (tag: number) => ({ kind, lane, id: newId(), environment_id, note: null, tag });
const put = (...tags: number[]) => store.insertReady(database.pool, tags.map(row));
const lowOf = (low: ReturnType<typeof createLowWater>) => low.tags()[lowTagIndex(kind, lane)];

async function claim(low: ReturnType<typeof createLowWater>, limit: number): Promise<number[]> {
  const rows = await store.claim(database.pool, kind, 2, limit, newId(), low.tags());
  low.observe(rows);
  return rows.map(({ tag }) => tag).sort((a, b) => a - b);
}

test('the mark follows the claims half a second behind', async () => {
  const low = createLowWater(() => now);
  await put(1, 2, 3, 4, 5, 6);
  await claim(low, 2);
  now += 400;
  await claim(low, 2);
  expect(lowOf(low)).toBe(0);
  now += 200;
  await claim(low, 1);
  expect(lowOf(low)).toBe(1);
  now += 600;
  await claim(low, 1);
  expect(lowOf(low)).toBe(5);
});

test('work that commits below the mark is found by the next full scan', async () => {
  const low = createLowWater(() => now);
  low.observe([{ kind, lane, tag: 100 }]);
  now += 1_000;
  low.observe([{ kind, lane, tag: 200 }]);
  await put(50, 300);
  expect(await claim(low, 1)).toEqual([300]);
  expect(await low.scan(database.pool)).toEqual([kind]);
  expect(await claim(low, 1)).toEqual([50]);
});

test('a full scan that takes long is rare, and the looks between are short ones', async () => {
  const scans: unknown[] = [];
  const sql: Sql = {
    query: async ({ values }) => {
      scans.push(values?.[2]);
      now += 200;
      return noRows;
    },
  };
  const low = createLowWater(() => now);
  low.observe([{ kind, lane, tag: 100 }]);
  now += 1_000;
  low.observe([{ kind, lane, tag: 200 }]);
  for (let n = 0; n < 7; n += 1) {
    await low.scan(sql);
    now += 500;
  }
  const isFull = scans.map((lows) => lows === noLowTags);
  expect(isFull).toEqual([true, false, false, false, false, false, true]);
});

test('lanes keep their order, and a lane that is full leaves no room for the next', async () => {
  await store.insertReady(database.pool, [
    { ...row(1), lane: 2 },
    { ...row(2), lane: 1 },
    { ...row(3), lane: 0 },
  ]);
  const low = createLowWater(() => now);
  expect(await claim(low, 2)).toEqual([2, 3]);
});

test('a claim reads no rows below the mark', async () => {
  await put(...Array.from({ length: 2_000 }, (_, n) => n + 1));
  const lows = [...noLowTags];
  lows[lowTagIndex(kind, lane)] = 1_990;
  const rows = await store.claim(database.pool, kind, 2, 100, newId(), lows);
  expect(rows.map(({ tag }) => tag).sort((a, b) => a - b)[0]).toBe(1_990);
  expect(rows).toHaveLength(11);
});

test('a full scan that fails is not repeated at once, and the looks after it begin at the mark', async () => {
  const scans: unknown[] = [];
  const sql: Sql = {
    query: async ({ values }) => {
      scans.push(values?.[2]);
      now += 1_000;
      if (scans.length === 1) throw new Error('took too long');
      return noRows;
    },
  };
  const low = createLowWater(() => now);
  await expect(low.scan(sql)).rejects.toThrow('took too long');
  await low.scan(sql);
  expect(scans.map((lows) => lows === noLowTags)).toEqual([true, false]);
});

test('a process that only enqueues looks once at a time', async () => {
  let looks = 0;
  let answer = () => {};
  const sql: Sql = {
    query: () => {
      looks += 1;
      return new Promise((resolve) => {
        answer = () => resolve(noRows);
      });
    },
  };
  const low = createLowWater(() => now);
  low.rescan(sql);
  now += 10_000;
  low.rescan(sql);
  expect(looks).toBe(1);
  answer();
});
