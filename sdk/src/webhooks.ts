import type { Notification } from './generated/types.ts';

/**
 * Verifies calls of Carillon (Standard Webhooks) with WebCrypto, so that it runs on Node, Deno, Bun, and at the edge. Entry
 * point `@carillon/sdk/webhooks`.
 */
export interface VerifyWebhookOptions {
  /** The body as it arrived, before any JSON parser has touched it. */
  body: string | Uint8Array | ArrayBuffer;
  headers: Headers | Record<string, string | readonly string[] | undefined>;
  /** The signing secret (`whsec_…`); several while one replaces another. One that fits is enough. */
  secret: string | readonly string[];
  /** How old a call may be, and how far ahead your clock or ours. Default: 300. */
  tolerance_seconds?: number | undefined;
  /** Unix milliseconds; by default now. */
  now_ms?: number | undefined;
}

/** The notification without its bodies. Of one that was deleted meanwhile only `id` and `deleted` are left. */
export type NotificationData = Partial<Omit<Notification, 'id' | 'html_body' | 'text_body' | 'events'>> & {
  id: string;
  provider?: string;
  reason?: string;
  deleted?: true;
};

/** The recipient of an inbox item chose one of its actions. */
export interface InboxActionData {
  notification_id: string;
  external_user_id: string;
  /** The key of the action. */
  action: string;
  label: string;
  category: string | null;
  tags: string[];
  taken_at: string;
  /** The template_data of the notification. */
  data: Record<string, unknown>;
}

interface Envelope<Type extends string, Data> {
  /** The same on every attempt: remember those you have handled. */
  id: string;
  type: Type;
  created_at: string;
  /** The chain of workflow runs that led to the event: pass it on when you trigger a workflow. */
  chain?: string;
  data: Data;
}

/** The types of today. More are added over time: ignore those you do not know. */
export type WebhookEvent =
  | Envelope<
      | 'notification.sent'
      | 'notification.delivered'
      | 'notification.bounced'
      | 'notification.complained'
      | 'notification.failed'
      | 'notification.suppressed'
      | 'notification.held'
      | 'notification.released'
      | 'notification.opened'
      | 'notification.clicked'
      | 'notification.read',
      NotificationData
    >
  | Envelope<'inbox.action', InboxActionData>
  | Envelope<'webhook.test', { endpoint_id: string; message: string }>
  | Envelope<
      | 'webhook.endpoint.disabled'
      | 'broadcast.completed'
      | 'workflow.run.completed'
      | 'workflow.run.failed'
      | 'schedule.missed'
      | 'provider.critical'
      | 'provider.recovered'
      | 'brake.engaged'
      | 'brake.released'
      | 'brake.frozen'
      | 'brake.unfrozen'
      | 'notification',
      Record<string, unknown>
    >;

export type WebhookErrorCode =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'invalid_signature'
  | 'invalid_body';

/** Answer with 400 and do nothing. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.code = code;
  }
}

/** Resolves to the event when the call is ours and fresh; throws a WebhookVerificationError when it is not. */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  const keys = [options.secret].flat().map(secretBytes);
  if (keys.length === 0) throw new TypeError('verifyWebhook needs a secret.');
  const { tolerance_seconds = 300, now_ms = Date.now() } = options;
  for (const [name, value] of Object.entries({ tolerance_seconds, now_ms })) {
    // No call is too old for NaN, which `Number` makes of a variable that is not set.
    if (!Number.isFinite(value) || value < 0) throw new TypeError(`${name} must be a number, 0 or more.`);
  }
  const body = bytesOf(options.body);
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(options.headers, name),
  ) as [string, string, string];
  checkTimestamp(timestamp, tolerance_seconds, now_ms);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  if (!(await isSigned(keys, signed, signatures))) {
    throw new WebhookVerificationError(
      'invalid_signature',
      'No signature of this call matches a given secret.',
    );
  }
  return eventOf(body);
}

function headerOf(headers: VerifyWebhookOptions['headers'], name: string): string {
  const value =
    typeof headers.get === 'function' // not instanceof: runtimes and frameworks have classes of their own
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = typeof value === 'string' ? value : value?.join(' ');
  if (!text) throw new WebhookVerificationError('missing_header', `The header ${name} is missing.`);
  return text;
}

function checkTimestamp(text: string, toleranceSeconds: number, nowMs: number): void {
  if (!/^\d{1,12}$/.test(text)) {
    throw new WebhookVerificationError('invalid_timestamp', 'webhook-timestamp is not in Unix seconds.');
  }
  const ageSeconds = Math.floor(nowMs / 1000) - Number(text);
  if (ageSeconds > toleranceSeconds) {
    throw new WebhookVerificationError('timestamp_too_old', `This call is ${ageSeconds} s old.`);
  }
  if (ageSeconds < -toleranceSeconds) {
    throw new WebhookVerificationError(
      'timestamp_too_new',
      `This call is ${-ageSeconds} s ahead of the local clock. Check the clock.`,
    );
  }
}

/** `subtle.verify` compares in constant time. */
async function isSigned(keys: Bytes[], signed: Bytes, header: string): Promise<boolean> {
  const signatures = header
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .slice(0, 16)
    .map((each) => fromBase64(each.slice(3)));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  for (const secret of keys) {
    const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['verify']);
    for (const signature of signatures) {
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
    }
  }
  return false;
}

function eventOf(body: Bytes): WebhookEvent {
  let event: Partial<WebhookEvent> | null = null;
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // said below
  }
  if (typeof event?.id !== 'string' || typeof event.type !== 'string') {
    throw new WebhookVerificationError(
      'invalid_body',
      'The signature is valid, but the body is not an event.',
    );
  }
  return event as WebhookEvent;
}

type Bytes = Uint8Array<ArrayBuffer>;

function bytesOf(body: unknown): Bytes {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError(
    'verifyWebhook needs the raw body as a string or bytes; a parsed body cannot be verified.',
  );
}

function secretBytes(secret: string): Bytes {
  const bytes = fromBase64(secret.trim().replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new TypeError('The secret is not base64 after whsec_.');
  return bytes;
}

function fromBase64(text: string): Bytes | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function joined(first: Bytes, second: Bytes): Bytes {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
