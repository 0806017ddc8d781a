import { createBatcher } from '../kernel/batcher.ts';
import { steadyClock } from '../kernel/clock.ts';
import type { Claim } from './work.ts';

/**
 * Fair use of a process by the places that its work goes to (an endpoint, a host). A place has room for some calls at once;
 * work for a full place waits a moment in memory, which is all that a quick place needs. After that it is parked: it leaves
 * this process, and comes back when the place has room again. So whatever is slow or dead holds up its own work and nobody
 * else's, at no cost while it does.
 */
export interface ConcurrencyLimits {
  /** Room at the place; null: the work has been parked, and is no longer held. */
  acquire(claim: Claim, key: string): Promise<Permit | null>;
}

/** As the queue holds them. */
export interface RefilledConcurrency extends ConcurrencyLimits {
  /** Every now and then, with the names of the places where anything is parked: also by processes that are gone. */
  refill(parkedAt: string[]): void;
}

export interface Permit {
  /** `answered`: the place is alive. One that is not gets fewer calls at once. */
  release(answered: boolean): void;
}

export interface ConcurrencyOptions {
  /** Calls of this process under way at once. One place gets at most an eighth of what is free, so a few cannot take it all. */
  total: number;
  maxConcurrent: number;
  maxConcurrentWhenFailing: number;
}

/** What a Places needs of the queue, for its own kind of work. */
export interface Parking {
  /** Ends the lease and sets the work aside. */
  park(work: { id: string; place: string }[]): Promise<unknown>;
  /** Gives up to `limit` of what is parked there to this process; how many there were. */
  unpark(key: string, limit: number): Promise<number>;
}

const waitMs = 250;
const arrivalMs = 5_000;
const forgetMs = 600_000;

interface LimitedKey {
  key: string;
  inFlight: number;
  /** In the order in which they came. */
  waiting: Set<Waiter>;
  /** There is, or may be, work parked here: newcomers line up behind it, unless they are critical. */
  parked: boolean;
  parking: number;
  /** Unparked and on its way to `enter`. Below zero for a moment when it is there before we know that it was unparked. */
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
    // However many places are silent, a quarter of the room is left to those that answer.
    return Math.max(
      0,
      Math.min(options.maxConcurrentWhenFailing, Math.floor((free - options.total / 4) / 8)),
    );
  }

  /** What is critical finds room beyond that of the others, as in the process itself: half as much again. */
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

  /** Critical work first: it has room beyond that of the others, so it may go while they may not. */
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

  /** Takes up parked work once half of the room is free, so that each round trip brings several. */
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
      // The database is away; the next tick tries again.
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
        // What was unparked and could not be loaded never arrives; the queue has it back.
        if (now - key.usedAt > arrivalMs) key.arriving = 0;
        void refillKey(key);
        const idle = !key.parked && key.inFlight + key.waiting.size + key.parking === 0;
        if (idle && (!key.failing || now - key.usedAt > forgetMs)) keys.delete(key.key);
      }
    },
  };
}
