import type { JsonRecord } from '../../../../kernel/json.ts';
import { isCurrent, receiptDetail, refused } from '../../../callback.ts';
import type { CallbackRequest, CallbackVerdict, ProviderConfig, Receipt, Report } from '../../../contract.ts';
import type { Outbound } from '../../../http.ts';
import { jsonObject, recordIn, recordsIn, textIn } from '../../../json.ts';
import { isTrustedUrl, signatureProblem } from './sns.ts';

/** SNS repeats a call for an hour, with its original time of publication. */
const toleranceMs = 2 * 3_600_000;
const confirmTimeoutMs = 5_000;

export async function readCallback(
  { body }: CallbackRequest,
  config: ProviderConfig,
  context: { outbound: Outbound; clock: () => number },
): Promise<CallbackVerdict> {
  const topic = config.sns_topic_arn;
  if (!topic) return refused(401, 'sns_topic_arn is not set');
  const baseUrl = config.base_url ? String(config.base_url) : null;
  const message = jsonObject(body.toString('utf8'));
  if (!message) return refused(400, 'the body is not a JSON object');
  // The topic is checked before anything is fetched, so a foreign topic causes no outbound call.
  if (message.TopicArn !== topic) return refused(403, 'it is from another topic than sns_topic_arn');
  const problem = await signatureProblem(message, baseUrl, context);
  if (problem) return refused(401, problem);
  if (!isCurrent(Date.parse(textIn(message, 'Timestamp') ?? ''), context.clock(), toleranceMs))
    return refused(401, 'the timestamp is too old or not a time');

  if (message.Type === 'SubscriptionConfirmation') {
    const { SubscribeURL: url } = message;
    if (!isTrustedUrl(url, baseUrl)) return refused(403, 'SubscribeURL is not at an address of Amazon SNS');
    const answer = await context.outbound.request({
      method: 'GET',
      url,
      timeoutMs: confirmTimeoutMs,
      maxBytes: 4_096,
    });
    const isConfirmed = answer.kind === 'answer' && answer.status === 200;
    return isConfirmed
      ? { kind: 'reports', reports: [] }
      : refused(400, 'the subscription could not be confirmed');
  }
  const event = jsonObject(textIn(message, 'Message') ?? '');
  return {
    kind: 'reports',
    reports: message.Type === 'Notification' && event ? reportsOf(event, String(message.MessageId)) : [],
  };
}

/** Reads an event that SES published. `id` is that of the SNS message, the same when it is delivered again. */
export function reportsOf(event: JsonRecord, id: string): Report[] {
  const notificationId = notificationOf(recordIn(event, 'mail') ?? {});
  const receipt = receiptOf(event);
  return notificationId && receipt ? [{ about: 'notification', notificationId, receipt, eventId: id }] : [];
}

/** Events of a configuration set repeat our tags. Notifications of an identity do not, but may repeat our headers. */
function notificationOf(mail: JsonRecord): string | null {
  const tag = recordIn(mail, 'tags')?.notification_id;
  const [value] = Array.isArray(tag) ? (tag as unknown[]) : [];
  if (typeof value === 'string') return value;
  const header = recordsIn(mail, 'headers').find(({ name }) => String(name).toLowerCase() === 'message-id');
  return /^<([0-9a-f-]{36})@/i.exec(textIn(header ?? null, 'value') ?? '')?.[1] ?? null;
}

/** The message is at fault, not the address. */
const aboutTheMessage = new Set(['MessageTooLarge', 'ContentRejected', 'AttachmentRejected']);

function receiptOf(event: JsonRecord): Receipt | null {
  switch (event.eventType ?? event.notificationType) {
    case 'Delivery': {
      const delivery = recordIn(event, 'delivery');
      return { type: 'Delivered', ...message(delivery, textIn(delivery, 'smtpResponse') ?? 'delivered') };
    }
    case 'DeliveryDelay': {
      const delay = recordIn(event, 'deliveryDelay');
      const type = textIn(delay, 'delayType') ?? 'delayed';
      return {
        type: 'DeliveryDelayed',
        ...message(delay, `${type} ${diagnosis(delay, 'delayedRecipients')}`.trim()),
      };
    }
    case 'Bounce': {
      const bounce = recordIn(event, 'bounce');
      const kind = [bounce?.bounceType, bounce?.bounceSubType].filter(Boolean).join('/');
      const hard = bounce?.bounceType === 'Permanent' && !aboutTheMessage.has(String(bounce.bounceSubType));
      return {
        type: 'Bounced',
        ...message(bounce, `${kind} ${diagnosis(bounce, 'bouncedRecipients')}`.trim() || 'bounced'),
        soft: !hard,
      };
    }
    case 'Complaint': {
      const complaint = recordIn(event, 'complaint');
      const kind = textIn(complaint, 'complaintFeedbackType') ?? textIn(complaint, 'complaintSubType');
      // The opposite of a complaint: a recipient took the message out of the spam folder.
      return kind === 'not-spam' ? null : { type: 'Complained', ...message(complaint, kind ?? 'complaint') };
    }
    case 'Reject': {
      const reject = recordIn(event, 'reject');
      return { type: 'Bounced', ...message(reject, textIn(reject, 'reason') ?? 'rejected'), soft: true };
    }
    case 'Open':
      return { type: 'Opened', ...message(recordIn(event, 'open'), 'opened') };
    case 'Click': {
      const click = recordIn(event, 'click');
      return { type: 'Clicked', ...message(click, textIn(click, 'link') ?? 'clicked') };
    }
    default:
      return null; // Send, Subscription, Rendering Failure (templates are rendered here), and unknown types
  }
}

function message(part: JsonRecord | null, text: string) {
  return receiptDetail('ses', text, Date.parse(textIn(part, 'timestamp') ?? ''));
}

function diagnosis(part: JsonRecord | null, recipients: string): string {
  const [first = null] = recordsIn(part, recipients);
  return textIn(first, 'diagnosticCode') ?? textIn(first, 'status') ?? '';
}
