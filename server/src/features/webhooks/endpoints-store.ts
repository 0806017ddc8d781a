import { query, type Sql, statement } from '../../db/sql.ts';
import type { PageRequest } from '../../kernel/page.ts';
import type { EndpointStatus } from './schema.ts';
import type { StoredSecret } from './secrets.ts';

/** `url` is without its query (`endpoint-url.ts`). */
export interface StoredUrl {
  url: string;
  sealed_query: string | null;
}

export interface EndpointRow extends StoredUrl {
  id: string;
  environment_id: string;
  status: EndpointStatus;
  event_filters: string[];
  description: string;
  timeout_seconds: number;
  secrets: StoredSecret[];
  signing_secret_prefix: string;
  failing_since: Date | null;
  disabled_reason: 'gone' | 'failing' | null;
}

const columns = `id, environment_id, url, sealed_query, status, event_filters, description, timeout_seconds, secrets, signing_secret_prefix,
  failing_since, disabled_reason`;

const insert = statement<{ id: string }>(
  'webhooks_insert_endpoint',
  `insert into webhook_endpoints (id, environment_id, url, url_hash, status, event_filters, description, timeout_seconds,
     secrets, signing_secret_prefix, sealed_query)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   on conflict (environment_id, url_hash) where status <> 'disabled' do nothing
   returning id`,
);

/** Returns false when the environment already has an endpoint with this URL. */
export async function insertEndpoint(sql: Sql, row: EndpointRow, urlHash: Buffer): Promise<boolean> {
  const inserted = await insert(sql, [
    row.id,
    row.environment_id,
    row.url,
    urlHash,
    row.status,
    row.event_filters,
    row.description,
    row.timeout_seconds,
    JSON.stringify(row.secrets),
    row.signing_secret_prefix,
    row.sealed_query,
  ]);
  return inserted.length === 1;
}

const count = statement<{ count: number }>(
  'webhooks_count_endpoints',
  `select count(*)::int as count from webhook_endpoints where environment_id = $1 and status <> 'disabled'`,
);

export async function countEndpoints(sql: Sql, environmentId: string): Promise<number> {
  return (await count(sql, [environmentId]))[0]?.count ?? 0;
}

const find = statement<EndpointRow>(
  'webhooks_find_endpoint',
  `select ${columns} from webhook_endpoints where id = $1 and environment_id = $2`,
);

export async function findEndpoint(sql: Sql, environmentId: string, id: string): Promise<EndpointRow | null> {
  return (await find(sql, [id, environmentId]))[0] ?? null;
}

const findForUpdate = statement<EndpointRow>(
  'webhooks_lock_endpoint',
  `select ${columns} from webhook_endpoints where id = $1 and environment_id = $2 for update`,
);

/** The lock serializes changes of one endpoint, so that none overwrites another. */
export async function lockEndpoint(sql: Sql, environmentId: string, id: string): Promise<EndpointRow | null> {
  return (await findForUpdate(sql, [id, environmentId]))[0] ?? null;
}

const findMany = statement<EndpointRow>(
  'webhooks_find_endpoints',
  `select ${columns} from webhook_endpoints where id = any ($1::uuid[]) and status <> 'disabled'`,
);

/** Missing and disabled endpoints are left out. */
export function listEndpointsById(sql: Sql, ids: string[]): Promise<EndpointRow[]> {
  return findMany(sql, [ids]);
}

export function listEndpoints(
  sql: Sql,
  environmentId: string,
  includeDisabled: boolean,
  page: PageRequest,
): Promise<EndpointRow[]> {
  return query<EndpointRow>(
    sql,
    `select ${columns} from webhook_endpoints
     where environment_id = $1 ${includeDisabled ? '' : `and status <> 'disabled'`} ${page.before ? 'and id < $3' : ''}
     order by id desc limit $2`,
    [environmentId, page.limit + 1, ...(page.before ? [page.before] : [])],
  );
}

const update = statement(
  'webhooks_update_endpoint',
  `update webhook_endpoints set url = $2, url_hash = coalesce($3, url_hash), status = $4, event_filters = $5, description = $6,
     timeout_seconds = $7, failing_since = $8, disabled_reason = $9, sealed_query = $10
   where id = $1`,
);

