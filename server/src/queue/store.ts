import { type Sql, statement } from '../db/sql.ts';
import type { ParkedKey } from './concurrency.ts';
import { type LowTags, lowTagIndex, makeReady, movedColumns, noLowTags } from './fairness.ts';
import type { WorkRow } from './work.ts';

/**
 * The SQL of ready, leased and parked work. Rows move between narrow tables (later → ready → leased → gone) instead of changing a status
 * column: updates leave dead versions at the head of the index that the claim scans, which halved the throughput within a million rows.
 */

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

// Leased work: only the worker that holds a lease changes it; a rescue takes the leases of dead workers.

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

const addToLeases = statement<{ id: string }>(
  'queue_add_to_notes',
  `update queue_leased l set note = coalesce(l.note, '{}') || i.note
   from json_to_recordset($1::json) as i (id uuid, note jsonb)
   where l.id = i.id and l.kind = $2 and l.worker_id = $3
   returning l.id`,
);

/** The keys of a note that are not given stay. */
export async function addToNotes(
  sql: Sql,
  kind: number,
  notes: { id: string; note: object }[],
  workerId: string,
): Promise<string[]> {
  return (await addToLeases(sql, [JSON.stringify(notes), kind, workerId])).map((row) => row.id);
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
    returning ${movedColumns}`,
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

const snoozeLeases = statement(
  'queue_snooze',
  `with leased as (
     delete from queue_leased where kind = $1 and id = any ($2::uuid[]) and worker_id = $3
     returning kind, id, lane, environment_id, note)
   insert into queue_later (kind, id, lane, environment_id, note, run_at)
   select kind, id, lane, environment_id, note, now() + make_interval(secs => $4) from leased`,
);

/** Snoozes work whose handler threw. */
export async function releaseToLater(
  sql: Sql,
  kind: number,
  ids: string[],
  workerId: string,
  seconds: number,
): Promise<void> {
  await snoozeLeases(sql, [kind, ids, workerId, seconds]);
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
    returning ${movedColumns}`,
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

// Parked work was claimed while its concurrency key was full. Rows move here from leased, and back.

const parkLeases = statement<{ id: string }>(
  'queue_park',
  `with input as (select * from json_to_recordset($1::json) as (id uuid, concurrency_key text)),
   leased as (
     delete from queue_leased where kind = $2 and worker_id = $3 and id = any (array(select id from input))
     returning kind, id, lane, environment_id, note)
   insert into queue_parked (kind, id, lane, environment_id, note, place)
   select l.kind, l.id, l.lane, l.environment_id, l.note, i.concurrency_key from leased l join input i using (id)
   returning id`,
);

/** Returns the ids that were still leased. */
export async function insertParked(
  sql: Sql,
  kind: number,
  work: { id: string; key: string }[],
  workerId: string,
): Promise<string[]> {
  const rows = work.map(({ id, key }) => ({ id, concurrency_key: key }));
  return (await parkLeases(sql, [JSON.stringify(rows), kind, workerId])).map((row) => row.id);
}

const claimUnderKey = statement<WorkRow & { leased_at: Date }>(
  'queue_claim_parked',
  `with taken as (
     delete from queue_parked where ctid = any (array(
       select ctid from queue_parked where kind = $1 and place = $2 order by lane, id limit $3 for update skip locked))
     returning kind, id, lane, environment_id, note
   )
   insert into queue_leased (kind, id, lane, environment_id, note, worker_id)
   select kind, id, lane, environment_id, note, $4 from taken
   returning kind, id, lane, environment_id, note, leased_at`,
);

export function claimParked(
  sql: Sql,
  kind: number,
  key: string,
  limit: number,
  workerId: string,
): Promise<(WorkRow & { leased_at: Date })[]> {
  return claimUnderKey(sql, [kind, key, limit, workerId]);
}

const findParkedKeys = statement<ParkedKey & { kind: number }>(
  'queue_find_parked_keys',
  // One index step for each key, however many rows are parked under it.
  `select k.kind, keys.place as concurrency_key, keys.environment_id
   from unnest($1::smallint[]) as k (kind) cross join lateral (
     with recursive found as (
       (select place, environment_id from queue_parked where kind = k.kind order by place limit 1)
       union all
       select next.place, next.environment_id from found f cross join lateral (
         select p.place, p.environment_id from queue_parked p
         where p.kind = k.kind and p.place > f.place order by p.place limit 1) next
     )
     select place, environment_id from found limit $2) keys`,
);

/** The concurrency keys with parked work of these kinds, up to `limit` of each kind. */
export function listParkedKeys(
  sql: Sql,
  kinds: number[],
  limit: number,
): Promise<(ParkedKey & { kind: number })[]> {
  return findParkedKeys(sql, [kinds, limit]);
}
