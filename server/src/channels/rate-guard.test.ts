import { expect, test } from 'vitest';
import { createRateGuard, withRateGuard } from './rate-guard.ts';

test('a burst goes through, then one in so many milliseconds, each name for itself', () => {
  const rateGuard = createRateGuard({ burst: 3, everyMs: 1_000 });
  expect([1, 2, 3].map(() => rateGuard.acquire('a', 5_000))).toEqual([0, 0, 0]);
  expect(rateGuard.acquire('a', 5_000)).toBe(1_000);
  expect(rateGuard.acquire('a', 5_400)).toBe(600);
  expect(rateGuard.acquire('b', 5_400)).toBe(0);
  expect(rateGuard.acquire('a', 6_000)).toBe(0);
  expect(rateGuard.acquire('a', 6_000)).toBe(1_000);
  expect([1, 2, 3, 4].map(() => rateGuard.acquire('a', 60_000))).toEqual([0, 0, 0, 1_000]);
});

test('who wants to be left alone is, for as long as it said', () => {
  const rateGuard = createRateGuard(null);
  expect(rateGuard.acquire('a', 1_000)).toBe(0);
  rateGuard.pauseUntil('a', 1_500);
  expect(rateGuard.acquire('a', 1_200)).toBe(300);
  expect(rateGuard.acquire('b', 1_200)).toBe(0);
  expect(rateGuard.acquire('a', 1_500)).toBe(0);
});

test('a carrier that is held back is not called', async () => {
  let sent = 0;
  const carrier = {
    name: 'x',
    kind: 'x',
    idempotent: false,
    rateLimitKey: 'x',
    async send() {
      sent += 1;
      return { kind: 'rejected' as const, detail: '', code: null };
    },
  };
  const polite = withRateGuard(carrier, createRateGuard({ burst: 1, everyMs: 60_000 }), () => 1_000);
  const signal = AbortSignal.timeout(5_000);
  expect(await polite.reserve?.(signal, false)).toHaveProperty('send');
  expect(await polite.reserve?.(signal, false)).toMatchObject({ kind: 'throttled', retryAfterMs: 60_000 });
  expect(sent).toBe(0);
});
