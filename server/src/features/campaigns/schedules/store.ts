import { lockEnvironment } from '../../../db/locks.ts';
import { deleteInSlices } from '../../../db/slices.ts';
import { query, type Sql, statement } from '../../../db/sql.ts';
import { lowestIdAt } from '../../../kernel/ids.ts';
import { storableJson } from '../../../kernel/json.ts';
import type { PageRequest } from '../../../kernel/page.ts';
import type { Sender } from '../../notifications/notifications/index.ts';
import type { MissedPolicy, ScheduleRule, ScheduleRunStatus, ScheduleStatus } from './schema.ts';
import type { StartTarget } from './target.ts';

/** The stored definition of a schedule. */
export interface ScheduleFields {
  name: string;
  target: StartTarget;
  cron: string;
  rule: ScheduleRule | null;
  timezone: string;
  per_recipient_timezone: boolean;
  starts_at: Date | null;
  ends_at: Date | null;
  missed_runs: MissedPolicy;
}

/** The state of its timer. */
export interface TimerFields {
  status: ScheduleStatus;
  /** Slots before it never run. */
  active_since: Date;
  next_slot: Date | null;
  /** Per recipient: the next run in the zone of the schedule, which is later than its slot. Otherwise null: it is the slot. */
  next_run_at: Date | null;
  timer_id: string;
}

export interface ScheduleRow extends ScheduleFields, TimerFields {
  id: string;
  environment_id: string;
  key: string;
  updated_at: Date;
}

const definition =
  'name, target, cron, rule, timezone, per_recipient_timezone, starts_at, ends_at, missed_runs';
const timer = 'status, active_since, next_slot, next_run_at, timer_id';
const columns = `id, environment_id, key, ${definition}, ${timer}, updated_at`;

const input = `json_to_record($1::json) as i (id uuid, environment_id uuid, key text, name text, target json, cron text, rule json,
     timezone text, per_recipient_timezone boolean, starts_at timestamptz, ends_at timestamptz, missed_runs text, status text,
     active_since timestamptz, next_slot timestamptz, next_run_at timestamptz, timer_id uuid)`;

const insertRow = statement<ScheduleRow>(
  'schedules_insert',
  `insert into schedules (id, environment_id, key, ${definition}, ${timer})
   select id, environment_id, key, ${definition}, ${timer} from ${input}
   on conflict (environment_id, key) do nothing
   returning ${columns}`,
);

/** Returns null when the key is taken. */
export async function insertSchedule(
  sql: Sql,
  row: Omit<ScheduleRow, 'updated_at'>,
): Promise<ScheduleRow | null> {
  return (await insertRow(sql, [storableJson(row)]))[0] ?? null;
}

const assignments = `${definition}, ${timer}`
  .split(', ')
  .map((column) => `${column} = i.${column}`)
  .join(', ');

const updateRow = statement<ScheduleRow>(
  'schedules_update',
  `update schedules s set ${assignments}, updated_at = now() from ${input}
   where s.id = i.id returning ${columns
     .split(', ')
     .map((column) => `s.${column}`)
     .join(', ')}`,
);

export async function updateSchedule(sql: Sql, row: ScheduleRow): Promise<ScheduleRow> {
  const [updated] = await updateRow(sql, [storableJson(row)]);
  if (!updated) throw new Error('a locked schedule was not updated');
  return updated;
}

const countRows = statement<{ count: number }>(
  'schedules_count',
  'select count(*)::int as count from schedules where environment_id = $1',
);

export async function countSchedules(tx: Sql, environmentId: string): Promise<number> {
  await lockEnvironment(tx, environmentId);
  return (await countRows(tx, [environmentId]))[0]?.count ?? 0;
}

const findOne = statement<ScheduleRow>(
  'schedules_find',
  `select ${columns} from schedules where environment_id = $1 and key = $2`,
);

export async function findSchedule(
  sql: Sql,
  environmentId: string,
  key: string,
): Promise<ScheduleRow | null> {
  return (await findOne(sql, [environmentId, key]))[0] ?? null;
}

const lockOne = statement<ScheduleRow>(
  'schedules_lock',
  `select ${columns} from schedules where environment_id = $1 and key = $2 for update`,
);

