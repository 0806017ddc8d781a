import type { Receipt, Report } from '../../../contract.ts';
import { type JsonBody, recordIn, textIn } from '../../api.ts';

/** Reads an event that SES published. `id` is that of the SNS message, the same when it is delivered again. */
export function reportsOf(event: JsonBody, id: string): Report[] {
  const notificationId = notificationOf(recordIn(event, 'mail') ?? {});
  const receipt = receiptOf(event);
  return notificationId && receipt ? [{ about: 'notification', notificationId, receipt, eventId: id }] : [];
}

/** Events of a configuration set repeat our tags. Notifications of an identity do not, but may repeat our headers. */
function notificationOf(mail: JsonBody): string | null {
  const tag = recordIn(mail, 'tags')?.notification_id;
  const [value] = Array.isArray(tag) ? (tag as unknown[]) : [];
  if (typeof value === 'string') return value;
  const header = list(mail.headers).find(({ name }) => String(name).toLowerCase() === 'message-id');
  return /^<([0-9a-f-]{36})@/i.exec(textIn(header ?? null, 'value') ?? '')?.[1] ?? null;
}

/** The message is at fault, not the address. */
const aboutTheMessage = new Set(['MessageTooLarge', 'ContentRejected', 'AttachmentRejected']);

function receiptOf(event: JsonBody): Receipt | null {
  switch (event.eventType ?? event.notificationType) {
    case 'Delivery': {
      const delivery = recordIn(event, 'delivery');
      return { type: 'Delivered', ...said(delivery, textIn(delivery, 'smtpResponse') ?? 'delivered') };
    }
    case 'DeliveryDelay': {
      const delay = recordIn(event, 'deliveryDelay');
      const type = textIn(delay, 'delayType') ?? 'delayed';
      return {
        type: 'DeliveryDelayed',
        ...said(delay, `${type} ${diagnosis(delay?.delayedRecipients)}`.trim()),
      };
    }
    case 'Bounce': {
      const bounce = recordIn(event, 'bounce');
      const kind = [bounce?.bounceType, bounce?.bounceSubType].filter(Boolean).join('/');
      const hard = bounce?.bounceType === 'Permanent' && !aboutTheMessage.has(String(bounce.bounceSubType));
      return {
        type: 'Bounced',
        ...said(bounce, `${kind} ${diagnosis(bounce?.bouncedRecipients)}`.trim() || 'bounced'),
        soft: !hard,
      };
    }
    case 'Complaint': {
      const complaint = recordIn(event, 'complaint');
      const kind = textIn(complaint, 'complaintFeedbackType') ?? textIn(complaint, 'complaintSubType');
      // The opposite of a complaint: a recipient took the message out of the spam folder.
      return kind === 'not-spam' ? null : { type: 'Complained', ...said(complaint, kind ?? 'complaint') };
    }
    case 'Reject': {
      const reject = recordIn(event, 'reject');
      return { type: 'Bounced', ...said(reject, textIn(reject, 'reason') ?? 'rejected'), soft: true };
    }
    case 'Open':
      return { type: 'Opened', ...said(recordIn(event, 'open'), 'opened') };
    case 'Click': {
      const click = recordIn(event, 'click');
      return { type: 'Clicked', ...said(click, textIn(click, 'link') ?? 'clicked') };
    }
    default:
      return null; // Send, Subscription, Rendering Failure (templates are rendered here), and unknown types
  }
}

function said(part: JsonBody | null, text: string): { detail: string; at?: string } {
  const ms = Date.parse(textIn(part, 'timestamp') ?? '');
  return { detail: `ses: ${text}`, ...(Number.isNaN(ms) ? {} : { at: new Date(ms).toISOString() }) };
}

function diagnosis(recipients: unknown): string {
  const [first] = list(recipients);
  return textIn(first ?? null, 'diagnosticCode') ?? textIn(first ?? null, 'status') ?? '';
}

function list(value: unknown): JsonBody[] {
  if (!Array.isArray(value)) return [];
  return (value as unknown[]).filter(
    (entry): entry is JsonBody => typeof entry === 'object' && entry !== null,
  );
}
