import { expect, test } from 'vitest';
import { UnreadCount } from '../src/unread-count.ts';

function createCount(start: number) {
  const announced: number[] = [];
  const count = new UnreadCount((unread) => announced.push(unread));
  count.receive(start);
  return { count, announced };
}

test('a change counts at once, and is announced once', () => {
  const { count, announced } = createCount(3);
  count.begin(-1).end();
  expect(announced).toEqual([3, 2]);
});

test('a rejected change is taken back', () => {
  const { count, announced } = createCount(3);
  const change = count.begin(-1);
  change.takeBack();
  change.end();
  expect(announced).toEqual([3, 2, 3]);
});

test('a count that arrives during changes is used after the last of them, and nothing is taken back from it', () => {
  const { count, announced } = createCount(3);
  const [first, second] = [count.begin(-1), count.begin(-1)];
  count.receive(5);
  first.takeBack();
  first.end();
  expect(count.value).toBe(1);
  second.end();
  expect(count.value).toBe(5);
  expect(announced).toEqual([3, 2, 1, 5]);
});

test('it never falls below zero', () => {
  const { count } = createCount(0);
  count.begin(-1).end();
  expect(count.value).toBe(0);
});
