import type { MissedPolicy } from './schema.ts';
import { type ScheduleTiming, slotAfter, zoneSpreadMs } from './timing.ts';

/** A slot that is claimed later than this was missed: no worker ran, or the database was down. */
export const onTimeMs = 5 * 60_000;
const maxMissed = 1_000;

export interface MissedSlots {
  /** At most 1,000. */
  count: number;
  first: number;
  last: number;
}

interface DueSlots {
  /** The slot to run now; null when there is none. */
  run: number | null;
  missed: MissedSlots | null;
  /** The slot that the timer waits for next; null when the schedule has ended. */
  next: number | null;
}

/**
 * Decides what a timer does. One slot is handled at a time: the next one may be due already. Missed slots are handled
 * together, and run at most once.
 */
export function dueSlots(
  timing: ScheduleTiming,
  missedRuns: MissedPolicy,
  nextSlot: number,
  now: number,
): DueSlots {
  if (nextSlot > now) return { run: null, missed: null, next: nextSlot };
  const lateFrom = now - onTimeMs - zoneSpreadMs(timing);
  if (nextSlot >= lateFrom) return { run: nextSlot, missed: null, next: slotAfter(timing, nextSlot) };
  const missed: MissedSlots = { count: 0, first: nextSlot, last: nextSlot };
  let next: number | null = nextSlot;
  while (next !== null && next < lateFrom && missed.count < maxMissed) {
    missed.count += 1;
    missed.last = next;
    next = slotAfter(timing, next);
  }
  // After a long time with many slots, the rest is not counted.
  if (next !== null && next < lateFrom) next = slotAfter(timing, lateFrom - 1);
  // A slot that is due on time is the one run for all.
  const isCovered = next !== null && next <= now;
  return { run: missedRuns === 'run_once' && !isCovered ? missed.last : null, missed, next };
}
