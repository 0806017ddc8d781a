import { Type } from 'typebox';
import { isAbandoned, type Route, route } from '../../../http/route.ts';
import { chainHeader } from '../../../kernel/header-name.ts';
import { idempotencyHeader, idempotencyKeyOf } from '../../platform/idempotency/index.ts';
import {
  Cancellation,
  EventRequest,
  KeyParams,
  Run,
  RunPage,
  RunParams,
  RunQuery,
  TriggeredRun,
  TriggerRequest,
  WokenRuns,
} from './schema.ts';
import type { RunService } from './service.ts';

const tag = 'Workflow runs';

export function runRoutes({ runs }: { runs: RunService }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/workflows/:key/trigger',
      operation: 'triggerWorkflow',
      tag,
      summary: 'Start a run of a workflow',
      description:
        'The run starts on the active version and stays on it. Returns 422 `trigger_data_invalid` if trigger_data does not match its schema.',
      access: 'workflows:trigger',
      params: KeyParams,
      body: TriggerRequest,
      headers: {
        ...idempotencyHeader(
          'The same key within 24 hours returns the first run (200) and triggers nothing.',
        ),
        'Carillon-Chain': {
          description:
            'The header of the webhook or call that led to this trigger, passed on, so that a workflow that triggers itself is found. `chain` in the body does the same.',
          schema: Type.String({ maxLength: 100 }),
        },
      },
      responses: { 202: TriggeredRun, 200: TriggeredRun },
      errors: ['storage_quota_reached', 'trigger_data_invalid', 'workflow_loop'],
      async handler({ principal, params, body, raw }) {
        const header = raw.headers[chainHeader];
        const triggered = await runs.trigger(principal, {
          workflowKey: params.key,
          triggerData: body.trigger_data,
          idempotencyKey: idempotencyKeyOf(raw),
          isAbandoned: isAbandoned(raw),
          chain: body.chain ?? (typeof header === 'string' ? header : null),
        });
        return {
          status: triggered.replayed ? 200 : 202,
          body: { run_id: triggered.runId, status: triggered.status },
        };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/workflows/:key/events',
      operation: 'postWorkflowEvent',
      tag,
      summary: 'Post an event to the waiting runs of a workflow',
      description:
        'Wakes every run of the workflow that waits for this event and whose match filter matches event_data. A workflow that does not exist has no waiting runs: the count is 0.',
      access: 'workflows:trigger',
      params: KeyParams,
      body: EventRequest,
      responses: { 200: WokenRuns },
      async handler({ principal, params, body }) {
        return {
          status: 200,
          body: { awoken_run_count: await runs.postToWorkflow(principal, params.key, body) },
        };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/workflows/runs/:runId/events',
      operation: 'postRunEvent',
      tag,
      summary: 'Post an event to one run',
      access: 'workflows:trigger',
      params: RunParams,
      body: EventRequest,
      responses: { 200: WokenRuns },
      async handler({ principal, params, body }) {
        const runId = params.runId.toLowerCase();
        return {
          status: 200,
          body: { awoken_run_count: await runs.postToRun(principal, runId, body) },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/workflows/:key/runs',
      operation: 'listWorkflowRuns',
      tag,
      summary: 'List the runs of a workflow, newest first',
      access: 'workflows:read',
      params: KeyParams,
      query: RunQuery,
      responses: { 200: RunPage },
      async handler({ principal, params, query }) {
        return { status: 200, body: await runs.list(principal, params.key, query) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/workflows/runs/:runId',
      operation: 'getWorkflowRun',
      tag,
      summary: 'Get a run with its steps',
      access: 'workflows:read',
      params: RunParams,
      responses: { 200: Run },
      async handler({ principal, params }) {
        return { status: 200, body: await runs.get(principal, params.runId.toLowerCase()) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/workflows/runs/:runId/cancel',
      operation: 'cancelWorkflowRun',
      tag,
      summary: 'Cancel a run',
      description:
        'Notifications that the run already created are still sent. Returns 409 `run_not_cancellable` if the run has completed or failed.',
      access: 'workflows:trigger',
      params: RunParams,
      responses: { 200: Cancellation },
      async handler({ principal, params }) {
        return {
          status: 200,
          body: { status: await runs.cancel(principal, params.runId.toLowerCase()) },
        };
      },
    }),
  ];
}
