import type { Channel } from '../../channels/contract.ts';
import type { Exchange } from '../../channels/exchange.ts';
import type { EventEntry, NotificationStatus, Priority } from './schema.ts';

/** A notification as the service works with it: its life (one row) and what it says (another). */
export interface NotificationRow {
  id: string;
  environment_id: string;
  channel: Channel;
  /** Never `sending`: that is a queued notification with a lease. */
  status: Exclude<NotificationStatus, 'sending'>;
  priority: Priority;
  address: string | null;
  recipient_name: string | null;
  external_user_id: string | null;
  category: string | null;
  template_key: string | null;
  idempotency_key: string | null;
  action_url: string | null;
  resent_from: string | null;
  /** The chat endpoint or installation that it goes through. */
  connection_id: string | null;
  attempt_count: number;
  round: number;
  send_at: Date | null;
  sent_at: Date | null;
  suppression_reason: string | null;
  last_error: string | null;
  events: EventEntry[];
  trace: StoredTraceEntry[];
}

export interface ContentRow {
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
  template_data: Record<string, unknown>;
  from_name: string | null;
  reply_to: string | null;
  attachments: { filename: string; content_type: string; size_bytes: number }[] | null;
  /** The version of the template that it was accepted with; null: the words came with the request. */
  template_version_id: string | null;
  /** The recipient's language, when a template has to choose. */
  template_locale: string | null;
  /** What a chat channel sends. */
  structured: unknown;
  /** When a template was made into the words above; null: not yet, or there was none. */
  rendered_at: Date | null;
}

/** The part of the content that a caller writes. */
export type ContentWords = Pick<
  ContentRow,
  'subject' | 'html_body' | 'text_body' | 'template_data' | 'from_name' | 'reply_to'
>;

/** The trace as stored: gates that passed share one entry, for they are most of what there is to say. */
export type StoredTraceEntry =
  | { at: string; kind: 'passed'; gates: string[] }
  | { at: string; kind: 'gate'; name: string; verdict: string; detail: string | null }
  | { at: string; kind: 'decision'; name: string; verdict: string; detail: string | null }
  | {
      at: string;
      kind: 'attempt';
      name: string;
      provider_kind: string;
      verdict: string;
      detail: string | null;
      code: string | null;
      provider_message_id: string | null;
      latency_ms: number;
      /** Where it was a call over HTTP. */
      exchange?: Exchange;
    };

export type EventType =
  | 'Queued'
  | 'Sending'
  | 'Sent'
  | 'Retrying'
  | 'Failed'
  | 'Suppressed'
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
    occurred_at: typeof at === 'string' ? at : new Date(at).toISOString(),
    detail,
    suppression_reason: suppressionReason,
  };
}
