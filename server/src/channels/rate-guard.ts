import { createCache } from '../kernel/cache.ts';
import type { Carrier } from './contract.ts';

/**
 * Enforces limits of a service that are known beforehand, so that calls which the service would refuse are not made. Each
 * process counts separately; the service refuses any excess, and the throttle then applies to every process.
 */
interface RateGuard {
  /** Returns 0 when a call may be made, and counts it; else the number of milliseconds until the next call. */
  acquire(name: string, now: number): number;
  /** Records the time until which the service accepts no calls. */
  pauseUntil(name: string, until: number): void;
}

interface Account {
  /** The time at which the calls admitted so far would be done, at one every `everyMs`. */
  busyUntil: number;
  pausedUntil: number;
}

/** Allows `burst` calls at once, and then one every `everyMs`. Null when only the service's own answers limit the rate. */
export function createRateGuard(limit: { burst: number; everyMs: number } | null): RateGuard {
  const accounts = createCache<Account>(50_000);
  function accountOf(name: string): Account {
    const account = accounts.get(name) ?? { busyUntil: 0, pausedUntil: 0 };
    accounts.set(name, account);
    return account;
  }
  return {
    acquire(name, now) {
      const account = accountOf(name);
      if (account.pausedUntil > now) return account.pausedUntil - now;
      if (!limit) return 0;
      const { burst, everyMs } = limit;
      const waitMs = account.busyUntil - now - (burst - 1) * everyMs;
      if (waitMs > 0) return waitMs;
      account.busyUntil = Math.max(account.busyUntil, now) + everyMs;
      return 0;
    },
    pauseUntil(name, until) {
      accountOf(name).pausedUntil = until;
    },
  };
}

/** Wraps a carrier and holds back calls that its service would refuse. Nothing has begun by then, so no attempt is recorded. */
export function withRateGuard(carrier: Carrier, rateGuard: RateGuard, clock: () => number): Carrier {
  return {
    ...carrier,
    async reserve() {
      const waitMs = rateGuard.acquire(carrier.rateLimitKey ?? carrier.name, clock());
      if (waitMs === 0) return { send: carrier.send, release() {} };
      return {
        kind: 'throttled',
        detail: 'Delayed: the rate limit of the service is reached.',
        code: 'courtesy',
        retryAfterMs: waitMs,
        notCalled: true,
      };
    },
  };
}
