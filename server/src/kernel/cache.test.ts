import { expect, test } from 'vitest';
import { createCache } from './cache.ts';

test('a memory keeps what was asked for last', () => {
  const memory = createCache<number>(3);
  for (const [index, name] of ['a', 'b', 'c'].entries()) memory.set(name, index);
  memory.get('a');
  memory.set('d', 3);
  memory.set('d', 4);
  expect([...memory.keys()].sort()).toEqual(['a', 'c', 'd']);
  expect(memory.get('d')).toBe(4);
});

test('a memory with a time forgets after it', () => {
  const memory = createCache<number>(3, 1);
  memory.set('a', 1);
  const end = performance.now() + 3;
  while (performance.now() < end);
  expect(memory.get('a')).toBeUndefined();
});
