import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { hashBody } from '../../../http/json.ts';
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
import {
  type NewSchedule,
  type Schedule,
  type ScheduleBody,
  type ScheduleDetail,
  type SchedulePreview,
  type ScheduleQuery,
  type ScheduleRun,
  type ScheduleRunQuery,
  type ScheduleSimulation,
  type SimulationBody,
  scheduleLimits,
  type TimingBody,
} from './schema.ts';
import { type SimulationDeps, simulateSchedule } from './simulation.ts';
import { runDefinition } from './start.ts';
import * as store from './store.ts';
import { checkTarget, requireTargetScope } from './target.ts';
import { firstSlot, nextRunViews, timerDueAt, timerTimes, timingOf } from './timing.ts';
import { auditView, runView, scheduleDetail, scheduleView, timingIn } from './view.ts';

export interface ScheduleService {
  create(caller: Caller, request: NewSchedule): Promise<ScheduleDetail>;
  list(principal: Principal, query: ScheduleQuery): Promise<Page<Schedule>>;
  get(principal: Principal, key: string): Promise<ScheduleDetail>;
  replace(caller: Caller, key: string, request: ScheduleBody): Promise<ScheduleDetail>;
  remove(caller: Caller, key: string): Promise<void>;
  pause(caller: Caller, key: string): Promise<ScheduleDetail>;
  resume(caller: Caller, key: string): Promise<ScheduleDetail>;
  /** Runs the schedule once, beside its slots. `replayed` when the Idempotency-Key was used before, and nothing was started. */
  runNow(caller: Caller, key: string, idempotencyKey: string | null): Promise<ManualRun>;
  listRuns(principal: Principal, key: string, query: ScheduleRunQuery): Promise<Page<ScheduleRun>>;
  preview(request: TimingBody): SchedulePreview;
  simulate(principal: Principal, key: string, request: SimulationBody): Promise<ScheduleSimulation>;
}

interface ManualRun {
  run: ScheduleRun;
  replayed: boolean;
}

type ScheduleDeps = Pick<Deps, 'queue'> & SimulationDeps;

