import { type Sql, untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { JsonObject } from '../../../engine/index.ts';
import { Problem } from '../../../kernel/errors.ts';
import { type Claim, runSlice, type WorkKind } from '../../../queue/index.ts';
import type { NewRuns } from '../../workflows/runs/index.ts';
import type { BroadcastDefinition, BroadcastService } from '../broadcasts/index.ts';
import { onTimeMs, recordMissed } from './due.ts';
import { checkAudience, type Member, nextMembers, zoneOf } from './members.ts';
import {
  type LoadedScheduleRun,
  lockScheduleRun,
  type RunDefinition,
  type RunProgress,
  type ScheduleRow,
  updateScheduleRun,
} from './store.ts';
import type { ScheduledBroadcast, ScheduledWorkflow } from './target.ts';
import { localTimeOf, momentIn } from './timing.ts';

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

/** A part of what a slot starts: checked before the transaction that writes it. */
interface SlotSlice {
  write(tx: Sql): Promise<RunProgress>;
  /** Kinds of work to ring after the commit. */
  rings?: readonly WorkKind[];
  /** Called after the commit. */
  committed?(): void;
}

/** The progress of a slice, which is the last one unless `isDone` is false. */
function sliceProgress(id: string, result: Partial<Omit<RunProgress, 'id'>>): RunProgress {
  return {
    id,
    lastUser: null,
    runId: null,
    broadcastId: null,
    started: 0,
    skipped: 0,
    isDone: true,
    failureReason: null,
    ...result,
  };
}

/** The broadcast of a slot. It is written in the transaction that ends the slot, so a slot starts one. */
async function broadcastSlice(
  broadcasts: Pick<BroadcastService, 'check' | 'start'>,
  row: LoadedScheduleRun,
  definition: RunDefinition,
  { broadcast }: ScheduledBroadcast,
): Promise<SlotSlice> {
  const checked = definition.perRecipient
    ? await broadcasts.check(
        row.sender,
        broadcastAt(broadcast, localTimeOf(row.slot.getTime()), definition.timezone),
        periodOf(definition, row.now),
      )
    : await broadcasts.check(row.sender, broadcast);
  return {
    async write(tx) {
      await broadcasts.start(tx, checked);
      return sliceProgress(row.id, { broadcastId: checked.id, started: 1 });
    },
    rings: ['broadcast'],
  };
}

/** The broadcast at a local time of each recipient: broadcasts apply the time zones themselves. */
export function broadcastAt(
  broadcast: ScheduledBroadcast['broadcast'],
  localTime: string,
  timezone: string,
): BroadcastDefinition {
  return { ...broadcast, send_at_local: localTime, timezone };
}

/** Recipients for whom the time was missed are left out, unless they get it late. */
function periodOf({ notBefore, notAfter, runsLate }: RunDefinition, now: number) {
  const from = runsLate ? notBefore : Math.max(notBefore ?? 0, now - onTimeMs);
  return {
    from: from === null ? null : new Date(from),
    until: notAfter === null ? null : new Date(notAfter),
  };
}

const sliceSize = 500;

type WorkflowDeps = Pick<Deps, 'pool'> & { newRuns: NewRuns };
type CheckedRuns = Parameters<NewRuns['write']>[2];

/** The trigger data of one member. */
export function memberData(data: JsonObject, userId: string | null): JsonObject {
  return userId === null ? data : { ...data, external_user_id: userId };
}

/** One run of the workflow, or those of the next 500 members of the audience. */
async function workflowSlice(
  deps: WorkflowDeps,
  row: LoadedScheduleRun,
  definition: RunDefinition,
  target: ScheduledWorkflow,
): Promise<SlotSlice> {
  const { newRuns, pool } = deps;
  const { workflow_key: key, trigger_data: data, audience } = target;
  const { sender } = row;
  const { environmentId } = sender;

  const slice = (runs: CheckedRuns, progress: RunProgress): SlotSlice => ({
    async write(tx) {
      await newRuns.write(tx, audience ? 'bulk' : 'normal', runs);
      return progress;
    },
    rings: ['run'],
    committed: () =>
      newRuns.written(
        sender,
        runs.map(({ run }) => run),
      ),
  });

  if (!audience) {
    const run = await newRuns.check(sender, key, data);
    return slice([{ run, runAt: null }], sliceProgress(row.id, { runId: run.id, started: 1 }));
  }
  if (row.last_user === null) await checkAudience(pool, environmentId, audience);
  const { result: members, next } = await nextMembers(pool, environmentId, audience, {
    after: row.last_user,
    limit: sliceSize,
  });
  const runAtOf = runTimes(definition, row);
  const runs: CheckedRuns = [];
  for (const member of members) {
    const runAt = runAtOf(member);
    const run = runAt === null ? null : await checkMember(memberData(data, member.external_user_id));
    if (run) runs.push({ run, runAt: runAt !== null && runAt > row.now ? new Date(runAt) : null });
  }
  const skipped = members.length - runs.length;
  return slice(
    runs,
    sliceProgress(row.id, { lastUser: next, isDone: next === null, started: runs.length, skipped }),
  );

  /** Returns null for a member whose trigger data does not fit the workflow; any other problem concerns all of them. */
  async function checkMember(triggerData: JsonObject) {
    try {
      return await newRuns.check(sender, key, triggerData);
    } catch (error) {
      if (error instanceof Problem && error.code === 'trigger_data_invalid') return null;
      throw error;
    }
  }
}

/** Returns when the run of a member begins, or null when the member gets none. Members have few different zones. */
function runTimes(definition: RunDefinition, row: LoadedScheduleRun): (member: Member) => number | null {
  const { perRecipient, notBefore, notAfter, runsLate } = definition;
  const known = new Map<string | null, number | null>();
  return (member) => {
    if (!perRecipient) return row.now;
    const found = known.get(member.timezone);
    if (found !== undefined) return found;
    const at = momentIn(definition, row.slot.getTime(), zoneOf(member) ?? definition.timezone);
    const isOutside = (notBefore !== null && at < notBefore) || (notAfter !== null && at > notAfter);
    const isMissed = at < row.now - onTimeMs && !runsLate;
    const runAt = isOutside || isMissed ? null : at;
    known.set(member.timezone, runAt);
    return runAt;
  };
}
