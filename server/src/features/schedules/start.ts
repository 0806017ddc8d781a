import { transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import type { JsonObject } from '../../engine/index.ts';
import { Problem } from '../../kernel/errors.ts';
import type { Claim } from '../../queue/index.ts';
import type { NewRuns } from '../runs/index.ts';
import { onTimeMs } from './due.ts';
import { recordMissed } from './events.ts';
import { listMembers, type Member } from './members.ts';
import {
  type LoadedScheduleRun,
  lockScheduleRun,
  type RunDefinition,
  type RunProgress,
  type ScheduleRow,
  updateScheduleRun,
} from './store.ts';
import { momentIn } from './timing.ts';

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

/** The trigger data of one member. */
export function memberData(data: JsonObject, userId: string | null): JsonObject {
  return userId === null ? data : { ...data, external_user_id: userId };
}

const sliceSize = 500;

type StartDeps = Pick<Deps, 'pool' | 'queue'> & { newRuns: NewRuns };

type CheckedRun = { run: Awaited<ReturnType<NewRuns['check']>>; runAt: Date | null };

/** One slice of the audience, before it is written. */
interface Slice {
  runs: CheckedRun[];
  progress: RunProgress;
}

/**
 * Starts the runs of a slot, for 500 members of the audience at a time. Each slice commits together with the position after
 * it and the work for the next one, so a crash repeats and loses nothing.
 */
export async function startSlice(
  { pool, queue, newRuns }: StartDeps,
  claim: Claim,
  row: LoadedScheduleRun,
): Promise<void> {
  const slice = await sliceOf({ pool, newRuns }, row);
  const holder = holderOf(row);
  const written = await transaction(pool, async (tx) => {
    if ((await queue.finish(tx, 'schedule', [claim.id])).length === 0) return false;
    const current = await lockScheduleRun(tx, row.id);
    // The lease was lost and taken up again meanwhile; the schedule may also have been deleted.
    if (current?.status !== 'running' || current.last_user !== row.last_user) return false;
    const { progress, runs } = slice;
    await newRuns.write(tx, row.definition?.target.audience ? 'bulk' : 'normal', runs);
    await updateScheduleRun(tx, progress);
    if (!progress.isDone) {
      const { id, environment_id: environmentId } = row;
      await queue.enqueue(tx, [{ kind: 'schedule', id, lane: 'bulk', environmentId }]);
    }
    if (progress.failureReason !== null)
      await recordMissed(tx, queue, row, {
        reason: 'not_started',
        detail: progress.failureReason,
        missed: { count: 1, first: row.slot.getTime(), last: row.slot.getTime() },
        isRunLate: false,
      });
    return true;
  });
  if (!written) return;
  newRuns.written(
    holder,
    slice.runs.map(({ run }) => run),
  );
  queue.ring('run');
  if (!slice.progress.isDone) queue.ring('schedule');
  if (slice.progress.failureReason !== null) queue.ring('webhook_delivery');
}

async function sliceOf(
  { pool, newRuns }: Pick<StartDeps, 'pool' | 'newRuns'>,
  row: LoadedScheduleRun,
): Promise<Slice> {
  const done: RunProgress = {
    id: row.id,
    lastUser: null,
    runId: null,
    started: 0,
    skipped: 0,
    isDone: true,
    failureReason: null,
  };
  const { definition } = row;
  if (!definition) return { runs: [], progress: done };
  const { target } = definition;
  const data = target.trigger_data ?? {};
  try {
    if (!target.audience) {
      const run = await newRuns.check(holderOf(row), target.workflow_key, data);
      return { runs: [{ run, runAt: null }], progress: { ...done, runId: run.id, started: 1 } };
    }
    const members = await listMembers(pool, row.environment_id, target.audience, row.last_user, sliceSize);
    const runs: CheckedRun[] = [];
    for (const member of members) {
      const runAt = runAtOf(definition, row, member);
      if (runAt === null) continue;
      const run = await checkMember(newRuns, row, memberData(data, member.external_user_id));
      if (run) runs.push({ run, runAt: runAt > row.now ? new Date(runAt) : null });
    }
    return {
      runs,
      progress: {
        ...done,
        lastUser: members.at(-1)?.external_user_id ?? null,
        started: runs.length,
        skipped: members.length - runs.length,
        isDone: members.length < sliceSize,
      },
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { runs: [], progress: { ...done, failureReason: `${error.message} (${error.code})` } };
  }
}

/** Returns null for a member whose trigger data does not fit the workflow; any other problem concerns all of them. */
async function checkMember(newRuns: NewRuns, row: LoadedScheduleRun, data: JsonObject) {
  try {
    return await newRuns.check(holderOf(row), row.definition?.target.workflow_key ?? '', data);
  } catch (error) {
    if (error instanceof Problem && error.code === 'trigger_data_invalid') return null;
    throw error;
  }
}

/** Returns when the run of a member begins, or null when the member gets none. */
function runAtOf(definition: RunDefinition, row: LoadedScheduleRun, member: Member): number | null {
  if (!definition.perRecipient) return row.now;
  const { notBefore, notAfter, runsLate, timezone } = definition;
  const at = momentIn(definition, row.slot.getTime(), member.timezone ?? timezone);
  if ((notBefore !== null && at < notBefore) || (notAfter !== null && at > notAfter)) return null;
  return at < row.now - onTimeMs && !runsLate ? null : at;
}

function holderOf(row: LoadedScheduleRun) {
  return { environmentId: row.environment_id, environmentKind: row.environment_kind, plan: row.plan };
}
