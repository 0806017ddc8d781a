import type { Sql } from '../../../db/sql.ts';
import type { Queue } from '../../../queue/index.ts';
import { recordEvents } from '../../webhooks/index.ts';
import type { MissedPolicy } from './schema.ts';
import { type ScheduleTiming, slotAfter, zoneSpreadMs } from './timing.ts';

/** A slot that is claimed later than this was missed: no worker ran, or the database was down. */
export const onTimeMs = 5 * 60_000;
const maxMissed = 1_000;

interface MissedSlots {
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

/** Why slots were missed. late: no worker ran at the time. not_started: the workflow could not be triggered. */
interface Missed {
  reason: 'late' | 'not_started';
  detail: string | null;
  missed: MissedSlots;
  /** Whether one late run makes up for the slots. */
  isRunLate: boolean;
}

/** Reports missed slots to webhook endpoints. Ring `webhook_delivery` after the commit. */
export async function recordMissed(
  tx: Sql,
  queue: Pick<Queue, 'enqueue' | 'postpone'>,
  schedule: { environment_id: string; schedule_id: string; schedule_key: string },
  { reason, detail, missed, isRunLate }: Missed,
): Promise<void> {
  await recordEvents(tx, queue, [
    {
      environmentId: schedule.environment_id,
      type: 'schedule.missed',
      data: {
        schedule_id: schedule.schedule_id,
        schedule_key: schedule.schedule_key,
        reason,
        detail,
        missed_count: missed.count,
        first_slot: new Date(missed.first).toISOString(),
        last_slot: new Date(missed.last).toISOString(),
        run_late: isRunLate,
      },
    },
  ]);
}
