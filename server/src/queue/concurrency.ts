import { createBatcher } from '../kernel/batcher.ts';
import { steadyClock } from '../kernel/clock.ts';
import type { Claim } from './work.ts';

/**
 * Limits concurrent calls by key (an endpoint, a host, an environment). Work for a full key waits in memory for a quarter of a second,
 * which is enough for a fast one. Then it is parked: it leaves the process and comes back when the key has room. So a slow or dead
 * endpoint delays only its own work, and parked work costs nothing. All keys of an environment together get half of what the other
 * environments leave, and its slow keys three quarters of that: however many endpoints are slow, the fast ones go on.
 */
export interface ConcurrencyLimits {
  /** Returns a permit, or null when the work was parked and is no longer leased. */
  acquire(claim: Claim, key: string): Promise<Permit | null>;
}

/** The limits as the queue itself uses them. */
export interface RefilledConcurrency extends ConcurrencyLimits {
  /** Called about twice a second with all keys that have parked work, also work that a dead process parked. */
  refill(parked: ParkedKey[]): void;
}

/** A key with parked work. All work of a key belongs to one environment. */
export interface ParkedKey {
  concurrency_key: string;
  environment_id: string;
}

export interface Permit {
  /** `answered`: the call got an answer. A key whose calls get none, or only after a second, has a lower limit. */
  release(answered: boolean): void;
}

export interface ConcurrencyOptions {
  /** Concurrent calls of this process. */
  total: number;
  /** Of one key, which also gets at most an eighth of the free calls of its environment. */
  maxConcurrent: number;
  maxConcurrentWhenFailing: number;
}

/** The part of the queue that the limits of one kind of work use. */
interface Parking {
  /** Ends the leases and parks the work. */
  park(work: { id: string; key: string }[]): Promise<unknown>;
  /** Claims up to `limit` parked items of a key for this process. Returns their number. */
  unpark(key: string, limit: number): Promise<number>;
}

const waitMs = 250;
const arrivalMs = 5_000;
/** A key is slow when its calls take longer on average, or one in flight does. */
const slowMs = 1_000;
const averageWeight = 0.2;
/** Concurrent calls of a key before the first one ends, which shows whether the key is fast. */
const firstCalls = 2;
const forgetMs = 30_000;
const forgetSlowMs = 600_000;

/** The calls of all keys of an environment. */
interface EnvironmentUse {
  calls: number;
  keys: number;
}

interface LimitedKey {
  key: string;
  environmentId: string;
  environment: EnvironmentUse;
  /** The times at which the calls in flight began, oldest first. */
  inFlight: Set<{ since: number }>;
  /** In the order of arrival. */
  waiting: Set<Waiter>;
  /** Work is, or may be, parked under this key: new work that is not critical lines up behind it. */
  parked: boolean;
  parking: number;
  /** Unparked work on its way to `acquire`. */
  arriving: number;
  unparking: boolean;
  unparkedAt: number;
  failing: boolean;
  /** The moving average of the duration of calls; null before the first one ends. */
  averageMs: number | null;
  usedAt: number;
}

interface Waiter {
  claim: Claim;
  go(): void;
}

/** The calls of one kind of work in this process, in flight or on their way to `acquire`. */
interface Calls {
  options: ConcurrencyOptions;
  total: number;
  keys: Map<string, LimitedKey>;
  environments: Map<string, EnvironmentUse>;
}

