import { query, type Sql, statement } from '../../../db/sql.ts';
import type {
  Json,
  JsonObject,
  RunState,
  StepEntry,
  StepOutcome,
  StepStatus,
} from '../../../engine/index.ts';
import type { Plan } from '../../../http/principal.ts';
import { storableJson } from '../../../kernel/json.ts';
import type { PageRequest } from '../../../kernel/page.ts';
import { enqueueSql, type Lane, lanes, type Queue } from '../../../queue/index.ts';
import { claimKeysSql, type KeyClaim } from '../../platform/idempotency/index.ts';
import type { RunQuery, RunStatus } from './schema.ts';

interface RunRow {
  id: string;
  environment_id: string;
  workflow_id: string;
  version: number;
  status: RunStatus;
  current_step_id: string | null;
  external_user_id: string | null;
  /** The address of the person the run is about, when it names no other user: erasing a person finds the run by it. */
  address: string | null;
  trigger_data: JsonObject;
  chain: string | null;
  failure_reason: string | null;
  completed_at: Date | null;
}

export type NewRun = Pick<
  RunRow,
  | 'id'
  | 'environment_id'
  | 'workflow_id'
  | 'version'
  | 'external_user_id'
  | 'address'
  | 'trigger_data'
  | 'chain'
>;

/** One statement, as in the acceptance of notifications: the keys, the runs and their jobs are written all or nothing. */
const insertRows = statement<{ id: string }>(
  'runs_insert',
  `with input as materialized (
     select * from json_to_recordset($1::json) as (id uuid, environment_id uuid, workflow_id uuid, version int,
       external_user_id text, address text, trigger_data json, chain text, operation text, key text, body_hash text, lane smallint,
       run_at timestamptz, tag bigint)
   ),
   fresh as (${claimKeysSql('(select *, id as resource_id from input where key is not null) claims')}),
   taken as materialized (select * from input where key is null or id in (select resource_id from fresh)),
   ${enqueueSql('run', '(select id, lane, environment_id, run_at, tag from taken) work', '$2')},
   inserted as (
     insert into runs (id, environment_id, workflow_id, version, status, external_user_id, address, trigger_data, chain)
     select id, environment_id, workflow_id, version, 'pending', external_user_id, address, trigger_data, chain from taken
   )
   select id from taken`,
);

/** Returns the ids of the new runs; the Idempotency-Keys of the others are taken. Each key occurs at most once in the input. */
export async function insertRuns(
  sql: Sql,
  queue: Pick<Queue, 'tagsFor'>,
  triggers: { run: NewRun; keyClaim: KeyClaim | null; lane?: Lane; runAt?: Date | null }[],
): Promise<Set<string>> {
  const { tags, lows } = queue.tagsFor(
    triggers.map(({ run, lane = 'normal' }) => ({ kind: 'run', lane, environmentId: run.environment_id })),
  );
  const rows = triggers.map(({ run, keyClaim, lane = 'normal', runAt }, index) => ({
    ...run,
    lane: lanes[lane],
    run_at: runAt?.toISOString(),
    tag: tags[index],
    ...(keyClaim && { operation: keyClaim.operation, key: keyClaim.key, body_hash: keyClaim.bodyHash }),
  }));
  return new Set((await insertRows(sql, [storableJson(rows), lows])).map(({ id }) => id));
}

const select = `
  select r.id, r.environment_id, r.workflow_id, r.version, r.status, r.current_step_id, r.external_user_id, r.trigger_data,
    r.failure_reason, r.completed_at, w.key as workflow_key
  from runs r join workflows w on w.id = r.workflow_id`;

export type StoredRun = Omit<RunRow, 'address' | 'chain'> & { workflow_key: string };

const findOne = statement<StoredRun>('runs_find', `${select} where r.id = $1 and r.environment_id = $2`);

export async function findRun(sql: Sql, environmentId: string, id: string): Promise<StoredRun | null> {
  return (await findOne(sql, [id, environmentId]))[0] ?? null;
}

export function listRuns(
  sql: Sql,
  workflow: { id: string; environment_id: string },
  filter: RunQuery,
  page: PageRequest,
): Promise<StoredRun[]> {
  const values: unknown[] = [workflow.id, workflow.environment_id, page.limit + 1];
  const conditions = ['r.workflow_id = $1', 'r.environment_id = $2'];
  const where = (condition: string, value: unknown): void => {
    values.push(value);
    conditions.push(`${condition} $${values.length}`);
  };
  if (filter.status) where('r.status =', filter.status);
  if (filter.external_user_id) where('r.external_user_id =', filter.external_user_id);
  if (page.before) where('r.id <', page.before);
  return query(sql, `${select} where ${conditions.join(' and ')} order by r.id desc limit $3`, values);
}

/** Everything about one run that an advance needs. */
export interface AdvanceRow {
  id: string;
  environment_id: string;
  workflow_id: string;
  version: number;
  status: RunStatus;
  external_user_id: string | null;
  address: string | null;
  trigger_data: JsonObject;
  /** Null when the run begins a chain of its own. */
  chain: string | null;
  state: RunState | null;
  environment_kind: 'test' | 'live';
  organization_id: string;
  plan: Plan;
  /** The event that claimed the wait of the run. */
  event_id: string | null;
  event_name: string | null;
  event_data: JsonObject | null;
  /** How often the awaited notification has changed its status; null when the run waits for none. */
  moves: number | null;
  /** Of the user that the run is about. */
  recipient_timezone: string | null;
  /** The time of the database, which also decides when a job is due: the clocks of the processes may differ. */
  now: number;
}

