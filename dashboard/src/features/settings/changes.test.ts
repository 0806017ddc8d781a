import { expect, test } from 'vitest';
import { changesBetween } from './changes.ts';

test('only what differs is shown, with fields inside fields by their path', () => {
  const before = { name: 'Old', kept: 1, limits: { daily: 5, hourly: 1 }, tags: ['a'] };
  const after = { name: 'New', kept: 1, limits: { daily: 6, hourly: 1 }, tags: ['a', 'b'], extra: null };
  expect(changesBetween(before, after)).toEqual([
    { field: 'name', before: 'Old', after: 'New' },
    { field: 'limits.daily', before: '5', after: '6' },
    { field: 'tags', before: '["a"]', after: '["a","b"]' },
    { field: 'extra', before: null, after: 'null' },
  ]);
});

test('what is new or gone has one side', () => {
  expect(changesBetween(null, { role: 'viewer' })).toEqual([
    { field: 'role', before: null, after: 'viewer' },
  ]);
  expect(changesBetween({ role: 'viewer' }, null)).toEqual([
    { field: 'role', before: 'viewer', after: null },
  ]);
  expect(changesBetween(null, null)).toEqual([]);
});

test('long texts that differ only at their end still differ, and are cut for showing', () => {
  const long = 'x'.repeat(500);
  const [change] = changesBetween({ text: `${long}a` }, { text: `${long}b` });
  expect(change?.after).toBe(`${'x'.repeat(400)}…`);
});
