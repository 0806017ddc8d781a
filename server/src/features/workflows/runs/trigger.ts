import { isDatabaseUnavailable, trackWrite } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { JsonObject } from '../../../engine/index.ts';
import { bodyHashOf } from '../../../http/json.ts';
import type { Principal } from '../../../http/principal.ts';
import { createBatcher } from '../../../kernel/batcher.ts';
import { Problem } from '../../../kernel/errors.ts';
import type { TaskRunner } from '../../../threads/task.ts';
import type { LoopGuard } from '../../control/brake/index.ts';
import {
  checkIdempotencyKey,
  findEarlierHolder,
  findKeyHolder,
  type KeyClaim,
  nameOfKey,
} from '../../platform/idempotency/index.ts';
import type { NewRuns } from './new-runs.ts';
import type { RunStatus } from './schema.ts';
import { findRun, insertRuns, type NewRun } from './store.ts';

interface Triggered {
  runId: string;
  status: RunStatus;
  /** True when the Idempotency-Key was used before, and no run was triggered. */
  replayed: boolean;
}

interface TriggerRequest {
  workflowKey: string;
  triggerData: JsonObject;
  idempotencyKey: string | null;
  isAbandoned: () => boolean;
  /** The chain of runs that led to this trigger, as it was received. */
  chain: string | null;
}

export type Trigger = (principal: Principal, request: TriggerRequest) => Promise<Triggered>;

interface NewTrigger {
  run: NewRun;
  keyClaim: KeyClaim | null;
}

/** Triggers that arrive together are written in one batch, as notifications are. */
export function createTrigger({
  pool,
  queue,
  tasks,
  newRuns,
  loopGuard,
}: Pick<Deps, 'pool' | 'queue' | 'tasks'> & { newRuns: NewRuns; loopGuard: LoopGuard }): Trigger {
  const batcher = createBatcher<NewTrigger, boolean>((triggers) => trackWrite(pool, () => write(triggers)), {
    concurrency: 2,
    maxItems: 250,
    weigh: ({ run }) => JSON.stringify(run.trigger_data).length,
    maxWeight: 1_000_000,
    splitOn: (error) => !isDatabaseUnavailable(error),
    maxWaiting: { items: 10_000, weight: 64_000_000 }, // as for notifications
  });

  /** Returns true for a written trigger, and false when its Idempotency-Key was used before, here or in the same batch. */
  async function write(triggers: NewTrigger[]): Promise<boolean[]> {
    const first = new Map<string, NewTrigger>();
    for (const trigger of triggers) {
      const name = trigger.keyClaim ? nameOfKey(trigger.keyClaim) : trigger.run.id;
      if (!first.has(name)) first.set(name, trigger);
    }
    const written = await insertRuns(pool, queue, [...first.values()]);
    queue.ring('run');
    return triggers.map(({ run }) => written.has(run.id));
  }

  async function replayed(environmentId: string, runId: string): Promise<Triggered> {
    const run = await findRun(pool, environmentId, runId);
    if (!run) throw new Problem('resource_not_found', 'The run of this Idempotency-Key no longer exists.');
    return { runId, status: run.status, replayed: true };
  }

  return async (principal, request) => {
    const { environmentId } = principal;
    const claim = await claimOf(tasks, environmentId, request);
    let run: NewRun;
    try {
      run = await newRuns.check(principal, request.workflowKey, request.triggerData);
      run.chain = await loopGuard.check(principal, request.chain);
    } catch (error) {
      // The workflow may have been changed or disabled since: a replay still gets the result of the original trigger.
      const earlier = error instanceof Problem && claim ? await findEarlierHolder(pool, claim) : null;
      if (earlier === null) throw error;
      return replayed(environmentId, earlier);
    }
    const keyClaim = claim && { ...claim, resourceId: run.id };
    for (;;) {
      if (await batcher.add({ run, keyClaim }, request.isAbandoned)) {
        newRuns.written(principal, [run]);
        return { runId: run.id, status: 'pending', replayed: false };
      }
      if (!keyClaim) throw new Error('a run without an idempotency key was not written');
      const holder = await findKeyHolder(pool, keyClaim);
      if (holder !== null) return replayed(environmentId, holder);
    }
  };
}

async function claimOf(
  tasks: TaskRunner,
  environmentId: string,
  { workflowKey, idempotencyKey, triggerData }: TriggerRequest,
): Promise<Omit<KeyClaim, 'resourceId'> | null> {
  if (idempotencyKey === null) return null;
  return {
    environmentId,
    operation: `trigger:${workflowKey}`,
    key: checkIdempotencyKey(idempotencyKey),
    bodyHash: await bodyHashOf(tasks, environmentId, { trigger_data: triggerData }),
  };
}
