import { query, type Sql, statement } from '../../../db/sql.ts';
import type { Client } from '../../../http/principal.ts';
import { newId } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/page.ts';

/** Who made a change; a Principal is one. With `environmentId: null`, the change concerns the whole organization. */
export interface Actor {
  kind: 'key' | 'user' | 'system';
  id: string | null;
  organizationId: string;
  environmentId: string | null;
}

/** The author of a change, with the request that caused it; a Caller is one. */
export interface Author {
  principal: Actor;
  /** Null when no request caused the change. */
  requestId: string | null;
  /** The origin of the request, for changes of credentials and sign-ins. */
  client?: Client | null;
}

export interface AuditChange {
  /** The action, as `noun.past_participle`: `api_key.created`. */
  action: string;
  /** The changed object, as `noun:id`: `api_key:0198…`. */
  target: string;
  /** The relevant fields, in wire form and without secrets; absent when there was nothing before (or is nothing after). */
  before?: object | null;
  after?: object | null;
}

/** The author of what the service does on its own. */
export function serviceAuthor(organizationId: string, environmentId: string | null = null): Author {
  return { principal: { kind: 'system', id: null, organizationId, environmentId }, requestId: null };
}

const insertEntry = statement(
  'audit_insert_entry',
  `insert into audit_entries
     (id, organization_id, environment_id, actor_kind, actor_id, action, target, before, after, request_id,
      ip_address, user_agent)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
);

/** Runs in the transaction of the change itself: neither exists without the other. */
export async function recordAudit(
  sql: Sql,
  { principal, requestId, client }: Author,
  { action, target, before, after }: AuditChange,
): Promise<void> {
  await insertEntry(sql, [
    newId(),
    principal.organizationId,
    principal.environmentId,
    principal.kind,
    principal.id,
    action,
    target,
    before && JSON.stringify(before),
    after && JSON.stringify(after),
    requestId,
    client?.ipAddress,
    client?.userAgent,
  ]);
}

const insertBatch = statement(
  'audit_insert_batch',
  `insert into audit_entries
     (id, organization_id, environment_id, actor_kind, actor_id, action, target, before, after, request_id)
   select * from json_to_recordset($1::json)
     as (id uuid, organization_id uuid, environment_id uuid, actor_kind text, actor_id uuid, action text, target text,
       before jsonb, after jsonb, request_id text)`,
);

/** Records many changes of one transaction. */
export async function recordAuditBatch(
  sql: Sql,
  changes: readonly (AuditChange & { author: Author })[],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ author: { principal, requestId }, ...change }) => ({
    id: newId(),
    organization_id: principal.organizationId,
    environment_id: principal.environmentId,
    actor_kind: principal.kind,
    actor_id: principal.id,
    ...change,
    request_id: requestId,
  }));
  await insertBatch(sql, [JSON.stringify(rows)]);
}

const clearValues = statement(
  'audit_clear_values',
  `update audit_entries a set before = null, after = null
   from unnest($1::uuid[], $2::text[]) as erased (environment_id, target)
   join environments e on e.id = erased.environment_id
   where a.organization_id = e.organization_id and a.environment_id = e.id
     and a.target = erased.target and a.action = $3`,
);

/** For erasure: the entries and their times stay in the log; the values of these targets are deleted. */
export async function clearAuditValues(
  sql: Sql,
  action: string,
  targets: readonly { environmentId: string; target: string }[],
): Promise<void> {
  if (targets.length === 0) return;
  const environmentIds = targets.map(({ environmentId }) => environmentId);
  await clearValues(sql, [environmentIds, targets.map(({ target }) => target), action]);
}

interface AuditFilter {
  action?: string | undefined;
  target?: string | undefined;
  actorId?: string | undefined;
  /** Ids are time-ordered, so a time range is a range of ids. */
  fromId?: string | undefined;
  beforeId?: string | undefined;
}

export interface AuditRow {
  id: string;
  environment_id: string | null;
  actor_kind: Actor['kind'];
  actor_id: string | null;
  action: string;
  target: string;
  before: object | null;
  after: object | null;
  request_id: string | null;
  ip_address: string | null;
  user_agent: string | null;
}

/** Returns up to `limit + 1` entries of the environment and of the organization as a whole, newest first. */
export function listEntries(
  sql: Sql,
  owner: { organizationId: string; environmentId: string },
  filter: AuditFilter,
  page: PageRequest,
): Promise<AuditRow[]> {
  const values: unknown[] = [owner.organizationId, owner.environmentId, page.limit + 1];
  const conditions: string[] = [];
  const require = (column: string, operator: string, value: string | null | undefined) => {
    if (value === undefined || value === null) return;
    values.push(value);
    conditions.push(`and ${column} ${operator} $${values.length}`);
  };
  require('id', '<', page.before);
  require('id', '>=', filter.fromId);
  require('id', '<', filter.beforeId);
  require('action', '=', filter.action);
  require('target', '=', filter.target);
  require('actor_id', '=', filter.actorId);
  // The query has two halves, because the indexes give the entries of each in order.
  const newestOf = (environment: string): string =>
    `(select id, environment_id, actor_kind, actor_id, action, target, before, after, request_id, ip_address,
         user_agent
      from audit_entries
      where organization_id = $1 and environment_id ${environment} ${conditions.join(' ')}
      order by id desc
      limit $3)`;
  return query<AuditRow>(
    sql,
    `${newestOf('= $2')} union all ${newestOf('is null')} order by id desc limit $3`,
    values,
  );
}
