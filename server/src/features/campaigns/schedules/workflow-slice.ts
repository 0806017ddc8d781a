import type { Deps } from '../../../deps.ts';
import type { JsonObject } from '../../../engine/index.ts';
import { Problem } from '../../../kernel/errors.ts';
import type { NewRuns } from '../../workflows/runs/index.ts';
import { onTimeMs } from './due.ts';
import { checkAudience, type Member, nextMembers, zoneOf } from './members.ts';
import { type SlotSlice, sliceProgress } from './slice.ts';
import type { LoadedScheduleRun, RunDefinition, RunProgress } from './store.ts';
import type { ScheduledWorkflow } from './target.ts';
import { momentIn } from './timing.ts';

const sliceSize = 500;

type WorkflowDeps = Pick<Deps, 'pool'> & { newRuns: NewRuns };
type CheckedRuns = Parameters<NewRuns['write']>[2];

/** The trigger data of one member. */
export function memberData(data: JsonObject, userId: string | null): JsonObject {
  return userId === null ? data : { ...data, external_user_id: userId };
}

/** One run of the workflow, or those of the next 500 members of the audience. */
export async function workflowSlice(
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
  const { result: members, next } = await nextMembers(
    pool,
    environmentId,
    audience,
    row.last_user,
    sliceSize,
  );
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
