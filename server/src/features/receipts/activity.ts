import type { Channel } from '../../channels/contract.ts';
import type { Activity } from '../../deps.ts';
import type { NotificationRow } from '../notifications/index.ts';
import type { ReceiptStatus } from './store.ts';

/** A notification whose status a receipt has changed. */
export interface StatusMove {
  environmentId: string;
  channel: Channel;
  before: NotificationRow['status'];
  status: ReceiptStatus;
}

/** Counts the status changes that receipts made. A complaint implies a delivery. */
export function countMoved(activity: Activity, moved: readonly StatusMove[]): void {
  for (const { environmentId, channel, before, status } of moved) {
    if (status === 'complained' && before !== 'delivered')
      activity.count(environmentId, channel, 'delivered');
    activity.count(environmentId, channel, status);
  }
}
