import { untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { Problem } from '../../../kernel/errors.ts';
import { type Claim, runSlice, type WorkKind } from '../../../queue/index.ts';
import type { NewRuns } from '../../workflows/runs/index.ts';
import type { BroadcastService } from '../broadcasts/index.ts';
import { broadcastSlice } from './broadcast-slice.ts';
import { recordMissed } from './events.ts';
import { type SlotSlice, sliceProgress } from './slice.ts';
import {
  type LoadedScheduleRun,
  lockScheduleRun,
  type RunDefinition,
  type RunProgress,
  type ScheduleRow,
  updateScheduleRun,
} from './store.ts';
import { workflowSlice } from './workflow-slice.ts';

/** What a run of the schedule does. “Run now” ignores time zones and the period. */
export function runDefinition(schedule: ScheduleRow, isManual: boolean): RunDefinition {
  const since = schedule.active_since.getTime();
  return {
    target: schedule.target,
    timezone: schedule.timezone,
    perRecipient: schedule.per_recipient_timezone && !isManual,
    notBefore: isManual ? null : Math.max(since, schedule.starts_at?.getTime() ?? since),
    notAfter: isManual ? null : (schedule.ends_at?.getTime() ?? null),
    runsLate: schedule.missed_runs === 'run_once',
  };
}

export type StartDeps = Pick<Deps, 'pool' | 'queue'> & {
  newRuns: NewRuns;
  broadcasts: Pick<BroadcastService, 'check' | 'start'>;
};

/**
 * Starts what a slot starts: a run, a broadcast, or the runs of the next members of the audience. Each slice commits together
 * with the position after it and the work for the next one, so a crash repeats and loses nothing.
 */
export async function startSlice(deps: StartDeps, claim: Claim, row: LoadedScheduleRun): Promise<void> {
  const failed = failureOf(row);
  const slice = await untilDatabaseAnswers(() => checkedSlice(deps, row)).catch((error): SlotSlice => {
    const progress = failed(error);
    return { write: async () => progress };
  });
  await runSlice(deps, claim, async (tx) => {
    const current = await lockScheduleRun(tx, row.id);
    // The lease was lost and taken up again meanwhile; the schedule may also have been deleted.
    if (current?.status !== 'running' || current.last_user !== row.last_user) return null;
    const written = await slice.write(tx).catch(failed);
    await updateScheduleRun(tx, written);
    const rings: WorkKind[] = [...(slice.rings ?? [])];
    if (written.failureReason !== null) {
      rings.push('webhook_delivery');
      await recordMissed(tx, deps.queue, row, {
        reason: 'not_started',
        detail: written.failureReason,
        missed: { count: 1, first: row.slot.getTime(), last: row.slot.getTime() },
        isRunLate: false,
      });
    }
    return { next: written.isDone ? null : 'now', lane: 'bulk', rings, committed: slice.committed };
  });
}

async function checkedSlice(deps: StartDeps, row: LoadedScheduleRun): Promise<SlotSlice> {
  const { id, definition } = row;
  if (!definition) return { write: async () => sliceProgress(id, {}) };
  const { target } = definition;
  return target.kind === 'workflow'
    ? workflowSlice(deps, row, definition, target)
    : broadcastSlice(deps.broadcasts, row, definition, target);
}

/** A Problem, which a caller of the API would get, ends the slot. Any other error is thrown, and the claim repeated. */
function failureOf({ id }: LoadedScheduleRun): (error: unknown) => RunProgress {
  return (error) => {
    if (!(error instanceof Problem)) throw error;
    return sliceProgress(id, { failureReason: `${error.message} (${error.code})` });
  };
}
