import type { Sql } from '../../../db/sql.ts';
import type { Queue } from '../../../queue/index.ts';
import { recordEvents } from '../../webhooks/index.ts';
import type { MissedSlots } from './due.ts';

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
