import { createPublicKey, createVerify, type KeyObject } from 'node:crypto';
import { isCurrent, receiptDetail, refused } from '../../../callback.ts';
import type { CallbackRequest, CallbackVerdict, ProviderConfig, Receipt, Report } from '../../../contract.ts';

/**
 * SendGrid repeats a call for about a day and does not document whether it signs anew each time; repeats are recognized by
 * their ids.
 */
const toleranceMs = 25 * 3_600_000;

export function readCallback(
  { headers, body }: CallbackRequest,
  config: ProviderConfig,
  { clock }: { clock: () => number },
): CallbackVerdict {
  const key = config.webhook_public_key ? publicKeyOf(String(config.webhook_public_key)) : null;
  if (!key) return refused(401, 'webhook_public_key is not set');
  const signature = headers['x-twilio-email-event-webhook-signature'] ?? '';
  const timestamp = headers['x-twilio-email-event-webhook-timestamp'] ?? '';
  if (!isSigned(key, timestamp, body, signature)) return refused(401, 'the signature is missing or wrong');
  if (!isCurrent(Number(timestamp) * 1000, clock(), toleranceMs))
    return refused(401, 'the timestamp is too old or not a time');
  const events = parse(body);
  if (!events) return refused(400, 'the body is not a JSON array');
  return { kind: 'reports', reports: events.flatMap(reportsOf) };
}

type Event = Record<string, unknown>;

function parse(body: Buffer): Event[] | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (!Array.isArray(value)) return null;
    return value.filter((event): event is Event => typeof event === 'object' && event !== null);
  } catch {
    return null;
  }
}

function reportsOf(event: Event): Report[] {
  const eventId = textOf(event.sg_event_id);
  if (!eventId) return [];
  const reports: Report[] = [];
  const receipt = receiptOf(event);
  const notificationId = textOf(event.notification_id);
  if (receipt && notificationId) reports.push({ about: 'notification', notificationId, receipt, eventId });
  const address = textOf(event.email);
  if (address && isOptOut(event)) {
    const detail = receipt?.detail ?? 'sendgrid: unsubscribed';
    reports.push({ about: 'recipient', address, wants: 'nothing', detail, eventId: `${eventId}:opt-out` });
  }
  return reports;
}

function isOptOut(event: Event): boolean {
  return (
    event.event === 'unsubscribe' ||
    (event.event === 'dropped' && /^unsubscribed address/i.test(textOf(event.reason)))
  );
}

function receiptOf(event: Event): Receipt | null {
  const reason = textOf(event.reason);
  const message = (text: string) => receiptDetail('sendgrid', text, timeOf(event));
  switch (event.event) {
    case 'delivered':
      return { type: 'Delivered', ...message(textOf(event.response) || 'delivered') };
    case 'deferred':
      return { type: 'DeliveryDelayed', ...message(textOf(event.response) || 'deferred') };
    case 'bounce': {
      const status = textOf(event.status);
      const detail = [status, reason].filter(Boolean).join(' ') || 'bounced';
      return { type: 'Bounced', ...message(detail), soft: event.type === 'blocked' };
    }
    case 'dropped':
      // The address complained or bounced earlier; SendGrid made no attempt.
      if (/^spam reporting address/i.test(reason))
        return { type: 'Complained', ...message(`dropped, ${reason}`) };
      return { type: 'Bounced', ...message(`dropped, ${reason}`), soft: !/^bounced address/i.test(reason) };
    case 'spamreport':
      return { type: 'Complained', ...message('spam report') };
    case 'open':
      return {
        type: 'Opened',
        ...message(event.sg_machine_open === true ? 'opened by a machine' : 'opened'),
      };
    case 'click':
      return { type: 'Clicked', ...message(textOf(event.url) || 'clicked') };
    default:
      return null; // processed, group changes, and unknown types
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** In Unix milliseconds; NaN when the event names no time. */
function timeOf({ timestamp: seconds }: Event): number {
  return typeof seconds === 'number' && seconds > 0 && seconds < 1e11 ? seconds * 1000 : Number.NaN;
}

/**
 * SendGrid shows the key as the base64 of its DER form, without the PEM lines; a key with them is accepted too. Returns null
 * when the text is not a key.
 */
export function publicKeyOf(text: string): KeyObject | null {
  const base64 = text.replace(/-----(BEGIN|END) PUBLIC KEY-----|\s/g, '');
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ec' ? key : null;
  } catch {
    return null;
  }
}

/** Verifies ECDSA over the timestamp and the raw bytes of the body. */
function isSigned(key: KeyObject, timestamp: string, body: Buffer, signature: string): boolean {
  try {
    return createVerify('sha256').update(timestamp).update(body).verify(key, signature, 'base64');
  } catch {
    return false; // the signature is malformed
  }
}
