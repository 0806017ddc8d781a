import { type Route, route } from '../../../http/route.ts';
import { idempotencyHeader, idempotencyKeyOf } from '../../platform/idempotency/index.ts';
import { definitionErrors } from '../broadcasts/index.ts';
import {
  KeyParams,
  NewSchedule,
  ScheduleBody,
  ScheduleDetail,
  SchedulePage,
  SchedulePreview,
  ScheduleQuery,
  ScheduleRun,
  ScheduleRunPage,
  ScheduleRunQuery,
  ScheduleSimulation,
  SimulationBody,
  TimingBody,
} from './schema.ts';
import type { ScheduleService } from './service.ts';

const tag = 'Schedules';
/** A broadcast is checked as if it were created now. */
const targetErrors = [...definitionErrors, 'confirmation_required', 'storage_quota_reached'] as const;

export function scheduleRoutes({ schedules }: { schedules: ScheduleService }): Route[] {
  return [...definitionRoutes(schedules), ...actionRoutes(schedules)];
}

function definitionRoutes(schedules: ScheduleService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/schedules',
      operation: 'createSchedule',
      tag,
      summary: 'Create a schedule',
      description:
        'A schedule triggers a workflow or starts a broadcast again and again, at times given by cron or by rule. A workflow also requires the scope `workflows:trigger`, a broadcast `broadcasts:write`.',
      access: 'schedules:write',
      body: NewSchedule,
      responses: { 201: ScheduleDetail },
      errors: [...targetErrors, 'schedule_limit_reached'],
      async handler({ principal, requestId, body }) {
        return { status: 201, body: await schedules.create({ principal, requestId }, body) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/schedules',
      operation: 'listSchedules',
      tag,
      summary: 'List schedules, newest first',
      access: 'schedules:read',
      query: ScheduleQuery,
      responses: { 200: SchedulePage },
      async handler({ principal, query }) {
        return { status: 200, body: await schedules.list(principal, query) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/schedules/preview',
      operation: 'previewSchedule',
      tag,
      summary: 'Show the next runs of times that are not saved',
      computes: true,
      access: 'schedules:read',
      body: TimingBody,
      responses: { 200: SchedulePreview },
      handler({ body }) {
        return { status: 200, body: schedules.preview(body) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/schedules/:key',
      operation: 'getSchedule',
      tag,
      summary: 'Get a schedule with its next ten runs',
      access: 'schedules:read',
      params: KeyParams,
      responses: { 200: ScheduleDetail },
      async handler({ principal, params }) {
        return { status: 200, body: await schedules.get(principal, params.key) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/schedules/:key',
      operation: 'replaceSchedule',
      tag,
      summary: 'Replace a schedule',
      description:
        'The next run is computed from now on. A paused schedule stays paused. A workflow also requires the scope `workflows:trigger`, a broadcast `broadcasts:write`.',
      access: 'schedules:write',
      params: KeyParams,
      body: ScheduleBody,
      responses: { 200: ScheduleDetail },
      errors: targetErrors,
      async handler({ principal, requestId, params, body }) {
        return { status: 200, body: await schedules.replace({ principal, requestId }, params.key, body) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/schedules/:key',
      operation: 'deleteSchedule',
      tag,
      summary: 'Delete a schedule with its history',
      description: 'Runs that have been started continue.',
      access: 'schedules:write',
      params: KeyParams,
      responses: { 204: null },
      async handler({ principal, requestId, params }) {
        await schedules.remove({ principal, requestId }, params.key);
        return { status: 204 };
      },
    }),
  ];
}

function actionRoutes(schedules: ScheduleService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/schedules/:key/pause',
      operation: 'pauseSchedule',
      tag,
      summary: 'Pause a schedule',
      description: 'A paused or ended schedule stays as it is.',
      access: 'schedules:write',
      params: KeyParams,
      responses: { 200: ScheduleDetail },
      async handler({ principal, requestId, params }) {
        return { status: 200, body: await schedules.pause({ principal, requestId }, params.key) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/schedules/:key/resume',
      operation: 'resumeSchedule',
      tag,
      summary: 'Resume a paused schedule',
      description:
        'Slots that passed during the pause do not count as missed. A workflow also requires the scope `workflows:trigger`, a broadcast `broadcasts:write`.',
      access: 'schedules:write',
      params: KeyParams,
      responses: { 200: ScheduleDetail },
      async handler({ principal, requestId, params }) {
        return { status: 200, body: await schedules.resume({ principal, requestId }, params.key) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/schedules/:key/run',
      operation: 'runSchedule',
      tag,
      summary: 'Run a schedule now',
      description:
        'In addition to its slots, and for the whole audience at once. Also works while it is paused. A workflow also requires the scope `workflows:trigger`, a broadcast `broadcasts:write`.',
      access: 'schedules:write',
      params: KeyParams,
      headers: idempotencyHeader(
        'The same key within 24 hours returns the first run (200) and starts nothing.',
      ),
      responses: { 202: ScheduleRun, 200: ScheduleRun },
      async handler({ principal, requestId, params, raw }) {
        const caller = { principal, requestId };
        const { run, replayed } = await schedules.runNow(caller, params.key, idempotencyKeyOf(raw));
        return { status: replayed ? 200 : 202, body: run };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/schedules/:key/runs',
      operation: 'listScheduleRuns',
      tag,
      summary: 'List the slots of a schedule that ran or were missed, newest first',
      description: 'The history goes back 90 days.',
      access: 'schedules:read',
      params: KeyParams,
      query: ScheduleRunQuery,
      responses: { 200: ScheduleRunPage },
      async handler({ principal, params, query }) {
        return { status: 200, body: await schedules.listRuns(principal, params.key, query) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/schedules/:key/simulate',
      operation: 'simulateSchedule',
      tag,
      summary: 'Run a schedule on a virtual clock',
      description:
        'Simulates the active version of the workflow at the next slots, or makes a dry run of the broadcast, which also requires the scope `broadcasts:read`. Nothing is sent, fetched or stored.',
      computes: true,
      access: 'schedules:read',
      params: KeyParams,
      body: SimulationBody,
      bodyOptional: true,
      responses: { 200: ScheduleSimulation },
      errors: ['trigger_data_invalid', 'workflow_not_active', ...definitionErrors],
      async handler({ principal, params, body }) {
        return { status: 200, body: await schedules.simulate(principal, params.key, body) };
      },
    }),
  ];
}
