import { createCache } from '../kernel/cache.ts';
import type { Carrier } from './contract.ts';

/**
 * Limits of a service that are known beforehand, kept to without being told each time: calls that it would only refuse are not
 * made. Each process keeps its own account; what that lets through too much the service refuses, and everybody waits.
 */
export interface RateGuard {
  /** 0: a call may be made, and is counted. Else for how long none may. */
  ask(name: string, now: number): number;
  /** The service said how long it wants to be left alone. */
  rest(name: string, until: number): void;
}

interface Account {
  /** When what was let through so far would be through, one every `everyMs`. */
  busyUntil: number;
  restsUntil: number;
}

/** `burst` calls at once, and then one every `everyMs`; null: only what the service says. */
export function createRateGuard(limit: { burst: number; everyMs: number } | null): RateGuard {
  const accounts = createCache<Account>(50_000);
  function accountOf(name: string): Account {
    const account = accounts.get(name) ?? { busyUntil: 0, restsUntil: 0 };
    accounts.set(name, account);
    return account;
  }
  return {
    ask(name, now) {
      const account = accountOf(name);
      if (account.restsUntil > now) return account.restsUntil - now;
      if (!limit) return 0;
      const { burst, everyMs } = limit;
      const waitMs = account.busyUntil - now - (burst - 1) * everyMs;
      if (waitMs > 0) return waitMs;
      account.busyUntil = Math.max(account.busyUntil, now) + everyMs;
      return 0;
    },
    rest(name, until) {
      accountOf(name).restsUntil = until;
    },
  };
}

/** The carrier, held back where its service would refuse it. Nothing has begun by then, so nothing is noted as an attempt. */
export function withRateGuard(carrier: Carrier, courtesy: RateGuard, clock: () => number): Carrier {
  return {
    ...carrier,
    async reserve() {
      const waitMs = courtesy.ask(carrier.rateLimitKey ?? carrier.name, clock());
      if (waitMs === 0) return { send: carrier.send, release() {} };
      return {
        kind: 'throttled',
        detail: 'Held back: the service takes no more of them at once.',
        code: 'courtesy',
        retryAfterMs: waitMs,
        heldBack: true,
      };
    },
  };
}
