import { describe, expect, test } from 'vitest';
import type { PostResult } from '../../channels/webhook/index.ts';
import { maxAttemptsOf, type RetryContext, retryDelayMs } from '../../kernel/retry-schedule.ts';
import type { DeliveryJobRow } from './deliveries-store.ts';
import { deliverySchedule, refusedSettlement, settlementOf } from './settle.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const at = { now, retryScale: 1, chance: 0.5 };
const maxAttempts = maxAttemptsOf(deliverySchedule);
const delayMs = (attempts: number, context: RetryContext, askedMs: number | null) =>
  retryDelayMs(deliverySchedule, attempts, context, askedMs);
const row = { id: 'd', step: 0, attempt_count: 0 } as DeliveryJobRow;
const refused: PostResult = {
  verdict: 'failed',
  error: 'status: The receiver returned 500.',
  status: 500,
  snippet: 'oops',
  latencyMs: 40,
  retryAfterMs: null,
  answered: true,
};

test('ten attempts: at once, then after 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h', () => {
  const hour = 3_600_000;
  const pauses = Array.from({ length: maxAttempts }, (_, index) => delayMs(index + 1, at, null));
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * hour);
  expect(pauses).toEqual([5_000, 300_000, 1_800_000, ...hours, null]);
});

test('pauses vary by a tenth, follow the scale, and never fall short of what the receiver asks for', () => {
  expect(delayMs(2, { ...at, chance: 0 }, null)).toBeCloseTo(270_000);
  expect(delayMs(2, { ...at, chance: 1 }, null)).toBeCloseTo(330_000);
  expect(delayMs(2, { ...at, retryScale: 0.001 }, null)).toBeCloseTo(300);
  expect(delayMs(2, { ...at, retryScale: 0.001 }, 60_000)).toBe(60_000);
  expect(delayMs(2, at, 1_000)).toBe(300_000);
  expect(delayMs(maxAttempts, at, 1_000)).toBeNull();
});

describe('an attempt', () => {
  test('that is refused waits for the next one', () => {
    expect(settlementOf(row, refused, at)).toEqual({
      id: 'd',
      status: 'pending',
      step: 1,
      number: 1,
      next_attempt_at: '2026-03-01T12:00:05.000Z',
      attempted_at: '2026-03-01T11:59:59.960Z',
      failed_at: null,
      error: refused.error,
      http_status_code: 500,
      latency_ms: 40,
      response_snippet: 'oops',
    });
  });

  test('that was the last fails', () => {
    const last = { ...row, step: maxAttempts - 1, attempt_count: 12 };
    expect(settlementOf(last, refused, at)).toMatchObject({
      status: 'failed',
      number: 13,
      next_attempt_at: null,
      failed_at: '2026-03-01T12:00:00.000Z',
    });
  });

  test.each(['gone', 'blocked'] as const)('that is %s is not made again', (verdict) => {
    expect(settlementOf(row, { ...refused, verdict }, at)).toMatchObject({
      status: 'permanent_failure',
      next_attempt_at: null,
      failed_at: '2026-03-01T12:00:00.000Z',
    });
  });

  test('that succeeds leaves no trace of failure', () => {
    const result = { ...refused, verdict: 'succeeded', error: null, status: 204 } as const;
    expect(settlementOf({ ...row, step: 3 }, result, at)).toMatchObject({
      status: 'succeeded',
      failed_at: null,
      error: null,
      next_attempt_at: null,
    });
  });

  test('that is not made counts as none', () => {
    expect(refusedSettlement({ ...row, step: 2, attempt_count: 2 }, now)).toMatchObject({
      status: 'permanent_failure',
      attempted_at: null,
      number: 2,
    });
  });
});
