import { type Sql, statement } from '../db/sql.ts';
import type { WorkRow } from './work.ts';

/** The SQL that removes work before it is leased: from later, ready or parked. */

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
