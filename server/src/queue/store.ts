import { type Sql, statement } from '../db/sql.ts';
import { lanes, workKinds } from './work.ts';

/**
 * The SQL of the queue. Rows move between three narrow tables (later → ready → leased → gone) instead of changing a status column:
 * updates leave dead versions at the head of the index that the claim scans, which halved the throughput within a million rows.
 */

/** A row of work as SQL reads and writes it. */
export interface WorkRow {
  kind: number;
  id: string;
  lane: number;
  environment_id: string;
  note: unknown;
}

const laneCount = Object.keys(lanes).length;

/**
 * The smallest tag at which a scan of `queue_ready` begins, by kind and lane: see `low-water.ts`. Rows below it are dead, and an old
 * snapshot keeps vacuum from removing them.
 */
export type LowTags = number[];

export const noLowTags: LowTags = Array((Math.max(...Object.values(workKinds)) + 1) * laneCount).fill(0);

/** The index of a kind and lane in `LowTags`. */
export function lowTagIndex(kind: number, lane: number): number {
  return kind * laneCount + lane;
}

/** An SQL expression: the low tag of a kind and lane in an array of type `bigint[]`. */
const lowTagSql = (lows: string, kind: string, lane: string): string =>
  `(${lows})[${kind} * ${laneCount} + ${lane} + 1]`;

/**
 * Makes the rows of `source` ready, each with a fairness tag (start-time fair queueing). The next row of an environment gets the tag after
 * its last one, but never a tag before the ones being served; claims go by tag. So environments alternate, and past load gives neither
 * credit nor debt. `floor` is the smallest waiting tag or, when no row waits, the largest tag ever given. Rows that come with a reserved
 * tag keep it (`fairness-tags.ts`). `lows` is the parameter with the low tags.
 */
function makeReady(source: string, lows: string): string {
  return `with ${readySteps(source, lows)} ${insertReadyRows}`;
}

/** The steps of `makeReady` as named queries, for statements that do more. */
function readySteps(source: string, lows: string): string {
  return `
    queue_source as (${source}),
    queue_arriving as (
      select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
    ),
    ${tagSteps(lows)}`;
}

/** Gives tags to the environments of `queue_arriving`. */
function tagSteps(lows: string): string {
  return `queue_floors as (
      select kind, lane, coalesce(
        (select r.tag - 1 from queue_ready r
         where r.kind = l.kind and r.lane = l.lane and r.tag >= ${lowTagSql(`${lows}::bigint[]`, 'l.kind', 'l.lane')}
         order by r.tag limit 1),
        (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
        0) as tag
      from (select distinct kind, lane from queue_arriving) l
    ),
    queue_taken_turns as (
      insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
      select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
      from queue_arriving a join queue_floors f using (kind, lane)
      -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
      order by a.kind = ${workKinds.webhook_delivery}, 1, 2, 3
      on conflict (kind, lane, environment_id) do update
        set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
      returning kind, lane, environment_id, last_tag - burst as before
    )`;
}

const insertReadyRows = `
    insert into queue_ready (id, kind, lane, tag, environment_id, note)
    select s.id, s.kind, s.lane, coalesce(s.tag,
      t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
      s.environment_id, s.note
    from queue_source s left join queue_taken_turns t using (kind, lane, environment_id)`;

/** Fairness tags belong to an environment in a lane of a kind of work. */
export interface TagOwner {
  kind: number;
  lane: number;
  environment_id: string;
}

const reserveTags = statement<TagOwner & { first: number; burst: number }>(
  'queue_reserve_tags',
  `with queue_arriving as (
     select * from json_to_recordset($1::json) as (kind smallint, lane smallint, environment_id uuid, burst int)
   ), ${tagSteps('$2')}
   select kind, lane, environment_id, (before + 1)::float8 as first, burst
   from queue_taken_turns join queue_arriving using (kind, lane, environment_id)`,
);

/** Takes a number of tags for each owner, ahead of the rows that will use them. Returns the first tag of each. */
export function insertTags(sql: Sql, requests: (TagOwner & { burst: number })[], lows: LowTags) {
  return reserveTags(sql, [JSON.stringify(requests), lows]);
}

/**
 * Named queries that enqueue work of one kind, for a statement that also inserts the rows which the work is about. `source` has the
 * columns id, lane (its number), environment_id, run_at (null for now) and tag (null when none is reserved). The queries lock rows that all
 * senders share, so they stand first in the statement: PostgreSQL executes unreferenced queries from the last to the first.
 */
