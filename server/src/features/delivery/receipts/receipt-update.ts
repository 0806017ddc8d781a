import type { Receipt } from '../../../channels/contract.ts';
import {
  type EventEntry,
  eventEntry,
  type NotificationRow,
} from '../../notifications/notifications/index.ts';
import type { Refusal } from '../../people/suppressions/index.ts';
import type { ReceiptStatus, ReceiptUpdate } from './store.ts';

const statusByType: Partial<Record<Receipt['type'], ReceiptStatus>> = {
  Delivered: 'delivered',
  Bounced: 'bounced',
  Complained: 'complained',
};

/**
 * The status after receipts in any order; null when they change nothing. A complaint may follow a delivery; otherwise the first
 * receipt stays, so that a late or repeated one never moves a status back.
 */
function statusAfter(before: NotificationRow['status'], receipts: readonly Receipt[]): ReceiptStatus | null {
  let after: ReceiptStatus | null = null;
  for (const { type } of receipts) {
    const next = statusByType[type];
    const current = after ?? before;
    const isOpen = current === 'queued' || current === 'sent';
    if (next && (isOpen || (current === 'delivered' && next === 'complained'))) after = next;
  }
  return after;
}

/** The update that receipts mean for one notification with the status `before`. Opens and clicks are events only. */
export function receiptUpdate(
  id: string,
  receipts: Receipt[],
  now: number,
  before: NotificationRow['status'] = 'sent',
): ReceiptUpdate {
  const events: EventEntry[] = receipts.map(({ type, at, detail }) => eventEntry(type, at ?? now, detail));
  const status = statusAfter(before, receipts);
  // A bounce that comes too late to change the status is not an error of a delivered notification.
  const bounce = status === 'bounced' ? receipts.find(({ type }) => type === 'Bounced') : undefined;
  return { id, status, events, last_error: bounce?.detail ?? null };
}

export type AddressRefusal = Pick<Refusal, 'reason' | 'detail'>;

/** Returns the refusal when receipts forbid further messages to the address. A complaint outweighs a bounce. */
export function refusalIn(receipts: Receipt[]): AddressRefusal | null {
  const complaint = receipts.find((receipt) => receipt.type === 'Complained');
  if (complaint) return { reason: 'complaint', detail: complaint.detail };
  const bounce = receipts.find((receipt) => receipt.type === 'Bounced' && !receipt.soft);
  return bounce ? { reason: 'hard_bounce', detail: bounce.detail } : null;
}
