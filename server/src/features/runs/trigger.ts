import { parseAddressKey } from '../../channels/address-key.ts';
import { isDatabaseUnavailable, trackWrite } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { type JsonObject, validateTriggerData } from '../../engine/index.ts';
import { bodyHashOf } from '../../http/body-hash.ts';
import type { Principal } from '../../http/principal.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import { invalidParameter, notFound, Problem } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { isRecord } from '../../kernel/record.ts';
import type { TaskRunner } from '../../kernel/threads/task.ts';
import {
  checkIdempotencyKey,
  findEarlierHolder,
  findKeyHolder,
  type KeyClaim,
  nameOfKey,
} from '../idempotency/index.ts';
import { overheadBytes } from '../usage/index.ts';
import { type ActiveVersion, triggerDataProblem, type WorkflowService } from '../workflows/index.ts';
import { limits, type RunStatus } from './schema.ts';
import { findRun, insertRuns, type NewRun } from './store.ts';

export interface Triggered {
  runId: string;
  status: RunStatus;
  /** True when the Idempotency-Key was used before, and no run was triggered. */
  replayed: boolean;
}

export type Trigger = (
  principal: Principal,
  workflowKey: string,
  triggerData: JsonObject,
  idempotencyKey: string | null,
  isAbandoned?: () => boolean,
) => Promise<Triggered>;

interface NewTrigger {
  run: NewRun;
  keyClaim: KeyClaim | null;
}

/** Triggers that arrive together are written in one batch, as notifications are. */
export function createTrigger({
  pool,
  queue,
  clock,
  activity,
  storage,
  tasks,
  workflows,
}: Pick<Deps, 'pool' | 'queue' | 'clock' | 'activity' | 'storage' | 'tasks'> & {
  workflows: Pick<WorkflowService, 'findActive'>;
}): Trigger {
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

  async function getActive(environmentId: string, key: string, isRead: boolean): Promise<ActiveVersion> {
    const active = await workflows.findActive(environmentId, key, isRead);
    if (!active) throw notFound('active workflow');
    return active;
  }

  /**
   * Data is refused only after the version has been read again: another process may just have activated one that accepts it.
   */
  async function activeVersionFor(
    environmentId: string,
    key: string,
    triggerData: JsonObject,
  ): Promise<ActiveVersion> {
    const known = await getActive(environmentId, key, false);
    const violationsOf = ({ definition }: ActiveVersion) =>
      validateTriggerData(tasks, environmentId, definition, triggerData);
    const violations = await violationsOf(known);
    if (violations.length === 0) return known;
    const latest = await getActive(environmentId, key, true);
    const remaining = latest.version === known.version ? violations : await violationsOf(latest);
    if (remaining.length > 0) throw triggerDataProblem(remaining);
    return latest;
  }

  async function check(principal: Principal, key: string, triggerData: JsonObject): Promise<NewRun> {
    const { environmentId } = principal;
    if (JSON.stringify(triggerData).length > limits.triggerData)
      throw invalidParameter(
        'trigger_data',
        `trigger_data must have at most ${limits.triggerData} characters as JSON.`,
      );
    const active = await activeVersionFor(environmentId, key, triggerData);
    storage.check(principal);
    const userId = userOf(triggerData);
    return {
      id: newId(clock()),
      environment_id: environmentId,
      workflow_id: active.workflowId,
      version: active.version,
      external_user_id: userId,
      address: addressOf(triggerData, userId),
      trigger_data: triggerData,
    };
  }

  async function replayed(environmentId: string, runId: string): Promise<Triggered> {
    const run = await findRun(pool, environmentId, runId);
    if (!run) throw notFound('run: the run of this Idempotency-Key no longer exists');
    return { runId, status: run.status, replayed: true };
  }

  return async (principal, workflowKey, triggerData, idempotencyKey, isAbandoned) => {
    const { environmentId } = principal;
    const claim =
      idempotencyKey === null
        ? null
        : await claimOf(tasks, environmentId, workflowKey, idempotencyKey, triggerData);
    let run: NewRun;
    try {
      run = await check(principal, workflowKey, triggerData);
    } catch (error) {
      // The workflow may have been changed or disabled since: a replay still gets the result of the original trigger.
      const earlier = error instanceof Problem && claim ? await findEarlierHolder(pool, claim) : null;
      if (earlier === null) throw error;
      return replayed(environmentId, earlier);
    }
    const keyClaim = claim && { ...claim, resourceId: run.id };
    for (;;) {
      if (await batcher.add({ run, keyClaim }, isAbandoned)) {
        activity.triggered(run.workflow_id);
        storage.add(principal, () => overheadBytes + JSON.stringify(triggerData).length);
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
  workflowKey: string,
  key: string,
  triggerData: JsonObject,
): Promise<Omit<KeyClaim, 'resourceId'>> {
  return {
    environmentId,
    operation: `trigger:${workflowKey}`,
    key: checkIdempotencyKey(key),
    bodyHash: await bodyHashOf(tasks, environmentId, { trigger_data: triggerData }),
  };
}

const placesOf = (data: JsonObject): Record<string, unknown>[] =>
  [data, data.recipient, data.user].flatMap((location) => (isRecord(location) ? [location] : []));

/** The user the run is about, when the trigger data names one. */
function userOf(data: JsonObject): string | null {
  const ids = placesOf(data).map(({ external_user_id: id }) => id);
  return ids.find((id) => isText(id, 255)) ?? null;
}

/** The address of the person when the trigger data names no user; an address may also serve as the id of a user. */
function addressOf(data: JsonObject, userId: string | null): string | null {
  if (userId !== null) return 'key' in parseAddressKey(userId) ? userId : null;
  const addresses = placesOf(data).flatMap((location) => [
    location.address,
    location.email,
    location.phone,
    location.chatone_user_id,
  ]);
  return addresses.find((address) => isText(address, 320)) ?? null;
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength;
}
