import type { Channel, Receipt } from '../../../channels/contract.ts';
import type { Sql } from '../../../db/sql.ts';
import type { Activity } from '../../../deps.ts';
import type { Queue } from '../../../queue/index.ts';
import {
  announce,
  type EventEntry,
  eventEntry,
  type NotificationRow,
} from '../../notifications/notifications/index.ts';
import { type Refusal, suppressRefused } from '../../people/suppressions/index.ts';
import { wakeRunsOf } from '../../workflows/runs/index.ts';
import { lockForReceipts, type ReceiptStatus, type ReceiptUpdate, updateByReceipts } from './store.ts';

/** A receipt with the notification that it is about. */
export interface ReceiptFor {
  notificationId: string;
  environmentId: string;
  /** The channel that the notification must have been sent over; null matches every channel. */
  channel: Channel | null;
  receipt: Receipt;
}

export interface AppliedReceipts {
  /** Notifications that exist; receipts for others have no effect. */
  known: Set<string>;
  /** True when webhook endpoints get events. */
  announced: boolean;
  /** True when runs waited for the new status. */
  woken: boolean;
  moved: StatusMove[];
}

/** At most this many events of each type are kept, so an email that is opened all day does not grow without end. */
const maxOfAType = 20;

/**
 * The single entry point for everything learned about a message after its handover: events, status, suppression, webhooks. Late
 * and repeated receipts are kept as events and never move a status back.
 */
export async function applyReceipts(
  tx: Sql,
  { queue, now }: { queue: Pick<Queue, 'enqueue' | 'postpone' | 'runNow'>; now: number },
  receipts: readonly ReceiptFor[],
): Promise<AppliedReceipts> {
  const byNotification = new Map<string, ReceiptFor[]>();
  for (const entry of receipts) {
    const key = `${entry.environmentId} ${entry.notificationId}`;
    const others = byNotification.get(key);
    if (others) others.push(entry);
    else byNotification.set(key, [entry]);
  }
  const wanted = [...byNotification.values()].flatMap(([first]) => first ?? []);
  const subjects = wanted.length === 0 ? [] : await lockForReceipts(tx, wanted);
  const known = new Map<string, Receipt[]>();
  const updates = subjects.flatMap((subject) => {
    const mine = (byNotification.get(`${subject.environment_id} ${subject.id}`) ?? [])
      .filter(({ channel }) => channel === null || channel === subject.channel)
      .map(({ receipt }) => receipt);
    if (mine.length === 0) return [];
    known.set(subject.id, mine);
    const counts = new Map<string, number>();
    const countOf = ({ type }: { type: string }): number => {
      const count = (counts.get(type) ?? 0) + 1;
      counts.set(type, count);
      return count;
    };
    subject.events.forEach(countOf);
    const kept = mine.filter((receipt) => countOf(receipt) <= maxOfAType);
    return kept.length === 0 ? [] : [receiptUpdate(subject.id, kept, now, subject.status)];
  });
  const updateOf = new Map(updates.map((update) => [update.id, update]));
  const updated = await updateByReceipts(tx, updates);
  const refusals = updated.flatMap((notification) => {
    const refusal = refusalIn(known.get(notification.id) ?? []);
    return refusal ? [{ ...notification, ...refusal }] : [];
  });
  await suppressRefused(tx, refusals, now);
  const additions = updated.map(({ id, environment_id: environmentId, channel }) => ({
    id,
    environmentId,
    channel,
    events: updateOf.get(id)?.events ?? [],
  }));
  const woken = await wakeRunsOf(tx, queue, updates);
  const moved = subjects.flatMap(({ id, environment_id: environmentId, channel, status: before }) => {
    const status = updateOf.get(id)?.status;
    return status ? [{ environmentId, channel, before, status }] : [];
  });
  return { known: new Set(known.keys()), announced: await announce(tx, queue, additions), woken, moved };
}

/** Counts applied receipts and wakes the workers that they concern, after the commit. */
export function notifyApplied(
  { queue, activity }: { queue: Pick<Queue, 'ring'>; activity: Activity },
  { announced, woken, moved }: AppliedReceipts,
): undefined {
  countMoved(activity, moved);
  if (announced) queue.ring('webhook_delivery');
  if (woken) queue.ring('run');
}

/** A notification whose status a receipt has changed. */
interface StatusMove {
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
