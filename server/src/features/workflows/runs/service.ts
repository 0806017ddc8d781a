import { transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { StepEntry } from '../../../engine/index.ts';
import type { Principal } from '../../../http/principal.ts';
import { notFound, Problem } from '../../../kernel/errors.ts';
import { idTime } from '../../../kernel/ids.ts';
import { pageOf, pageRequest } from '../../../kernel/page.ts';
import type { LoopGuard } from '../../control/brake/index.ts';
import { findWorkflow, sourceOf, stepView } from '../workflows/index.ts';
import { createEvents, type Events } from './events.ts';
import type { NewRuns } from './new-runs.ts';
import type { Cancellation, Run, RunQuery, RunSummary } from './schema.ts';
import { findRun, listRuns, listSteps, lockRuns, markCancelling, type StoredRun } from './store.ts';
import { createTrigger, type Trigger } from './trigger.ts';
import { deleteWaits, lockWaits } from './waits-store.ts';

export interface RunService extends Events {
  trigger: Trigger;
  get(principal: Principal, id: string): Promise<Run>;
  list(
    principal: Principal,
    workflowKey: string,
    query: RunQuery,
  ): Promise<{ items: RunSummary[]; next_page_token: string | null }>;
  cancel(principal: Principal, id: string): Promise<Cancellation['status']>;
}

export function createRunService(
  deps: Pick<Deps, 'pool' | 'listReads' | 'queue' | 'clock' | 'tasks'> & {
    newRuns: NewRuns;
    loopGuard: LoopGuard;
  },
): RunService {
  const { pool } = deps;
  return {
    ...createEvents(deps),
    trigger: createTrigger(deps),

    async get({ environmentId, environmentKind }, id) {
      const run = await findRun(pool, environmentId, id);
      if (!run) throw notFound('run');
      return runView(run, environmentKind, await listSteps(pool, id));
    },

    async list({ id: callerId, environmentId, environmentKind }, workflowKey, query) {
      const workflow = await findWorkflow(pool, environmentId, workflowKey);
      if (!workflow) throw notFound('workflow');
      const list = `runs:${workflow.id}`;
      const page = pageRequest(list, query);
      const rows = await deps.listReads.read(callerId, (sql) => listRuns(sql, workflow, query, page));
      const { data, next_cursor } = pageOf(list, rows, page.limit);
      return { items: data.map((run) => summaryOf(run, environmentKind)), next_page_token: next_cursor };
    },

    cancel: (principal, id) => cancelRun(deps, principal, id),
  };
}

/**
 * Cancelling marks the run, and the next advance ends it; an advance in progress finds the mark before it writes. A marked run
 * is not woken by events. Cancelling twice has the effect of cancelling once.
 */
async function cancelRun(
  { pool, queue }: Pick<Deps, 'pool' | 'queue'>,
  { environmentId }: Principal,
  runId: string,
): Promise<Cancellation['status']> {
  const status = await transaction(pool, async (tx): Promise<Cancellation['status']> => {
    if (!(await findRun(tx, environmentId, runId))) throw notFound('run');
    const current = (await lockRuns(tx, [runId])).get(runId);
    switch (current) {
      case undefined:
        throw notFound('run');
      case 'cancelled':
      case 'cancelling':
        return current;
      case 'completed':
      case 'failed':
        throw new Problem('run_not_cancellable', `The run has already ${current}.`);
      default:
        await markCancelling(tx, [runId]);
        await lockWaits(tx, [runId]);
        await deleteWaits(tx, [runId]);
        await queue.runNow(tx, 'run', [runId]);
        return 'cancelling';
    }
  });
  if (status === 'cancelling') queue.ring('run');
  return status;
}

function summaryOf(run: StoredRun, environmentKind: 'test' | 'live'): RunSummary {
  return {
    id: run.id,
    workflow_key: run.workflow_key,
    version: run.version,
    status: run.status,
    current_step_id: run.current_step_id,
    external_user_id: run.external_user_id,
    trigger_data: run.trigger_data,
    source: sourceOf(environmentKind),
    created_at: new Date(idTime(run.id)).toISOString(),
    completed_at: run.completed_at?.toISOString() ?? null,
    failure_reason: run.failure_reason,
  };
}

function runView(run: StoredRun, environmentKind: 'test' | 'live', steps: StepEntry[]): Run {
  return { ...summaryOf(run, environmentKind), steps: steps.map(stepView) };
}
