import type pg from 'pg';
import { type Channel, channels } from '../../../channels/contract.ts';
import { type ScannedPage, scanPage } from '../../../db/filtered-page.ts';
import { query, type Sql, statement } from '../../../db/sql.ts';
import { notFound } from '../../../kernel/errors.ts';
import { lowestIdAt, type ScopedId, scopedIdColumns } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/page.ts';
import {
  isLeasedSql,
  isShortQueueSql,
  joinLease,
  leasedIdsSql,
  waitingIdsSql,
} from '../../../queue/index.ts';
import { appendedHistorySql, encodeHistory, type History, traceSql, withHistories } from './history.ts';
import {
  type ContentRow,
  type NotificationRow,
  notificationRowColumns,
  type StoredTraceEntry,
} from './notification-row.ts';
import type { NotificationQuery, NotificationStatus } from './schema.ts';
import {
  hasDetailSql,
  idsWithDetail,
  joinWait,
  type StatusDetail,
  statusDetailColumns,
  statusOfDetail,
} from './status-detail.ts';

type StatusRow = Pick<NotificationRow, 'id' | 'status' | 'last_error' | 'suppression_reason'>;

const listRows = statement<StatusRow>(
  'notifications_list_statuses',
  'select id, status, last_error, suppression_reason from notifications where id = any ($1::uuid[])',
);

/** Reads statuses by id without a check of the environment: the caller created these notifications. */
export function listStatuses(sql: Sql, ids: string[]): Promise<StatusRow[]> {
  return listRows(sql, [ids]);
}

/** A stored notification. `leased_at` is set while it is being sent. */
export interface StoredNotification extends NotificationRow, ContentRow {
  leased_at: Date | null;
  /** Why it waits or ended; see status-detail.ts. */
  status_detail: StatusDetail | null;
  /** When the hold of the brake ends. */
  held_until: Date | null;
  attachments_purged: boolean;
  /** The object with the bodies; null when they are in this row. */
  body_object: string | null;
}

/** A stored notification as it is read; `withHistories` makes its events and its trace. */
export type StoredRow = StoredNotification & { history: string | null };

/** Whether the bytes of the attachments of `n` were deleted; `c` is its content. */
export const attachmentsPurgedSql = `c.attachments is not null
      and not exists (select from attachment_bytes b where b.notification_id = n.id)
      and not exists (select from stored_objects o
        where o.notification_id = n.id and o.position is not null and o.state = 'stored') as attachments_purged`;

const contentColumns = `c.subject, c.html_body, c.text_body, c.template_data, c.from_name, c.reply_to, c.inbox_extras,
    c.attachments, c.template_version_id, c.inline_format, c.template_locale, c.structured, c.rendered_at, c.body_object`;

/** `source` is the SQL that gives the rows of the notifications. */
const selectFrom = (source: string): string => `
  select ${notificationRowColumns}, ${contentColumns}, lease.leased_at, ${statusDetailColumns},
    ${attachmentsPurgedSql}
  from ${source} n
  join notification_contents c on c.notification_id = n.id
  ${joinLease('notification', 'n.id')} ${joinWait}`;

const findOne = statement<StoredRow>(
  'notifications_find',
  `${selectFrom('notifications')} where n.id = $1 and n.environment_id = $2`,
);

