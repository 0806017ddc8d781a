import { type Sql, statement } from '../../../db/sql.ts';
import type { RenderedContent } from '../../content/templates/index.ts';
import {
  appendedHistorySql,
  type ContentRow,
  type EventEntry,
  encodeHistory,
  type NotificationRow,
  type StoredTraceEntry,
  traceSql,
} from '../../notifications/notifications/index.ts';
import { type KnownSuppression, suppressionSql } from '../../people/suppressions/index.ts';
import { markStored } from '../../platform/objects/index.ts';
import { settingsVersionSql } from '../../providers/connections/index.ts';

/** Everything about one notification that sending needs. */
export interface DispatchRow extends Omit<NotificationRow, 'events' | 'trace'>, ContentRow {
  environment_kind: 'test' | 'live';
  /** The version of the settings that the channel is sent with; null when there are none. */
  settings_version: string | null;
  /** The text made from the HTML, if it was stored. */
  text_alternative: string | null;
  /** The object with the bodies; null when they are in the database. */
  body_object: string | null;
  /** The entry of the suppression list, as far as SQL can find it: see `suppressionSql`. */
  suppression: KnownSuppression | null;
}

/** Rendered content as it is stored: large bodies may be in an object. */
export interface StoredRendering extends RenderedContent {
  body_object?: string | null;
}

const loadRows = statement<DispatchRow>(
  'dispatch_load',
  `select n.id, n.environment_id, n.channel, n.status, n.priority, n.address, n.recipient_name, n.external_user_id, n.category,
     n.template_key, n.action_url, n.attempt_count, n.round, n.send_at, n.connection_id, n.broadcast_id, n.source_id, n.chain,
     c.subject, c.html_body, c.text_body, c.template_data, c.from_name, c.reply_to, c.inbox_extras, c.attachments,
     c.template_version_id, c.inline_format, c.template_locale, c.structured, c.rendered_at, c.text_alternative, c.body_object,
     e.kind as environment_kind,
     ${settingsVersionSql('n.channel', 'n.environment_id')} as settings_version, ${suppressionSql('n')} as suppression
   from notifications n
   join notification_contents c on c.notification_id = n.id
   join environments e on e.id = n.environment_id
   where n.id = any ($1::uuid[])`,
);

export function listDispatchRows(sql: Sql, ids: string[]): Promise<DispatchRow[]> {
  return loadRows(sql, [ids]);
}

const findBroadcastStatuses = statement<{ id: string; status: string }>(
  'dispatch_find_broadcast_statuses',
  'select id, status from broadcasts where id = any ($1::uuid[])',
);

/** Returns the status of the broadcast of each notification, by broadcast; without a query when there are none. */
export async function listBroadcastStatuses(
  sql: Sql,
  notifications: Pick<DispatchRow, 'broadcast_id'>[],
): Promise<Map<string, string>> {
  const ids = new Set(notifications.flatMap(({ broadcast_id }) => broadcast_id ?? []));
  const rows = ids.size === 0 ? [] : await findBroadcastStatuses(sql, [[...ids]]);
  return new Map(rows.map(({ id, status }) => [id, status]));
}

/** The changes that a settlement makes to a notification. */
export interface SettlementRow {
  id: string;
  status: NotificationRow['status'];
  events: EventEntry[];
  trace: StoredTraceEntry[];
  attempts: number;
  round: number;
  sent_at: string | null;
  last_error: string | null;
  suppression_reason: string | null;
}

const settle = statement(
  'dispatch_settle',
  // A receipt may arrive before the settlement: the status only moves on from queued, never back to it.
  `update notifications n set
     status = case when n.status = 'queued' then i.status else n.status end,
     history = ${appendedHistorySql('i.history')},
     attempt_count = n.attempt_count + i.attempts,
     round = i.round,
     sent_at = coalesce(n.sent_at, i.sent_at),
     last_error = case when n.status = 'queued' then i.last_error else n.last_error end,
     suppression_reason = i.suppression_reason
   from json_to_recordset($1::json) as i (id uuid, status text, history text, attempts int, round int,
     sent_at timestamptz, last_error text, suppression_reason text)
   where n.id = i.id`,
);

export async function settleNotifications(sql: Sql, rows: SettlementRow[]): Promise<void> {
  if (rows.length === 0) return;
  const settled = rows.map((row) => ({
    id: row.id,
    status: row.status,
    history: encodeHistory(row.id, row),
    attempts: row.attempts,
    round: row.round,
    sent_at: row.sent_at,
    last_error: row.last_error,
    suppression_reason: row.suppression_reason,
  }));
  await settle(sql, [JSON.stringify(settled)]);
}

const addFault = statement(
  'dispatch_add_fault',
  // Consecutive faults leave one entry: the next try comes in half a minute, and may fail the same way.
  `update notifications n set history = ${appendedHistorySql('$2')}
   where n.id in (select id from notifications where id = any ($1::uuid[]) order by id for no key update)
     and n.status = 'queued' and ${traceSql} -> -1 ->> 'name' is distinct from $3`,
);

/** Explains in the trace why nothing happens. The cause is only in the log: an internal error may contain anything. */
export async function markFaulty(sql: Sql, ids: string[], now: number): Promise<void> {
  const name = 'internal_error';
  const detail =
    'An internal error ended this attempt; the next one follows within a minute. The worker log has the cause under the notification id.';
  const entry: StoredTraceEntry = {
    at: new Date(now).toISOString(),
    kind: 'gate',
    name,
    verdict: 'defer',
    detail,
  };
  await addFault(sql, [ids, encodeHistory(null, { events: [], trace: [entry] }), name]);
}

const lockStatuses = statement<Pick<NotificationRow, 'id' | 'status'>>(
  'dispatch_lock_statuses',
  'select id, status from notifications where id = any ($1::uuid[]) order by id for no key update',
);

/** Locks the notifications, so their statuses stay until the transaction ends. */
export async function lockedStatuses(
  tx: Sql,
  ids: string[],
): Promise<Map<string, NotificationRow['status']>> {
  const rows = ids.length === 0 ? [] : await lockStatuses(tx, [ids]);
  return new Map(rows.map(({ id, status }) => [id, status]));
}

const storeTexts = statement(
  'dispatch_store_rendered',
  `update notification_contents c set
     subject = i.subject, html_body = i.html_body, text_body = i.text_body, structured = i.structured, rendered_at = now(),
     body_object = i.body_object
   from json_to_recordset($1::json)
     as i (id uuid, subject text, html_body text, text_body text, structured json, body_object uuid)
   where c.notification_id = i.id`,
);

/** Rendered content is stored: GET shows it, and later rounds send it. */
export async function markRendered(sql: Sql, texts: ({ id: string } & StoredRendering)[]): Promise<void> {
  if (texts.length === 0) return;
  await Promise.all([
    storeTexts(sql, [JSON.stringify(texts)]),
    markStored(
      sql,
      texts.flatMap(({ body_object }) => body_object ?? []),
    ),
  ]);
}
