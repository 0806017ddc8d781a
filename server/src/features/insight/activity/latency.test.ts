import { expect, test } from 'vitest';
import { latencyClasses, latencyClassOf, percentileOf } from './tally.ts';

const counted = (...durations: number[]): number[] => {
  const counts = new Array<number>(latencyClasses).fill(0);
  for (const ms of durations) counts[latencyClassOf(ms)] = (counts[latencyClassOf(ms)] ?? 0) + 1;
  return counts;
};

test('every duration has a class, however long it is', () => {
  expect(latencyClassOf(0)).toBe(0);
  expect(latencyClassOf(4.9)).toBe(0);
  expect(latencyClassOf(5)).toBe(1);
  expect(latencyClassOf(86_400_000)).toBe(latencyClasses - 1);
});

test('nothing has no percentiles', () => {
  expect(percentileOf([], 0.5)).toBeNull();
  expect(percentileOf(counted(), 0.99)).toBeNull();
});

test('a percentile lies in the class of the true one', () => {
  const durations = Array.from({ length: 1_000 }, (_, index) => index); // 0 … 999 ms, evenly
  const counts = counted(...durations);
  for (const share of [0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 1]) {
    const found = percentileOf(counts, share) ?? 0;
    const real = durations[Math.ceil(share * 1_000) - 1] ?? 0;
    expect([share, latencyClassOf(Math.max(0, found - 1))]).toEqual([share, latencyClassOf(real)]);
  }
});

test('what takes longer than the last bound is shown as the bound', () => {
  expect(percentileOf(counted(1e12, 1e12), 0.5)).toBe(3_600_000);
});