const loadAdvanceRows = statement<AdvanceRow>(
  'runs_load',
  `select r.id, r.environment_id, r.workflow_id, r.version, r.status, r.external_user_id, r.address, r.trigger_data, r.chain,
     r.state, e.kind as environment_kind, e.organization_id, o.plan, v.id as event_id, v.name as event_name, v.data as event_data, s.moves,
     u.timezone as recipient_timezone,
     floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now
   from runs r
   join environments e on e.id = r.environment_id
   join organizations o on o.id = e.organization_id
   left join end_users u on u.environment_id = r.environment_id and u.external_user_id = r.external_user_id
   left join run_sends s on s.run_id = r.id
   left join run_waits w on w.run_id = r.id
   left join workflow_events v on v.id = w.event_id
   where r.id = any ($1::uuid[])`,
);

export function listAdvanceRows(sql: Sql, ids: string[]): Promise<AdvanceRow[]> {
  return loadAdvanceRows(sql, [ids]);
}

const lockRows = statement<{ id: string; status: RunStatus }>(
  'runs_lock',
  'select id, status from runs where id = any ($1::uuid[]) order by id for update',
);

export async function lockRuns(sql: Sql, ids: string[]): Promise<Map<string, RunStatus>> {
  return new Map((await lockRows(sql, [ids])).map(({ id, status }) => [id, status]));
}

/** The changes of an advance to the row of its run. */
export interface RunUpdate {
  id: string;
  status: RunStatus;
  current_step_id: string | null;
  /** Null when the run has ended and needs no state. */
  state: RunState | null;
  external_user_id: string | null;
  address: string | null;
  failure_reason: string | null;
  completed_at: string | null;
}

const updateRows = statement(
  'runs_update',
  `update runs r set status = i.status, current_step_id = i.current_step_id, state = i.state,
     external_user_id = i.external_user_id, address = i.address, failure_reason = i.failure_reason,
     completed_at = i.completed_at
   from json_to_recordset($1::json) as i (id uuid, status text, current_step_id text, state json, external_user_id text,
     address text, failure_reason text, completed_at timestamptz)
   where r.id = i.id`,
);

export async function updateRuns(sql: Sql, updates: RunUpdate[]): Promise<void> {
  if (updates.length > 0) await updateRows(sql, [storableJson(updates)]);
}

const markRows = statement(
  'runs_mark_cancelling',
  `update runs set status = 'cancelling' where id = any ($1::uuid[])`,
);

/** The next advance of a marked run ends it. */
export async function markCancelling(sql: Sql, ids: string[]): Promise<void> {
  await markRows(sql, [ids]);
}

/** An entry of the timeline. A step that takes time is written when it begins and again when it ends. */
export interface StepWrite extends StepEntry {
  runId: string;
  /** The event that ended the wait of the step. */
  eventId: string | null;
}

const upsertStepRows = statement(
  'runs_upsert_steps',
  `insert into run_steps (run_id, seq, step_id, kind, attempt_id, status, outcome, notification_id, event_id, output,
     next_step_id, next_scheduled_at, started_at, completed_at)
   select "runId", seq, "stepId", kind, "attemptId", status, outcome, "notificationId", "eventId", output, "nextStepId",
     to_timestamp("nextScheduledAt" / 1000.0), to_timestamp("startedAt" / 1000.0), to_timestamp("completedAt" / 1000.0)
   from json_to_recordset($1::json) as ("runId" uuid, seq int, "stepId" text, kind text, "attemptId" text, status text,
     outcome text, "notificationId" uuid, "eventId" uuid, output json, "nextStepId" text, "nextScheduledAt" float8,
     "startedAt" float8, "completedAt" float8)
   on conflict (run_id, seq) do update set status = excluded.status, outcome = excluded.outcome,
     notification_id = excluded.notification_id, event_id = excluded.event_id, output = excluded.output,
     next_step_id = excluded.next_step_id, next_scheduled_at = excluded.next_scheduled_at,
     completed_at = excluded.completed_at`,
);

export async function upsertSteps(sql: Sql, steps: StepWrite[]): Promise<void> {
  if (steps.length > 0) await upsertStepRows(sql, [storableJson(steps)]);
}

interface StepRow {
  seq: number;
  step_id: string;
  kind: string;
  attempt_id: string;
  status: StepStatus;
  outcome: StepOutcome | null;
  notification_id: string | null;
  output: Json;
  next_step_id: string | null;
  next_scheduled_at: Date | null;
  started_at: Date;
  completed_at: Date | null;
}

const listStepRows = statement<StepRow>(
  'runs_list_steps',
  `select seq, step_id, kind, attempt_id, status, outcome, notification_id, output, next_step_id, next_scheduled_at,
     started_at, completed_at
   from run_steps where run_id = $1 order by seq`,
);

export async function listSteps(sql: Sql, runId: string): Promise<StepEntry[]> {
  return (await listStepRows(sql, [runId])).map((row) => ({
    seq: row.seq,
    stepId: row.step_id,
    kind: row.kind,
    attemptId: row.attempt_id,
    status: row.status,
    outcome: row.outcome,
    notificationId: row.notification_id,
    output: row.output,
    nextStepId: row.next_step_id,
    nextScheduledAt: row.next_scheduled_at?.getTime() ?? null,
    startedAt: row.started_at.getTime(),
    completedAt: row.completed_at?.getTime() ?? null,
  }));
}
