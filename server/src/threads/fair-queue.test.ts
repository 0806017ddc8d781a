import { beforeEach, expect, test } from 'vitest';
import { createFairQueue, type FairQueue, type QueuedTask } from './fair-queue.ts';

let now = 0;
let queue: FairQueue<string>;
beforeEach(() => {
  now = 0;
  queue = createFairQueue(3, () => now);
});

const request = (...owners: string[]) => {
  for (const owner of owners) queue.add('requests', owner, owner);
};
const take = () => queue.take() as QueuedTask<string>;

/** Takes and ends everything that waits, one task at a time; returns the owners in the order of their tasks. */
function served(usedMs: (owner: string) => number): string {
  let order = '';
  for (let task = queue.take(); task; task = queue.take()) {
    order += task.owner;
    queue.end(task, usedMs(task.owner));
  }
  return order;
}

test('the owner who has used the least processor time is next', () => {
  request('a', 'b', 'a', 'b', 'a', 'b', 'c');
  expect(served((owner) => (owner === 'a' ? 100 : 30))).toBe('abcbbaa');
});

test('what was used long ago no longer counts', () => {
  request('a');
  queue.end(take(), 900);
  now = 200_000;
  request('b');
  queue.end(take(), 10);
  request('b', 'a');
  expect(served(() => 50)).toBe('ab');
});

test('an owner has one running task in each lane', () => {
  request('a', 'a');
  queue.add('claims', 'a', 'claim');
  queue.add('claims', 'a', 'claim');
  expect([take().lane, take().lane, queue.take()]).toEqual(['claims', 'requests', null]);
});

test('requests leave one thread to the claims, and claims may have all', () => {
  request('a', 'b', 'c');
  expect([take().owner, take().owner, queue.take()]).toEqual(['a', 'b', null]);
  queue.add('claims', 'd', 'claim');
  expect(take()).toMatchObject({ owner: 'd', lane: 'claims' });
});

test('owners who have used much lately leave a thread of each lane to the others', () => {
  for (const owner of ['a', 'b', 'c']) {
    request(owner);
    queue.end(take(), 5_000);
  }
  request('a', 'b', 'c');
  expect(take().owner).toBe('a');
  expect(queue.take()).toBeNull();
  request('quiet');
  expect(take().owner).toBe('quiet');
});

test('with one thread, everything shares it', () => {
  queue = createFairQueue(1, () => now);
  request('a');
  queue.end(take(), 5_000);
  request('a');
  queue.add('claims', 'a', 'claim');
  expect(served(() => 5_000)).toBe('aa');
});

test('what waits is counted, and can be drained', () => {
  request('a', 'a', 'b');
  expect(queue.waiting('requests', 'a')).toBe(2);
  expect(queue.waiting('claims', 'a')).toBe(0);
  expect(queue.drain()).toEqual(['a', 'a', 'b']);
  expect(queue.take()).toBeNull();
});
