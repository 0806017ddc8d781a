import type { Channel } from '../../../channels/contract.ts';
import { channelSpecs } from '../../../channels/specs.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import type { Queue } from '../../../queue/index.ts';
import { listSubscriptions, recordSubscribed } from '../../webhooks/index.ts';
import { withHistories } from './history.ts';
import { notificationRowColumns } from './notification-row.ts';
import type { EventEntry, Notification, NotificationStatus } from './schema.ts';
import { joinWait, statusDetailColumns } from './status-detail.ts';
import { attachmentsPurgedSql, type StoredNotification, type StoredRow } from './store.ts';
import { type EventType, viewOf } from './view.ts';

/** Events that were just added to a notification, in their order. */
export interface Addition {
  id: string;
  environmentId: string;
  channel: Channel;
  events: EventEntry[];
}

/** The webhook event types of those notification events that are announced. */
const announced: Partial<Record<string, string>> = {
  Sent: 'notification.sent',
  Delivered: 'notification.delivered',
  Bounced: 'notification.bounced',
  Complained: 'notification.complained',
  Failed: 'notification.failed',
  Suppressed: 'notification.suppressed',
  Held: 'notification.held',
  Released: 'notification.released',
  Opened: 'notification.opened',
  Clicked: 'notification.clicked',
} satisfies Partial<Record<EventType, string>>;

function typeOf(event: EventEntry, channel: Channel): string | undefined {
  const isRead = event.type === 'Opened' && channelSpecs[channel].openMeansRead;
  return isRead ? 'notification.read' : announced[event.type];
}

/** Providers repeat these events; only the first of each is announced. */
const once = new Set(['Delivered', 'Bounced', 'Complained']);

const statusAt: Partial<Record<string, NotificationStatus>> = {
  Sent: 'sent',
  Delivered: 'delivered',
  Bounced: 'bounced',
  Complained: 'complained',
  Held: 'queued',
  Released: 'queued',
};

/** The query leaves out the bodies: events do not carry them. */
const listRows = statement<StoredRow>(
  'notifications_list_for_events',
  `select ${notificationRowColumns}, c.subject, null as html_body, null as text_body, c.template_data, c.from_name, c.reply_to, c.inbox_extras, c.attachments,
     null as leased_at, ${statusDetailColumns}, null as body_object,
     ${attachmentsPurgedSql}
   from notifications n join notification_contents c on c.notification_id = n.id ${joinWait}
   where n.id = any ($1::uuid[])`,
);

/**
 * Announces events to the webhook endpoints of the environments. Call it in the transaction that added the events, after they
 * are added; ring `webhook_delivery` after the commit when it returns true.
 */
export async function announce(
  tx: Sql,
  queue: Pick<Queue, 'enqueue' | 'postpone'>,
  additions: readonly Addition[],
): Promise<boolean> {
  const events = additions.flatMap(({ id, environmentId, channel, events: added }) =>
    added.flatMap((event, index) => {
      const type = typeOf(event, channel);
      return type ? [{ environmentId, type, notificationId: id, fromEnd: added.length - index }] : [];
    }),
  );
  const subscriptions = await listSubscriptions(tx, events);
  if (subscriptions.length === 0) return false;
  const ids = [...new Set(subscriptions.map(({ event }) => event.notificationId))];
  const rows = new Map(withHistories(await listRows(tx, [ids])).map((row) => [row.id, row]));
  const notified = subscriptions.flatMap(({ event, endpointIds }) => {
    const row = rows.get(event.notificationId);
    const data = row && dataOf(row, row.events.length - event.fromEnd);
    return row && data ? [{ event: { ...event, chain: row.chain, data }, endpointIds }] : [];
  });
  return (await recordSubscribed(tx, queue, notified)).length > 0;
}

type EventData = Omit<Notification, 'html_body' | 'text_body'> & { reason?: string; provider?: string };

/** The notification as it was when the event at this index happened; null when the event is a repetition. */
function dataOf(row: StoredNotification, index: number): EventData | null {
  const event = row.events[index];
  if (!event) return null;
  const isRepeated = once.has(event.type) && row.events.findIndex(({ type }) => type === event.type) < index;
  if (isRepeated) return null;
  const { html_body: _html, text_body: _text, ...view } = viewOf(row);
  // Later events of the same update are announced separately, so the status is the one of this event.
  const isLast = index === row.events.length - 1;
  const reason = reasonOf(row, event);
  const provider = row.trace.findLast((entry) => entry.kind === 'attempt')?.name;
  return {
    ...view,
    ...(isLast ? {} : { status_detail: null, held_until: null }),
    status: (isLast ? null : statusAt[event.type]) ?? view.status,
    events: view.events.slice(0, index + 1),
    ...(reason ? { reason } : {}),
    ...(provider ? { provider } : {}),
  };
}

function reasonOf(row: StoredNotification, event: EventEntry): string | null {
  switch (event.type) {
    case 'Failed':
      return row.last_error;
    case 'Suppressed':
      return event.suppression_reason;
    case 'Bounced':
    case 'Complained':
    case 'Held':
    case 'Released':
      return event.detail;
    default:
      return null;
  }
}