export function createScheduleService(deps: ScheduleDeps): ScheduleService {
  const { pool, queue, clock } = deps;

  async function get({ environmentId }: Principal, key: string): Promise<store.ScheduleRow> {
    const row = await store.findSchedule(pool, environmentId, key);
    if (!row) throw notFound('schedule');
    return row;
  }

  async function detailOf(row: store.ScheduleRow): Promise<ScheduleDetail> {
    const last = await store.listLastRuns(pool, [row.id]);
    return scheduleDetail(row, last.get(row.id) ?? null, clock());
  }

  return {
    async create(caller, request) {
      const { environmentId } = caller.principal;
      const fields = await fieldsOf(deps, caller.principal, request);
      return detailOf(
        await transaction(pool, (tx) =>
          insertSchedule(tx, queue, caller, {
            id: newId(clock()),
            environment_id: environmentId,
            key: request.key,
            ...fields,
            ...timerOf(fields, clock()),
          }),
        ),
      );
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

    get: async (principal, key) => detailOf(await get(principal, key)),

    /** A paused schedule stays paused. */
    async replace(caller, key, request) {
      const fields = await fieldsOf(deps, caller.principal, request);
      const next = (row: store.ScheduleRow): store.ScheduleRow =>
        row.status === 'paused' ? { ...row, ...fields } : { ...row, ...fields, ...timerOf(fields, clock()) };
      return detailOf(await changeSchedule(deps, caller, key, 'updated', next));
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

    async pause(caller, key) {
      const stopped = { status: 'paused', next_slot: null, next_run_at: null } as const;
      const next = (row: store.ScheduleRow): store.ScheduleRow | null =>
        row.status === 'active' ? { ...row, ...stopped, timer_id: newId(clock()) } : null;
      return detailOf(await changeSchedule(deps, caller, key, 'paused', next));
    },

    /** Slots that passed during the pause were not missed. */
    async resume(caller, key) {
      const next = (row: store.ScheduleRow): store.ScheduleRow | null => {
        requireTargetScope(caller.principal, row.target);
        return row.status === 'paused' ? { ...row, ...timerOf(row, clock()) } : null;
      };
      return detailOf(await changeSchedule(deps, caller, key, 'resumed', next));
    },

    async runNow(caller, key, idempotencyKey) {
      const run = await transaction(pool, (tx) => startManualRun(tx, deps, caller, key, idempotencyKey));
      queue.ring('schedule');
      return run;
    },

    async listRuns(principal, key, query) {
      const schedule = await get(principal, key);
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

    simulate: async (principal, key, request) =>
      simulateSchedule(deps, principal, await get(principal, key), request),
  };
}

async function fieldsOf(
  { pool, clock, broadcasts }: ScheduleDeps,
  principal: Principal,
  body: ScheduleBody,
): Promise<store.ScheduleFields> {
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
function timerOf(fields: store.ScheduleFields, now: number): store.TimerFields {
  const timing = timingIn(fields);
  const slot = firstSlot(timing, now);
  return {
    status: slot === null ? 'ended' : 'active',
    active_since: new Date(now),
    ...timerTimes(timing, slot, now),
    timer_id: newId(now),
  };
}

async function setTimer(tx: Sql, queue: Deps['queue'], row: store.ScheduleRow): Promise<void> {
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

async function insertSchedule(
  tx: Sql,
  queue: Deps['queue'],
  caller: Caller,
  schedule: Parameters<typeof store.insertSchedule>[1],
): Promise<store.ScheduleRow> {
  if ((await store.countSchedules(tx, schedule.environment_id)) >= scheduleLimits.schedules)
    throw new Problem(
      'schedule_limit_reached',
      `An environment has at most ${scheduleLimits.schedules} schedules.`,
    );
  const row = await store.insertSchedule(tx, schedule);
  if (!row)
    throw new Problem('duplicate_key', `There is already a schedule “${schedule.key}”.`, { param: 'key' });
  await setTimer(tx, queue, row);
  await recordAudit(tx, caller, {
    action: 'schedule.created',
    target: `schedule:${row.id}`,
    after: auditView(row),
  });
  return row;
}

/**
 * Changes a schedule and replaces its timer. A timer that a worker has claimed already finds no schedule. `next` returns null when
 * nothing is to be changed.
 */
function changeSchedule(
  { pool, queue }: ScheduleDeps,
  caller: Caller,
  key: string,
  action: 'updated' | 'paused' | 'resumed',
  next: (row: store.ScheduleRow) => store.ScheduleRow | null,
): Promise<store.ScheduleRow> {
  return transaction(pool, async (tx) => {
    const before = await getLocked(tx, caller.principal, key);
    const wanted = next(before);
    if (wanted === null) return before;
    await queue.withdraw(tx, 'schedule', before.timer_id);
    const after = await store.updateSchedule(tx, wanted);
    await setTimer(tx, queue, after);
    const shown = action === 'updated' ? auditView : ({ status }: store.ScheduleRow) => ({ status });
    await recordAudit(tx, caller, {
      action: `schedule.${action}`,
      target: `schedule:${after.id}`,
      before: shown(before),
      after: shown(after),
    });
    return after;
  });
}

async function startManualRun(
  tx: Sql,
  { queue, clock }: ScheduleDeps,
  caller: Caller,
  key: string,
  idempotencyKey: string | null,
): Promise<ManualRun> {
  const schedule = await getLocked(tx, caller.principal, key);
  requireTargetScope(caller.principal, schedule.target);
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
}

async function getRun(tx: Sql, schedule: store.ScheduleRow, id: string): Promise<ScheduleRun> {
  const row = await store.findScheduleRun(tx, schedule.id, id);
  if (!row) throw notFound('run of the schedule');
  return runView(row, timingIn(schedule));
}
