import { type Sql, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import type { JsonObject } from '../../engine/index.ts';
import type { Principal } from '../../http/principal.ts';
import { invalidParameter, notFound, Problem } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type Page, pageOf, pageRequest } from '../../kernel/page.ts';
import { recordAudit } from '../audit/index.ts';
import { findWorkflow, simulationView, type WorkflowService } from '../workflows/index.ts';
import { listMembers } from './members.ts';
import {
  limits,
  type NewSchedule,
  type Schedule,
  type ScheduleBody,
  type ScheduleDetail,
  type SchedulePreview,
  type ScheduleQuery,
  type ScheduleRun,
  type ScheduleRunQuery,
  type ScheduleSimulation,
  type ScheduleTarget,
  type SimulationBody,
  type TimingBody,
} from './schema.ts';
import { memberData, runDefinition } from './start.ts';
import * as store from './store.ts';
import { firstSlot, nextRunViews, timingOf } from './timing.ts';
import { auditView, runView, scheduleDetail, scheduleView, timingIn } from './view.ts';

export interface ScheduleAuthor {
  principal: Principal;
  requestId: string;
}

export interface ScheduleService {
  create(author: ScheduleAuthor, request: NewSchedule): Promise<ScheduleDetail>;
  list(principal: Principal, query: ScheduleQuery): Promise<Page<Schedule>>;
  get(principal: Principal, key: string): Promise<ScheduleDetail>;
  replace(author: ScheduleAuthor, key: string, request: ScheduleBody): Promise<ScheduleDetail>;
  remove(author: ScheduleAuthor, key: string): Promise<void>;
  pause(author: ScheduleAuthor, key: string): Promise<ScheduleDetail>;
  resume(author: ScheduleAuthor, key: string): Promise<ScheduleDetail>;
  /** Runs the schedule once, beside its slots. */
  runNow(author: ScheduleAuthor, key: string): Promise<ScheduleRun>;
  listRuns(principal: Principal, key: string, query: ScheduleRunQuery): Promise<Page<ScheduleRun>>;
  preview(request: TimingBody): SchedulePreview;
  simulate(principal: Principal, key: string, request: SimulationBody): Promise<ScheduleSimulation>;
}

