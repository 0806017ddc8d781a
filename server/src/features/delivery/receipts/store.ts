import { type Sql, statement } from '../../../db/sql.ts';
import {
  appendedHistorySql,
  type EventEntry,
  encodeHistory,
  type NotificationRow,
  withHistories,
} from '../../notifications/notifications/index.ts';

/** A notification as it was before its receipts. */
type ReceiptSubject = Pick<
  NotificationRow,
  'id' | 'environment_id' | 'channel' | 'status' | 'resent_from' | 'events' | 'trace'
>;

const lockSubjects = statement<ReceiptSubject & { history: string | null }>(
  'receipts_lock_notifications',
  // All transactions lock in this order, so there are no deadlocks.
  `select n.id, n.environment_id, n.channel, n.status, n.resent_from, n.events, n.trace, n.history
   from notifications n
   join unnest($1::uuid[], $2::uuid[]) as wanted (id, environment_id)
     on n.id = wanted.id and n.environment_id = wanted.environment_id
   order by n.id
   for no key update of n`,
);

export async function lockForReceipts(
  tx: Sql,
  wanted: { notificationId: string; environmentId: string }[],
): Promise<ReceiptSubject[]> {
  const rows = await lockSubjects(tx, [
    wanted.map(({ notificationId }) => notificationId),
    wanted.map(({ environmentId }) => environmentId),
  ]);
  return withHistories(rows);
}

/** The notification that a receipt is about. */
type ReceiptTarget = Pick<NotificationRow, 'id' | 'environment_id' | 'channel' | 'address'>;

const applyReceipts = statement<ReceiptTarget>(
  'receipts_apply',
  `update notifications n set
     status = case
       when i.status is null then n.status
       when n.status in ('queued', 'sent') then i.status
       when n.status = 'delivered' and i.status = 'complained' then i.status
       else n.status end,
     history = ${appendedHistorySql('i.history')},
     last_error = coalesce(i.last_error, n.last_error)
   from json_to_recordset($1::json) as i (id uuid, status text, history text, last_error text)
   where n.id = i.id
   returning n.id, n.environment_id, n.channel, n.address`,
);

/** A status that receipts give a notification. */
export type ReceiptStatus = 'delivered' | 'bounced' | 'complained';

export interface ReceiptUpdate {
  id: string;
  /** Null when the status stays as it is. */
  status: ReceiptStatus | null;
  events: EventEntry[];
  last_error: string | null;
}

/** Late and duplicate receipts are kept as events but never move a status back. */
export async function updateByReceipts(sql: Sql, updates: ReceiptUpdate[]): Promise<ReceiptTarget[]> {
  if (updates.length === 0) return [];
  const rows = updates.map(({ events, ...update }) => ({
    ...update,
    history: encodeHistory(update.id, { events, trace: [] }),
  }));
  return applyReceipts(sql, [JSON.stringify(rows)]);
}
