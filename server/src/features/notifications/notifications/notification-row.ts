import type { Channel } from '../../../channels/contract.ts';
import type { Exchange } from '../../../channels/exchange.ts';
import type { InboxExtras } from '../../../channels/in-app/extras.ts';
import type { EventEntry, NotificationStatus, Priority } from './schema.ts';

/** A notification as the service works with it: its state (one row) and its content (another). */
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
  /** The chat endpoint or installation that the notification is sent through. */
  connection_id: string | null;
  /** The API key that sent it, or the workflow when `chain` is set. */
  source_id: string | null;
  /** The chain of workflow runs that led to the notification; null when no run sent it. */
  chain: string | null;
  /** The broadcast that the notification is part of. */
  broadcast_id: string | null;
  attempt_count: number;
  round: number;
  send_at: Date | null;
  sent_at: Date | null;
  suppression_reason: string | null;
  last_error: string | null;
  events: EventEntry[];
  trace: StoredTraceEntry[];
}

const columns: Record<keyof NotificationRow, true> = {
  id: true,
  environment_id: true,
  channel: true,
  status: true,
  priority: true,
  address: true,
  recipient_name: true,
  external_user_id: true,
  category: true,
  template_key: true,
  idempotency_key: true,
  action_url: true,
  resent_from: true,
  connection_id: true,
  source_id: true,
  chain: true,
  broadcast_id: true,
  attempt_count: true,
  round: true,
  send_at: true,
  sent_at: true,
  suppression_reason: true,
  last_error: true,
  events: true,
  trace: true,
};

/**
 * The columns of a NotificationRow and its `history`, read from `n`: each by its name, because `n.*` fails beside a migration that
 * adds one. `withHistories` makes events and trace of them.
 */
export const notificationRowColumns = [...Object.keys(columns), 'history']
  .map((name) => `n.${name}`)
  .join(', ');

/** An attachment without its bytes. */
export interface AttachmentMetadata {
  filename: string;
  content_type: string;
  size_bytes: number;
  /** Only of images within the HTML. */
  content_id?: string;
}

/**
 * `liquid`: the subject and the bodies of the request are Liquid until `rendered_at`; beside a template, the subject. `literal`:
 * the subject replaces that of the template as it is.
 */
export type InlineFormat = 'liquid' | 'literal';

export interface ContentRow {
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
  template_data: Record<string, unknown>;
  from_name: string | null;
  reply_to: string | null;
  attachments: AttachmentMetadata[] | null;
  /** The tags and actions of the request; null when it has none. */
  inbox_extras: InboxExtras | null;
  /** The version of the template that the notification was accepted with; null when the content came with the request. */
  template_version_id: string | null;
  /** Null when the content of the request is sent as it is, or comes from the template alone. */
  inline_format: InlineFormat | null;
  /** The recipient's language, for templates with several. */
  template_locale: string | null;
  /** The payload of a chat channel, or the tags and actions that a template gives an inbox item. */
  structured: unknown;
  /** When the content was rendered into the fields above; null when it is not rendered yet, or needs no rendering. */
  rendered_at: Date | null;
}

/** The part of the content that a caller writes. */
export type AuthoredContent = Pick<
  ContentRow,
  | 'subject'
  | 'html_body'
  | 'text_body'
  | 'template_data'
  | 'inline_format'
  | 'from_name'
  | 'reply_to'
  | 'inbox_extras'
>;

/** An entry of the trace: gates that passed share one, because they make up most of it. */
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
      /** Set when the attempt was an HTTP call. */
      exchange?: Exchange;
    };