export function enqueueSteps(kind: number, source: string, lows: string): string {
  return `
    queue_postponed as (
      insert into queue_later (kind, id, lane, environment_id, run_at)
      select ${kind}, id, lane, environment_id, run_at from ${source} where run_at is not null
    ),
    ${readySteps(
      `select ${kind}::smallint as kind, id, lane, environment_id, null::jsonb as note, tag from ${source} where run_at is null`,
      lows,
    )},
    queue_enqueued as (${insertReadyRows})`;
}

const enqueueRows = statement(
  'queue_enqueue',
  makeReady(
    `select * from json_to_recordset($1::json)
       as (kind smallint, id uuid, lane smallint, environment_id uuid, note jsonb, tag bigint)`,
    '$2',
  ),
);

/** `tag` is reserved, or null. */
export interface ReadyRow extends WorkRow {
  tag?: number | null;
}

export async function insertReady(sql: Sql, rows: ReadyRow[], lows: LowTags = noLowTags): Promise<void> {
  await enqueueRows(sql, [JSON.stringify(rows), lows]);
}

const postponeRows = statement(
  'queue_postpone',
  `insert into queue_later (kind, id, lane, environment_id, note, run_at, waits_for, waits_since)
   select * from json_to_recordset($1::json)
     as (kind smallint, id uuid, lane smallint, environment_id uuid, note jsonb, run_at timestamptz, waits_for text,
       waits_since timestamptz)`,
);

/** `waits_for`: the name that the work waits for besides its time, `waits_since` then. */
export interface LaterRow extends WorkRow {
  run_at: string;
  waits_for?: string | null;
  waits_since?: string | null;
}

export async function insertLater(sql: Sql, rows: LaterRow[]): Promise<void> {
  await postponeRows(sql, [JSON.stringify(rows)]);
}

const moved = 'kind, id, lane, environment_id, note, null::bigint as tag';

const promoteDue = statement<{ kind: number }>(
  'queue_promote',
  `${makeReady(
    `
    delete from queue_later where ctid = any (array(
      select ctid from queue_later where run_at <= now() order by run_at limit $1 for update skip locked))
    returning ${moved}`,
    '$2',
  )}
   returning kind`,
);

/** Moves due work from later to ready. Returns the number of rows. */
export async function promote(sql: Sql, limit: number, lows: LowTags = noLowTags): Promise<number> {
  return (await promoteDue(sql, [limit, lows])).length;
}

const runNowRows = statement<{ id: string }>(
  'queue_hasten',
  `${makeReady(
    `
    delete from queue_later where kind = $1 and id = any ($2::uuid[])
    returning ${moved}`,
    '$3',
  )}
   returning id`,
);

/** Moves work from later to ready before its time. Returns the ids that were in later. */
export async function runNow(
  sql: Sql,
  kind: number,
  ids: string[],
  lows: LowTags = noLowTags,
): Promise<string[]> {
  return (await runNowRows(sql, [kind, ids, lows])).map((row) => row.id);
}

const wakeRows = statement<{ id: string }>(
  'queue_wake',
  `${makeReady(
    `
    delete from queue_later where ctid = any (array(
      select ctid from queue_later
      where environment_id = $1 and waits_for = $2 and kind = $3 and waits_since < $4
      order by lane limit $5 for update skip locked))
    returning ${moved}`,
    '$6',
  )}
   returning id`,
);

/** Moves work that waits for `name` since before a time from later to ready, faster lanes first. Returns the number of rows. */
export async function wakeWaiting(
  sql: Sql,
  wait: { environmentId: string; name: string; kind: number; before: Date },
  limit: number,
): Promise<number> {
  return (await wakeRows(sql, [wait.environmentId, wait.name, wait.kind, wait.before, limit, noLowTags]))
    .length;
}

/** Postponed work that waits for a name. */
export interface WaitingFor {
  environmentId: string;
  name: string;
  kind: number;
  /** Only what has waited since then or longer. */
  before: Date;
}

const releaseRows = statement<{ id: string }>(
  'queue_release_waiting',
  `${makeReady(
    `
    delete from queue_later where ctid = any (array(
      select ctid from queue_later
      where environment_id = $1 and waits_for = $2 and kind = $3 and waits_since <= $4
      order by lane, waits_since, id limit $5 for update skip locked))
    returning kind, id, case when lane = ${lanes.critical} then lane else ${lanes.bulk}::smallint end as lane, environment_id,
      coalesce(note, '{}') || $7::jsonb as note, null::bigint as tag`,
    '$6',
  )}
   returning id`,
);

/**
 * Moves work that waits for a name to ready, the oldest first, with an addition to its note. Backlogs go to the bulk lane, where they
 * delay nothing else. Returns the number of rows.
 */
