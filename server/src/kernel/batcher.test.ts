import { expect, test } from 'vitest';
import { type BatcherOptions, createBatcher } from './batcher.ts';

const double = async (items: number[]): Promise<number[]> => items.map((item) => item * 2);

test('what arrives while a batch is under way goes out together in the next', async () => {
  const batches: number[][] = [];
  let release = (): void => {};
  const batcher = createBatcher<number, number>(
    async (items) => {
      batches.push(items);
      if (batches.length === 1) await new Promise<void>((resolve) => (release = resolve));
      return double(items);
    },
    { concurrency: 1, maxItems: 100 },
  );
  const first = batcher.add(1);
  await new Promise((resolve) => setImmediate(resolve));
  const rest = [2, 3, 4].map((item) => batcher.add(item));
  release();
  expect(await Promise.all([first, ...rest])).toEqual([2, 4, 6, 8]);
  expect(batches).toEqual([[1], [2, 3, 4]]);
});

test('the next batch leaves before the last one is answered', async () => {
  const seen: string[] = [];
  const batcher = createBatcher<number, number>(
    async (items) => {
      seen.push(`write ${items}`);
      await new Promise((resolve) => setImmediate(resolve));
      return double(items);
    },
    { concurrency: 1, maxItems: 1 },
  );
  const answers = [1, 2].map((item) => batcher.add(item).then((answer) => seen.push(`answer ${answer}`)));
  await Promise.all(answers);
  await batcher.idle();
  expect(seen).toEqual(['write 1', 'write 2', 'answer 2', 'answer 4']);
});

test('a bad item fails alone', async () => {
  const batcher = createBatcher<number, number>(
    async (items) => {
      if (items.includes(3)) throw new Error('three');
      return double(items);
    },
    { concurrency: 1, maxItems: 100 },
  );
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map((item) => batcher.add(item)));
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))).toEqual([
    2,
    4,
    'failed',
    8,
    10,
  ]);
});

test('a batch is not split when halves cannot do better', async () => {
  let writes = 0;
  const batcher = createBatcher<number, number>(
    async () => {
      writes += 1;
      throw new Error('nothing works');
    },
    { concurrency: 1, maxItems: 100, splitOn: () => false },
  );
  const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  expect(results.every((result) => result.status === 'rejected')).toBe(true);
  expect(writes).toBe(1);
});

test('batches stay within their bounds', async () => {
  const sizes: number[] = [];
  const batcher = createBatcher<number, number>(
    async (items) => {
      sizes.push(items.reduce((sum, item) => sum + item, 0));
      return items;
    },
    { concurrency: 1, maxItems: 3, weigh: (item) => item, maxWeight: 10 },
  );
  await Promise.all([1, 1, 1, 1, 9, 9, 20].map((item) => batcher.add(item)));
  expect(sizes).toEqual([3, 10, 9, 20]);
});

test('idle waits for everything', async () => {
  let written = 0;
  const batcher = createBatcher<number, number>(
    async (items) => {
      await new Promise((resolve) => setImmediate(resolve));
      written += items.length;
      return items;
    },
    { concurrency: 2, maxItems: 2 },
  );
  for (let item = 0; item < 9; item += 1) void batcher.add(item);
  await batcher.idle();
  expect(written).toBe(9);
  await batcher.idle();
});

/** A batcher whose first batch is held; resolves once that batch is under way. */
async function heldBatcher(options: Partial<BatcherOptions<number>>) {
  const written: number[] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const batcher = createBatcher<number, number>(
    async (items) => {
      await held;
      written.push(...items);
      return items;
    },
    { concurrency: 1, maxItems: 100, ...options },
  );
  const first = batcher.add(0);
  await new Promise((resolve) => setImmediate(resolve));
  return { batcher, first, written, release };
}

test('a full queue refuses items until there is room, by number and by weight', async () => {
  for (const maxWaiting of [
    { items: 2, weight: 1_000 },
    { items: 1_000, weight: 20 },
  ]) {
    const { batcher, release } = await heldBatcher({ maxWaiting, weigh: () => 10 });
    const waiting = [batcher.add(1), batcher.add(2)];
    expect(batcher.isFull()).toBe(true);
    await expect(batcher.add(3)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      headers: { 'retry-after': '1' },
    });
    release();
    await Promise.all(waiting);
    expect(batcher.isFull()).toBe(false);
    expect(await batcher.add(4)).toBe(4);
  }
});

test('an item that was abandoned before its batch is not written', async () => {
  const { batcher, first, written, release } = await heldBatcher({});
  let isAbandoned = false;
  const kept = batcher.add(1, () => false);
  const abandoned = batcher.add(2, () => isAbandoned);
  isAbandoned = true;
  release();
  await expect(abandoned).rejects.toMatchObject({ message: 'The request is incomplete.' });
  await Promise.all([first, kept]);
  expect(written).toEqual([0, 1]);
});

test('a batch of nothing but abandoned items is not written, and the batcher becomes idle', async () => {
  const { batcher, written, release } = await heldBatcher({});
  batcher.add(1, () => true).catch(() => {});
  release();
  await batcher.idle();
  expect(written).toEqual([0]);
});
