/** When to try again after a failed attempt. There is one attempt more than there are delays. */
export interface RetrySchedule {
  delaysMs: readonly number[];
  /** Chance changes each delay by up to this share, so that an outage does not end in a stampede. */
  jitter: number;
  /** A longer delay that the other side asks for is most likely a mistake. */
  longestAskedMs: number;
}

export interface RetryContext {
  now: number;
  /** CARILLON_RETRY_SCALE multiplies our own delays. */
  retryScale: number;
  /** A random number from 0 to 1, for jitter. */
  chance: number;
}

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

export function maxAttemptsOf({ delaysMs }: RetrySchedule): number {
  return delaysMs.length + 1;
}

/**
 * Returns the delay after so many failed attempts, or null when that was the last. A delay that the other side asks for is
 * honoured regardless of our own scale.
 */
export function retryDelayMs(
  schedule: RetrySchedule,
  attempts: number,
  { retryScale, chance }: Pick<RetryContext, 'retryScale' | 'chance'>,
  askedMs: number | null,
): number | null {
  const delayMs = schedule.delaysMs[attempts - 1];
  if (delayMs === undefined) return null;
  const ownMs = Math.round(delayMs * retryScale * (1 + schedule.jitter * (2 * chance - 1)));
  return Math.max(ownMs, askedDelayMs(schedule, askedMs));
}

/** The delay that the other side asks for, limited to a sensible one. */
export function askedDelayMs({ longestAskedMs }: RetrySchedule, askedMs: number | null): number {
  return Number.isNaN(askedMs) ? 0 : Math.min(askedMs ?? 0, longestAskedMs);
}
