import { type Sql, statement } from '../db/sql.ts';
import type { ParkedKey } from './concurrency.ts';
import type { WorkRow } from './work.ts';

/** The SQL of parked work: work that was claimed while its concurrency key was full. Rows move here from leased, and back. */

const parkLeases = statement<{ id: string }>(
  'queue_park',
  `with input as (select * from json_to_recordset($1::json) as (id uuid, place text)),
   held as (
     delete from queue_leased where kind = $2 and worker_id = $3 and id = any (array(select id from input))
     returning kind, id, lane, environment_id, note)
   insert into queue_parked (kind, id, lane, environment_id, note, place)
   select h.kind, h.id, h.lane, h.environment_id, h.note, i.place from held h join input i using (id)
   returning id`,
);

/** Returns the ids that were still leased. */
export async function insertParked(
  sql: Sql,
  kind: number,
  work: { id: string; place: string }[],
  workerId: string,
): Promise<string[]> {
  return (await parkLeases(sql, [JSON.stringify(work), kind, workerId])).map((row) => row.id);
}

const claimAtPlace = statement<WorkRow & { leased_at: Date }>(
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
  place: string,
  limit: number,
  workerId: string,
): Promise<(WorkRow & { leased_at: Date })[]> {
  return claimAtPlace(sql, [kind, place, limit, workerId]);
}

const findPlaces = statement<ParkedKey & { kind: number }>(
  'queue_find_places',
  // One index step for each key, however many rows are parked under it.
  `select k.kind, places.place, places.environment_id
   from unnest($1::smallint[]) as k (kind) cross join lateral (
     with recursive found as (
       (select place, environment_id from queue_parked where kind = k.kind order by place limit 1)
       union all
       select next.place, next.environment_id from found f cross join lateral (
         select p.place, p.environment_id from queue_parked p
         where p.kind = k.kind and p.place > f.place order by p.place limit 1) next
     )
     select place, environment_id from found limit $2) places`,
);

/** The concurrency keys with parked work of these kinds, up to `limit` of each kind. */
export function listParkedKeys(
  sql: Sql,
  kinds: number[],
  limit: number,
): Promise<(ParkedKey & { kind: number })[]> {
  return findPlaces(sql, [kinds, limit]);
}

const takeParked = statement<WorkRow>(
  'queue_take_parked',
  'delete from queue_parked where id = $1 and kind = $2 returning kind, id, lane, environment_id, note',
);

export async function deleteParked(sql: Sql, kind: number, id: string): Promise<WorkRow | null> {
  return (await takeParked(sql, [id, kind]))[0] ?? null;
}
