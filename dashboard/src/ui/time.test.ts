import { expect, test } from 'vitest';
import { duration, exactTime, relativeTime } from './time.tsx';

test('the first minutes of a day are of the hour 00', () => {
  expect(exactTime(new Date(2026, 0, 1, 0, 5, 6, 7))).toBe('Jan 1, 2026, 00:05:06.007');
});

test('times and durations are short', () => {
  expect([-4_000, -59_000, 90_000, -86_400_000].map(relativeTime)).toEqual([
    'just now',
    '59 s ago',
    'in 1 min',
    '1 d ago',
  ]);
  expect([0, 12, 1_400, 200_000, 90_000_000].map(duration)).toEqual([
    '< 1 ms',
    '12 ms',
    '1.4 s',
    '3 min 20 s',
    '1 d 1 h',
  ]);
});