export async function lockSchedule(
  sql: Sql,
  environmentId: string,
  key: string,
): Promise<ScheduleRow | null> {
  return (await lockOne(sql, [environmentId, key]))[0] ?? null;
}

export function listSchedules(
  sql: Sql,
  environmentId: string,
  filter: { status?: ScheduleStatus | undefined },
  page: PageRequest,
): Promise<ScheduleRow[]> {
  const values: unknown[] = [environmentId, page.limit + 1];
  const conditions = ['environment_id = $1'];
  if (filter.status) conditions.push(`status = $${values.push(filter.status)}`);
  if (page.before) conditions.push(`id < $${values.push(page.before)}`);
  return query(
    sql,
    `select ${columns} from schedules where ${conditions.join(' and ')} order by id desc limit $2`,
    values,
  );
}

const deleteRow = statement('schedules_delete', 'delete from schedules where id = $1');

/** Its runs in the history go with it. */
export async function deleteSchedule(sql: Sql, id: string): Promise<void> {
  await deleteRow(sql, [id]);
}

/** The time of the database, which also decides when a timer is due. */
const nowSql = 'floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now';

const lockTimerRow = statement<ScheduleRow & { now: number }>(
  'schedules_lock_timer',
  `select ${columns}, ${nowSql} from schedules where timer_id = $1 for update`,
);

/** Returns null when the timer was replaced or the schedule deleted. */
export async function lockByTimer(
  sql: Sql,
  timerId: string,
): Promise<(ScheduleRow & { now: number }) | null> {
  return (await lockTimerRow(sql, [timerId]))[0] ?? null;
}

const moveTimerRow = statement(
  'schedules_move_timer',
  'update schedules set status = $2, next_slot = $3, next_run_at = $4 where id = $1',
);

export async function moveTimer(
  sql: Sql,
  id: string,
  { next_slot, next_run_at }: Pick<TimerFields, 'next_slot' | 'next_run_at'>,
): Promise<void> {
  await moveTimerRow(sql, [id, next_slot === null ? 'ended' : 'active', next_slot, next_run_at]);
}

/** What one run of a schedule does, as the schedule said when it began. */
export interface RunDefinition {
  target: StartTarget;
  timezone: string;
  perRecipient: boolean;
  /** Recipients whose local time is outside of this are skipped; Unix milliseconds. */
  notBefore: number | null;
  notAfter: number | null;
  /** Whether recipients whose local time was missed get the run late. */
  runsLate: boolean;
}

export interface ScheduleRunRow {
  id: string;
  environment_id: string;
  schedule_id: string;
  slot: Date;
  is_manual: boolean;
  status: ScheduleRunStatus;
  definition: RunDefinition | null;
  last_user: string | null;
  run_id: string | null;
  broadcast_id: string | null;
  started_count: number;
  skipped_count: number;
  missed_count: number;
  failure_reason: string | null;
  completed_at: Date | null;
}

const runColumns =
  'id, environment_id, schedule_id, slot, is_manual, status, definition, last_user, run_id, broadcast_id, started_count, skipped_count, missed_count, failure_reason, completed_at';

const insertRunRow = statement<{ id: string }>(
  'schedule_runs_insert',
  `insert into schedule_runs (id, environment_id, schedule_id, slot, is_manual, status, definition, missed_count, completed_at)
   select id, environment_id, schedule_id, slot, is_manual, status, definition, missed_count,
     case when status = 'missed' then now() end
   from json_to_record($1::json) as (id uuid, environment_id uuid, schedule_id uuid, slot timestamptz, is_manual boolean,
     status text, definition jsonb, missed_count integer)
   on conflict (schedule_id, slot) where not is_manual do nothing
   returning id`,
);

/** Returns false when the slot has run before: after a change of the schedule, a slot may come up twice. */
export async function insertScheduleRun(
  sql: Sql,
  row: Pick<
    ScheduleRunRow,
    'id' | 'environment_id' | 'schedule_id' | 'slot' | 'is_manual' | 'status' | 'definition' | 'missed_count'
  >,
): Promise<boolean> {
  return (await insertRunRow(sql, [storableJson(row)])).length > 0;
}

