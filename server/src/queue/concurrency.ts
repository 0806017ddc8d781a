import { createBatcher } from '../kernel/batcher.ts';
import { steadyClock } from '../kernel/clock.ts';
import type { Claim } from './work.ts';

/**
 * Limits concurrent calls by key (an endpoint, a host, an environment). Work for a full key waits in memory for a quarter of a second,
 * which is enough for a fast one. Then it is parked: it leaves the process and comes back when the key has room. So a slow or dead
 * endpoint delays only its own work, and parked work costs nothing.
 */
export interface ConcurrencyLimits {
  /** Returns a permit, or null when the work was parked and is no longer leased. */
  acquire(claim: Claim, key: string): Promise<Permit | null>;
}

/** The limits as the queue itself uses them. */
export interface RefilledConcurrency extends ConcurrencyLimits {
  /** Called about twice a second with all keys that have parked work, also work that a dead process parked. */
  refill(parkedAt: string[]): void;
}

export interface Permit {
  /** `answered`: the call got an answer. A key whose calls get none has a lower limit. */
  release(answered: boolean): void;
}

export interface ConcurrencyOptions {
  /** Concurrent calls of this process. One key gets at most an eighth of the free ones, so that a few keys cannot take all. */
  total: number;
  maxConcurrent: number;
  maxConcurrentWhenFailing: number;
}

/** The part of the queue that the limits of one kind of work use. */
export interface Parking {
  /** Ends the leases and parks the work. */
  park(work: { id: string; place: string }[]): Promise<unknown>;
  /** Claims up to `limit` parked items of a key for this process. Returns their number. */
  unpark(key: string, limit: number): Promise<number>;
}

const waitMs = 250;
const arrivalMs = 5_000;
const forgetMs = 600_000;

interface LimitedKey {
  key: string;
  inFlight: number;
  /** In the order of arrival. */
  waiting: Set<Waiter>;
  /** Work is, or may be, parked under this key: new work that is not critical lines up behind it. */
  parked: boolean;
  parking: number;
  /** Unparked work on its way to `acquire`. Negative for a moment when it arrives before `unpark` returns. */
  arriving: number;
  unparking: boolean;
  failing: boolean;
  usedAt: number;
}

interface Waiter {
  claim: Claim;
  go(): void;
}

export function createConcurrencyLimits(parking: Parking, options: ConcurrencyOptions): RefilledConcurrency {
  const keys = new Map<string, LimitedKey>();
  let inFlight = 0;

  const parks = createBatcher<{ id: string; place: string }, undefined>(
    async (work) => {
      await parking.park(work);
      return work.map(() => undefined);
    },
    { concurrency: 1, maxItems: 500 },
  );

  function limitedKeyOf(name: string): LimitedKey {
    const known = keys.get(name);
    if (known) return known;
    const made: LimitedKey = {
      key: name,
      inFlight: 0,
      waiting: new Set(),
      parked: false,
      parking: 0,
      arriving: 0,
      unparking: false,
      failing: false,
      usedAt: 0,
    };
    keys.set(name, made);
    return made;
  }

  function limitOf(key: LimitedKey): number {
    const free = options.total - inFlight;
    if (!key.failing) return Math.max(1, Math.min(options.maxConcurrent, Math.floor(free / 8)));
    // A quarter of the total is left to keys that answer, however many keys fail.
    return Math.max(
      0,
      Math.min(options.maxConcurrentWhenFailing, Math.floor((free - options.total / 4) / 8)),
    );
  }

  /** Critical work has half as much room again, as in the process itself. */
  const limitFor = (claim: Claim, key: LimitedKey): number =>
    Math.ceil(limitOf(key) * (claim.lane === 'critical' ? 1.5 : 1));

  function admit(key: LimitedKey): Permit {
    key.inFlight += 1;
    inFlight += 1;
    return {
      release(answered) {
        key.inFlight -= 1;
        inFlight -= 1;
        key.failing = !answered;
        admitWaiting(key);
        void refillKey(key);
      },
    };
  }

  /** Admits critical work first: its limit is higher, so it may go while the rest waits. */
  function admitWaiting(key: LimitedKey): void {
    for (const isCriticalTurn of [true, false]) {
      for (const { claim, go } of key.waiting) {
        if ((claim.lane === 'critical') !== isCriticalTurn) continue;
        if (key.inFlight >= limitFor(claim, key)) break;
        go();
      }
    }
  }

  async function park(claim: Claim, key: LimitedKey): Promise<null> {
    key.parked = true;
    key.parking += 1;
    try {
      await parks.add({ id: claim.id, place: key.key });
    } finally {
      key.parking -= 1;
    }
    return null;
  }

  async function acquire(claim: Claim, name: string): Promise<Permit | null> {
    const key = limitedKeyOf(name);
    key.usedAt = steadyClock();
    if (claim.unparkedFrom === name) key.arriving -= 1;
    else if (key.parked && claim.lane !== 'critical') return park(claim, key);
    if (key.inFlight < limitFor(claim, key)) return admit(key);

    const room = await new Promise<Permit | null>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        key.waiting.delete(waiter);
      };
      const waiter: Waiter = {
        claim,
        go() {
          end();
          resolve(admit(key));
        },
      };
      const timer = setTimeout(() => {
        end();
        resolve(null);
      }, waitMs);
      key.waiting.add(waiter);
    });
    return room ?? park(claim, key);
  }

  /** Claims parked work once half of the limit is free, so that each round trip brings several items. */
  async function refillKey(key: LimitedKey): Promise<void> {
    const coming = key.inFlight + Math.max(0, key.arriving) + key.waiting.size;
    const limit = limitOf(key);
    if (!key.parked || key.unparking || limit === 0 || coming > limit / 2) return;
    key.unparking = true;
    try {
      const wanted = limit - coming;
      const taken = await parking.unpark(key.key, wanted);
      key.arriving += taken;
      key.usedAt = steadyClock();
      if (taken < wanted && key.parking === 0) key.parked = false;
    } catch {
      // The database is unavailable; the next tick tries again.
    } finally {
      key.unparking = false;
    }
  }

  return {
    acquire,
    refill(parkedAt) {
      const now = steadyClock();
      for (const name of parkedAt) limitedKeyOf(name).parked = true;
      for (const key of keys.values()) {
        // Unparked work that could not be loaded never arrives; the queue has released it.
        if (now - key.usedAt > arrivalMs) key.arriving = 0;
        void refillKey(key);
        const idle = !key.parked && key.inFlight + key.waiting.size + key.parking === 0;
        if (idle && (!key.failing || now - key.usedAt > forgetMs)) keys.delete(key.key);
      }
    },
  };
}
