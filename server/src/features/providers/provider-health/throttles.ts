import { untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { createBatcher } from '../../../kernel/batcher.ts';
import { createCache } from '../../../kernel/cache.ts';
import {
  insertThrottles,
  listThrottles,
  listThrottlesOf,
  type NewThrottle,
  type ThrottleRow,
} from './throttle-store.ts';

/**
 * The providers that asked us to slow down, and until when. The database is shared by all processes; each process caches what
 * it has read, so that a check costs nothing. The doorbell updates the cache within milliseconds, and each batch reads it
 * again.
 */
export interface Throttles {
  /** Follows the throttles that other processes record, for the lifetime of the process. */
  listen(): void;
  /** Reads the throttles of these environments and those that hold for all environments, once per batch. */
  load(environmentIds: readonly string[]): Promise<void>;
  /** The end of the throttle; 0 when there is none. */
  until(environmentId: string, rateLimitKey: string): number;
  /**
   * Records that the provider throttled a call that began at the given time. Resolves to the end of the throttle, once it is
   * visible to all processes.
   */
  throttle(
    environmentId: string,
    rateLimitKey: string,
    retryAfterMs: number | null,
    callStartedAt: number,
    provider?: string,
  ): Promise<number>;
  /** Records that a call succeeded: the next throttle counts as the first of a series again. */
  lift(environmentId: string, rateLimitKey: string): void;
}

/** The environment id of a throttle that holds for all environments. */
export const allEnvironments = '00000000-0000-0000-0000-000000000000';

export const longestThrottleMs = 3_600_000;
const ownThrottleMs = 1_000;
const topic = 'provider_pauses';
const known = 50_000;
/** The number of throttles read after a doorbell ring; an older one that was missed is read with the next batch. */
const newest = 1_000;

/** Returns the delay that a provider asked for, when it is plausible. A delay of days is more likely a mistake. */
export function askedThrottleMs(retryAfterMs: number | null): number | null {
  if (retryAfterMs === null || Number.isNaN(retryAfterMs) || retryAfterMs <= 0) return null;
  return Math.min(retryAfterMs, longestThrottleMs);
}

export function createThrottles(
  deps: Pick<Deps, 'pool' | 'clock' | 'doorbell' | 'config' | 'log'>,
): Throttles {
  const { pool, clock, doorbell, log } = deps;
  const ends = createCache<number>(known);
  const letThrough = createCache<number>(known);
  const keyOf = (environmentId: string, rateLimitKey: string): string => `${environmentId} ${rateLimitKey}`;

  function learn(rows: ThrottleRow[]): void {
    const now = clock();
    for (const { environment_id, pace, left_ms } of rows)
      ends.set(keyOf(environment_id, pace), now + left_ms);
  }

  let reading = false;
  let again = false;
  async function readAll(): Promise<void> {
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    do {
      again = false;
      try {
        learn(await listThrottles(pool, newest));
      } catch (error) {
        log.debug({ err: error }, 'failed to read the throttles; the next batch reads them again');
      }
    } while (again);
    reading = false;
  }

  const writes = createBatcher<NewThrottle, undefined>(
    async (throttles) => {
      learn(await untilDatabaseAnswers(() => insertThrottles(pool, mergeThrottles(throttles))));
      doorbell.ring(topic);
      return throttles.map(() => undefined);
    },
    { concurrency: 1, maxItems: 200 },
  );

  function until(environmentId: string, rateLimitKey: string): number {
    const end = ends.get(keyOf(environmentId, rateLimitKey)) ?? 0;
    return end > clock() ? end : 0;
  }

  return {
    listen() {
      doorbell.on(topic, () => void readAll());
    },
    until,
    async load(environmentIds) {
      if (environmentIds.length > 0) learn(await listThrottlesOf(pool, [...environmentIds, allEnvironments]));
    },
    async throttle(environmentId, rateLimitKey, retryAfterMs, callStartedAt, provider) {
      const key = keyOf(environmentId, rateLimitKey);
      const asked = askedThrottleMs(retryAfterMs);
      const ownMs = ownThrottleMs * deps.config.CARILLON_RETRY_SCALE;
      const before = ends.get(key) ?? 0;
      const now = clock();
      // The throttle holds in this process at once, and in the others as soon as it is written.
      ends.set(key, Math.max(before, now + (asked ?? ownMs)));
      await writes.add({
        environment_id: environmentId,
        pace: rateLimitKey,
        asked_ms: asked,
        own_ms: ownMs,
        call_ms: Math.max(0, now - callStartedAt),
        lifted: before > 0 && (letThrough.get(key) ?? 0) >= before,
        provider,
      });
      return ends.get(key) ?? now;
    },
    lift(environmentId, rateLimitKey) {
      const key = keyOf(environmentId, rateLimitKey);
      if (ends.has(key)) letThrough.set(key, clock());
    },
  };
}

/** Merges the throttles of each rate limit key: the longest delay, and the call that began last. */
export function mergeThrottles(throttles: NewThrottle[]): NewThrottle[] {
  const merged = new Map<string, NewThrottle>();
  for (const throttle of throttles) {
    const key = `${throttle.environment_id} ${throttle.pace}`;
    const other = merged.get(key);
    merged.set(key, {
      ...throttle,
      asked_ms:
        throttle.asked_ms === null && (other?.asked_ms ?? null) === null
          ? null
          : Math.max(throttle.asked_ms ?? 0, other?.asked_ms ?? 0),
      call_ms: Math.min(throttle.call_ms, other?.call_ms ?? Number.POSITIVE_INFINITY),
      lifted: throttle.lifted || (other?.lifted ?? false),
    });
  }
  return [...merged.values()];
}
