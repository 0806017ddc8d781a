import { deleteInSlices } from '../../../db/slices.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import type { ActivityOutcome } from '../../../deps.ts';
import { activityOutcomes, type CountedActivity, coarsened, latencyClasses } from './tally.ts';

const outcomeColumns = activityOutcomes.join(', ');
const addedLatency = (table: string): string =>
  `array(select coalesce(a, 0) + coalesce(b, 0) from unnest(${table}.latency, excluded.latency) as both_of (a, b))`;

const add = statement(
  'activity_add',
  // All transactions lock in this order, so there are no deadlocks.
  `with calls as (
     insert into webhook_activity as w (environment_id, endpoint_id, slot, succeeded, failed, latency)
     select environment_id, endpoint_id, to_timestamp(slot / 1000), succeeded, failed, latency
     from json_to_recordset($2::json)
       as (environment_id uuid, endpoint_id uuid, slot float8, succeeded int, failed int, latency int[])
     order by 2, 3
     on conflict (endpoint_id, slot) do update set succeeded = w.succeeded + excluded.succeeded,
       failed = w.failed + excluded.failed, latency = ${addedLatency('w')}
   ), triggers as (
     insert into workflow_activity as t (workflow_id, slot, triggered)
     select workflow_id, to_timestamp(slot / 1000), triggered
     from json_to_recordset($3::json) as (workflow_id uuid, slot float8, triggered int)
     order by 1, 2
     on conflict (workflow_id, slot) do update set triggered = t.triggered + excluded.triggered
   )
   insert into activity as n (environment_id, step, at, channel, ${outcomeColumns}, latency)
   select environment_id, step, to_timestamp(at / 1000), channel, ${outcomeColumns}, latency
   from json_to_recordset($1::json) as (environment_id uuid, step smallint, at float8, channel text,
     ${activityOutcomes.map((outcome) => `${outcome} int`).join(', ')}, latency int[])
   order by 1, 2, 3, 4
   on conflict (environment_id, step, at, channel) do update set
     ${activityOutcomes.map((outcome) => `${outcome} = n.${outcome} + excluded.${outcome}`).join(', ')},
     latency = case when excluded.latency is null then n.latency else ${addedLatency('n')} end`,
);

/**
 * The length of a bucket in seconds. All counts are kept in both: the fine one for short windows, the coarse one for long ones.
 */
export type ActivityBucket = 60 | 600;

/** Adds to the counts that this and other processes have written. */
export async function addActivity(
  sql: Sql,
  { notifications, calls, triggers }: CountedActivity,
): Promise<void> {
  const rows = [
    ...notifications.map((cell) => ({ ...cell, step: 60 })),
    ...coarsened(notifications, 600_000).map((cell) => ({ ...cell, step: 600 })),
  ];
  await add(sql, [JSON.stringify(rows), JSON.stringify(calls), JSON.stringify(triggers)]);
}

/** A time range and the length of its steps. */
export interface ActivitySpan {
  from: Date;
  to: Date;
  stepSeconds: number;
}

/** Sums the latency classes of all rows of a group. */
const latencySums = `array[${Array.from({ length: latencyClasses }, (_, index) => `coalesce(sum(latency[${index + 1}]), 0)`).join(', ')}]::float8[] as latency`;
const stepOf = (column: string): string =>
  `(extract(epoch from date_bin(make_interval(secs => $4), ${column}, 'epoch')) * 1000)::float8 as at`;

export interface ActivityRow extends Record<ActivityOutcome, number> {
  /** The beginning of the step, in Unix milliseconds. */
  at: number;
  channel: string;
}

const outcomeSums = activityOutcomes.map((outcome) => `sum(${outcome})::float8 as ${outcome}`).join(', ');

const sumByStep = statement<ActivityRow & { latency: number[] | null }>(
  'activity_sum',
  // The latencies of all steps together are a separate row: by step and channel they would take longer to read than to add.
  `with counted as materialized (
     select * from activity where environment_id = $1 and step = $5 and at >= $2 and at < $3
   )
   select ${stepOf('at')}, channel, ${outcomeSums}, null::float8[] as latency from counted group by 1, 2
   union all
   select 0, '', ${outcomeSums}, ${latencySums} from counted`,
);

/** Returns counts by step and channel, and the latency classes of all of them. */
export async function listActivity(
  sql: Sql,
  environmentId: string,
  { from, to, stepSeconds }: ActivitySpan,
  rowSeconds: ActivityBucket,
): Promise<{ rows: ActivityRow[]; latency: number[] }> {
  const found = await sumByStep(sql, [environmentId, from, to, stepSeconds, rowSeconds]);
  return {
    rows: found.filter(({ latency }) => latency === null),
    latency: found.find(({ latency }) => latency !== null)?.latency ?? [],
  };
}

