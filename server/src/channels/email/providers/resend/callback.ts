import { createHmac } from 'node:crypto';
import { sameBytes } from '../../../../kernel/crypto.ts';
import type { JsonRecord } from '../../../../kernel/json.ts';
import { isCurrent, receiptDetail, refused } from '../../../callback.ts';
import type { CallbackRequest, CallbackVerdict, ProviderConfig, Receipt } from '../../../contract.ts';
import { jsonObject, recordIn, textIn } from '../../../json.ts';

/** Each attempt is signed with its own time. */
const toleranceMs = 5 * 60_000;

export function readCallback(
  { headers, body }: CallbackRequest,
  config: ProviderConfig,
  { clock }: { clock: () => number },
): CallbackVerdict {
  if (!config.webhook_secret) return refused(401, 'webhook_secret is not set');
  const id = headers['svix-id'] ?? headers['webhook-id'] ?? '';
  const timestamp = headers['svix-timestamp'] ?? headers['webhook-timestamp'] ?? '';
  const signatures = headers['svix-signature'] ?? headers['webhook-signature'] ?? '';
  const wanted = createHmac(
    'sha256',
    Buffer.from(String(config.webhook_secret).replace(/^whsec_/, ''), 'base64'),
  )
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest();
  const isSigned = signatures
    .split(' ')
    .some((entry) => entry.startsWith('v1,') && sameBytes(Buffer.from(entry.slice(3), 'base64'), wanted));
  if (!id || !isSigned) return refused(401, 'the signature is missing or wrong');
  if (!isCurrent(Number(timestamp) * 1000, clock(), toleranceMs))
    return refused(401, 'the timestamp is too old or not a time');
  const event = jsonObject(body.toString('utf8'));
  const data = recordIn(event, 'data');
  if (!event || !data) return refused(400, 'the body is not an event');
  const receipt = receiptOf(event, data);
  const notificationId = tagIn(data.tags, 'notification_id');
  if (!receipt || !notificationId) return { kind: 'reports', reports: [] };
  return { kind: 'reports', reports: [{ about: 'notification', notificationId, receipt, eventId: id }] };
}

/** Tags arrive as an object, or as the list in which they were sent. */
function tagIn(tags: unknown, name: string): string | null {
  if (Array.isArray(tags)) {
    const found = (tags as JsonRecord[]).find((tag) => tag?.name === name);
    return textIn(found ?? null, 'value');
  }
  return typeof tags === 'object' ? textIn(tags as JsonRecord | null, name) : null;
}

/** The message is at fault, not the address. */
const aboutTheMessage = new Set(['MessageTooLarge', 'ContentRejected', 'AttachmentRejected']);

function receiptOf(event: JsonRecord, data: JsonRecord): Receipt | null {
  const atMs = Date.parse(textIn(event, 'created_at') ?? '');
  const message = (text: string | null, otherwise: string) =>
    receiptDetail('resend', text ?? otherwise, atMs);
  switch (event.type) {
    case 'email.delivered':
      return { type: 'Delivered', ...message(null, 'delivered') };
    case 'email.delivery_delayed':
      return { type: 'DeliveryDelayed', ...message(null, 'delivery delayed') };
    case 'email.bounced': {
      const bounce = recordIn(data, 'bounce');
      const hard = bounce?.type === 'Permanent' && !aboutTheMessage.has(String(bounce.subType));
      return { type: 'Bounced', ...message(textIn(bounce, 'message'), 'bounced'), soft: !hard };
    }
    case 'email.complained':
      return { type: 'Complained', ...message(null, 'spam complaint') };
    case 'email.suppressed': {
      const reason = textIn(recordIn(data, 'suppressed'), 'reason');
      const type = reason === 'previous_complaint' ? 'Complained' : 'Bounced';
      return { type, ...message(reason && `suppressed, ${reason}`, 'suppressed') };
    }
    case 'email.failed':
      return {
        type: 'Bounced',
        ...message(textIn(recordIn(data, 'failed'), 'reason'), 'failed'),
        soft: true,
      };
    case 'email.opened':
      return { type: 'Opened', ...message(null, 'opened') };
    case 'email.clicked':
      return { type: 'Clicked', ...message(textIn(recordIn(data, 'click'), 'link'), 'clicked') };
    default:
      return null; // sent, scheduled, contacts, domains, and unknown types
  }
}
