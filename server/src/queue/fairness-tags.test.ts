import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { query, transaction } from '../db/sql.ts';
import { newId } from '../kernel/ids.ts';
import { createFairnessTags, noLowTags, type TaggedWork } from './fairness.ts';
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
const worker = newId();
const busy = newId();
const other = newId();

const createTags = () =>
  createFairnessTags(
    database.pool,
    () => noLowTags,
    () => now,
  );
const workOf = (environmentId: string, count: number): TaggedWork[] =>
  Array.from({ length: count }, () => ({ kind: 'notification', lane: 'normal', environmentId }));

/** Enqueues as `queue.enqueue` does. */
async function enqueue(tags: ReturnType<typeof createTags>, environmentId: string, count: number) {
  const taken = tags.take(workOf(environmentId, count));
  const rows = taken.map((tag) => ({
    kind,
    id: newId(),
    lane: 1,
    environment_id: environmentId,
    note: null,
    tag,
  }));
  await store.insertReady(database.pool, rows);
  return taken;
}

/** Enqueues until the environment has reserved tags. */
async function makeBusy(tags: ReturnType<typeof createTags>, environmentId = busy): Promise<void> {
  await waitUntil(
    async () => (await enqueue(tags, environmentId, 1))[0] !== null || new Error('none reserved'),
  );
}

test('an environment that enqueues rarely has no reserved tags', async () => {
  const tags = createTags();
  for (let n = 0; n < 20; n += 1) {
    expect(await enqueue(tags, busy, 3)).toEqual([null, null, null]);
    now += 1_000;
  }
});

test('a reserved tag is given once', async () => {
  const tags = createTags();
  const others = createTags(); // of another process
  await makeBusy(tags);
  await makeBusy(others);
  for (let n = 0; n < 50; n += 1) await Promise.all([enqueue(tags, busy, 2), enqueue(others, busy, 2)]);
  const [row] = await query<{ rows: number; tags: number }>(
    database.pool,
    'select count(*)::int as rows, count(distinct tag)::int as tags from queue_ready',
  );
  expect(row?.rows).toBeGreaterThan(200);
  expect(row?.tags).toBe(row?.rows);
});

test('a statement with reserved tags does not wait for one that has the row of its environment locked', async () => {
  const tags = createTags();
  await makeBusy(tags);
  await transaction(database.pool, async (tx) => {
    await query(tx, 'select from queue_turns for update');
    expect(await enqueue(tags, busy, 1)).toEqual([expect.any(Number)]);
  });
});

test('another environment is in the very next claim behind a busy one', async () => {
  const tags = createTags();
  await makeBusy(tags);
  for (let n = 0; n < 30; n += 1) await enqueue(tags, busy, 10);
  await enqueue(tags, other, 3);
  const claimed = await store.claim(database.pool, kind, 2, 7, worker);
  expect(claimed.filter((row) => row.environment_id === other)).toHaveLength(3);
});

test('two busy environments alternate', async () => {
  const tags = createTags();
  await Promise.all([makeBusy(tags, busy), makeBusy(tags, other)]);
  await query(database.pool, 'delete from queue_ready');
  now += 1_000; // what is reserved has expired, so both begin anew
  await Promise.all([makeBusy(tags, busy), makeBusy(tags, other)]);
  for (let n = 0; n < 20; n += 1) {
    await enqueue(tags, busy, 10);
    await enqueue(tags, other, 10);
  }
  const claimed = await store.claim(database.pool, kind, 2, 200, worker);
  const share = claimed.filter((row) => row.environment_id === busy).length;
  expect(share).toBeGreaterThan(60);
  expect(share).toBeLessThan(140);
});

test('tags that were not used within their lifetime are dropped', async () => {
  const tags = createTags();
  await makeBusy(tags);
  await enqueue(tags, other, 1_000);
  now += 201;
  expect(await enqueue(tags, busy, 1)).toEqual([null]);
});