export async function releaseWaiting(
  sql: Sql,
  wait: WaitingFor,
  limit: number,
  addedNote: object,
): Promise<number> {
  const { environmentId, name, kind, before } = wait;
  const note = JSON.stringify(addedNote);
  return (await releaseRows(sql, [environmentId, name, kind, before, limit, noLowTags, note])).length;
}

/** How much work waits for a name. */
export interface WaitingCount {
  name: string;
  /** At most the limit of the count. */
  count: number;
  oldest_at: Date;
}

const countNames = statement<WaitingCount>(
  'queue_count_waiting_for',
  // One index step for each name, then at most the limit of index entries.
  `with recursive names as (
     (select waits_for as name from queue_later where environment_id = $1 and waits_for >= $3 and waits_for < $3 || chr(1114111)
      order by waits_for limit 1)
     union all
     select (select l.waits_for from queue_later l
       where l.environment_id = $1 and l.waits_for > n.name and l.waits_for < $3 || chr(1114111) order by l.waits_for limit 1)
     from names n where n.name is not null
   )
   select name, waiting.count, waiting.oldest_at from names cross join lateral (
     select count(*)::int as count, min(waits_since) as oldest_at from (
       select waits_since from queue_later where environment_id = $1 and waits_for = name and kind = $2 limit $4) first) waiting
   where name is not null and waiting.count > 0`,
);

/** Counts the work of an environment by the name it waits for, of the names that begin with `prefix`. */
export function countWaitingFor(
  sql: Sql,
  environmentId: string,
  kind: number,
  prefix: string,
  limit: number,
): Promise<WaitingCount[]> {
  return countNames(sql, [environmentId, kind, prefix, limit]);
}

/** Work that waits for `name`. */
export interface NamedWait {
  name: string;
  id: string;
  note: unknown;
}

const listWaiting = statement<NamedWait>(
  'queue_list_waiting_for',
  `select given.name, l.id, l.note from unnest($2::text[]) as given (name) cross join lateral (
     select lane, waits_since, id, note from queue_later
     where environment_id = $1 and waits_for = given.name and kind = $3
     order by lane, waits_since, id limit $4) l
   order by given.name, l.lane, l.waits_since, l.id`,
);

/** The oldest work that waits for each of the names, `limit` at most for each. */
export function listWaitingFor(
  sql: Sql,
  { environmentId, kind, names }: { environmentId: string; kind: number; names: string[] },
  limit: number,
): Promise<NamedWait[]> {
  return listWaiting(sql, [environmentId, names, kind, limit]);
}

/** A claimed row, with the tag by which it was claimed. */
export interface ClaimedRow extends WorkRow {
  leased_at: Date;
  tag: number;
}

const claimRows = statement<ClaimedRow>(
  'queue_claim',
  // The lanes are read one after the other, and only as far as the limit goes.
  `with taken as (
     delete from queue_ready where ctid = any (array(
       select first.ctid from unnest($2::bigint[]) with ordinality as l (low, number) cross join lateral (
         select ctid from queue_ready
         where kind = $1 and lane = l.number - 1 and tag >= l.low order by tag limit $3 for update skip locked) first
       limit $3))
     returning kind, id, lane, environment_id, note, tag
   ), leased as (
     insert into queue_leased (kind, id, lane, environment_id, note, worker_id)
     select kind, id, lane, environment_id, note, $4 from taken
     returning id, leased_at
   )
   select kind, id, lane, environment_id, note, leased_at, tag::float8 from taken join leased using (id)`,
);

export async function claim(
  sql: Sql,
  kind: number,
  maxLane: number,
  limit: number,
  workerId: string,
  lows: LowTags = noLowTags,
): Promise<ClaimedRow[]> {
  const laneLows = lows.slice(lowTagIndex(kind, 0), lowTagIndex(kind, maxLane) + 1);
  const rows = await claimRows(sql, [kind, laneLows, limit, workerId]);
  return rows.sort((a, b) => a.lane - b.lane); // PostgreSQL returns the rows in no order; the lane is the order within a claim
}

/** The smallest tag that waits in a lane of a kind. */
export interface FirstTag {
  kind: number;
  lane: number;
  tag: number;
}

const findFirstTags = statement<FirstTag>(
  'queue_find_ready',
  // `order by` makes PostgreSQL use the index; without it, it may read all rows to find none of this kind.
  `select kind, lane, tag::float8 from unnest($1::smallint[]) as kind, unnest($2::smallint[]) as lane cross join lateral (
     select r.tag from queue_ready r
     where r.kind = kind.kind and r.lane = lane.lane and r.tag >= ${lowTagSql('$3::bigint[]', 'kind.kind', 'lane.lane')}
     order by r.tag limit 1) first`,
);

