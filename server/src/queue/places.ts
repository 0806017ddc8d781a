import { createBatcher } from '../kernel/batcher.ts';
import { steadyClock } from '../kernel/clock.ts';
import type { Claim } from './work.ts';

/**
 * Fair use of a process by the places that its work goes to (an endpoint, a host). A place has room for some calls at once;
 * work for a full place waits a moment in memory, which is all that a quick place needs. After that it is parked: it leaves
 * this process, and comes back when the place has room again. So whatever is slow or dead holds up its own work and nobody
 * else's, at no cost while it does.
 */
export interface Places {
  /** Room at the place; null: the work has been parked, and is no longer held. */
  enter(claim: Claim, place: string): Promise<Room | null>;
}

/** As the queue holds them. */
export interface TendedPlaces extends Places {
  /** Every now and then, with the names of the places where anything is parked: also by processes that are gone. */
  tend(parkedAt: string[]): void;
}

export interface Room {
  /** `answered`: the place is alive. One that is not gets fewer calls at once. */
  leave(answered: boolean): void;
}

export interface PlacesOptions {
  /** Calls of this process under way at once. One place gets at most an eighth of what is free, so a few cannot take it all. */
  room: number;
  atOnce: number;
  atOnceWhenSilent: number;
}

/** What a Places needs of the queue, for its own kind of work. */
export interface Parking {
  /** Ends the lease and sets the work aside. */
  park(work: { id: string; place: string }[]): Promise<unknown>;
  /** Gives up to `limit` of what is parked there to this process; how many there were. */
  unpark(place: string, limit: number): Promise<number>;
}

const patienceMs = 250;
const arrivalMs = 5_000;
const forgetMs = 600_000;

interface Place {
  name: string;
  inFlight: number;
  /** In the order in which they came. */
  waiting: Set<Waiter>;
  /** There is, or may be, work parked here: newcomers line up behind it, unless they are critical. */
  parked: boolean;
  parking: number;
  /** Unparked and on its way to `enter`. Below zero for a moment when it is there before we know that it was unparked. */
  arriving: number;
  unparking: boolean;
  silent: boolean;
  usedAt: number;
}

interface Waiter {
  claim: Claim;
  go(): void;
}

export function createPlaces(parking: Parking, options: PlacesOptions): TendedPlaces {
  const places = new Map<string, Place>();
  let inFlight = 0;

  const parks = createBatcher<{ id: string; place: string }, undefined>(
    async (work) => {
      await parking.park(work);
      return work.map(() => undefined);
    },
    { concurrency: 1, maxItems: 500 },
  );

  function placeOf(name: string): Place {
    const known = places.get(name);
    if (known) return known;
    const made: Place = {
      name,
      inFlight: 0,
      waiting: new Set(),
      parked: false,
      parking: 0,
      arriving: 0,
      unparking: false,
      silent: false,
      usedAt: 0,
    };
    places.set(name, made);
    return made;
  }

  function limitOf(place: Place): number {
    const free = options.room - inFlight;
    if (!place.silent) return Math.max(1, Math.min(options.atOnce, Math.floor(free / 8)));
    // However many places are silent, a quarter of the room is left to those that answer.
    return Math.max(0, Math.min(options.atOnceWhenSilent, Math.floor((free - options.room / 4) / 8)));
  }

  /** What is critical finds room beyond that of the others, as in the process itself: half as much again. */
  const limitFor = (claim: Claim, place: Place): number =>
    Math.ceil(limitOf(place) * (claim.lane === 'critical' ? 1.5 : 1));

  function admit(place: Place): Room {
    place.inFlight += 1;
    inFlight += 1;
    return {
      leave(answered) {
        place.inFlight -= 1;
        inFlight -= 1;
        place.silent = !answered;
        admitWaiting(place);
        void refill(place);
      },
    };
  }

  /** Critical work first: it has room beyond that of the others, so it may go while they may not. */
  function admitWaiting(place: Place): void {
    for (const isCriticalTurn of [true, false]) {
      for (const { claim, go } of place.waiting) {
        if ((claim.lane === 'critical') !== isCriticalTurn) continue;
        if (place.inFlight >= limitFor(claim, place)) break;
        go();
      }
    }
  }

  async function park(claim: Claim, place: Place): Promise<null> {
    place.parked = true;
    place.parking += 1;
    try {
      await parks.add({ id: claim.id, place: place.name });
    } finally {
      place.parking -= 1;
    }
    return null;
  }

  async function enter(claim: Claim, name: string): Promise<Room | null> {
    const place = placeOf(name);
    place.usedAt = steadyClock();
    if (claim.unparkedFrom === name) place.arriving -= 1;
    else if (place.parked && claim.lane !== 'critical') return park(claim, place);
    if (place.inFlight < limitFor(claim, place)) return admit(place);

    const room = await new Promise<Room | null>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        place.waiting.delete(waiter);
      };
      const waiter: Waiter = {
        claim,
        go() {
          end();
          resolve(admit(place));
        },
      };
      const timer = setTimeout(() => {
        end();
        resolve(null);
      }, patienceMs);
      place.waiting.add(waiter);
    });
    return room ?? park(claim, place);
  }

  /** Takes up parked work once half of the room is free, so that each round trip brings several. */
  async function refill(place: Place): Promise<void> {
    const coming = place.inFlight + Math.max(0, place.arriving) + place.waiting.size;
    const limit = limitOf(place);
    if (!place.parked || place.unparking || limit === 0 || coming > limit / 2) return;
    place.unparking = true;
    try {
      const wanted = limit - coming;
      const taken = await parking.unpark(place.name, wanted);
      place.arriving += taken;
      place.usedAt = steadyClock();
      if (taken < wanted && place.parking === 0) place.parked = false;
    } catch {
      // The database is away; the next tick tries again.
    } finally {
      place.unparking = false;
    }
  }

  return {
    enter,
    tend(parkedAt) {
      const now = steadyClock();
      for (const name of parkedAt) placeOf(name).parked = true;
      for (const place of places.values()) {
        // What was unparked and could not be loaded never arrives; the queue has it back.
        if (now - place.usedAt > arrivalMs) place.arriving = 0;
        void refill(place);
        const idle = !place.parked && place.inFlight + place.waiting.size + place.parking === 0;
        if (idle && (!place.silent || now - place.usedAt > forgetMs)) places.delete(place.name);
      }
    },
  };
}
