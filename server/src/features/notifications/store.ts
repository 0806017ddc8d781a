import type pg from 'pg';
import type { Channel } from '../../channels/contract.ts';
import { type ScannedPage, scanPage } from '../../db/filtered-page.ts';
import { query, type Sql, statement } from '../../db/sql.ts';
import { lowestIdAt, type ScopedId, scopedIdColumns } from '../../kernel/ids.ts';
import type { PageRequest } from '../../kernel/page.ts';
import { isLeasedSql, isShortQueueSql, joinLease, leasedIdsSql, waitingIdsSql } from '../../queue/index.ts';
import type { ContentRow, NotificationRow, StoredTraceEntry } from './notification-row.ts';
import type { EventEntry, NotificationQuery, NotificationStatus } from './schema.ts';

/** A stored notification. `leased_at` is set while it is being sent. */
export interface StoredNotification extends NotificationRow, ContentRow {
  leased_at: Date | null;
  attachments_purged: boolean;
  /** The object with the bodies; null when they are in this row. */
  body_object: string | null;
}

/** Whether the bytes of the attachments of `n` were deleted; `c` is its content. */
export const attachmentsPurgedSql = `c.attachments is not null
      and not exists (select from attachment_bytes b where b.notification_id = n.id)
      and not exists (select from stored_objects o
        where o.notification_id = n.id and o.position is not null and o.state = 'stored') as attachments_purged`;

/** `source` is the SQL that gives the rows of the notifications. */
const selectFrom = (source: string): string => `
  select n.*, c.subject, c.html_body, c.text_body, c.template_data, c.from_name, c.reply_to, c.attachments,
    c.template_version_id, c.template_locale, c.structured, c.rendered_at, c.body_object, lease.leased_at,
    ${attachmentsPurgedSql}
  from ${source} n
  join notification_contents c on c.notification_id = n.id
  ${joinLease('notification', 'n.id')}`;

const findOne = statement<StoredNotification>(
  'notifications_find',
  `${selectFrom('notifications')} where n.id = $1 and n.environment_id = $2`,
);

export async function findNotification(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<StoredNotification | null> {
  return (await findOne(sql, [id, environmentId]))[0] ?? null;
}

const findMany = statement<StoredNotification>(
  'notifications_find_many',
  `${selectFrom('notifications')} where n.id = any ($1::uuid[]) and n.environment_id = $2`,
);

export function findNotifications(
  sql: Sql,
  environmentId: string,
  ids: string[],
): Promise<StoredNotification[]> {
  return findMany(sql, [ids, environmentId]);
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
  status: NotificationQuery['status'],
): Promise<string | undefined> {
  if (status === 'sending') return leasedIdsSql('notification');
  if (status !== 'queued') return undefined;
  const [row] = await query<{ isShort: boolean }>(
    sql,
    `select ${isShortQueueSql('notification', '$1')} as "isShort"`,
    [environmentId],
  );
  return row?.isShort ? waitingIdsSql('notification', '$1') : undefined;
}

/** Returns up to `limit + 1` rows, newest first. */
export function listNotifications(
  sql: Sql,
  environmentId: string,
  filter: NotificationFilter,
  page: PageRequest,
): Promise<ScannedPage<StoredNotification>> {
  return scanNotifications(sql, environmentId, filter, page, selectFrom);
}

/** What bulk actions read of a notification before they work on it. */
export type MatchedNotification = Pick<
  NotificationRow,
  | 'id'
  | 'status'
  | 'channel'
  | 'address'
  | 'external_user_id'
  | 'template_key'
  | 'suppression_reason'
  | 'last_error'
  | 'trace'
>;

const selectMatched = (source: string): string => `
  select n.id, n.status, n.channel, n.address, n.external_user_id, n.template_key, n.suppression_reason, n.last_error, n.trace
  from ${source} n`;

/** The same list without contents. */
export function listMatched(
  sql: Sql,
  environmentId: string,
  filter: NotificationFilter,
  page: PageRequest,
): Promise<ScannedPage<MatchedNotification>> {
  return scanNotifications(sql, environmentId, filter, page, selectMatched);
}

export type NotificationFilter = Omit<NotificationQuery, 'limit' | 'cursor'>;

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
  const rareStatus = rareStatuses.find((status) => status === filter.status);
  require(indexed, 'status = ?', rareStatus);
  const indexTables = rareStatus && { [indexed[0] ?? '']: 'notification_rare_statuses' };
  require(indexed, 'channel = ?', filter.channel);
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
    others: filter.status && !rareStatus ? statusConditions(filter.status) : [],
    ids: await idsByQueue(sql, environmentId, filter.status),
    values,
    limit: page.limit + 1,
    scanLimit: 1_000, // rare matches are far apart: each may be a page to read from the disk
    select: (rows) => `${selectRows(`(${rows})`)} order by n.id desc`,
  });
}