/** The kinds of work, of those given, that have ready rows, with the first tag of each lane. */
export function listFirstTags(sql: Sql, kinds: number[], lows: LowTags = noLowTags): Promise<FirstTag[]> {
  return findFirstTags(sql, [kinds, Object.values(lanes), lows]);
}

const noteLeases = statement<{ id: string }>(
  'queue_begin',
  `update queue_leased l set note = i.note
   from json_to_recordset($1::json) as i (id uuid, note jsonb)
   where l.id = i.id and l.kind = $2 and l.worker_id = $3
   returning l.id`,
);

export async function updateNotes(
  sql: Sql,
  kind: number,
  notes: { id: string; note: unknown }[],
  workerId: string,
): Promise<string[]> {
  return (await noteLeases(sql, [JSON.stringify(notes), kind, workerId])).map((row) => row.id);
}

const finishLeases = statement<{ id: string }>(
  'queue_finish',
  'delete from queue_leased where kind = $1 and id = any ($2::uuid[]) and worker_id = $3 returning id',
);

export async function deleteLeases(
  sql: Sql,
  kind: number,
  ids: string[],
  workerId: string,
): Promise<string[]> {
  return (await finishLeases(sql, [kind, ids, workerId])).map((row) => row.id);
}

const releaseLeases = statement(
  'queue_release',
  makeReady(
    `
    delete from queue_leased where kind = $1 and id = any ($2::uuid[]) and worker_id = $3
    returning ${moved}`,
    '$4',
  ),
);

/** Releases unfinished work to ready. The release counts as no attempt. */
export async function releaseToReady(
  sql: Sql,
  kind: number,
  ids: string[],
  workerId: string,
  lows: LowTags = noLowTags,
): Promise<void> {
  await releaseLeases(sql, [kind, ids, workerId, lows]);
}

const deferLeases = statement(
  'queue_defer',
  `with held as (
     delete from queue_leased where kind = $1 and id = any ($2::uuid[]) and worker_id = $3
     returning kind, id, lane, environment_id, note)
   insert into queue_later (kind, id, lane, environment_id, note, run_at)
   select kind, id, lane, environment_id, note, now() + make_interval(secs => $4) from held`,
);

/** Snoozes work whose handler threw. */
export async function releaseToLater(
  sql: Sql,
  kind: number,
  ids: string[],
  workerId: string,
  seconds: number,
): Promise<void> {
  await deferLeases(sql, [kind, ids, workerId, seconds]);
}

const findOldLeases = statement<{ kind: number; id: string }>(
  'queue_find_old_leases',
  `select kind, id from queue_leased where worker_id = $1 and leased_at < now() - make_interval(secs => $2)`,
);

/** Leases of a worker that are older than this. */
export function listLeasesBefore(
  sql: Sql,
  workerId: string,
  seconds: number,
): Promise<{ kind: number; id: string }[]> {
  return findOldLeases(sql, [workerId, seconds]);
}

const rescueLeases = statement<{ kind: number }>(
  'queue_rescue',
  `${makeReady(
    `
    delete from queue_leased where ctid = any (array(
      select l.ctid from queue_leased l
      where now() < $2 and not exists (select from workers w where w.id = l.worker_id and w.alive_until > now())
      limit $1 for update skip locked))
    returning ${moved}`,
    '$3',
  )}
   returning kind`,
);

/**
 * Rescues the leases of workers without a heartbeat, unless the clock of the database is past `before`. Returns the kinds of the rescued
 * work.
 */
export async function rescue(
  sql: Sql,
  limit: number,
  before: number,
  lows: LowTags = noLowTags,
): Promise<number[]> {
  return (await rescueLeases(sql, [limit, new Date(before), lows])).map((row) => row.kind);
}

/** `run_at` is null for ready work. */
interface WaitingRow extends WorkRow {
  run_at: Date | null;
  waits_for: string | null;
  waits_since: Date | null;
}

const takeWaiting = statement<WaitingRow>(
  'queue_take_waiting',
  `with l as (
     delete from queue_later where id = $1 and kind = $2
     returning kind, id, lane, environment_id, note, run_at, waits_for, waits_since),
   r as (delete from queue_ready where id = $1 and kind = $2 returning kind, id, lane, environment_id, note)
   select * from l union all select *, null, null, null from r`,
);

/** Removes work that is not leased and returns it. Null when the work is leased or does not exist. */
export async function deleteWaiting(sql: Sql, kind: number, id: string): Promise<WaitingRow | null> {
  const take = async () => (await takeWaiting(sql, [id, kind]))[0] ?? null;
  // Work that becomes due while the statement waits for its lock moves from the table already read to the one read before: try twice.
  return (await take()) ?? (await take());
}

