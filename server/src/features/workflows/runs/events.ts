import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { matchTask } from '../../../engine/index.ts';
import type { Principal } from '../../../http/principal.ts';
import { invalidParameter, notFound } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { TaskStopped } from '../../../threads/task.ts';
import { findWorkflow, listPatterns } from '../workflows/index.ts';
import { type EventRequest, endedStatuses, runLimits } from './schema.ts';
import { findRun } from './store.ts';
import * as waits from './waits-store.ts';
import { findSendingRun } from './waits-store.ts';

/** `post…` return the number of runs that the event woke. */
export interface Events {
  postToRun(principal: Principal, runId: string, event: EventRequest): Promise<number>;
  postToWorkflow(principal: Principal, workflowKey: string, event: EventRequest): Promise<number>;
  /**
   * For an event about a notification, caused by its recipient: it goes to the run that sent the notification. `wake` writes the
   * event in the transaction of its cause; ring `run` after the commit when it wakes a run.
   */
  prepareForSender(
    environmentId: string,
    notificationId: string,
    event: EventRequest,
  ): Promise<{ chain: string | null; wake: WakeRuns }>;
}

/** Resolves to the number of runs that the event wakes. */
type WakeRuns = (tx: Sql) => Promise<number>;

const wakeNone: WakeRuns = () => Promise.resolve(0);

export function createEvents({
  pool,
  queue,
  clock,
  tasks,
}: Pick<Deps, 'pool' | 'queue' | 'clock' | 'tasks'>): Events {
  /**
   * The match patterns of the workflow's runs are known, so the event's data determines the keys of the waits that it ends, and
   * an index finds them however many runs wait. The transaction claims the waits, so that a second event finds none, and makes
   * the jobs of their runs ready.
   */
  async function prepare(
    environmentId: string,
    workflowId: string,
    runId: string | null,
    event: EventRequest,
  ): Promise<WakeRuns | null> {
    const { event_name: name, event_data: data } = event;
    const patterns = await listPatterns(pool, workflowId, name);
    const matchKeys = await tasks
      .run(matchTask, environmentId, { patterns: patterns.map(({ paths }) => paths), data })
      .catch(refuseStopped);
    const keys = patterns.flatMap(({ lookback }, index) => {
      const matchKey = matchKeys[index] ?? null;
      return matchKey === null ? [] : [{ key: waits.waitKeyOf(workflowId, name, matchKey), lookback }];
    });
    if (keys.length === 0) return null;
    const lookbackKeys = keys.filter(({ lookback }) => lookback).map(({ key }) => key);
    const eventId = newId(clock());

    return async (tx) => {
      await waits.lockWaitKeys(tx, 'event', lookbackKeys);
      const woken = await waits.lockOpenWaits(
        tx,
        keys.map(({ key }) => key),
        runId,
      );
      if (woken.length === 0 && lookbackKeys.length === 0) return 0;
      await waits.insertEvent(tx, { id: eventId, environmentId, runId, name, data, lookbackKeys });
      await waits.claimWaits(
        tx,
        woken.map((id) => ({ runId: id, eventId })),
      );
      await queue.runNow(tx, 'run', woken);
      return woken.length;
    };
  }

  async function post(...event: Parameters<typeof prepare>): Promise<number> {
    const wake = await prepare(...event);
    const count = wake ? await transaction(pool, wake) : 0;
    if (count > 0) queue.ring('run');
    return count;
  }

  return {
    async postToRun({ environmentId }, runId, event) {
      check(event);
      const run = await findRun(pool, environmentId, runId);
      if (!run) throw notFound('run');
      return endedStatuses.has(run.status) ? 0 : post(environmentId, run.workflow_id, run.id, event);
    },

    async postToWorkflow({ environmentId }, workflowKey, event) {
      check(event);
      const workflow = await findWorkflow(pool, environmentId, workflowKey);
      return workflow ? post(environmentId, workflow.id, null, event) : 0;
    },

    async prepareForSender(environmentId, notificationId, event) {
      const sender = await findSendingRun(pool, environmentId, notificationId);
      const run = sender && (await findRun(pool, environmentId, sender.run_id));
      if (!run || endedStatuses.has(run.status)) return { chain: sender?.chain ?? null, wake: wakeNone };
      const wake = await prepare(environmentId, run.workflow_id, run.id, event);
      return { chain: sender.chain, wake: wake ?? wakeNone };
    },
  };
}

function refuseStopped(error: unknown): never {
  if (!(error instanceof TaskStopped)) throw error;
  throw invalidParameter(
    'event_data',
    `event_data cannot be matched against waiting runs: ${error.message}.`,
  );
}

function check({ event_data: data }: EventRequest): void {
  if (JSON.stringify(data).length > runLimits.eventData)
    throw invalidParameter(
      'event_data',
      `event_data must have at most ${runLimits.eventData} characters as JSON.`,
    );
}
