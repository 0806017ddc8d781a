import type { Deps } from '../../deps.ts';
import type { Principal } from '../../http/principal.ts';
import { notFound } from '../../kernel/errors.ts';
import { pageOf, pageRequest } from '../../kernel/page.ts';
import type { LoopGuard } from '../brake/index.ts';
import { findWorkflow } from '../workflows/index.ts';
import { cancelRun } from './cancel.ts';
import { createEvents, type Events } from './events.ts';
import type { NewRuns } from './new-runs.ts';
import type { Cancellation, Run, RunQuery, RunSummary } from './schema.ts';
import { listSteps } from './steps-store.ts';
import { findRun, listRuns } from './store.ts';
import { createTrigger, type Trigger } from './trigger.ts';
import { runView, summaryOf } from './view.ts';

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
