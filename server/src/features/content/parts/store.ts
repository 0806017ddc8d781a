import type { Channel } from '../../../channels/contract.ts';
import { lockEnvironment } from '../../../db/locks.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import type { PageRequest } from '../../../kernel/page.ts';

/** All parts of an environment: more than their limits allow together. */
export const maxParts = 1_000;
/** The templates, newest first, whose uses are looked through. */
export const maxTemplates = 5_000;

export type PartKind = 'layout' | 'partial' | 'translation';

export interface LayoutContent {
  html_template: string;
  text_template: string;
  /** The HTML of an MJML source; absent when the source is HTML. */
  html_compiled?: string;
}
export interface PartialContent {
  template: string;
}
export interface TranslationContent {
  messages: Record<string, unknown>;
}
export type PartContent = LayoutContent | PartialContent | TranslationContent;

/** The current state of a part: its row and the row of its current version. */
export interface PartRow {
  id: string;
  environment_id: string;
  kind: PartKind;
  key: string;
  channel: Channel | null;
  is_default: boolean;
  current_version_id: string;
  version: number;
  content: PartContent;
  uses: string[];
  keys: string[];
}

const select = `
  select p.id, p.environment_id, p.kind, p.key, p.channel, p.is_default, p.current_version_id,
    v.version, v.content, v.uses, v.keys
  from template_parts p
  join template_part_versions v on v.id = p.current_version_id`;

const find = statement<PartRow>(
  'parts_find',
  `${select} where p.environment_id = $1 and p.kind = $2 and p.key = $3`,
);

export async function findPart(
  sql: Sql,
  environmentId: string,
  kind: PartKind,
  key: string,
): Promise<PartRow | null> {
  return (await find(sql, [environmentId, kind, key]))[0] ?? null;
}

/** The environment stays locked until the transaction ends: changes of parts are serialized, so limits and defaults hold. */
export async function lockParts(tx: Sql, environmentId: string): Promise<void> {
  await lockEnvironment(tx, environmentId);
}

const count = statement<{ count: number }>(
  'parts_count',
  'select count(*)::int as count from template_parts where environment_id = $1 and kind = $2',
);

export async function countParts(sql: Sql, environmentId: string, kind: PartKind): Promise<number> {
  return (await count(sql, [environmentId, kind]))[0]?.count ?? 0;
}

const listSizes = statement<{ id: string; size: number }>(
  'parts_list_sizes',
  `select p.id, v.size
   from template_parts p
   join template_part_versions v on v.id = p.current_version_id
   where p.environment_id = $1 and p.kind = $2 and ($3::uuid is null or p.id < $3)
     and ($5::text is null or strpos(lower(p.key), lower($5)) > 0)
   order by p.id desc
   limit $4`,
);

/** Returns up to `limit + 1` ids with their sizes, newest first. */
export function listPartSizes(
  sql: Sql,
  environmentId: string,
  kind: PartKind,
  search: string | null,
  page: PageRequest,
): Promise<{ id: string; size: number }[]> {
  return listSizes(sql, [environmentId, kind, page.before, page.limit + 1, search]);
}

const list = statement<PartRow>(
  'parts_list',
  `${select} where p.environment_id = $1 and p.id = any ($2::uuid[]) order by p.id desc`,
);

export function listParts(sql: Sql, environmentId: string, ids: string[]): Promise<PartRow[]> {
  return list(sql, [environmentId, ids]);
}

