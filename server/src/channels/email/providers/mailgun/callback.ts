import { createHmac } from 'node:crypto';
import { sameBytes } from '../../../../kernel/crypto.ts';
import type { JsonRecord } from '../../../../kernel/json.ts';
import { isCurrent, receiptDetail, refused } from '../../../callback.ts';
import type { CallbackRequest, CallbackVerdict, ProviderConfig, Receipt, Report } from '../../../contract.ts';
import { jsonObject, recordIn, textIn } from '../../../json.ts';

/** Mailgun repeats a call for eight hours. */
const toleranceMs = 12 * 3_600_000;

/**
 * The signature covers a time and a token, not the body: a call that was observed once could be repeated with another body. So
 * each token counts once (`nonce`), and only while its time is near.
 */
export function readCallback(
  { body }: CallbackRequest,
  config: ProviderConfig,
  { clock }: { clock: () => number },
): CallbackVerdict {
  if (!config.webhook_signing_key) return refused(401, 'webhook_signing_key is not set');
  const payload = jsonObject(body.toString('utf8'));
  const signature = recordIn(payload, 'signature');
  const event = recordIn(payload, 'event-data');
  if (!signature || !event) return refused(400, 'the body is not a signed event');
  const timestamp = String(signature.timestamp ?? '');
  const token = textIn(signature, 'token') ?? '';
  const wanted = createHmac('sha256', String(config.webhook_signing_key))
    .update(timestamp + token)
    .digest();
  const given = Buffer.from(textIn(signature, 'signature') ?? '', 'hex');
  if (!token || !sameBytes(given, wanted)) return refused(401, 'the signature is missing or wrong');
  if (!isCurrent(Number(timestamp) * 1000, clock(), toleranceMs))
    return refused(401, 'the timestamp is too old or not a time');
  return { kind: 'reports', reports: reportsOf(event), nonce: token };
}

function reportsOf(event: JsonRecord): Report[] {
  const eventId = textIn(event, 'id');
  if (!eventId) return [];
  const reports: Report[] = [];
  const receipt = receiptOf(event);
  const notificationId = textIn(recordIn(event, 'user-variables'), 'notification_id');
  if (receipt && notificationId) reports.push({ about: 'notification', notificationId, receipt, eventId });
  const address = textIn(event, 'recipient');
  const hasLeft =
    event.event === 'unsubscribed' || (event.event === 'failed' && event.reason === 'suppress-unsubscribe');
  if (address && hasLeft) {
    const detail = 'mailgun: unsubscribed';
    reports.push({ about: 'recipient', address, wants: 'nothing', detail, eventId: `${eventId}:opt-out` });
  }
  return reports;
}

/** Final, but not a fault of the address: the delivery took too long, or the receiver refuses the sender. */
function isOnlyThisMessage(event: JsonRecord, status: JsonRecord | null): boolean {
  const { reason } = event;
  return (
    reason === 'old' ||
    reason === 'espblock' ||
    reason === 'suppress-unsubscribe' ||
    (textIn(status, 'enhanced-code') ?? '').startsWith('5.7.')
  );
}

function receiptOf(event: JsonRecord): Receipt | null {
  const status = recordIn(event, 'delivery-status');
  const atMs = typeof event.timestamp === 'number' ? event.timestamp * 1000 : Number.NaN;
  const words = [status?.code, textIn(status, 'message') || textIn(status, 'description')];
  const message = (otherwise: string) =>
    receiptDetail('mailgun', words.filter(Boolean).join(' ') || textIn(event, 'reason') || otherwise, atMs);
  switch (event.event) {
    case 'delivered':
      return { type: 'Delivered', ...message('delivered') };
    case 'failed':
      if (event.severity !== 'permanent') return { type: 'DeliveryDelayed', ...message('delayed') };
      if (event.reason === 'suppress-complaint') return { type: 'Complained', ...message('complained') };
      return { type: 'Bounced', ...message('failed'), soft: isOnlyThisMessage(event, status) };
    case 'rejected':
      return { type: 'Bounced', ...message('rejected'), soft: true };
    case 'complained':
      return { type: 'Complained', ...message('spam complaint') };
    case 'opened':
      return { type: 'Opened', ...message('opened') };
    case 'clicked':
      return { type: 'Clicked', ...receiptDetail('mailgun', textIn(event, 'url') ?? 'clicked', atMs) };
    default:
      return null; // accepted, stored, unsubscribed, and unknown types
  }
}
