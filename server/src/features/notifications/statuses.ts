import { type Sql, statement } from '../../db/sql.ts';
import type { NotificationRow } from './notification-row.ts';

export type StatusRow = Pick<NotificationRow, 'id' | 'status' | 'last_error' | 'suppression_reason'>;

const listRows = statement<StatusRow>(
  'notifications_list_statuses',
  'select id, status, last_error, suppression_reason from notifications where id = any ($1::uuid[])',
);

/** Where notifications have got; the caller has made them itself. */
export function listStatuses(sql: Sql, ids: string[]): Promise<StatusRow[]> {
  return listRows(sql, [ids]);
}