/** An index by status would cost every send more than these scans cost those who list (docs/adr/0023). */
function statusConditions(status: NotificationStatus): string[] {
  if (status === 'sending') return [`status = 'queued'`];
  const isStatus = `status = '${status}'`;
  return status === 'queued' ? [isStatus, `not ${isLeasedSql('notification', 'found.id')}`] : [isStatus];
}

const updateContent = statement(
  'notifications_update_content',
  `with c as (
     update notification_contents
     set subject = $2, html_body = $3, text_body = $4, template_data = $5, structured = null, rendered_at = null,
       text_alternative = null, body_object = null
     where notification_id = $1)
   update notifications set action_url = $6, send_at = $7 where id = $1`,
);

export async function updateNotification(
  sql: Sql,
  id: string,
  next: Pick<
    StoredNotification,
    'subject' | 'html_body' | 'text_body' | 'template_data' | 'action_url' | 'send_at'
  >,
): Promise<void> {
  await updateContent(sql, [
    id,
    next.subject,
    next.html_body,
    next.text_body,
    JSON.stringify(next.template_data),
    next.action_url,
    next.send_at,
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

const markAsRedriven = statement<{ id: string }>(
  'notifications_mark_redriven',
  `update notifications n set trace = n.trace || i.trace
   from json_to_recordset($2::json) as i (id uuid, trace jsonb)
   where n.environment_id = $1 and n.id = i.id and n.id in (
     select id from notifications where id in (select id from json_to_recordset($2::json) as j (id uuid)) order by id for no key update)
     and n.status in ('failed', 'bounced') and not n.trace @> '[{"name": "redriven"}]'
   returning n.id`,
);

/** Returns the ids that were not redriven before. The rows stay locked, so that no other transaction redrives them too. */
export async function markRedriven(
  tx: Sql,
  environmentId: string,
  marks: { id: string; trace: StoredTraceEntry[] }[],
): Promise<Set<string>> {
  if (marks.length === 0) return new Set();
  return new Set((await markAsRedriven(tx, [environmentId, JSON.stringify(marks)])).map(({ id }) => id));
}

const cancelQueued = statement<{ id: string; channel: Channel; has_attachments: boolean }>(
  'notifications_cancel',
  `update notifications n set
     status = 'suppressed', suppression_reason = 'cancelled', events = n.events || $3::jsonb, trace = n.trace || $4::jsonb
   from notification_contents c
   where n.environment_id = $1 and n.id = any ($2::uuid[]) and n.status = 'queued' and c.notification_id = n.id
   returning n.id, n.channel, c.attachments is not null as has_attachments`,
);

/** The caller has withdrawn their work from the queue. */
export function cancelNotifications(
  tx: Sql,
  environmentId: string,
  ids: string[],
  events: EventEntry[],
  trace: StoredTraceEntry[],
) {
  return cancelQueued(tx, [environmentId, ids, JSON.stringify(events), JSON.stringify(trace)]);
}
