import type { TimerFields } from './store.ts';
import { nextRun, type ScheduleTiming } from './timing.ts';

type TimerTimes = Pick<TimerFields, 'next_slot' | 'next_run_at'>;

/** The times that are stored with a schedule when it is saved and when its timer is due. */
export function timerTimes(timing: ScheduleTiming, slot: number | null, now: number): TimerTimes {
  const run = slot !== null && timing.perRecipient ? nextRun(timing, now) : null;
  return {
    next_slot: slot === null ? null : new Date(slot),
    next_run_at: run === null ? null : new Date(run),
  };
}

/**
 * A timer is due at the next slot. Per recipient, a run in the zone of the schedule may pass before it, hours after its own slot
 * has begun: then the timer only moves next_run_at on.
 */
export function timerDueAt({ next_slot: slot, next_run_at: run }: TimerTimes): Date | null {
  return slot !== null && run !== null && run < slot ? run : slot;
}