export interface LoadedScheduleRun extends ScheduleRunRow {
  schedule_key: string;
  sender: Sender;
  now: number;
}

const qualified = runColumns
  .split(', ')
  .map((column) => `r.${column}`)
  .join(', ');

const loadRuns = statement<LoadedScheduleRun>(
  'schedule_runs_load',
  `select ${qualified}, s.key as schedule_key, ${nowSql},
     json_build_object('kind', 'job', 'environmentId', e.id, 'environmentKind', e.kind, 'organizationId', o.id,
       'plan', o.plan) as sender
   from schedule_runs r join schedules s on s.id = r.schedule_id
   join environments e on e.id = r.environment_id join organizations o on o.id = e.organization_id
   where r.id = any ($1::uuid[])`,
);

export function listRunsByIds(sql: Sql, ids: string[]): Promise<LoadedScheduleRun[]> {
  return loadRuns(sql, [ids]);
}

const findRun = statement<ScheduleRunRow>(
  'schedule_runs_find',
  `select ${runColumns} from schedule_runs where schedule_id = $1 and id = $2`,
);

export async function findScheduleRun(
  sql: Sql,
  scheduleId: string,
  id: string,
): Promise<ScheduleRunRow | null> {
  return (await findRun(sql, [scheduleId, id]))[0] ?? null;
}

const lockRun = statement<{ last_user: string | null; status: string }>(
  'schedule_runs_lock',
  'select last_user, status from schedule_runs where id = $1 for update',
);

export async function lockScheduleRun(
  sql: Sql,
  id: string,
): Promise<{ last_user: string | null; status: string } | null> {
  return (await lockRun(sql, [id]))[0] ?? null;
}

/** The progress of one slice. */
export interface RunProgress {
  id: string;
  lastUser: string | null;
  runId: string | null;
  broadcastId: string | null;
  started: number;
  skipped: number;
  isDone: boolean;
  failureReason: string | null;
}

const updateRun = statement(
  'schedule_runs_update',
  `update schedule_runs set last_user = case when $6 then null else $2 end, run_id = $3, started_count = started_count + $4,
     skipped_count = skipped_count + $5,
     status = case when $7::text is not null then 'failed' when $6 then 'completed' else status end,
     definition = case when $6 then null else definition end, failure_reason = $7,
     completed_at = case when $6 then now() end, broadcast_id = $8
   where id = $1`,
);

export async function updateScheduleRun(sql: Sql, progress: RunProgress): Promise<void> {
  const { id, lastUser, runId, broadcastId, started, skipped, isDone, failureReason } = progress;
  await updateRun(sql, [id, lastUser, runId, started, skipped, isDone, failureReason, broadcastId]);
}

const listRows = statement<ScheduleRunRow>(
  'schedule_runs_list',
  `select ${runColumns} from schedule_runs where schedule_id = $1 and id < $2 order by id desc limit $3`,
);

const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export function listScheduleRuns(sql: Sql, scheduleId: string, page: PageRequest): Promise<ScheduleRunRow[]> {
  return listRows(sql, [scheduleId, page.before ?? highestId, page.limit + 1]);
}

const listLastRows = statement<ScheduleRunRow>(
  'schedule_runs_list_last',
  `select r.* from unnest($1::uuid[]) as wanted (id), lateral (
     select ${runColumns} from schedule_runs where schedule_id = wanted.id order by id desc limit 1) r`,
);

export async function listLastRuns(sql: Sql, scheduleIds: string[]): Promise<Map<string, ScheduleRunRow>> {
  const rows = scheduleIds.length === 0 ? [] : await listLastRows(sql, [scheduleIds]);
  return new Map(rows.map((row) => [row.schedule_id, row]));
}

const deleteOldRuns = statement(
  'schedule_runs_delete_old',
  `delete from schedule_runs where id = any (array(
     select id from schedule_runs where id < $1 and status <> 'running' order by id limit $2))
   returning 1 as one`,
);

/** The history of a schedule goes back this far. */
const historyMs = 90 * 86_400_000;

export const tidySchedules = deleteInSlices(5_000, async ({ pool, clock }, limit) => {
  return (await deleteOldRuns(pool, [lowestIdAt(clock() - historyMs), limit])).length;
});
