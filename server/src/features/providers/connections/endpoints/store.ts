import type { EndpointChannel } from '../../../../channels/spec.ts';
import { type Sql, statement } from '../../../../db/sql.ts';
import type { PageRequest } from '../../../../kernel/page.ts';
import type { ConnectionHealthRow } from '../../provider-health/index.ts';

export interface ChatEndpointRow extends ConnectionHealthRow {
  id: string;
  environment_id: string;
  channel: EndpointChannel;
  key: string;
  label: string;
  url_sealed: string;
  url_prefix: string;
  flavour: string | null;
  default_username: string | null;
  default_avatar_url: string | null;
  revision: number;
}

const columns = `id, environment_id, channel, key, label, url_sealed, url_prefix, flavour, default_username,
  default_avatar_url, revision, status, last_success_at, last_failure_at, last_failure_reason`;

const insert = statement<{ id: string }>(
  'connections_insert_endpoint',
  `insert into chat_endpoints (id, environment_id, channel, key, label, url_sealed, url_prefix, flavour, default_username,
     default_avatar_url)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (environment_id, channel, key) do nothing
   returning id`,
);

/** Resolves to false when the key is taken. */
export async function insertEndpoint(sql: Sql, row: ChatEndpointRow): Promise<boolean> {
  const inserted = await insert(sql, [
    row.id,
    row.environment_id,
    row.channel,
    row.key,
    row.label,
    row.url_sealed,
    row.url_prefix,
    row.flavour,
    row.default_username,
    row.default_avatar_url,
  ]);
  return inserted.length === 1;
}

const selectAll = statement<ChatEndpointRow>(
  'connections_list_endpoints',
  `select ${columns} from chat_endpoints where environment_id = $1 and channel = $2
     and ($3::uuid is null or id < $3) order by id desc limit $4`,
);

/** Returns all endpoints of the channel, or those of a page and one more. */
export function listEndpoints(
  sql: Sql,
  environmentId: string,
  channel: EndpointChannel,
  page?: PageRequest,
): Promise<ChatEndpointRow[]> {
  return selectAll(sql, [environmentId, channel, page?.before ?? null, page ? page.limit + 1 : null]);
}

const selectOne = statement<ChatEndpointRow>(
  'connections_find_endpoint',
  `select ${columns} from chat_endpoints where id = $1 and environment_id = $2 and channel = $3`,
);

export async function findEndpoint(
  sql: Sql,
  environmentId: string,
  channel: EndpointChannel,
  id: string,
): Promise<ChatEndpointRow | null> {
  return (await selectOne(sql, [id, environmentId, channel]))[0] ?? null;
}

const selectForUpdate = statement<ChatEndpointRow>(
  'connections_lock_endpoint',
  `select ${columns} from chat_endpoints where id = $1 and environment_id = $2 and channel = $3 for update`,
);

export async function lockEndpoint(
  sql: Sql,
  environmentId: string,
  channel: EndpointChannel,
  id: string,
): Promise<ChatEndpointRow | null> {
  return (await selectForUpdate(sql, [id, environmentId, channel]))[0] ?? null;
}

const selectMany = statement<ChatEndpointRow>(
  'connections_list_endpoints_by_id',
  `select ${columns} from chat_endpoints where id = any ($1::uuid[])`,
);

/** For the worker, across environments. */
export function listEndpointsById(sql: Sql, ids: string[]): Promise<ChatEndpointRow[]> {
  return selectMany(sql, [ids]);
}

/** An endpoint as a send names it. */
export interface NamedEndpoint {
  environment_id: string;
  channel: EndpointChannel;
  name: string;
}

const selectNamed = statement<NamedEndpoint & { id: string; key: string }>(
  'connections_list_named_endpoints',
  `select w.environment_id, w.channel, w.name, e.id, e.key
   from json_to_recordset($1::json) as w (environment_id uuid, channel text, name text)
   join chat_endpoints e on e.environment_id = w.environment_id and e.channel = w.channel
     and (e.key = w.name or e.id::text = lower(w.name))`,
);

export function listNamedEndpoints(sql: Sql, wanted: NamedEndpoint[]) {
  return selectNamed(sql, [JSON.stringify(wanted)]);
}

const update = statement(
  'connections_update_endpoint',
  `update chat_endpoints set label = $2, url_sealed = $3, url_prefix = $4, flavour = $5, default_username = $6,
     default_avatar_url = $7, revision = $8, status = $9
   where id = $1`,
);

export async function updateEndpoint(sql: Sql, row: ChatEndpointRow): Promise<void> {
  await update(sql, [
    row.id,
    row.label,
    row.url_sealed,
    row.url_prefix,
    row.flavour,
    row.default_username,
    row.default_avatar_url,
    row.revision,
    row.status,
  ]);
}

const remove = statement('connections_delete_endpoint', 'delete from chat_endpoints where id = $1');

export async function deleteEndpoint(sql: Sql, id: string): Promise<void> {
  await remove(sql, [id]);
}
