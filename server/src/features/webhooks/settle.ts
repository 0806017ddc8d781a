import type { PostResult } from '../../channels/webhook/index.ts';
import type { DeliveryFact, DeliverySettlement } from './deliveries-store.ts';

/** Delays between attempts: ten attempts over about three days. */
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const pauses = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];
export const maxAttempts = pauses.length + 1;

/** An endpoint that fails for this long without one success is disabled. */
export const failingLimitMs = 5 * 24 * hour;

export interface WebhookRetryContext {
  now: number;
  retryScale: number;
  /** A random number from 0 to 1, for jitter. */
  chance: number;
}

/**
 * Returns the delay after an attempt, or null when it was the last. Jitter spreads retries by ±10 %. A delay that the receiver
 * asks for is honoured regardless of the configured retry scale.
 */
export function retryDelayMs(
  attempts: number,
  { retryScale, chance }: WebhookRetryContext,
  retryAfterMs: number | null,
): number | null {
  const pause = pauses[attempts - 1];
  if (pause === undefined) return null;
  return Math.max(pause * retryScale * (0.9 + 0.2 * chance), retryAfterMs ?? 0);
}

export function settlementOf(
  fact: DeliveryFact,
  result: PostResult,
  at: WebhookRetryContext,
): DeliverySettlement {
  const step = fact.step + 1;
  const now = new Date(at.now).toISOString();
  const base = {
    id: fact.id,
    step,
    next_attempt_at: null,
    failed_at: null,
    error: result.error,
    attempted_at: new Date(at.now - result.latencyMs).toISOString(),
    number: fact.attempt_count + 1,
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
      const delay = retryDelayMs(step, at, result.retryAfterMs);
      if (delay === null) return { ...base, status: 'failed', failed_at: now };
      return { ...base, status: 'pending', next_attempt_at: new Date(at.now + delay).toISOString() };
    }
  }
}

/** No call is made: the endpoint was disabled, by its owner or automatically. */
export function refusedSettlement(fact: DeliveryFact, now: number): DeliverySettlement {
  return {
    id: fact.id,
    status: 'permanent_failure',
    step: fact.step,
    next_attempt_at: null,
    failed_at: new Date(now).toISOString(),
    error: 'endpoint_disabled: The endpoint takes no calls; set its status to active, then retry.',
    attempted_at: null,
    number: fact.attempt_count,
    http_status_code: null,
    latency_ms: null,
    response_snippet: null,
  };
}
