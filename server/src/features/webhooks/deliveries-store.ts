import { type FilteredPage, type ScannedPage, scanPage } from '../../db/filtered-page.ts';
import { type Sql, statement } from '../../db/sql.ts';
import type { PageRequest } from '../../kernel/page.ts';
import { isLeasedSql, joinLease, leasedIdsSql, postponedIdsSql } from '../../queue/index.ts';
import type { DeliveryQuery, EndpointStatus } from './schema.ts';
import type { StoredSecret } from './secrets.ts';

export interface DeliveryRow {
  id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  status: 'pending' | 'succeeded' | 'failed' | 'permanent_failure';
  http_status_code: number | null;
  response_snippet: string | null;
  latency_ms: number | null;
  error: string | null;
  attempt_count: number;
  next_attempt_at: Date | null;
  /** The time at which a worker leased the delivery. */
  leased_at: Date | null;
  endpoint_status: EndpointStatus | null;
}

const select = `
  select d.id, d.endpoint_id, d.event_id, d.event_type, d.status, d.http_status_code, d.response_snippet, d.latency_ms, d.error,
    d.attempt_count, d.next_attempt_at, lease.leased_at, e.status as endpoint_status`;
/** The rest of a row, for queries that read deliveries as `d`. */
const joins = `left join webhook_endpoints e on e.id = d.endpoint_id ${joinLease('webhook_delivery', 'd.id')}`;

const findOne = statement<DeliveryRow & { body: string }>(
  'webhooks_find_delivery',
  `${select}, v.body from webhook_deliveries d ${joins} join webhook_events v on v.id = d.event_id
   where d.id = $1 and d.endpoint_id = $2 and d.environment_id = $3`,
);

export async function findDelivery(
  sql: Sql,
  environmentId: string,
  endpointId: string,
  id: string,
): Promise<(DeliveryRow & { body: string }) | null> {
  return (await findOne(sql, [id, endpointId, environmentId]))[0] ?? null;
}

/** The filter as conditions on the table: a delivery in flight is stored as pending, and failures have a separate index. */
const conditionsOf: Record<NonNullable<DeliveryQuery['status']>, Pick<FilteredPage, 'indexed' | 'others'>> = {
  pending: {
    indexed: [],
    others: [`status = 'pending'`, `not ${isLeasedSql('webhook_delivery', 'found.id')}`],
  },
  in_flight: { indexed: [], others: [`status = 'pending'`, isLeasedSql('webhook_delivery', 'found.id')] },
  succeeded: { indexed: [], others: [`status = 'succeeded'`] },
  failed: { indexed: ['failed_at is not null'], others: [`status = 'failed'`] },
  permanent_failure: { indexed: ['failed_at is not null'], others: [`status = 'permanent_failure'`] },
};

/** The most frequent types: the index of the types (0018) leaves them out, so that most deliveries do not pay for it. */
const everydayTypes = ['notification.sent', 'notification.delivered'];

/** Returns up to `limit + 1` deliveries, newest first. */
export function listDeliveries(
  sql: Sql,
  endpointId: string,
  filter: DeliveryQuery,
  page: PageRequest,
): Promise<ScannedPage<DeliveryRow>> {
  const values: unknown[] = [endpointId];
  const position = (value: unknown): string => `$${values.push(value)}`;
  const { indexed, others } = filter.status ? conditionsOf[filter.status] : { indexed: [], others: [] };
  const everydayType = everydayTypes.find((type) => type === filter.event_type);
  const rareType = everydayType ? undefined : filter.event_type;
  const ofNotification = filter.notification_id
    ? `select d.id from webhook_events v join webhook_deliveries d on d.event_id = v.id
       where v.notification_id = ${position(filter.notification_id)}`
    : undefined;
  return scanPage(sql, {
    table: 'webhook_deliveries',
    scope: 'endpoint_id = $1',
    bounds: page.before ? [`id < ${position(page.before)}`] : [],
    indexed: rareType ? [...indexed, `event_type = ${position(rareType)}`] : indexed,
    others: everydayType ? [...others, `event_type = '${everydayType}'`] : others,
    ids: ofNotification ?? (filter.status === 'in_flight' ? leasedIdsSql('webhook_delivery') : undefined),
    values,
    limit: page.limit + 1,
    scanLimit: 1_000,
    select: (rows) => `${select} from (${rows}) d ${joins} order by d.id desc`,
  });
}

