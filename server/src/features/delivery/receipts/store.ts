import { type Sql, statement } from '../../../db/sql.ts';
import type { EventEntry, NotificationRow } from '../../notifications/notifications/index.ts';

/** A notification as it was before its receipts. */
interface ReceiptSubject extends Pick<NotificationRow, 'id' | 'environment_id' | 'channel' | 'status'> {
  /** The number of its events of each type. */
  counts: Partial<Record<string, number>> | null;
}

const lockSubjects = statement<ReceiptSubject>(
  'receipts_lock_notifications',
  // All transactions lock in this order, so there are no deadlocks.
  `select n.id, n.environment_id, n.channel, n.status,
     (select jsonb_object_agg(type, number) from (
        select event->>'type' as type, count(*) as number from jsonb_array_elements(n.events) as event group by 1) as counted
     ) as counts
   from notifications n
   join unnest($1::uuid[], $2::uuid[]) as wanted (id, environment_id)
     on n.id = wanted.id and n.environment_id = wanted.environment_id
   order by n.id
   for no key update of n`,
);

export function lockForReceipts(
  tx: Sql,
  wanted: { notificationId: string; environmentId: string }[],
): Promise<ReceiptSubject[]> {
  return lockSubjects(tx, [
    wanted.map(({ notificationId }) => notificationId),
    wanted.map(({ environmentId }) => environmentId),
  ]);
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
     events = n.events || i.events,
     last_error = coalesce(i.last_error, n.last_error)
   from json_to_recordset($1::json) as i (id uuid, status text, events jsonb, last_error text)
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
  return updates.length === 0 ? [] : applyReceipts(sql, [JSON.stringify(updates)]);
}