export function createScheduleService({
  pool,
  queue,
  clock,
  workflows,
}: Pick<Deps, 'pool' | 'queue' | 'clock'> & {
  workflows: Pick<WorkflowService, 'simulate' | 'get'>;
}): ScheduleService {
  async function fieldsOf(
    sql: Sql,
    environmentId: string,
    body: ScheduleBody,
  ): Promise<store.ScheduleFields> {
    const timing = timingOf(body, clock());
    const target = checkTarget(body.target, timing.perRecipient);
    if (!(await findWorkflow(sql, environmentId, target.workflow_key)))
      throw invalidParameter('target.workflow_key', `There is no workflow “${target.workflow_key}”.`);
    return {
      name: body.name,
      target,
      cron: timing.cron,
      rule: body.rule ?? null,
      timezone: timing.timezone,
      per_recipient_timezone: timing.perRecipient,
      starts_at: body.starts_at ? new Date(body.starts_at) : null,
      ends_at: body.ends_at ? new Date(body.ends_at) : null,
      missed_runs: body.missed_runs ?? 'skip',
    };
  }

  /** A timer from now on. The next slot may be due already for recipients of zones that are behind. */
  function timerOf(fields: store.ScheduleFields): store.TimerFields {
    const now = clock();
    const slot = firstSlot(timingIn(fields), now);
    return {
      status: slot === null ? 'ended' : 'active',
      active_since: new Date(now),
      next_slot: slot === null ? null : new Date(slot),
      timer_id: newId(now),
    };
  }

  async function setTimer(tx: Sql, row: store.ScheduleRow): Promise<void> {
    if (row.next_slot === null) return;
    const { timer_id: id, environment_id: environmentId, next_slot: runAt } = row;
    await queue.postpone(tx, [{ kind: 'schedule', id, lane: 'normal', environmentId, runAt }]);
  }

  async function getLocked(tx: Sql, { environmentId }: Principal, key: string): Promise<store.ScheduleRow> {
    const row = await store.lockSchedule(tx, environmentId, key);
    if (!row) throw notFound('schedule');
    return row;
  }

  async function detailOf(row: store.ScheduleRow): Promise<ScheduleDetail> {
    const last = await store.listLastRuns(pool, [row.id]);
    return scheduleDetail(row, last.get(row.id) ?? null, clock());
  }

  /** Changes a schedule and replaces its timer. A timer that a worker has claimed already finds no schedule. */
  async function change(
    { principal, requestId }: ScheduleAuthor,
    key: string,
    action: string,
    next: (row: store.ScheduleRow) => store.ScheduleRow | null,
  ): Promise<ScheduleDetail> {
    const changed = await transaction(pool, async (tx) => {
      const before = await getLocked(tx, principal, key);
      const wanted = next(before);
      if (wanted === null) return before;
      await queue.withdraw(tx, 'schedule', before.timer_id);
      const after = await store.updateSchedule(tx, wanted);
      await setTimer(tx, after);
      const isEdit = action === 'updated';
      await recordAudit(tx, {
        principal,
        requestId,
        action: `schedule.${action}`,
        target: `schedule:${after.id}`,
        before: isEdit ? auditView(before) : { status: before.status },
        after: isEdit ? auditView(after) : { status: after.status },
      });
      return after;
    });
    return detailOf(changed);
  }

  return {
    async create({ principal, requestId }, request) {
      const { environmentId } = principal;
      const fields = await fieldsOf(pool, environmentId, request);
      const created = await transaction(pool, async (tx) => {
        if ((await store.countSchedules(tx, environmentId)) >= limits.schedules)
          throw new Problem(
            'schedule_limit_reached',
            `An environment has at most ${limits.schedules} schedules.`,
          );
        const row = await store.insertSchedule(tx, {
          id: newId(clock()),
          environment_id: environmentId,
          key: request.key,
          ...fields,
          ...timerOf(fields),
        });
        if (!row)
          throw new Problem('duplicate_key', `There is already a schedule “${request.key}”.`, {
            param: 'key',
          });
        await setTimer(tx, row);
        await recordAudit(tx, {
          principal,
          requestId,
          action: 'schedule.created',
          target: `schedule:${row.id}`,
          before: null,
          after: auditView(row),
        });
        return row;
      });
      return detailOf(created);
    },

    async list({ environmentId }, query) {
      const list = `schedules:${environmentId}`;
      const page = pageRequest(list, query);
      const rows = await store.listSchedules(pool, environmentId, query, page);
      const { data, next_cursor } = pageOf(list, rows, page.limit);
      const last = await store.listLastRuns(
        pool,
        data.map(({ id }) => id),
      );
      const now = clock();
      return { data: data.map((row) => scheduleView(row, last.get(row.id) ?? null, now)), next_cursor };
    },

    async get({ environmentId }, key) {
      const row = await store.findSchedule(pool, environmentId, key);
      if (!row) throw notFound('schedule');
      return detailOf(row);
    },

    /** A paused schedule stays paused. */
    async replace(author, key, request) {
      const fields = await fieldsOf(pool, author.principal.environmentId, request);
      return change(author, key, 'updated', (row) =>
        row.status === 'paused' ? { ...row, ...fields } : { ...row, ...fields, ...timerOf(fields) },
      );
    },

    async remove({ principal, requestId }, key) {
      await transaction(pool, async (tx) => {
        const row = await getLocked(tx, principal, key);
        await queue.withdraw(tx, 'schedule', row.timer_id);
        await store.deleteSchedule(tx, row.id);
        await recordAudit(tx, {
          principal,
          requestId,
          action: 'schedule.deleted',
          target: `schedule:${row.id}`,
          before: auditView(row),
          after: null,
        });
      });
    },

    pause: (author, key) =>
      change(author, key, 'paused', (row) =>
        row.status === 'active'
          ? { ...row, status: 'paused', next_slot: null, timer_id: newId(clock()) }
          : null,
      ),

    /** Slots that passed during the pause were not missed. */
    resume: (author, key) =>
      change(author, key, 'resumed', (row) => (row.status === 'paused' ? { ...row, ...timerOf(row) } : null)),

    async runNow({ principal, requestId }, key) {
      const started = await transaction(pool, async (tx) => {
        const schedule = await getLocked(tx, principal, key);
        const now = clock();
        const row = {
          id: newId(now),
          environment_id: schedule.environment_id,
          schedule_id: schedule.id,
          slot: new Date(now),
          is_manual: true,
          status: 'running' as const,
          definition: runDefinition(schedule, true),
          missed_count: 0,
        };
        await store.insertScheduleRun(tx, row);
        const environmentId = schedule.environment_id;
        await queue.enqueue(tx, [{ kind: 'schedule', id: row.id, lane: 'normal', environmentId }]);
        await recordAudit(tx, {
          principal,
          requestId,
          action: 'schedule.run',
          target: `schedule:${schedule.id}`,
          before: null,
          after: { schedule_run_id: row.id },
        });
        const empty = { last_user: null, run_id: null, failure_reason: null, completed_at: null };
        return runView({ ...row, ...empty, started_count: 0, skipped_count: 0 }, timingIn(schedule));
      });
      queue.ring('schedule');
      return started;
    },

    async listRuns({ environmentId }, key, query) {
      const schedule = await store.findSchedule(pool, environmentId, key);
      if (!schedule) throw notFound('schedule');
      const list = `schedule-runs:${schedule.id}`;
      const page = pageRequest(list, query);
      const rows = await store.listScheduleRuns(pool, schedule.id, page);
      const { data, next_cursor } = pageOf(list, rows, page.limit);
      return { data: data.map((row) => runView(row, timingIn(schedule))), next_cursor };
    },

    preview(request) {
      const timing = timingOf(request, clock());
      return { cron: timing.cron, next_runs: nextRunViews(timing, clock()) };
    },

    async simulate(principal, key, request) {
      const { environmentId } = principal;
      const row = await store.findSchedule(pool, environmentId, key);
      if (!row) throw notFound('schedule');
      const { workflow_key: workflowKey, trigger_data: data, audience } = row.target;
      const { workflow } = await workflows.get(principal, workflowKey);
      if (workflow.status !== 'active' || workflow.active_version === null)
        throw new Problem('workflow_not_active', `The workflow “${workflowKey}” has no active version.`);
      const asked = request.external_user_id ?? null;
      const member = audience ? await simulatedMember(environmentId, audience, asked) : null;
      const triggerData = memberData(data ?? {}, member?.external_user_id ?? null);
      const timezone = (row.per_recipient_timezone ? member?.timezone : null) ?? row.timezone;
      const from = request.now ? Date.parse(request.now) : clock();
      const runs: ScheduleSimulation['runs'] = [];
      for (const run of nextRunViews({ ...timingIn(row), timezone }, from, request.runs ?? 3)) {
        const simulated = await workflows.simulate(principal, workflowKey, workflow.active_version, {
          trigger_data: triggerData,
          now: run.at,
          recipient_timezone: member?.timezone ?? null,
        });
        runs.push({ ...run, trigger_data: triggerData, run: simulationView(simulated) });
      }
      return { runs };
    },
  };

  async function simulatedMember(
    environmentId: string,
    audience: NonNullable<ScheduleTarget['audience']>,
    asked: string | null,
  ) {
    const users = asked === null ? audience : { users: [asked] };
    const [member] = await listMembers(pool, environmentId, users, null, 1);
    return member ?? { external_user_id: asked ?? 'user', timezone: null };
  }
}

/** Returns the target with its defaults. */
function checkTarget(target: ScheduleTarget, perRecipient: boolean): ScheduleTarget {
  const audience = target.audience ?? null;
  const triggerData: JsonObject = target.trigger_data ?? {};
  if (JSON.stringify(triggerData).length > limits.triggerData)
    throw invalidParameter(
      'target.trigger_data',
      `trigger_data must have at most ${limits.triggerData} characters as JSON.`,
    );
  if (audience) {
    if (audience.users && audience.all)
      throw invalidParameter('target.audience.all', 'Set users or all, not both.');
    if (!audience.users && !audience.all)
      throw invalidParameter('target.audience.users', 'The audience needs users, or all with confirm.');
    if (audience.all && !audience.confirm)
      throw invalidParameter(
        'target.audience.confirm',
        'The audience is everyone: set confirm to true as well.',
      );
  }
  if (perRecipient && !audience)
    throw invalidParameter('per_recipient_timezone', 'per_recipient_timezone needs an audience.');
  return {
    kind: 'workflow',
    workflow_key: target.workflow_key,
    trigger_data: triggerData,
    audience: audience && (audience.users ? { users: audience.users } : { all: true, confirm: true }),
  };
}