const findOfNotification = statement<DeliveryRow>(
  'webhooks_find_deliveries_of_notification',
  `${select} from webhook_events v join webhook_deliveries d on d.event_id = v.id ${joins}
   where v.notification_id = $2 and v.environment_id = $1
   order by d.id limit 1000`,
);

export function listDeliveriesOfNotification(
  sql: Sql,
  environmentId: string,
  notificationId: string,
): Promise<DeliveryRow[]> {
  return findOfNotification(sql, [environmentId, notificationId]);
}

export interface AttemptRow {
  number: number;
  attempted_at: Date;
  http_status_code: number | null;
  latency_ms: number;
  response_snippet: string | null;
  error: string | null;
}

const findAttempts = statement<AttemptRow>(
  'webhooks_find_attempts',
  `select number, attempted_at, http_status_code, latency_ms, response_snippet, error from webhook_attempts
   where delivery_id = $1 and number < $2 order by number desc limit $3`,
);

export function listAttempts(
  sql: Sql,
  deliveryId: string,
  before: number,
  limit: number,
): Promise<AttemptRow[]> {
  return findAttempts(sql, [deliveryId, before, limit]);
}

/** Everything that one attempt needs. */
export interface DeliveryJobRow {
  id: string;
  environment_id: string;
  endpoint_id: string;
  event_id: string;
  status: DeliveryRow['status'];
  attempt_count: number;
  step: number;
  body: string;
  chain: string | null;
  url: string;
  sealed_query: string | null;
  endpoint_status: EndpointStatus;
  timeout_seconds: number;
  secrets: StoredSecret[];
  failing_since: Date | null;
}

const loadJobRows = statement<DeliveryJobRow>(
  'webhooks_load_deliveries',
  `select d.id, d.environment_id, d.endpoint_id, d.event_id, d.status, d.attempt_count, d.step, v.body, v.chain,
     e.url, e.sealed_query, e.status as endpoint_status, e.timeout_seconds, e.secrets, e.failing_since
   from webhook_deliveries d
   join webhook_events v on v.id = d.event_id
   join webhook_endpoints e on e.id = d.endpoint_id
   where d.id = any ($1::uuid[])`,
);

export function listJobRows(sql: Sql, ids: string[]): Promise<DeliveryJobRow[]> {
  return loadJobRows(sql, [ids]);
}

/** The new state of a delivery. Without `attempted_at` no call was made. */
export interface DeliverySettlement {
  id: string;
  status: DeliveryRow['status'];
  step: number;
  next_attempt_at: string | null;
  failed_at: string | null;
  error: string | null;
  attempted_at: string | null;
  number: number;
  http_status_code: number | null;
  latency_ms: number | null;
  response_snippet: string | null;
}

const settle = statement(
  'webhooks_settle_deliveries',
  `with input as (
     select * from json_to_recordset($1::json) as (id uuid, status text, step smallint, next_attempt_at timestamptz,
       failed_at timestamptz, error text, attempted_at timestamptz, number int, http_status_code int, latency_ms int,
       response_snippet text)
   ), attempts as (
     insert into webhook_attempts (delivery_id, number, attempted_at, http_status_code, latency_ms, response_snippet, error)
     select id, number, attempted_at, http_status_code, latency_ms, response_snippet, error
     from input where attempted_at is not null
   )
   update webhook_deliveries d set status = i.status, step = i.step, next_attempt_at = i.next_attempt_at,
     failed_at = i.failed_at, error = i.error,
     attempt_count = case when i.attempted_at is null then d.attempt_count else i.number end,
     http_status_code = case when i.attempted_at is null then d.http_status_code else i.http_status_code end,
     latency_ms = case when i.attempted_at is null then d.latency_ms else i.latency_ms end,
     response_snippet = case when i.attempted_at is null then d.response_snippet else i.response_snippet end
   from input i where d.id = i.id`,
);

