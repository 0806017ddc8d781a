import type { Channel } from '../../../channels/contract.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import type { Cell } from './effective.ts';

export interface CellRow extends Cell {
  category_key: string;
  channel: Channel;
  updated_at: Date;
}

const list = statement<CellRow>(
  'preferences_list_cells',
  `select category_key, channel, opted_in, source, updated_at from preferences where environment_id = $1 and user_key = $2`,
);

export function listCells(sql: Sql, environmentId: string, userKey: string): Promise<CellRow[]> {
  return list(sql, [environmentId, userKey]);
}

const upsert = statement<CellRow>(
  'preferences_upsert_cells',
  `insert into preferences (environment_id, user_key, category_key, channel, opted_in, source)
   select $1, $2, category_key, channel, opted_in, $4
   from json_to_recordset($3::json) as (category_key text, channel text, opted_in boolean)
   order by category_key, channel -- everyone locks in this order: no deadlocks
   on conflict (environment_id, user_key, category_key, channel) do update
     set opted_in = excluded.opted_in, source = excluded.source, updated_at = now()
   returning category_key, channel, opted_in, source, updated_at`,
);

export async function upsertCells(
  sql: Sql,
  environmentId: string,
  userKey: string,
  cells: Omit<CellRow, 'source' | 'updated_at'>[],
  source: Cell['source'],
): Promise<CellRow[]> {
  return cells.length === 0 ? [] : upsert(sql, [environmentId, userKey, JSON.stringify(cells), source]);
}

const remove = statement(
  'preferences_delete_users',
  `with q as (delete from quiet_hours where environment_id = $1 and user_key = any ($2::text[]))
   delete from preferences where environment_id = $1 and user_key = any ($2::text[])`,
);

/** Deletes the preferences and quiet hours of an erased person. */
export async function deleteDecisions(sql: Sql, environmentId: string, userKeys: string[]): Promise<void> {
  await remove(sql, [environmentId, userKeys]);
}