const takeManyWaiting = statement<{ id: string }>(
  'queue_take_many_waiting',
  `with ${['later', 'ready', 'parked']
    .map(
      (state) => `${state} as (
     delete from queue_${state} where ctid = any (array(
       select ctid from queue_${state} where id = any ($1::uuid[]) and kind = $2 order by id for update))
     returning id)`,
    )
    .join(', ')}
   select id from later union all select id from ready union all select id from parked`,
);

/** Removes work that is not leased. Returns the ids that were removed. Rows are locked by id, so two callers cannot deadlock. */
export async function deleteManyWaiting(sql: Sql, kind: number, ids: string[]): Promise<string[]> {
  const take = async (of: string[]) => (await takeManyWaiting(sql, [of, kind])).map(({ id }) => id);
  const taken = await take(ids);
  // Work may move between the tables while the statement waits for a lock: see `deleteWaiting`.
  const isTaken = new Set(taken);
  const left = ids.filter((id) => !isTaken.has(id));
  return left.length === 0 ? taken : [...taken, ...(await take(left))];
}

const findDue = statement<{ run_at: Date }>(
  'queue_find_due',
  'select run_at from queue_later where id = $1 and kind = $2',
);

export async function findRunAt(sql: Sql, kind: number, id: string): Promise<Date | null> {
  return (await findDue(sql, [id, kind]))[0]?.run_at ?? null;
}

const breathe = statement<{ now: Date }>(
  'queue_heartbeat',
  `insert into workers (id, alive_until) values ($1, now() + make_interval(secs => $2))
   on conflict (id) do update set alive_until = excluded.alive_until
   returning now()`,
);

/** Returns the time of the heartbeat by the clock of the database. */
export async function heartbeat(sql: Sql, workerId: string, seconds: number): Promise<number> {
  const [row] = await breathe(sql, [workerId, seconds]);
  if (!row) throw new Error('failed to write a heartbeat');
  return row.now.getTime();
}

const removeWorker = statement('queue_remove_worker', 'delete from workers where id = $1');

export async function deleteWorker(sql: Sql, workerId: string): Promise<void> {
  await removeWorker(sql, [workerId]);
}

const removeDeadWorkers = statement(
  'queue_remove_dead_workers',
  `delete from workers w where alive_until < now() - interval '1 hour'
   and not exists (select from queue_leased l where l.worker_id = w.id)`,
);

export async function deleteDeadWorkers(sql: Sql): Promise<void> {
  await removeDeadWorkers(sql);
}

const depths = statement<{ kind: number; lane: number; waiting: number }>(
  'queue_depth',
  // Counting stops at a cap, so that a scrape costs the same with a million rows waiting. `order by` makes PostgreSQL use the index;
  // without it, it may read all rows to find an empty lane.
  `select k.kind, l.lane,
     (select count(*)::int from (
        select from queue_ready r where r.kind = k.kind and r.lane = l.lane order by r.tag limit 10000) c) as waiting
   from unnest($1::smallint[]) as k (kind), unnest($2::smallint[]) as l (lane)`,
);

export function countReady(sql: Sql, kinds: number[], laneNumbers: number[]) {
  return depths(sql, [kinds, laneNumbers]);
}

const backlogCap = 10_000;

/** See `backlogSql` in index.ts. Environments alternate, so each one with ready work is among the first rows. */
export function backlogSteps(kind: number, laneNumbers: number[], environmentId: string): string {
  return `
    queue_first as materialized (
      select r.id, r.environment_id, l.lane, r.tag
      from unnest(array[${laneNumbers}]) as l (lane) cross join lateral (
        select id, environment_id, tag from queue_ready
        where kind = ${kind} and lane = l.lane order by tag limit ${backlogCap}) r
    ),
    queue_aside as materialized (
      select id, environment_id, lane from queue_parked
      where kind = ${kind} order by place, lane, id limit ${backlogCap}
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
      select id, true from queue_soon where kind = ${kind} and environment_id = ${environmentId} and run_at <= now()
    ),
    queue_counts as (
      select (select count(*) from queue_waiting)::int as waiting,
        (select count(*) from queue_soon
         where kind = ${kind} and environment_id = ${environmentId} and run_at > now())::int as later,
        (select coalesce(max(number), 0) >= ${backlogCap} from (
           select count(*) as number from queue_first group by lane
           union all select count(*) from queue_aside
           union all select count(*) from queue_soon) as places) as is_capped
    )`;
}