export function createConcurrencyLimits(parking: Parking, options: ConcurrencyOptions): RefilledConcurrency {
  const calls: Calls = { options, total: 0, keys: new Map(), environments: new Map() };

  const parks = createBatcher<{ id: string; key: string }, undefined>(
    async (work) => {
      await parking.park(work);
      return work.map(() => undefined);
    },
    { concurrency: 1, maxItems: 500 },
  );

  function admit(key: LimitedKey): Permit {
    const call = { since: steadyClock() };
    key.inFlight.add(call);
    count(calls, key, 1);
    return {
      release(answered) {
        const tookMs = steadyClock() - call.since;
        key.inFlight.delete(call);
        count(calls, key, -1);
        key.failing = !answered;
        key.averageMs =
          key.averageMs === null ? tookMs : key.averageMs + averageWeight * (tookMs - key.averageMs);
        admitWaiting(key);
        void refillKey(key);
      },
    };
  }

  /** Admits critical work first: its limit is higher, so it may go while the rest waits. */
  function admitWaiting(key: LimitedKey): void {
    for (const isCriticalPass of [true, false]) {
      for (const { claim, go } of key.waiting) {
        if ((claim.lane === 'critical') !== isCriticalPass) continue;
        if (key.inFlight.size >= limitFor(calls, claim, key)) break;
        go();
      }
    }
  }

  async function park(claim: Claim, key: LimitedKey): Promise<null> {
    key.parked = true;
    key.parking += 1;
    try {
      await parks.add({ id: claim.id, key: key.key });
    } finally {
      key.parking -= 1;
    }
    return null;
  }

  async function acquire(claim: Claim, name: string): Promise<Permit | null> {
    const key = limitedKeyOf(calls, name, claim.environmentId);
    key.usedAt = steadyClock();
    const unparkedFrom = claim.unparkedFrom === null ? undefined : calls.keys.get(claim.unparkedFrom);
    if (unparkedFrom && unparkedFrom.arriving > 0) countArriving(calls, unparkedFrom, -1);
    const isCritical = claim.lane === 'critical';
    if (unparkedFrom !== key && key.parked && !isCritical) return park(claim, key);
    if (key.inFlight.size < limitFor(calls, claim, key)) return admit(key);
    // A slow key will hardly have room soon, and work that waits in memory keeps other work from being claimed.
    if (isSlow(key) && !isCritical) return park(claim, key);

    const permit = await waitForRoom(key, claim, admit);
    return permit ?? park(claim, key);
  }

  /** Claims parked work once half of the limit is free, so that each round trip brings several items. */
  async function refillKey(key: LimitedKey): Promise<void> {
    const coming = key.inFlight.size + key.arriving + key.waiting.size;
    const limit = limitOf(calls, key);
    if (!key.parked || key.unparking || limit === 0 || coming > limit / 2) return;
    key.unparking = true;
    const wanted = limit - coming;
    countArriving(calls, key, wanted); // before the answer, so that other keys do not count on the same room
    let taken = 0;
    try {
      taken = await parking.unpark(key.key, wanted);
      key.unparkedAt = key.usedAt = steadyClock();
      if (taken < wanted && key.parking === 0) key.parked = false;
    } catch {
      // The database is unavailable; the next tick tries again.
    } finally {
      countArriving(calls, key, -Math.min(key.arriving, wanted - taken));
      key.unparking = false;
    }
  }

  return {
    acquire,
    refill(parked) {
      const now = steadyClock();
      for (const { concurrency_key, environment_id } of parked)
        limitedKeyOf(calls, concurrency_key, environment_id).parked = true;
      for (const key of [...calls.keys.values()]) {
        // Unparked work that was not sent, because it was cancelled or could not be loaded, never arrives.
        if (now - key.unparkedAt > arrivalMs && !key.unparking) countArriving(calls, key, -key.arriving);
        const before = key.arriving;
        void refillKey(key);
        if (key.arriving > before) {
          // The next time others come first: the free calls may not be enough for all slow keys.
          calls.keys.delete(key.key);
          calls.keys.set(key.key, key);
        }
        const isIdle = !key.parked && key.inFlight.size + key.waiting.size + key.parking + key.arriving === 0;
        if (isIdle && now - key.usedAt > (isSlow(key) ? forgetSlowMs : forgetMs)) forget(calls, key);
      }
    },
  };
}

function limitedKeyOf({ keys, environments }: Calls, name: string, environmentId: string): LimitedKey {
  const known = keys.get(name);
  if (known) return known;
  const environment = environments.get(environmentId) ?? { calls: 0, keys: 0 };
  environments.set(environmentId, environment);
  environment.keys += 1;
  const made: LimitedKey = {
    key: name,
    environmentId,
    environment,
    inFlight: new Set(),
    waiting: new Set(),
    parked: false,
    parking: 0,
    arriving: 0,
    unparking: false,
    unparkedAt: 0,
    failing: false,
    averageMs: null,
    usedAt: 0,
  };
  keys.set(name, made);
  return made;
}

function forget({ keys, environments }: Calls, { key, environmentId, environment }: LimitedKey): void {
  keys.delete(key);
  environment.keys -= 1;
  if (environment.keys === 0) environments.delete(environmentId);
}

function count(calls: Calls, key: LimitedKey, change: number): void {
  calls.total += change;
  key.environment.calls += change;
}

function countArriving(calls: Calls, key: LimitedKey, change: number): void {
  key.arriving += change;
  count(calls, key, change);
}

function isSlow(key: LimitedKey): boolean {
  const [oldest] = key.inFlight;
  const isOverdue = oldest !== undefined && steadyClock() - oldest.since > slowMs;
  return key.failing || isOverdue || (key.averageMs ?? 0) > slowMs;
}

function limitOf(calls: Calls, key: LimitedKey): number {
  const { total, maxConcurrent, maxConcurrentWhenFailing } = calls.options;
  const share = (total - (calls.total - key.environment.calls)) / 2;
  const free = share - key.environment.calls;
  const isUnknown = key.averageMs === null;
  const slow = isSlow(key);
  if (!slow && !isUnknown) return Math.max(1, Math.min(maxConcurrent, Math.floor(free / 8)));
  // A quarter of the share is left to keys that answer quickly, however many do not.
  const spare = Math.max(0, Math.floor((free - share / 4) / 8));
  // An environment without a call keeps one, or other tenants could keep its critical sends waiting.
  const least = !key.failing && key.environment.calls === 0 ? 1 : 0;
  if (slow) return Math.max(least, Math.min(key.failing ? maxConcurrentWhenFailing : maxConcurrent, spare));
  return free >= 1 ? Math.max(1, Math.min(firstCalls, spare)) : 0;
}

/** Critical work has half as much room again, as in the process itself. */
const limitFor = (calls: Calls, claim: Claim, key: LimitedKey): number =>
  Math.ceil(limitOf(calls, key) * (claim.lane === 'critical' ? 1.5 : 1));

/** Waits in memory until the key has room. Resolves to null when that takes too long. */
function waitForRoom(
  key: LimitedKey,
  claim: Claim,
  admit: (key: LimitedKey) => Permit,
): Promise<Permit | null> {
  return new Promise((resolve) => {
    const end = (permit: Permit | null): void => {
      clearTimeout(timer);
      key.waiting.delete(waiter);
      resolve(permit);
    };
    const waiter: Waiter = { claim, go: () => end(admit(key)) };
    const timer = setTimeout(end, waitMs, null);
    key.waiting.add(waiter);
  });
}
