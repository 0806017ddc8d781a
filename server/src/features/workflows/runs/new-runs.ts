import { parseAddressKey } from '../../../channels/address-key.ts';
import type { Sql } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { type JsonObject, validateTriggerData } from '../../../engine/index.ts';
import { invalidParameter, notFound } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { isRecord } from '../../../kernel/json.ts';
import type { QuotaHolder } from '../../../kernel/storage.ts';
import type { Lane } from '../../../queue/index.ts';
import { overheadBytes } from '../../control/usage/index.ts';
import { type ActiveVersion, triggerDataProblem, type WorkflowService } from '../workflows/index.ts';
import { runLimits } from './schema.ts';
import { insertRuns, type NewRun } from './store.ts';

/** New runs: for triggers, and for features that start runs in a transaction of their own. */
export interface NewRuns {
  /** Makes a run of the active version of a workflow, or throws a Problem. Not within a transaction: a thread may check the data. */
  check(holder: QuotaHolder, workflowKey: string, triggerData: JsonObject): Promise<NewRun>;
  /** Writes runs with their work. After the commit, call `written` and ring `run`. */
  write(tx: Sql, lane: Lane, runs: { run: NewRun; runAt: Date | null }[]): Promise<void>;
  written(holder: QuotaHolder, runs: NewRun[]): void;
}

export function createNewRuns({
  queue,
  clock,
  activity,
  storage,
  tasks,
  workflows,
}: Pick<Deps, 'queue' | 'clock' | 'activity' | 'storage' | 'tasks'> & {
  workflows: Pick<WorkflowService, 'findActive'>;
}): NewRuns {
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

  return {
    async check(holder, key, triggerData) {
      const { environmentId } = holder;
      if (JSON.stringify(triggerData).length > runLimits.triggerData)
        throw invalidParameter(
          'trigger_data',
          `trigger_data must have at most ${runLimits.triggerData} characters as JSON.`,
        );
      const active = await activeVersionFor(environmentId, key, triggerData);
      storage.check(holder);
      const userId = userOf(triggerData);
      return {
        id: newId(clock()),
        environment_id: environmentId,
        workflow_id: active.workflowId,
        version: active.version,
        external_user_id: userId,
        address: addressOf(triggerData, userId),
        trigger_data: triggerData,
        chain: null,
      };
    },

    async write(tx, lane, runs) {
      if (runs.length === 0) return;
      await insertRuns(
        tx,
        queue,
        runs.map(({ run, runAt }) => ({ run, keyClaim: null, lane, runAt })),
      );
    },

    written(holder, runs) {
      for (const { workflow_id, trigger_data } of runs) {
        activity.triggered(workflow_id);
        storage.add(holder, () => overheadBytes + JSON.stringify(trigger_data).length);
      }
    },
  };
}

const personRecords = (data: JsonObject): Record<string, unknown>[] =>
  [data, data.recipient, data.user].flatMap((location) => (isRecord(location) ? [location] : []));

/** The user the run is about, when the trigger data names one. */
function userOf(data: JsonObject): string | null {
  const ids = personRecords(data).map(({ external_user_id: id }) => id);
  return ids.find((id) => isText(id, 255)) ?? null;
}

/** The address of the person when the trigger data names no user; an address may also serve as the id of a user. */
function addressOf(data: JsonObject, userId: string | null): string | null {
  if (userId !== null) return 'key' in parseAddressKey(userId) ? userId : null;
  const addresses = personRecords(data).flatMap((location) => [
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