export async function settleDeliveries(sql: Sql, settlements: DeliverySettlement[]): Promise<void> {
  if (settlements.length > 0) await settle(sql, [JSON.stringify(settlements)]);
}

const lock = statement<{ status: DeliveryRow['status'] }>(
  'webhooks_lock_delivery',
  'select status from webhook_deliveries where id = $1 and endpoint_id = $2 and environment_id = $3 for update',
);

export async function lockDelivery(
  sql: Sql,
  environmentId: string,
  endpointId: string,
  id: string,
): Promise<{ status: DeliveryRow['status'] } | null> {
  return (await lock(sql, [id, endpointId, environmentId]))[0] ?? null;
}

const clearNext = statement(
  'webhooks_clear_next_attempts',
  'update webhook_deliveries set next_attempt_at = null where id = any ($1::uuid[]) and next_attempt_at is not null',
);

/** For deliveries that wait although their next attempt was due. */
export async function clearNextAttempts(sql: Sql, ids: string[]): Promise<void> {
  await clearNext(sql, [ids]);
}

const reopen = `status = 'pending', step = 0, next_attempt_at = null, failed_at = null`;

/** The class of the error of a delivery that a user discarded. */
const discardedError = 'discarded: ';

const reopenGiven = statement(
  'webhooks_reopen_deliveries',
  `update webhook_deliveries set ${reopen} where id = any ($1::uuid[])`,
);

/** Restarts the retry schedule. */
export async function reopenDeliveries(sql: Sql, ids: string[]): Promise<void> {
  await reopenGiven(sql, [ids]);
}

const reopenMany = statement<{ id: string }>(
  'webhooks_reopen_failed',
  `update webhook_deliveries set ${reopen} where id = any (array(
     select id from webhook_deliveries
     where endpoint_id = $1 and environment_id = $2 and failed_at >= $3 and id > $4
       and (error is null or error not like '${discardedError}%')
     order by id limit $5 for update))
   returning id`,
);

/** Reopens the oldest deliveries that failed for good since the given time and were not discarded, after the given id. */
export async function reopenFailed(
  sql: Sql,
  environmentId: string,
  endpointId: string,
  since: Date,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await reopenMany(sql, [endpointId, environmentId, since, after, limit]);
  return rows.map((row) => row.id).sort();
}

const lockPending = statement<{ id: string }>(
  'webhooks_lock_pending',
  `select d.id from (${postponedIdsSql('webhook_delivery', '$2')}) job join webhook_deliveries d on d.id = job.id
   where d.endpoint_id = $1 and d.status = 'pending' and job.id > $3
   order by job.id limit $4 for update of d`,
);

/** Locks the oldest pending deliveries that wait for a time or for their endpoint, after the given id. */
export async function lockPendingDeliveries(
  sql: Sql,
  environmentId: string,
  endpointId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  return (await lockPending(sql, [endpointId, environmentId, after, limit])).map(({ id }) => id);
}

const discard = statement(
  'webhooks_discard_deliveries',
  `update webhook_deliveries set status = 'permanent_failure', next_attempt_at = null, failed_at = now(),
     error = '${discardedError}A user discarded the pending deliveries of the endpoint.'
   where id = any ($1::uuid[])`,
);

export async function discardDeliveries(sql: Sql, ids: string[]): Promise<void> {
  await discard(sql, [ids]);
}
