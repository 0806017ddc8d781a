import { sameBytes, sha256 } from '../../../../kernel/crypto.ts';
import type { JsonRecord } from '../../../../kernel/json.ts';
import { receiptDetail, refused } from '../../../callback.ts';
import type { CallbackRequest, CallbackVerdict, ProviderConfig, Receipt, Report } from '../../../contract.ts';
import { jsonObject, recordIn, textIn } from '../../../json.ts';

/**
 * Postmark repeats a call for half a day. Older events are refused, because event ids are not stored long enough to recognize a
 * repetition.
 */
const toleranceMs = 2 * 86_400_000;

/** Postmark signs nothing; it sends the user name and the password from the URL that it was given. */
export function readCallback(
  { headers, body }: CallbackRequest,
  config: ProviderConfig,
  { clock }: { clock: () => number },
): CallbackVerdict {
  const { webhook_username: username, webhook_password: password } = config;
  if (!username || !password) return refused(401, 'webhook_username and webhook_password are not set');
  // Hashes have equal length for every input, so the comparison reveals nothing.
  const given = basicCredentials(headers.authorization);
  if (given === null || !sameBytes(sha256(given), sha256(`${username}:${password}`)))
    return refused(401, 'the user name or the password is missing or wrong');
  const record = jsonObject(body.toString('utf8'));
  if (!record) return refused(400, 'the body is not a JSON object');
  if (clock() - timeOf(record) > toleranceMs) return refused(401, 'the event is too old');
  return { kind: 'reports', reports: reportsOf(record) };
}

/** Returns `user:password`, or null when there is none; the scheme is case-insensitive (RFC 9110 11.1). */
function basicCredentials(authorization: string | undefined): string | null {
  const [, base64] = /^basic +([\w+/=-]+) *$/i.exec(authorization ?? '') ?? [];
  return base64 === undefined ? null : Buffer.from(base64, 'base64').toString('utf8');
}

function reportsOf(record: JsonRecord): Report[] {
  const eventId = eventIdOf(record);
  const notificationId = textIn(recordIn(record, 'Metadata'), 'notification_id');
  const receipt = receiptOf(record);
  const reports: Report[] = [];
  if (receipt && notificationId) reports.push({ about: 'notification', notificationId, receipt, eventId });
  const wish = wishOf(record);
  if (wish) reports.push({ about: 'recipient', ...wish, eventId: `${eventId}:wish` });
  return reports;
}

/** Bounces have a number; every other event is identified by recipient, type and time. */
function eventIdOf(record: JsonRecord): string {
  const { RecordType, ID, MessageID, Recipient, Email } = record;
  if (typeof ID === 'number') return `${RecordType}:${ID}`;
  return sha256(
    JSON.stringify([RecordType, MessageID, Recipient ?? Email, whenOf(record), record.OriginalLink]),
  ).toString('hex');
}

function whenOf({ DeliveredAt, ReceivedAt, BouncedAt, ChangedAt }: JsonRecord): unknown {
  return DeliveredAt ?? ReceivedAt ?? BouncedAt ?? ChangedAt;
}

const refusedForGood = new Set([
  'HardBounce',
  'BadEmailAddress',
  'SpamComplaint',
  'Unsubscribe',
  'ManuallyDeactivated',
]);
/** Replies of mail servers that are not bounces of the message. */
const remarks = new Set([
  'Subscribe',
  'AutoResponder',
  'AddressChange',
  'OpenRelayTest',
  'ChallengeVerification',
]);

function receiptOf(record: JsonRecord): Receipt | null {
  const message = (text: string) => receiptDetail('postmark', text, timeOf(record));
  switch (record.RecordType) {
    case 'Delivery':
      return { type: 'Delivered', ...message(textIn(record, 'Details') ?? 'delivered') };
    case 'Bounce': {
      const type = textIn(record, 'Type') ?? '';
      if (remarks.has(type)) return null;
      const detail = `${type} ${textIn(record, 'Details') ?? textIn(record, 'Description') ?? ''}`.trim();
      if (type === 'Transient' || type === 'DnsError') return { type: 'DeliveryDelayed', ...message(detail) };
      if (type === 'SpamComplaint') return { type: 'Complained', ...message(detail) };
      return {
        type: 'Bounced',
        ...message(detail),
        soft: record.Inactive !== true && !refusedForGood.has(type),
      };
    }
    case 'SpamComplaint':
      return { type: 'Complained', ...message('spam complaint') };
    case 'Open':
      return { type: 'Opened', ...message('opened') };
    case 'Click':
      return { type: 'Clicked', ...message(textIn(record, 'OriginalLink') ?? 'clicked') };
    default:
      return null;
  }
}

/** A person stopped or resumed the stream. Bounces and complaints, which also stop it, arrive as records of their own. */
function wishOf(record: JsonRecord): { address: string; wants: 'nothing' | 'again'; detail: string } | null {
  const address = textIn(record, 'Recipient');
  if (record.RecordType !== 'SubscriptionChange' || !address || record.Origin !== 'Recipient') return null;
  if (record.SuppressSending === false)
    return { address, wants: 'again', detail: 'postmark: subscribed again' };
  if (record.SuppressionReason !== 'ManualSuppression') return null;
  return { address, wants: 'nothing', detail: 'postmark: unsubscribed' };
}

/** In Unix milliseconds; NaN when the record names no time. */
function timeOf(record: JsonRecord): number {
  const when = whenOf(record);
  return typeof when === 'string' ? Date.parse(when) : Number.NaN;
}
