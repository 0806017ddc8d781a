import { insertReadyRows, readySteps } from './fairness.ts';
import { lanes, type WorkKind, workKinds } from './work.ts';

/** SQL for the statements of features. The shape of the queue's tables is known outside of this folder only through these functions. */

/** Joins the lease of a row, if there is one, as `lease`, for stores that show whether work is in progress. */
export function joinLease(kind: WorkKind, idColumn: string): string {
  return `left join queue_leased lease on lease.id = ${idColumn} and lease.kind = ${workKinds[kind]}`;
}

/** Joins the postponed work of a row, if there is any, as `later` (run_at, waits_for, note), for stores that show why work waits. */
export function joinPostponed(kind: WorkKind, idColumn: string): string {
  return `left join queue_later later on later.id = ${idColumn} and later.kind = ${workKinds[kind]}`;
}

/**
 * An SQL value of the postponed work `later`; null when the work is not postponed. The limit keeps PostgreSQL from reading all postponed
 * work to answer for a thousand rows.
 */
export function postponedSql(kind: WorkKind, idColumn: string, value: string): string {
  return `(select ${value} from queue_later later
    where later.id = ${idColumn} and later.kind = ${workKinds[kind]} limit 1)`;
}

/** An SQL condition: the work is leased. */
export function isLeasedSql(kind: WorkKind, idColumn: string): string {
  return `exists (select from queue_leased l where l.id = ${idColumn} and l.kind = ${workKinds[kind]})`;
}

/** See `waitingIdsSql`. */
const shortQueue = 10_000;

/** Whether few enough jobs wait that those of an environment can be listed by `waitingIdsSql`. */
export function isShortQueueSql(kind: WorkKind, environmentId: string): string {
  const isShort = (rows: string): string =>
    `(select count(*) from (${rows} limit ${shortQueue + 1}) first) <= ${shortQueue}`;
  return [
    isShort(`select from queue_ready where kind = ${workKinds[kind]}`),
    isShort(`select from queue_parked where kind = ${workKinds[kind]}`),
    isShort(`select from queue_later where kind = ${workKinds[kind]} and environment_id = ${environmentId}`),
  ].join(' and ');
}

/** The ids of jobs of an environment that wait. Ready and parked jobs have no index by environment: all of them are read. */
export function waitingIdsSql(kind: WorkKind, environmentId: string): string {
  return ['queue_ready', 'queue_parked', 'queue_later', 'queue_held']
    .map(
      (table) =>
        `select id from ${table} where kind = ${workKinds[kind]} and environment_id = ${environmentId}`,
    )
    .join(' union all ');
}

/** An SQL query of the ids of an environment's postponed work; an index serves it in the order of the ids. */
export function postponedIdsSql(kind: WorkKind, environmentId: string): string {
  return `select id from queue_later where kind = ${workKinds[kind]} and environment_id = ${environmentId}`;
}

/** A statement that deletes the postponed work of rows that are deleted; `ids` is an SQL query. */
export function deletePostponedSql(kind: WorkKind, ids: string): string {
  return `delete from queue_later where kind = ${workKinds[kind]} and id in (${ids})`;
}

/** An SQL query of all leased ids: never more than the workers' capacity. */
export function leasedIdsSql(kind: WorkKind): string {
  return `select id from queue_leased where kind = ${workKinds[kind]}`;
}

/**
 * Named queries that enqueue work of one kind, for a statement that also inserts the rows which the work is about. `source` has the
 * columns id, lane (its number), environment_id, run_at (null for now) and tag (null when none is reserved); `lows` is the parameter for
 * the low tags. Tags and low tags come from `tagsFor`. The queries lock rows that all senders share, so they stand first in the
 * statement: PostgreSQL executes unreferenced queries from the last to the first.
 */
export function enqueueSql(kind: WorkKind, source: string, lows: string): string {
  const number = workKinds[kind];
  return `
    queue_postponed as (
      insert into queue_later (kind, id, lane, environment_id, run_at)
      select ${number}, id, lane, environment_id, run_at from ${source} where run_at is not null
    ),
    ${readySteps(
      `select ${number}::smallint as kind, id, lane, environment_id, null::jsonb as note, tag from ${source} where run_at is null`,
      lows,
    )},
    queue_enqueued as (${insertReadyRows})`;
}

/**
 * An SQL condition for `queue_leased`: the worker holds the leases. `ids` is an SQL array, `workerId` a parameter. With `=`, PostgreSQL
 * may choose the index by worker, where all the leases that the worker ever had are still to be found as dead rows.
 */
const leasedBySql = (kind: WorkKind, ids: string, workerId: string): string =>
  `kind = ${workKinds[kind]} and id = any (${ids}) and worker_id is not distinct from ${workerId}`;

/**
 * An update that adds to the notes of a worker's leases. Work keeps its note when it is rescued, released, snoozed or parked. `ids` is an
 * SQL array; `workerId` is the parameter for `queue.workerId`.
 */
export function addToNotesSql(kind: WorkKind, ids: string, addition: object, workerId: string): string {
  return `update queue_leased set note = coalesce(note, '{}') || '${JSON.stringify(addition)}'
    where ${leasedBySql(kind, ids, workerId)}`;
}

/** An SQL query of those of the leases that the worker still holds and whose note lacks the key. */
export function leasesWithoutSql(kind: WorkKind, ids: string, key: string, workerId: string): string {
  return `select id from queue_leased
    where ${leasedBySql(kind, ids, workerId)} and not coalesce(note ? '${key}', false)`;
}

const backlogCap = 10_000;

/**
 * Two named queries for statements that show the backlog of an environment: `queue_waiting` (id, is_next) and `queue_counts` (waiting,
 * later, is_capped). An index by environment would cost every send, so the queries read at most the first 10,000 rows of each table, of
 * all environments; beyond that the counts are lower bounds. Environments alternate, so each one with ready work is among the first rows.
 * `is_next` marks the first hundred rows of each lane.
 */
export function backlogSql(kind: WorkKind, environmentId: string): string {
  const number = workKinds[kind];
  return `
    queue_first as materialized (
      select r.id, r.environment_id, l.lane, r.tag
      from unnest(array[${Object.values(lanes)}]) as l (lane) cross join lateral (
        select id, environment_id, tag from queue_ready
        where kind = ${number} and lane = l.lane order by tag limit ${backlogCap}) r
    ),
    queue_aside as materialized (
      select id, environment_id, lane from queue_parked
      where kind = ${number} order by place, lane, id limit ${backlogCap}
    ),
    queue_soon as materialized (
      select id, environment_id, kind, run_at from queue_later order by run_at limit ${backlogCap}
    ),
    queue_waiting as (
      select id, row_number() over (partition by lane order by tag) <= 100 as is_next
      from queue_first where environment_id = ${environmentId}
      union all
      select id, row_number() over (order by id) <= 100 from queue_aside where environment_id = ${environmentId}
      union all
      select id, true from queue_soon where kind = ${number} and environment_id = ${environmentId} and run_at <= now()
    ),
    queue_counts as (
      select (select count(*) from queue_waiting)::int as waiting,
        (select count(*) from queue_soon
         where kind = ${number} and environment_id = ${environmentId} and run_at > now())::int as later,
        (select coalesce(max(number), 0) >= ${backlogCap} from (
           select count(*) as number from queue_first group by lane
           union all select count(*) from queue_aside
           union all select count(*) from queue_soon) as numbers) as is_capped
    )`;
}
