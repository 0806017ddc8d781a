import type { Channel } from '../../../channels/contract.ts';
import type { RingSetting } from '../../../channels/in-app/push/ring-setting.ts';
import { query, type Sql, statement } from '../../../db/sql.ts';
import type { PageRequest } from '../../../kernel/page.ts';
import type { QuietHours } from './quiet-hours.ts';
import type { PreferenceSource } from './schema.ts';

export interface CategoryRow {
  id: string;
  environment_id: string;
  key: string;
  name: string;
  description: string | null;
  is_critical: boolean;
  default_channels: Channel[];
  default_opt_in: boolean;
  is_archived: boolean;
  push: RingSetting | null;
}

const columns =
  'id, environment_id, key, name, description, is_critical, default_channels, default_opt_in, is_archived, push';

const insert = statement<CategoryRow>(
  'preferences_insert_category',
  `insert into categories (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (environment_id, key) do nothing
   returning ${columns}`,
);

/** Returns null when the key is taken. */
export async function insertCategory(sql: Sql, row: CategoryRow): Promise<CategoryRow | null> {
  const [added] = await insert(sql, [
    row.id,
    row.environment_id,
    row.key,
    row.name,
    row.description,
    row.is_critical,
    row.default_channels,
    row.default_opt_in,
    row.is_archived,
    row.push && JSON.stringify(row.push),
  ]);
  return added ?? null;
}

const count = statement<{ count: number }>(
  'preferences_count_categories',
  'select count(*)::int as count from categories where environment_id = $1',
);

export async function countCategories(sql: Sql, environmentId: string): Promise<number> {
  return (await count(sql, [environmentId]))[0]?.count ?? 0;
}

const findOne = statement<CategoryRow>(
  'preferences_find_category',
  `select ${columns} from categories where environment_id = $1 and key = $2`,
);

export async function findCategory(
  sql: Sql,
  environmentId: string,
  key: string,
): Promise<CategoryRow | null> {
  return (await findOne(sql, [environmentId, key]))[0] ?? null;
}

const lock = statement<CategoryRow>(
  'preferences_lock_category',
  `select ${columns} from categories where environment_id = $1 and key = $2 for no key update`,
);

export async function lockCategory(
  sql: Sql,
  environmentId: string,
  key: string,
): Promise<CategoryRow | null> {
  return (await lock(sql, [environmentId, key]))[0] ?? null;
}

const findMany = statement<CategoryRow>(
  'preferences_find_categories',
  `select ${columns} from categories
   join unnest($1::uuid[], $2::text[]) as wanted (environment_id, key) using (environment_id, key)`,
);

export function listCategoriesByKey(
  sql: Sql,
  wanted: { environmentId: string; key: string }[],
): Promise<CategoryRow[]> {
  return findMany(sql, [wanted.map(({ environmentId }) => environmentId), wanted.map(({ key }) => key)]);
}

const update = statement<CategoryRow>(
  'preferences_update_category',
  `update categories
   set name = $3, description = $4, default_channels = $5, default_opt_in = $6, is_archived = $7, push = $8
   where environment_id = $1 and key = $2
   returning ${columns}`,
);

export async function updateCategory(sql: Sql, row: CategoryRow): Promise<CategoryRow> {
  const [updated] = await update(sql, [
    row.environment_id,
    row.key,
    row.name,
    row.description,
    row.default_channels,
    row.default_opt_in,
    row.is_archived,
    row.push && JSON.stringify(row.push),
  ]);
  if (!updated) throw new Error('a category disappeared while it was locked');
  return updated;
}

/** Returns up to `limit + 1` categories, newest first. */
export function listCategories(
  sql: Sql,
  environmentId: string,
  includeArchived: boolean,
  page: PageRequest,
): Promise<CategoryRow[]> {
  return query(
    sql,
    `select ${columns} from categories
     where environment_id = $1 ${includeArchived ? '' : 'and not is_archived'} and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [environmentId, page.before, page.limit + 1],
  );
}

const listActive = statement<CategoryRow>(
  'preferences_list_active_categories',
  `select ${columns} from categories where environment_id = $1 and not is_archived order by key`,
);

/** Returns the categories that accept sends, in the order of their keys; their number is bounded. */
export function listActiveCategories(sql: Sql, environmentId: string): Promise<CategoryRow[]> {
  return listActive(sql, [environmentId]);
}

/** The stored preference of a user for one channel of a category. */
export interface Cell {
  opted_in: boolean;
  source: Exclude<PreferenceSource, 'default'>;
}

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

const findHours = statement<QuietHours>(
  'preferences_find_quiet_hours',
  'select start_minute, end_minute, timezone from quiet_hours where environment_id = $1 and user_key = $2',
);

export async function findQuietHours(
  sql: Sql,
  environmentId: string,
  userKey: string,
): Promise<QuietHours | null> {
  return (await findHours(sql, [environmentId, userKey]))[0] ?? null;
}

const upsertHours = statement(
  'preferences_upsert_quiet_hours',
  `insert into quiet_hours (environment_id, user_key, start_minute, end_minute, timezone) values ($1, $2, $3, $4, $5)
   on conflict (environment_id, user_key) do update
     set start_minute = excluded.start_minute, end_minute = excluded.end_minute, timezone = excluded.timezone,
       updated_at = now()`,
);

export async function upsertQuietHours(
  sql: Sql,
  environmentId: string,
  userKey: string,
  hours: QuietHours,
): Promise<void> {
  await upsertHours(sql, [environmentId, userKey, hours.start_minute, hours.end_minute, hours.timezone]);
}

const removeHours = statement<{ one: number }>(
  'preferences_delete_quiet_hours',
  'delete from quiet_hours where environment_id = $1 and user_key = $2 returning 1 as one',
);

/** Returns false when there were none. */
export async function deleteQuietHours(sql: Sql, environmentId: string, userKey: string): Promise<boolean> {
  return (await removeHours(sql, [environmentId, userKey])).length > 0;
}