const insert = statement(
  'parts_insert',
  `insert into template_parts (id, environment_id, kind, key, channel, is_default, current_version_id)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);

export async function insertPart(sql: Sql, part: PartRow): Promise<void> {
  const { id, environment_id, kind, key, channel, is_default, current_version_id } = part;
  await insert(sql, [id, environment_id, kind, key, channel, is_default, current_version_id]);
}

const insertVersionRow = statement(
  'parts_insert_version',
  `insert into template_part_versions (id, environment_id, part_id, version, content, uses, keys, size)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

export async function insertVersion(sql: Sql, part: PartRow): Promise<void> {
  const content = JSON.stringify(part.content);
  await insertVersionRow(sql, [
    ...[part.current_version_id, part.environment_id, part.id, part.version],
    ...[content, part.uses, part.keys, content.length],
  ]);
}

const update = statement(
  'parts_update',
  'update template_parts set current_version_id = $2, is_default = $3 where id = $1',
);

export async function updatePart(sql: Sql, { id, current_version_id, is_default }: PartRow): Promise<void> {
  await update(sql, [id, current_version_id, is_default]);
}

const clear = statement(
  'parts_clear_default',
  `update template_parts set is_default = false
   where environment_id = $1 and kind = $2 and channel is not distinct from $3 and is_default`,
);

/** Clears the default that another part of this kind and channel may be. */
export async function clearDefault(
  sql: Sql,
  { environment_id, kind, channel }: Pick<PartRow, 'environment_id' | 'kind' | 'channel'>,
): Promise<void> {
  await clear(sql, [environment_id, kind, channel]);
}

const remove = statement('parts_delete', 'delete from template_parts where environment_id = $1 and id = $2');

/** The versions stay: versions of templates may be pinned to them. */
export async function deletePart(sql: Sql, environmentId: string, id: string): Promise<void> {
  await remove(sql, [environmentId, id]);
}

export interface PartVersionRow {
  id: string;
  version: number;
  content: PartContent;
  uses: string[];
  keys: string[];
}

const listVersionRows = statement<{ id: string; version: number }>(
  'parts_list_versions',
  `select id, version from template_part_versions
   where environment_id = $1 and part_id = $2 and ($3::uuid is null or id < $3)
   order by id desc
   limit $4`,
);

export function listVersions(
  sql: Sql,
  environmentId: string,
  partId: string,
  page: PageRequest,
): Promise<{ id: string; version: number }[]> {
  return listVersionRows(sql, [environmentId, partId, page.before, page.limit + 1]);
}

const findVersionRow = statement<PartVersionRow>(
  'parts_find_version',
  `select id, version, content, uses, keys from template_part_versions
   where environment_id = $1 and part_id = $2 and version = $3`,
);

export async function findVersion(
  sql: Sql,
  environmentId: string,
  partId: string,
  version: number,
): Promise<PartVersionRow | null> {
  return (await findVersionRow(sql, [environmentId, partId, version]))[0] ?? null;
}

const findContentRow = statement<Pick<PartVersionRow, 'content' | 'keys'>>(
  'parts_find_content',
  'select content, keys from template_part_versions where id = $1',
);

/** Versions never change: what a list of current parts names is what it was. */
export async function findContent(
  sql: Sql,
  versionId: string,
): Promise<Pick<PartVersionRow, 'content' | 'keys'>> {
  const [found] = await findContentRow(sql, [versionId]);
  if (!found) throw new Error('a part has no version');
  return found;
}

/** A part without its content: enough to decide which versions a template needs. */
export type CurrentPart = Pick<PartRow, 'kind' | 'key' | 'channel' | 'is_default' | 'uses'> & {
  version_id: string;
  /** Characters of its content. */
  size: number;
};

const listCurrentRows = statement<CurrentPart>(
  'parts_list_current',
  `select p.kind, p.key, p.channel, p.is_default, v.id as version_id, v.uses, v.size
   from (select * from template_parts where environment_id = $1 limit ${maxParts}) p
   join template_part_versions v on v.id = p.current_version_id`,
);

/** Returns all parts of the environment, of which there is a limited number. */
export function listCurrent(sql: Sql, environmentId: string): Promise<CurrentPart[]> {
  return listCurrentRows(sql, [environmentId]);
}

export interface PinnedPart {
  id: string;
  environment_id: string;
  content: PartContent;
  size: number;
}

const listPinnedRows = statement<PinnedPart>(
  'parts_list_pinned',
  'select id, environment_id, content, size from template_part_versions where id = any ($1::uuid[])',
);

export function listPinned(sql: Sql, ids: string[]): Promise<PinnedPart[]> {
  return listPinnedRows(sql, [ids]);
}

const listNeeding = statement<{ name: string }>(
  'parts_list_users',
  `select name from (
     select t.key as name
     from (select * from templates where environment_id = $1 order by id desc limit ${maxTemplates}) t
     join template_versions v on v.id = t.current_version_id
     where v.uses @> array[$2::text]
     union all
     select p.key
     from (select * from template_parts where environment_id = $1 limit ${maxParts}) p
     join template_part_versions v on v.id = p.current_version_id
     where v.uses @> array[$2::text]
   ) named
   order by name
   limit 10`,
);

/** Returns up to ten keys of the templates, layouts and partials that name a part. */
export async function listPartUsers(sql: Sql, environmentId: string, use: string): Promise<string[]> {
  return (await listNeeding(sql, [environmentId, use])).map(({ name }) => name);
}

const listUsing = statement<{ key: string; uses: string[] }>(
  'parts_list_using',
  `select min(t.key) as key, v.uses
   from (select * from templates where environment_id = $1 order by id desc limit ${maxTemplates}) t
   join template_versions v on v.id = t.current_version_id
   where v.uses && $2::text[]
   group by v.uses`,
);

/** Returns the different uses of the templates that have one of these, each with the key of a template. */
export function listTemplatesUsing(
  sql: Sql,
  environmentId: string,
  uses: string[],
): Promise<{ key: string; uses: string[] }[]> {
  return listUsing(sql, [environmentId, uses]);
}
