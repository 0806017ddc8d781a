import type { Channel } from '../../../channels/contract.ts';
import type { RingSetting } from '../../../channels/in-app/push/ring-setting.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import type { PageRequest } from '../../../kernel/page.ts';
import type { PartPins } from '../parts/index.ts';
import type { BodyFields } from './bodies.ts';

export interface TemplateContent {
  name: string;
  bodies: BodyFields[];
  /** The versions of parts in Live; null in Test, and for a template that uses none. */
  parts: PartPins | null;
  push: RingSetting | null;
}

/** The current state of a template: its row and the row of its current version. */
export interface TemplateRow extends TemplateContent {
  id: string;
  environment_id: string;
  key: string;
  current_version_id: string;
  version: number;
}

export interface TemplateVersionRow extends TemplateContent {
  id: string;
  environment_id: string;
  template_id: string;
  version: number;
  channels: Channel[];
  size: number;
  uses: string[];
  translation_keys: string[];
}

export type VersionContentRow = TemplateContent & Pick<TemplateVersionRow, 'id' | 'version'>;

const select = `
  select t.id, t.environment_id, t.key, t.current_version_id, v.version, v.name, v.bodies, v.push, v.parts
  from templates t
  join template_versions v on v.id = t.current_version_id`;

const findByName = statement<TemplateRow>(
  'templates_find',
  `${select} where t.environment_id = $1 and (t.key = $2 or t.id = $3) order by t.key = $2 desc limit 1`,
);

/** Finds a template by its key or, when `id` is given, by its id; the key has priority, because it may look like an id. */
export async function findTemplate(
  sql: Sql,
  environmentId: string,
  key: string,
  id: string | null,
): Promise<TemplateRow | null> {
  return (await findByName(sql, [environmentId, key, id]))[0] ?? null;
}

const findById = statement<TemplateRow>(
  'templates_find_by_id',
  `${select} where t.environment_id = $1 and t.id = $2`,
);

