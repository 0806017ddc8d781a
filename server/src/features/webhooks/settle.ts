import type { PostResult } from '../../channels/webhook/index.ts';
import {
  hour,
  minute,
  type RetryContext,
  type RetrySchedule,
  retryDelayMs,
  second,
} from '../../kernel/retry-schedule.ts';
import type { DeliveryJobRow, DeliverySettlement } from './deliveries-store.ts';

/** The delays between the attempts at a delivery: ten attempts over about three days. */
export const deliverySchedule: RetrySchedule = {
  delaysMs: [
    5 * second,
    5 * minute,
    30 * minute,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour,
  ],
  jitter: 0.1,
  longestAskedMs: 24 * hour,
};

/** An endpoint that fails for this long without one success is disabled. */
export const failingLimitMs = 5 * 24 * hour;

export function settlementOf(row: DeliveryJobRow, result: PostResult, at: RetryContext): DeliverySettlement {
  const step = row.step + 1;
  const now = new Date(at.now).toISOString();
  const base = {
    id: row.id,
    step,
    next_attempt_at: null,
    failed_at: null,
    error: result.error,
    attempted_at: new Date(at.now - result.latencyMs).toISOString(),
    number: row.attempt_count + 1,
    http_status_code: result.status,
    latency_ms: result.latencyMs,
    response_snippet: result.snippet,
  };
  switch (result.verdict) {
    case 'succeeded':
      return { ...base, status: 'succeeded' };
    case 'gone':
    case 'blocked':
      return { ...base, status: 'permanent_failure', failed_at: now };
    case 'failed': {
      const delay = retryDelayMs(deliverySchedule, step, at, result.retryAfterMs);
      if (delay === null) return { ...base, status: 'failed', failed_at: now };
      return { ...base, status: 'pending', next_attempt_at: new Date(at.now + delay).toISOString() };
    }
  }
}

/** No call is made: the endpoint was disabled, by its owner or automatically. */
export function refusedSettlement(row: DeliveryJobRow, now: number): DeliverySettlement {
  return {
    id: row.id,
    status: 'permanent_failure',
    step: row.step,
    next_attempt_at: null,
    failed_at: new Date(now).toISOString(),
    error: 'endpoint_disabled: The endpoint is disabled; set its status to active, then retry.',
    attempted_at: null,
    number: row.attempt_count,
    http_status_code: null,
    latency_ms: null,
    response_snippet: null,
  };
}
