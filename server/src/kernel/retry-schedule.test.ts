import { expect, test } from 'vitest';
import { type RetrySchedule, retryDelayMs } from './retry-schedule.ts';

const schedule: RetrySchedule = { delaysMs: [10_000, 60_000], jitter: 0.2, longestAskedMs: 86_400_000 };
const context = { retryScale: 1, chance: 0.5 };

test('a delay follows each attempt but the last', () => {
  const delays = [1, 2, 3].map((attempts) => retryDelayMs(schedule, attempts, context, null));
  expect(delays).toEqual([10_000, 60_000, null]);
  expect(retryDelayMs(schedule, 3, context, 1_000)).toBeNull();
});

test('chance spreads a delay by the jitter of its schedule, and the scale multiplies it', () => {
  const first = (chance: number, retryScale = 1) => retryDelayMs(schedule, 1, { retryScale, chance }, null);
  expect([first(0), first(0.5), first(1)]).toEqual([8_000, 10_000, 12_000]);
  expect(first(0.5, 0.001)).toBe(10);
  expect(retryDelayMs({ ...schedule, jitter: 0 }, 1, { retryScale: 1, chance: 1 }, null)).toBe(10_000);
});

test('a delay is at least as long as the other side asks, at any scale', () => {
  expect(retryDelayMs(schedule, 1, { ...context, retryScale: 0.001 }, 90_000)).toBe(90_000);
  expect(retryDelayMs(schedule, 1, context, 1)).toBe(10_000);
});

test.each([
  [Number.POSITIVE_INFINITY, 86_400_000],
  [400 * 86_400_000, 86_400_000],
  [-1, 10_000],
  [Number.NaN, 10_000],
])('a delay stays within its limit when the other side asks for %s ms', (asked, delayMs) => {
  expect(retryDelayMs(schedule, 1, context, asked)).toBe(delayMs);
});
