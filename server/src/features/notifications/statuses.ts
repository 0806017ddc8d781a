import { type Sql, statement } from '../../db/sql.ts';
import type { NotificationRow } from './notification-row.ts';

export type StatusRow = Pick<NotificationRow, 'id' | 'status' | 'last_error' | 'suppression_reason'>;

const listRows = statement<StatusRow>(
  'notifications_list_statuses',
  'select id, status, last_error, suppression_reason from notifications where id = any ($1::uuid[])',
);

/** Reads statuses by id without a check of the environment: the caller created these notifications. */
export function listStatuses(sql: Sql, ids: string[]): Promise<StatusRow[]> {
  return listRows(sql, [ids]);
}