interface CallRow {
  at: number;
  succeeded: number;
  failed: number;
  latency: number[];
}

const sumCallsByStep = statement<CallRow>(
  'activity_sum_calls',
  `select ${stepOf('slot')}, sum(succeeded)::float8 as succeeded, sum(failed)::float8 as failed, ${latencySums}
   from webhook_activity where endpoint_id = $1 and slot >= $2 and slot < $3
   group by 1`,
);

/** The caller has checked that the endpoint belongs to its environment. */
export function listCalls(sql: Sql, endpointId: string, span: ActivitySpan): Promise<CallRow[]> {
  return sumCallsByStep(sql, [endpointId, span.from, span.to, span.stepSeconds]);
}

export interface CalledEndpoint {
  id: string;
  url: string;
  description: string;
  status: string;
  succeeded: number;
  failed: number;
  /** The start of the counts of all endpoints, when the row limit cut them off; null when they are complete. */
  since: Date | null;
}

/** The maximum of rows that one query sums: a week of 25 endpoints that are called all the time. */
const maxCallRows = 50_000;

const listCalled = statement<CalledEndpoint>(
  'activity_list_called',
  `with counted as materialized (
     select endpoint_id, slot, succeeded, failed from webhook_activity
     where environment_id = $1 and slot >= $2 and slot < $3 order by slot desc limit ${maxCallRows}
   ), extent as (select case when count(*) = ${maxCallRows} then min(slot) end as since from counted)
   select e.id, e.url || case when e.sealed_query is null then '' else '?••••' end as url, e.description, e.status, extent.since, sum(c.succeeded)::float8 as succeeded,
     sum(c.failed)::float8 as failed
   from counted c join webhook_endpoints e on e.id = c.endpoint_id and e.environment_id = $1, extent
   group by e.id, extent.since
   order by sum(c.failed) desc, sum(c.succeeded) desc, e.id limit $4`,
);

/** Endpoints by number of failures, then by number of successes. */
export function listCalledEndpoints(
  sql: Sql,
  environmentId: string,
  { from, to }: ActivitySpan,
  limit: number,
): Promise<CalledEndpoint[]> {
  return listCalled(sql, [environmentId, from, to, limit]);
}

const deleteNotifications = statement<{ count: number }>(
  'activity_delete_before',
  `with gone as (
     delete from activity where ctid = any (array(
       select ctid from activity where step = $1 and at < $2 order by at limit $3)) returning 1)
   select count(*)::int as count from gone`,
);

/** Deletes up to `limit` rows; returns how many there were. */
export async function deleteActivityBefore(
  sql: Sql,
  step: ActivityBucket,
  time: Date,
  limit: number,
): Promise<number> {
  return (await deleteNotifications(sql, [step, time, limit]))[0]?.count ?? 0;
}

const deleteCalls = statement<{ count: number }>(
  'activity_delete_calls_before',
  `with gone as (
     delete from webhook_activity where ctid = any (array(
       select ctid from webhook_activity where slot < $1 order by slot limit $2)) returning 1)
   select count(*)::int as count from gone`,
);

export async function deleteCallsBefore(sql: Sql, time: Date, limit: number): Promise<number> {
  return (await deleteCalls(sql, [time, limit]))[0]?.count ?? 0;
}

const deleteTriggers = statement<{ count: number }>(
  'activity_delete_triggers_before',
  `with gone as (
     delete from workflow_activity where ctid = any (array(
       select ctid from workflow_activity where slot < $1 order by slot limit $2)) returning 1)
   select count(*)::int as count from gone`,
);

async function deleteTriggersBefore(sql: Sql, time: Date, limit: number): Promise<number> {
  return (await deleteTriggers(sql, [time, limit]))[0]?.count ?? 0;
}

const hourMs = 3_600_000;
/** The retention equals the longest window that reads each kind of row. */
const kept = {
  60: 6 * hourMs,
  600: 7 * 24 * hourMs,
  calls: 7 * 24 * hourMs,
  triggers: 8 * 24 * hourMs,
} as const;

export const tidyActivity = deleteInSlices(
  5_000,
  ({ pool, clock }, limit) => deleteActivityBefore(pool, 60, new Date(clock() - kept[60]), limit),
  ({ pool, clock }, limit) => deleteActivityBefore(pool, 600, new Date(clock() - kept[600]), limit),
  ({ pool, clock }, limit) => deleteCallsBefore(pool, new Date(clock() - kept.calls), limit),
  ({ pool, clock }, limit) => deleteTriggersBefore(pool, new Date(clock() - kept.triggers), limit),
);