export async function findTemplateById(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<TemplateRow | null> {
  return (await findById(sql, [environmentId, id]))[0] ?? null;
}

const lock = statement('templates_lock', 'select from templates where id = $1 for update');

/**
 * Locks the template against other saves until the transaction ends. Read it again afterwards: it may have changed or been
 * deleted.
 */
export async function lockTemplate(sql: Sql, id: string): Promise<void> {
  await lock(sql, [id]);
}

const listSizes = statement<{ id: string; size: number }>(
  'templates_list_sizes',
  `select t.id, v.size
   from templates t
   join template_versions v on v.id = t.current_version_id
   where t.environment_id = $1 and ($2::uuid is null or t.id < $2)
     and ($4::text is null or strpos(lower(t.key), lower($4)) > 0 or strpos(lower(v.name), lower($4)) > 0)
   order by t.id desc
   limit $3`,
);

/** Returns up to `limit + 1` ids with the size of their bodies, newest first. */
export function listTemplateSizes(
  sql: Sql,
  environmentId: string,
  search: string | null,
  page: PageRequest,
): Promise<{ id: string; size: number }[]> {
  return listSizes(sql, [environmentId, page.before, page.limit + 1, search]);
}

const listByIds = statement<TemplateRow>(
  'templates_list',
  `${select} where t.environment_id = $1 and t.id = any ($2::uuid[]) order by t.id desc`,
);

export function listTemplates(sql: Sql, environmentId: string, ids: string[]): Promise<TemplateRow[]> {
  return listByIds(sql, [environmentId, ids]);
}

const insertRow = statement<{ id: string }>(
  'templates_insert',
  `insert into templates (id, environment_id, key, current_version_id) values ($1, $2, $3, $4)
   on conflict (environment_id, key) do nothing
   returning id`,
);

/** Returns false when the environment already has a template with this key. */
export async function insertTemplate(
  sql: Sql,
  template: Pick<TemplateRow, 'id' | 'environment_id' | 'key' | 'current_version_id'>,
): Promise<boolean> {
  const { id, environment_id, key, current_version_id } = template;
  return (await insertRow(sql, [id, environment_id, key, current_version_id])).length > 0;
}

const insertVersionRow = statement(
  'templates_insert_version',
  `insert into template_versions (id, environment_id, template_id, version, name, channels, bodies, size,
     uses, translation_keys, parts, push)
   values ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9::text[], '{}'), nullif($10::text[], '{}'), $11, $12)`,
);

export async function insertVersion(sql: Sql, version: TemplateVersionRow): Promise<void> {
  const { id, environment_id, template_id, name, channels, bodies, size, push } = version;
  await insertVersionRow(sql, [
    ...[id, environment_id, template_id, version.version, name, channels, JSON.stringify(bodies), size],
    ...[version.uses, version.translation_keys, version.parts && JSON.stringify(version.parts)],
    push && JSON.stringify(push),
  ]);
}

const point = statement('templates_point', 'update templates set current_version_id = $2 where id = $1');

export async function updateCurrentVersion(sql: Sql, templateId: string, versionId: string): Promise<void> {
  await point(sql, [templateId, versionId]);
}

const deleteRow = statement(
  'templates_delete',
  'delete from templates where environment_id = $1 and id = $2',
);

/** The versions of the template stay: notifications may be pinned to them. */
export async function deleteTemplate(sql: Sql, environmentId: string, id: string): Promise<void> {
  await deleteRow(sql, [environmentId, id]);
}

const listVersionRows = statement<Pick<TemplateVersionRow, 'id' | 'version' | 'name'>>(
  'templates_list_versions',
  `select id, version, name
   from template_versions
   where environment_id = $1 and template_id = $2 and ($3::uuid is null or id < $3)
   order by id desc
   limit $4`,
);

export function listVersions(
  sql: Sql,
  environmentId: string,
  templateId: string,
  page: PageRequest,
): Promise<Pick<TemplateVersionRow, 'id' | 'version' | 'name'>[]> {
  return listVersionRows(sql, [environmentId, templateId, page.before, page.limit + 1]);
}

const findVersionRow = statement<VersionContentRow>(
  'templates_find_version',
  `select id, version, name, bodies, push, parts from template_versions
   where environment_id = $1 and template_id = $2 and version = $3`,
);

export async function findVersion(
  sql: Sql,
  environmentId: string,
  templateId: string,
  version: number,
): Promise<VersionContentRow | null> {
  return (await findVersionRow(sql, [environmentId, templateId, version]))[0] ?? null;
}

const findPin = statement<{ id: string; channels: Channel[] }>(
  'templates_find_pin',
  `select v.id, v.channels
   from templates t
   join template_versions v on v.id = t.current_version_id
   where t.environment_id = $1 and t.key = $2`,
);

/** Returns what the acceptance of a send needs: the version to pin, and the channels it has bodies for. */
export async function findCurrentVersion(
  sql: Sql,
  environmentId: string,
  key: string,
): Promise<{ id: string; channels: Channel[] } | null> {
  return (await findPin(sql, [environmentId, key]))[0] ?? null;
}

export interface PinnedVersionRow {
  id: string;
  environment_id: string;
  bodies: BodyFields[];
  size: number;
  parts: PartPins | null;
  /** Whether it uses the current parts of its environment instead of pinned ones. */
  follows_parts: boolean;
}

const listPinned = statement<PinnedVersionRow>(
  'templates_list_pinned',
  `select v.id, v.environment_id, v.bodies, v.size, v.parts, e.kind = 'test' as follows_parts
   from template_versions v
   join environments e on e.id = v.environment_id
   where v.id = any ($1::uuid[])`,
);

/** Reads versions that notifications are pinned to, even when their templates were changed or deleted. */
export function listPinnedVersions(sql: Sql, ids: string[]): Promise<PinnedVersionRow[]> {
  return listPinned(sql, [ids]);
}

const findLive = statement<{ id: string }>(
  'templates_find_live',
  `select id from environments where organization_id = $1 and kind = 'live' order by id limit 1`,
);

export async function findLiveEnvironment(sql: Sql, organizationId: string): Promise<string | null> {
  return (await findLive(sql, [organizationId]))[0]?.id ?? null;
}

const listChannelRows = statement<{ key: string; channels: Channel[] }>(
  'templates_list_channels',
  `select t.key, v.channels
   from templates t
   join template_versions v on v.id = t.current_version_id
   where t.environment_id = $1 and t.key = any ($2::text[])
   order by t.key
   for share of t`,
);

/** Key → channels that the template has a body for. The templates cannot be deleted until the transaction ends. */
export async function listTemplateChannels(
  tx: Sql,
  environmentId: string,
  keys: string[],
): Promise<Map<string, ReadonlySet<Channel>>> {
  if (keys.length === 0) return new Map();
  const rows = await listChannelRows(tx, [environmentId, keys]);
  return new Map(rows.map(({ key, channels }) => [key, new Set(channels)]));
}
