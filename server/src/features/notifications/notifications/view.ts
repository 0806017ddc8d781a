import { idTime } from '../../../kernel/ids.ts';
import { isoTime } from '../../../kernel/time-zone.ts';
import { type NotificationObjects, orUnavailable } from '../../platform/objects/index.ts';
import type {
  AttachmentMetadata,
  ContentRow,
  NotificationRow,
  StoredTraceEntry,
} from './notification-row.ts';
import type { EventEntry, Notification, Trace, TraceEntry } from './schema.ts';
import type { StoredNotification } from './store.ts';

export type EventType =
  | 'Queued'
  | 'Sending'
  | 'Sent'
  | 'Retrying'
  | 'Failed'
  | 'Suppressed'
  | 'Held'
  | 'Released'
  | 'Delivered'
  | 'Bounced'
  | 'Complained'
  | 'DeliveryDelayed'
  | 'Opened'
  | 'Clicked'
  | 'FailedOver'
  | 'AttemptFailed';

export function eventEntry(
  type: EventType,
  at: number | string,
  detail: string | null = null,
  suppressionReason: string | null = null,
): EventEntry {
  return {
    type,
    occurred_at: typeof at === 'string' ? at : isoTime(at),
    detail,
    suppression_reason: suppressionReason,
  };
}

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** A notification with the bodies that are in the object store. */
export async function withBodies(
  objects: NotificationObjects,
  stored: StoredNotification,
): Promise<StoredNotification> {
  if (stored.body_object === null) return stored;
  const [filled = stored] = await orUnavailable(objects.withBodies([stored]));
  return filled;
}

/** The wire form of a notification. A queued one that a worker has leased is shown as `sending`. */
export function viewOf(stored: StoredNotification): Notification {
  return viewOfParts(stored, stored, stored);
}

/**
 * The wire form of a notification accepted just now. Its parts are not merged first: that cost would show on the hottest path.
 */
export function viewOfAccepted({
  row,
  content,
}: {
  row: NotificationRow;
  content: ContentRow;
}): Notification {
  const status_detail = row.send_at === null ? null : 'scheduled';
  return viewOfParts(row, content, {
    ...{ leased_at: null, attachments_purged: false, status_detail, held_until: null },
  });
}

function viewOfParts(
  stored: NotificationRow,
  content: ContentRow,
  {
    leased_at,
    attachments_purged,
    status_detail,
    held_until,
  }: Pick<StoredNotification, 'leased_at' | 'attachments_purged' | 'status_detail' | 'held_until'>,
): Notification {
  const sending = stored.status === 'queued' && leased_at !== null;
  const viewOfFile = (file: AttachmentMetadata) => ({
    ...{ ...file, content_id: file.content_id ?? null, purged: attachments_purged },
  });
  return {
    id: stored.id,
    environment_id: stored.environment_id,
    status: sending ? 'sending' : stored.status,
    status_detail,
    held_until: iso(held_until),
    channel: stored.channel,
    recipient: { address: stored.address, name: stored.recipient_name },
    subject: content.subject,
    html_body: content.html_body,
    text_body: content.text_body,
    template_key: stored.template_key,
    template_data: content.template_data,
    category: stored.category,
    priority: stored.priority,
    idempotency_key: stored.idempotency_key,
    action_url: stored.action_url,
    tags: content.inbox_extras?.tags ?? [],
    actions: content.inbox_extras?.actions ?? [],
    attempt_count: stored.attempt_count,
    suppression_reason: stored.suppression_reason,
    last_error: stored.last_error,
    resent_from: stored.resent_from,
    broadcast_id: stored.broadcast_id,
    send_at: iso(stored.send_at),
    sent_at: iso(stored.sent_at),
    created_at: isoTime(idTime(stored.id)),
    events: sending ? [...stored.events, eventEntry('Sending', leased_at.getTime())] : stored.events,
    ...(content.attachments && { attachments: content.attachments.map(viewOfFile) }),
  };
}

export function traceOf(
  stored: StoredNotification,
  nextAttemptAt: Date | null,
): Omit<Trace, 'webhook_deliveries'> {
  const { status } = viewOf(stored);
  return {
    notification_id: stored.id,
    status,
    summary: summaryOf(stored, status, nextAttemptAt),
    next_attempt_at: iso(nextAttemptAt),
    entries: stored.trace.flatMap(entriesOf),
  };
}

const blank = {
  detail: null,
  code: null,
  provider_kind: null,
  provider_message_id: null,
  latency_ms: null,
  exchange: null,
};

function entriesOf(entry: StoredTraceEntry): TraceEntry[] {
  switch (entry.kind) {
    case 'passed':
      return entry.gates.map((name) => ({
        ...blank,
        at: entry.at,
        kind: 'gate' as const,
        name,
        verdict: 'pass',
      }));
    case 'gate':
    case 'decision':
    case 'attempt':
      return [{ ...blank, ...entry }];
  }
}

const isDeferral = (verdict: string): boolean => verdict === 'defer' || verdict === 'hold';

/** One sentence that answers "why didn't it arrive?". */
function summaryOf(row: NotificationRow, status: Trace['status'], nextAttemptAt: Date | null): string {
  const tries = `${row.attempt_count} ${row.attempt_count === 1 ? 'attempt' : 'attempts'}`;
  const reason = row.last_error ? `: ${row.last_error}` : '';
  switch (status) {
    case 'queued': {
      const last = row.trace.at(-1);
      if (nextAttemptAt && last?.kind === 'gate' && isDeferral(last.verdict) && last.detail)
        return last.detail;
      const after = row.attempt_count > 0 ? ` after ${tries}` : ''; // a round may have had no provider to call
      if (row.round > 0 || row.attempt_count > 0)
        return `Waiting for the next attempt at ${iso(nextAttemptAt) ?? 'the next opportunity'}${after}${reason}`;
      return nextAttemptAt ? `Scheduled for ${iso(nextAttemptAt)}.` : 'Waiting for a worker.';
    }
    case 'sending':
      return 'A worker is sending the notification.';
    case 'sent':
      return `A provider accepted the notification after ${tries}; delivery is not confirmed yet.`;
    case 'delivered':
      return `Delivered after ${tries}.`;
    case 'bounced':
      return `The recipient's server rejected it${reason}.`.replace(/\.{2,}$/, '.');
    case 'complained':
      return 'Delivered, and the recipient reported it as unwanted.';
    case 'suppressed':
      return `Not sent, because of a suppression: ${row.suppression_reason ?? 'unknown'}.`;
    case 'failed':
      return `Failed after ${tries}${reason}`;
  }
}