export async function findNotification(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<StoredNotification | null> {
  return withHistories(await findOne(sql, [id, environmentId]))[0] ?? null;
}

export async function getNotification(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<StoredNotification> {
  const stored = await findNotification(sql, environmentId, id);
  if (!stored) throw notFound('notification');
  return stored;
}

const findOriginals = statement<StoredNotification>(
  'notifications_find_originals',
  `select n.id, n.environment_id, n.channel, n.status, n.priority, n.address, n.recipient_name, n.external_user_id, n.category,
     n.template_key, n.idempotency_key, n.action_url, n.resent_from, n.connection_id, n.source_id, n.chain, n.attempt_count, n.round,
     n.send_at, n.sent_at, n.suppression_reason, n.last_error, '[]'::jsonb as events, '[]'::jsonb as trace, ${contentColumns},
     null::timestamptz as leased_at, null as status_detail, null::timestamptz as held_until, ${attachmentsPurgedSql}
   from notifications n
   join notification_contents c on c.notification_id = n.id
   where n.id = any ($1::uuid[]) and n.environment_id = $2`,
);

/** Reads notifications to send them again, without events and trace: those of 200 rows can be many megabytes. */
export function findOriginalsToResend(
  sql: Sql,
  environmentId: string,
  ids: string[],
): Promise<StoredNotification[]> {
  return findOriginals(sql, [ids, environmentId]);
}

const listSizes = statement<{ id: string; bytes: number }>(
  'notifications_list_content_sizes',
  // The lengths of texts are known without reading them.
  `select c.notification_id as id,
     (coalesce(octet_length(c.html_body), 0) + coalesce(octet_length(c.text_body), 0) + octet_length(c.template_data::text)
       + coalesce(octet_length(c.structured::text), 0)
       + coalesce((select o.size_bytes from stored_objects o where o.id = c.body_object), 0))::float8 as bytes
   from notification_contents c where c.notification_id = any ($1::uuid[])`,
);

/** The sizes of contents, also of those in the object store. */
export async function listContentSizes(sql: Sql, ids: string[]): Promise<Map<string, number>> {
  return new Map((await listSizes(sql, [ids])).map(({ id, bytes }) => [id, bytes]));
}

/** These have a table in the place of an index (0028). */
const rareStatuses: readonly NotificationStatus[] = ['failed', 'suppressed', 'bounced', 'complained'];

/**
 * The ids of all candidates for a status that only work in the queue has; undefined when they are not known otherwise. What is
 * being sent is stored as queued, with a lease.
 */
async function idsByQueue(
  sql: Sql,
  environmentId: string,
  status: WantedStatus,
): Promise<string | undefined> {
  if (status === 'sending') return leasedIdsSql('notification');
  if (status !== 'queued' && status !== 'unsent') return undefined;
  const [row] = await query<{ isShort: boolean }>(
    sql,
    `select ${isShortQueueSql('notification', '$1')} as "isShort"`,
    [environmentId],
  );
  if (!row?.isShort) return undefined;
  const waiting = waitingIdsSql('notification', '$1');
  return status === 'queued' ? waiting : `${waiting} union all ${leasedIdsSql('notification')}`;
}

/** Returns up to `limit + 1` rows, newest first. */
export async function listNotifications(
  sql: Sql,
  environmentId: string,
  filter: NotificationFilter,
  page: PageRequest,
): Promise<ScannedPage<StoredNotification>> {
  const found = await scanNotifications<StoredRow>(sql, environmentId, filter, page, selectFrom);
  return { ...found, rows: withHistories(found.rows) };
}

/** What bulk actions read of a notification before they work on it. */
export interface MatchedNotification
  extends Pick<NotificationRow, 'id' | 'channel' | 'address' | 'template_key' | 'last_error'> {
  /** Name and kind of the provider of the last attempt; absent when not asked for. */
  providers?: (string | null)[];
}

const matchedColumns = 'n.id, n.channel, n.address, n.template_key, n.last_error';

const selectMatched = (source: string): string => `select ${matchedColumns} from ${source} n`;

/** The trace is read in the database: a page of long ones would hold the event loop. */
const selectWithProviders = (source: string): string => `
  select ${matchedColumns}, array[last.attempt ->> 'name', last.attempt ->> 'provider_kind'] as providers
  from ${source} n
  cross join lateral (
    select jsonb_path_query_array(
      ${traceSql}, '$[*] ? (@.kind == "attempt")') -> -1 as attempt
    offset 0) last`;

/** The same list without contents. */
export function listMatched(
  sql: Sql,
  environmentId: string,
  filter: NotificationFilter,
  page: PageRequest,
  withProviders: boolean,
): Promise<ScannedPage<MatchedNotification>> {
  return scanNotifications(
    sql,
    environmentId,
    filter,
    page,
    withProviders ? selectWithProviders : selectMatched,
  );
}

/** `unsent` is `queued` and `sending`. */
type WantedStatus = NotificationQuery['status'] | 'unsent';

export type NotificationFilter = Omit<NotificationQuery, 'limit' | 'cursor' | 'status'> & {
  status?: WantedStatus;
};

async function scanNotifications<Row extends pg.QueryResultRow>(
  sql: Sql,
  environmentId: string,
  filter: NotificationFilter,
  page: PageRequest,
  selectRows: (source: string) => string,
): Promise<ScannedPage<Row>> {
  const values: unknown[] = [environmentId];
  const bounds: string[] = [];
  const indexed: string[] = [];
  const require = (conditions: string[], condition: string, value: string | null | undefined): void => {
    if (!value) return; // an empty filter counts as absent
    conditions.push(condition.replace('?', `$${values.push(value)}`));
  };
  // created_at is the time in the id, so times are bounds on the primary key.
  const { created_after: after, created_before: before } = filter;
  require(bounds, 'id >= ?', after && lowestIdAt(Date.parse(after) + 1));
  require(bounds, 'id < ?', before && lowestIdAt(Date.parse(before)));
  require(bounds, 'id < ?', page.before);
  // The ids of a broadcast lie in a range, and few others in between: no index by broadcast has to be written by every send.
  const broadcast = filter.broadcast_id ? `$${values.push(filter.broadcast_id)}` : null;
  if (broadcast)
    for (const bound of ['>= (select first_id', '<= (select last_id'])
      bounds.push(`id ${bound} from broadcasts where environment_id = $1 and id = ${broadcast})`);
  const { status_detail: detail } = filter;
  const status = filter.status ?? (detail && statusOfDetail(detail));
  const channel = channels.find((known) => known === filter.channel);
  const rareStatus = rareStatuses.find((rare) => rare === status);
  require(indexed, 'status = ?', rareStatus);
  const indexTables = rareStatus && { [indexed[0] ?? '']: 'notification_rare_statuses' };
  require(indexed, 'category = ?', filter.category);
  require(indexed, 'template_key = ?', filter.template_key);
  require(indexed, 'lower(address) = lower(?)', filter.recipient);
  require(indexed, 'external_user_id = ?', filter.external_user_id);
  return scanPage(sql, {
    table: 'notifications',
    scope: 'environment_id = $1',
    bounds,
    indexed,
    ...(indexTables && { indexTables }),
    others: [
      // There are few channels: an index by channel would cost every send more than these scans cost those who list.
      ...(channel ? [`channel = '${channel}'`] : []),
      ...(broadcast ? [`broadcast_id = ${broadcast}`] : []), // the bounds have the parameter, too
      ...(status && !rareStatus ? statusConditions(status) : []),
      ...(detail ? [`status = '${statusOfDetail(detail)}'`, hasDetailSql(detail)] : []),
    ],
    ids: detail
      ? await idsWithDetail(sql, environmentId, detail)
      : await idsByQueue(sql, environmentId, status),
    values,
    limit: page.limit + 1,
    scanLimit: 1_000, // rare matches are far apart: each may be a page to read from the disk
    select: (rows) => `${selectRows(`(${rows})`)} order by n.id desc`,
  });
}

/** An index by status would cost every send more than these scans cost those who list (docs/adr/0023). */
function statusConditions(status: NotificationStatus | 'unsent'): string[] {
  if (status === 'sending' || status === 'unsent') return [`status = 'queued'`];
  const isStatus = `status = '${status}'`;
  return status === 'queued' ? [isStatus, `not ${isLeasedSql('notification', 'found.id')}`] : [isStatus];
}

/** What a change replaces of the content. */
export type EditedContent = Pick<
  ContentRow,
  'subject' | 'html_body' | 'text_body' | 'template_data' | 'inline_format' | 'structured' | 'rendered_at'
>;

const updateContent = statement(
  'notifications_update_content',
  `with c as (
     update notification_contents
     set subject = $2, html_body = $3, text_body = $4, template_data = $5, inline_format = $9, structured = $10, rendered_at = $11,
       text_alternative = null, body_object = null, inbox_extras = $8
     where notification_id = $1)
   update notifications set action_url = $6, send_at = $7 where id = $1`,
);

export async function updateNotification(
  sql: Sql,
  id: string,
  next: Pick<StoredNotification, keyof EditedContent | 'inbox_extras' | 'action_url' | 'send_at'>,
): Promise<void> {
  await updateContent(sql, [
    id,
    next.subject,
    next.html_body,
    next.text_body,
    JSON.stringify(next.template_data),
    next.action_url,
    next.send_at,
    next.inbox_extras && JSON.stringify(next.inbox_extras),
    next.inline_format,
    next.structured === null ? null : JSON.stringify(next.structured),
    next.rendered_at,
  ]);
}

const deleteEverything = statement(
  'notifications_delete',
  `with deleted as (
     delete from notifications n using unnest($1::uuid[], $2::uuid[]) as erased (environment_id, id)
     where n.id = erased.id and n.environment_id = erased.environment_id
     returning n.id)
   delete from notification_contents c using deleted where c.notification_id = deleted.id`,
);

/** The caller has erased their attachments. */
export async function deleteNotifications(sql: Sql, notifications: readonly ScopedId[]): Promise<void> {
  if (notifications.length > 0) await deleteEverything(sql, scopedIdColumns(notifications));
}

/** The bytes of a row come as hexadecimal text: reading 15 MB of it at once held the event loop for 70 ms. */
const pieceBytes = 524_288;

const listPieces = statement<{ position: number; start: number; bytes: Buffer }>(
  'notifications_list_attachment_pieces',
  `select position, start, substr(bytes, start + 1, $2::int) as bytes
   from attachment_bytes, generate_series(0, greatest(octet_length(bytes) - 1, 0), $2::int) as start
   where notification_id = $1`,
);

export async function listAttachmentBytes(sql: Sql, id: string): Promise<Buffer[]> {
  const files: Buffer[][] = [];
  for (const { position, start, bytes } of await listPieces(sql, [id, pieceBytes])) {
    const pieces = files[position] ?? [];
    pieces[start / pieceBytes] = bytes;
    files[position] = pieces;
  }
  return files.map((pieces) => Buffer.concat(pieces));
}

const lockInOrder = statement(
  'notifications_lock',
  // All transactions lock in this order, so there are no deadlocks.
  `select from notifications where environment_id = $1 and id = any ($2::uuid[]) order by id for no key update`,
);

const markAsRedriven = statement<{ id: string }>(
  'notifications_mark_redriven',
  `update notifications n set history = ${appendedHistorySql('i.history')}
   from json_to_recordset($2::json) as i (id uuid, history text)
   where n.environment_id = $1 and n.id = i.id and n.status in ('failed', 'bounced')
     and not ${traceSql} @> '[{"kind": "decision", "name": "redriven"}]'
   returning n.id`,
);

/** Returns the ids that were not redriven before. The rows stay locked, so that no other transaction redrives them too. */
export async function markRedriven(
  tx: Sql,
  environmentId: string,
  marks: { id: string; trace: StoredTraceEntry[] }[],
): Promise<Set<string>> {
  if (marks.length === 0) return new Set();
  await lockInOrder(tx, [environmentId, marks.map(({ id }) => id)]);
  const rows = marks.map(({ id, trace }) => ({ id, history: encodeHistory(id, { events: [], trace }) }));
  return new Set((await markAsRedriven(tx, [environmentId, JSON.stringify(rows)])).map(({ id }) => id));
}

const cancelQueued = statement<{ id: string; channel: Channel; has_attachments: boolean }>(
  'notifications_cancel',
  `update notifications n set
     status = 'suppressed', suppression_reason = 'cancelled', history = ${appendedHistorySql('$3')}
   from notification_contents c
   where n.environment_id = $1 and n.id = any ($2::uuid[]) and n.status = 'queued' and c.notification_id = n.id
   returning n.id, n.channel, c.attachments is not null as has_attachments`,
);

/** The caller has withdrawn their work from the queue. */
export async function cancelNotifications(
  tx: Sql,
  environmentId: string,
  ids: string[],
  added: History,
): Promise<{ id: string; channel: Channel; has_attachments: boolean }[]> {
  if (ids.length === 0) return [];
  await lockInOrder(tx, [environmentId, ids]);
  return cancelQueued(tx, [environmentId, ids, encodeHistory(null, added)]);
}