/**
 * `urlHash` is null while the URL stays as it is. Throws PostgreSQL's unique_violation when the URL belongs to another endpoint of
 * the environment.
 */
export async function updateEndpoint(sql: Sql, row: EndpointRow, urlHash: Buffer | null): Promise<void> {
  await update(sql, [
    row.id,
    row.url,
    urlHash,
    row.status,
    row.event_filters,
    row.description,
    row.timeout_seconds,
    row.failing_since,
    row.disabled_reason,
    row.sealed_query,
  ]);
}

const findUnsealedUrls = statement<{ id: string; url: string }>(
  'webhooks_list_unsealed_urls',
  `select id, url from webhook_endpoints where sealed_query is null and url like '%?%' order by id limit $1`,
);

export function listUnsealedUrls(sql: Sql, limit: number): Promise<{ id: string; url: string }[]> {
  return findUnsealedUrls(sql, [limit]);
}

const seal = statement(
  'webhooks_seal_url',
  'update webhook_endpoints set url = $3, sealed_query = $4 where id = $1 and url = $2 and sealed_query is null',
);

export async function sealStoredUrl(sql: Sql, id: string, before: string, after: StoredUrl): Promise<void> {
  await seal(sql, [id, before, after.url, after.sealed_query]);
}

const replaceSecrets = statement(
  'webhooks_update_secrets',
  'update webhook_endpoints set secrets = $2, signing_secret_prefix = $3 where id = $1',
);

export async function updateSecrets(
  sql: Sql,
  id: string,
  secrets: StoredSecret[],
  prefix: string,
): Promise<void> {
  await replaceSecrets(sql, [id, JSON.stringify(secrets), prefix]);
}

/** An endpoint for which events are recorded, and their types. */
export interface Listener {
  id: string;
  environment_id: string;
  event_filters: string[];
}

const findListeners = statement<Listener>(
  'webhooks_find_listeners',
  `select id, environment_id, event_filters from webhook_endpoints
   where environment_id = any ($1::uuid[]) and status in ('active', 'paused')`,
);

export function listListeners(sql: Sql, environmentIds: string[]): Promise<Listener[]> {
  return findListeners(sql, [environmentIds]);
}

const findPaused = statement<{ id: string }>(
  'webhooks_lock_paused',
  `select id from webhook_endpoints where id = any ($1::uuid[]) and status = 'paused' order by id for share`,
);

/** Returns the endpoints that are paused; they stay so until the transaction ends. */
export async function lockPaused(sql: Sql, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  return new Set((await findPaused(sql, [ids])).map((row) => row.id));
}

const wellAgain = statement(
  'webhooks_mark_well',
  'update webhook_endpoints set failing_since = null where id = any ($1::uuid[]) and failing_since is not null',
);

export async function markWell(sql: Sql, ids: string[]): Promise<void> {
  await wellAgain(sql, [ids]);
}

const failing = statement(
  'webhooks_mark_failing',
  'update webhook_endpoints set failing_since = $2 where id = any ($1::uuid[]) and failing_since is null',
);

export async function markFailing(sql: Sql, ids: string[], since: Date): Promise<void> {
  await failing(sql, [ids, since]);
}

export interface AutoDisabled extends EndpointRow {
  organization_id: string;
}

const disable = statement<AutoDisabled>(
  'webhooks_disable_endpoints',
  `with target as (
     select id from webhook_endpoints
     where status = 'active' and (id = any ($1::uuid[]) or (id = any ($2::uuid[]) and failing_since <= $3))
     order by id for update)
   update webhook_endpoints e set status = 'auto_disabled',
     disabled_reason = case when e.id = any ($1::uuid[]) then 'gone' else 'failing' end
   from target t, environments v where e.id = t.id and v.id = e.environment_id
   returning ${columns
     .split(', ')
     .map((column) => `e.${column.trim()}`)
     .join(', ')}, v.organization_id`,
);

/**
 * Disables active endpoints: the owner of a paused one knows that it needs care, and its deliveries would not wait any longer.
 * `gone` endpoints are disabled at once; `failing` ones when they have been failing since before the given time. Returns the
 * changed endpoints.
 */
export function disableEndpoints(
  sql: Sql,
  gone: string[],
  failingOnes: string[],
  since: Date,
): Promise<AutoDisabled[]> {
  return disable(sql, [gone, failingOnes, since]);
}
