import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { hashBody } from '../../../http/body-hash.ts';
import type { Caller, Principal } from '../../../http/principal.ts';
import { notFound, Problem } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Page, pageOf, pageRequest } from '../../../kernel/page.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import {
  checkIdempotencyKey,
  claimKey,
  findKeyHolder,
  type KeyClaim,
} from '../../platform/idempotency/index.ts';
import { simulationView, type WorkflowService } from '../../workflows/workflows/index.ts';
import type { BroadcastService } from '../broadcasts/index.ts';
import { broadcastAt } from './broadcast-slice.ts';
import { type Member, nextMembers, zoneOf } from './members.ts';
import {
  limits,
  type NewSchedule,
  type Schedule,
  type ScheduleAudience,
  type ScheduleBody,
  type ScheduleDetail,
  type SchedulePreview,
  type ScheduleQuery,
  type ScheduleRun,
  type ScheduleRunQuery,
  type ScheduleSimulation,
  type SimulationBody,
  type TimingBody,
} from './schema.ts';
import { runDefinition } from './start.ts';
import * as store from './store.ts';
import {
  checkTarget,
  requireScope,
  requireTargetScope,
  type ScheduledBroadcast,
  type ScheduledWorkflow,
} from './target.ts';
import { firstSlot, nextRunViews, timerDueAt, timerTimes, timingOf } from './timing.ts';
import { auditView, runView, scheduleDetail, scheduleView, timingIn } from './view.ts';
import { memberData } from './workflow-slice.ts';

export interface ScheduleService {
  create(caller: Caller, request: NewSchedule): Promise<ScheduleDetail>;
  list(principal: Principal, query: ScheduleQuery): Promise<Page<Schedule>>;
  get(principal: Principal, key: string): Promise<ScheduleDetail>;
  replace(caller: Caller, key: string, request: ScheduleBody): Promise<ScheduleDetail>;
  remove(caller: Caller, key: string): Promise<void>;
  pause(caller: Caller, key: string): Promise<ScheduleDetail>;
  resume(caller: Caller, key: string): Promise<ScheduleDetail>;
  /** Runs the schedule once, beside its slots. `replayed` when the Idempotency-Key was used before, and nothing was started. */
  runNow(
    caller: Caller,
    key: string,
    idempotencyKey: string | null,
  ): Promise<{ run: ScheduleRun; replayed: boolean }>;
  listRuns(principal: Principal, key: string, query: ScheduleRunQuery): Promise<Page<ScheduleRun>>;
  preview(request: TimingBody): SchedulePreview;
  simulate(principal: Principal, key: string, request: SimulationBody): Promise<ScheduleSimulation>;
}

