import type { Receipt } from '../../channels/contract.ts';
import { type EventEntry, eventEntry, type NotificationRow } from '../notifications/index.ts';
import type { Refusal } from '../suppressions/index.ts';
import type { ReceiptUpdate } from './store.ts';

const receiptStatus: Partial<Record<Receipt['type'], 'delivered' | 'bounced' | 'complained'>> = {
  Delivered: 'delivered',
  Bounced: 'bounced',
  Complained: 'complained',
};

/**
 * The status after receipts in any order: a complaint may follow a delivery; otherwise the first receipt stays, so that a late
 * or repeated one never moves a status back.
 */
function statusAfter(
  status: NotificationRow['status'],
  receipts: readonly Receipt[],
): NotificationRow['status'] {
  return receipts.reduce((before, { type }) => {
    const next = receiptStatus[type];
    if (!next) return before;
    const isOpen = before === 'queued' || before === 'sent';
    return isOpen || (before === 'delivered' && next === 'complained') ? next : before;
  }, status);
}

/** The update that receipts mean for one notification with the status `before`. Opens and clicks are events only. */
export function receiptUpdate(
  id: string,
  receipts: Receipt[],
  now: number,
  before: NotificationRow['status'] = 'sent',
): ReceiptUpdate {
  const events: EventEntry[] = receipts.map(({ type, at, detail }) => eventEntry(type, at ?? now, detail));
  const after = statusAfter(before, receipts);
  if (after === before) return { id, status: null, events, last_error: null };
  // A bounce that comes too late to change the status is not an error of a delivered notification.
  const bounce = after === 'bounced' ? receipts.find(({ type }) => type === 'Bounced') : undefined;
  return { id, status: after, events, last_error: bounce?.detail ?? null };
}

export type AddressRefusal = Pick<Refusal, 'reason' | 'detail'>;

/** Returns the refusal when receipts forbid further messages to the address. A complaint outweighs a bounce. */
export function refusalIn(receipts: Receipt[]): AddressRefusal | null {
  const complaint = receipts.find((receipt) => receipt.type === 'Complained');
  if (complaint) return { reason: 'complaint', detail: complaint.detail };
  const bounce = receipts.find((receipt) => receipt.type === 'Bounced' && !receipt.soft);
  return bounce ? { reason: 'hard_bounce', detail: bounce.detail } : null;
}
