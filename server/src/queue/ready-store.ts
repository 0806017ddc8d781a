import { type Sql, statement } from '../db/sql.ts';
import { type LowTags, lowTagIndex, lowTagSql, makeReady, noLowTags, tagSteps } from './ready-sql.ts';
import { lanes, type WorkRow } from './work.ts';

/**
 * The SQL of ready work. Rows move between three narrow tables (later → ready → leased → gone) instead of changing a status column:
 * updates leave dead versions at the head of the index that the claim scans, which halved the throughput within a million rows.
 */

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
