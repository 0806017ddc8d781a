import { createCache } from '../kernel/cache.ts';

export interface RateVerdict {
  allowed: boolean;
  /** The most requests that can be made at once: the capacity of a bucket. */
  limit: number;
  remaining: number;
  /** The time until the bucket is full again. */
  resetSeconds: number;
  /** The time until one request is possible; 0 when this one was. */
  retryAfterSeconds: number;
  /** The refill rate, independent of the tokens taken. */
  ratePerSecond: number;
}

interface TokenBuckets {
  /** Takes one token of the bucket of this name. */
  take(name: string): RateVerdict;
}

/** More callers than a process serves at a time; a bucket that was evicted begins full. */
const mostBuckets = 50_000;

/**
 * Token buckets in the memory of the process: for limits that guard against abuse and are so generous that it does not matter
 * when each of several processes grants them. They cost no query, and names that callers choose fill no table.
 */
export function createTokenBuckets(
  { ratePerSecond, burst }: { ratePerSecond: number; burst: number },
  nowMs: () => number = () => performance.now(),
): TokenBuckets {
  const buckets = createCache<{ tokens: number; filledAt: number }>(mostBuckets);
  return {
    take(name) {
      const now = nowMs();
      const bucket = buckets.get(name) ?? { tokens: burst, filledAt: now };
      const elapsed = Math.max(0, now - bucket.filledAt) / 1000;
      const tokens = Math.min(burst, bucket.tokens + elapsed * ratePerSecond);
      const allowed = tokens >= 1;
      const left = allowed ? tokens - 1 : tokens;
      buckets.set(name, { tokens: left, filledAt: Math.max(now, bucket.filledAt) });
      return {
        allowed,
        limit: Math.floor(burst),
        remaining: Math.floor(left),
        resetSeconds: Math.ceil((burst - left) / ratePerSecond),
        retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - left) / ratePerSecond)),
        ratePerSecond,
      };
    },
  };
}
