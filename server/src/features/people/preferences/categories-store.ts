import type { Channel } from '../../../channels/contract.ts';
import type { RingSetting } from '../../../channels/in-app/push/ring-setting.ts';
import { query, type Sql, statement } from '../../../db/sql.ts';
import type { PageRequest } from '../../../kernel/page.ts';

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