export function createScheduleService({
  pool,
  queue,
  clock,
  workflows,
  broadcasts,
}: Pick<Deps, 'pool' | 'queue' | 'clock'> & {
  workflows: Pick<WorkflowService, 'simulate' | 'get'>;
  broadcasts: Pick<BroadcastService, 'check' | 'dryRun'>;
}): ScheduleService {
  async function fieldsOf(principal: Principal, body: ScheduleBody): Promise<store.ScheduleFields> {
    const timing = timingOf(body, clock());
    return {
      name: body.name,
      target: await checkTarget({ pool, broadcasts }, principal, body.target, timing.perRecipient),
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
    const timing = timingIn(fields);
    const slot = firstSlot(timing, now);
    return {
      status: slot === null ? 'ended' : 'active',
      active_since: new Date(now),
      ...timerTimes(timing, slot, now),
      timer_id: newId(now),
    };
  }

  async function setTimer(tx: Sql, row: store.ScheduleRow): Promise<void> {
    const { timer_id: id, environment_id: environmentId } = row;
    const runAt = timerDueAt(row);
    if (runAt === null) return;
    await queue.postpone(tx, [{ kind: 'schedule', id, lane: 'normal', environmentId, runAt }]);
  }

  async function getLocked(tx: Sql, { environmentId }: Principal, key: string): Promise<store.ScheduleRow> {
    const row = await store.lockSchedule(tx, environmentId, key);
    if (!row) throw notFound('schedule');
    return row;
  }

  async function getRun(sql: Sql, schedule: store.ScheduleRow, id: string): Promise<ScheduleRun> {
    const row = await store.findScheduleRun(sql, schedule.id, id);
    if (!row) throw notFound('run of the schedule');
    return runView(row, timingIn(schedule));
  }

  async function detailOf(row: store.ScheduleRow): Promise<ScheduleDetail> {
    const last = await store.listLastRuns(pool, [row.id]);
    return scheduleDetail(row, last.get(row.id) ?? null, clock());
  }

  /** Changes a schedule and replaces its timer. A timer that a worker has claimed already finds no schedule. */
  async function change(
    caller: Caller,
    key: string,
    action: string,
    next: (row: store.ScheduleRow) => store.ScheduleRow | null,
  ): Promise<ScheduleDetail> {
    const changed = await transaction(pool, async (tx) => {
      const before = await getLocked(tx, caller.principal, key);
      const wanted = next(before);
      if (wanted === null) return before;
      await queue.withdraw(tx, 'schedule', before.timer_id);
      const after = await store.updateSchedule(tx, wanted);
      await setTimer(tx, after);
      const isEdit = action === 'updated';
      await recordAudit(tx, caller, {
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
    async create(caller, request) {
      const { principal } = caller;
      const { environmentId } = principal;
      const fields = await fieldsOf(principal, request);
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
        await recordAudit(tx, caller, {
          action: 'schedule.created',
          target: `schedule:${row.id}`,
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
      return { data: data.map((row) => scheduleView(row, last.get(row.id) ?? null)), next_cursor };
    },

    async get({ environmentId }, key) {
      const row = await store.findSchedule(pool, environmentId, key);
      if (!row) throw notFound('schedule');
      return detailOf(row);
    },

    /** A paused schedule stays paused. */
    async replace(caller, key, request) {
      const fields = await fieldsOf(caller.principal, request);
      return change(caller, key, 'updated', (row) =>
        row.status === 'paused' ? { ...row, ...fields } : { ...row, ...fields, ...timerOf(fields) },
      );
    },

    async remove(caller, key) {
      await transaction(pool, async (tx) => {
        const row = await getLocked(tx, caller.principal, key);
        await queue.withdraw(tx, 'schedule', row.timer_id);
        await store.deleteSchedule(tx, row.id);
        await recordAudit(tx, caller, {
          action: 'schedule.deleted',
          target: `schedule:${row.id}`,
          before: auditView(row),
        });
      });
    },

    pause: (caller, key) =>
      change(caller, key, 'paused', (row) =>
        row.status === 'active'
          ? { ...row, status: 'paused', next_slot: null, next_run_at: null, timer_id: newId(clock()) }
          : null,
      ),

    /** Slots that passed during the pause were not missed. */
    resume: (caller, key) =>
      change(caller, key, 'resumed', (row) => {
        requireTargetScope(caller.principal, row.target);
        return row.status === 'paused' ? { ...row, ...timerOf(row) } : null;
      }),

    async runNow(caller, key, idempotencyKey) {
      const { principal } = caller;
      const result = await transaction(pool, async (tx) => {
        const schedule = await getLocked(tx, principal, key);
        requireTargetScope(principal, schedule.target);
        const { id: scheduleId, environment_id: environmentId } = schedule;
        const now = clock();
        const id = newId(now);
        if (idempotencyKey !== null) {
          const claim: KeyClaim = {
            environmentId,
            operation: `run_schedule:${scheduleId}`,
            key: checkIdempotencyKey(idempotencyKey),
            bodyHash: hashBody(null),
            resourceId: id,
          };
          const holder = (await claimKey(tx, claim)) ? null : await findKeyHolder(tx, claim);
          if (holder !== null) return { run: await getRun(tx, schedule, holder), replayed: true };
        }
        await store.insertScheduleRun(tx, {
          id,
          environment_id: environmentId,
          schedule_id: scheduleId,
          slot: new Date(now),
          is_manual: true,
          status: 'running',
          definition: runDefinition(schedule, true),
          missed_count: 0,
        });
        await queue.enqueue(tx, [{ kind: 'schedule', id, lane: 'normal', environmentId }]);
        await recordAudit(tx, caller, {
          action: 'schedule.run',
          target: `schedule:${scheduleId}`,
          after: { schedule_run_id: id },
        });
        return { run: await getRun(tx, schedule, id), replayed: false };
      });
      queue.ring('schedule');
      return result;
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
      const row = await store.findSchedule(pool, principal.environmentId, key);
      if (!row) throw notFound('schedule');
      const { target } = row;
      return target.kind === 'workflow'
        ? simulateWorkflow(principal, row, target, request)
        : simulateBroadcast(principal, row, target, request);
    },
  };

  async function simulateWorkflow(
    principal: Principal,
    row: store.ScheduleRow,
    { workflow_key: workflowKey, trigger_data: data, audience }: ScheduledWorkflow,
    request: SimulationBody,
  ): Promise<ScheduleSimulation> {
    const { workflow } = await workflows.get(principal, workflowKey);
    if (workflow.status !== 'active' || workflow.active_version === null)
      throw new Problem('workflow_not_active', `The workflow “${workflowKey}” has no active version.`);
    const asked = request.external_user_id ?? null;
    const member = audience ? await simulatedMember(principal.environmentId, audience, asked) : null;
    const zone = member && zoneOf(member);
    const triggerData = memberData(data, member?.external_user_id ?? null);
    const timezone = (row.per_recipient_timezone ? zone : null) ?? row.timezone;
    const runs: ScheduleSimulation['runs'] = [];
    for (const run of nextRunViews({ ...timingIn(row), timezone }, startOf(request), request.runs ?? 3)) {
      const simulated = await workflows.simulate(principal, workflowKey, workflow.active_version, {
        trigger_data: triggerData,
        now: run.at,
        recipient_timezone: zone,
      });
      runs.push({ ...run, trigger_data: triggerData, run: simulationView(simulated), broadcast: null });
    }
    return { runs };
  }

  /** A dry run as of each slot, of the users and preferences of today. */
  async function simulateBroadcast(
    principal: Principal,
    row: store.ScheduleRow,
    { broadcast }: ScheduledBroadcast,
    request: SimulationBody,
  ): Promise<ScheduleSimulation> {
    requireScope(principal, 'broadcast', 'broadcasts:read');
    const runs: ScheduleSimulation['runs'] = [];
    for (const run of nextRunViews(timingIn(row), startOf(request), request.runs ?? 1)) {
      const definition = row.per_recipient_timezone
        ? broadcastAt(broadcast, run.local_time.slice(0, 16), row.timezone)
        : broadcast;
      const dryRun = await broadcasts.dryRun(principal, definition, Date.parse(run.at));
      runs.push({ ...run, trigger_data: null, run: null, broadcast: dryRun });
    }
    return { runs };
  }

  function startOf({ now }: SimulationBody): number {
    return now ? Date.parse(now) : clock();
  }

  async function simulatedMember(
    environmentId: string,
    audience: ScheduleAudience,
    asked: string | null,
  ): Promise<Member> {
    const users = asked === null ? audience : { users: [asked] };
    const { result } = await nextMembers(pool, environmentId, users, null, 1);
    return result[0] ?? { external_user_id: asked ?? 'user', timezone: null };
  }
}
