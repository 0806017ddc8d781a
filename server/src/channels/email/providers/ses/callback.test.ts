import { expect, it } from 'vitest';
import { reportsOf } from './callback.ts';
import { isTrustedUrl, signedText } from './sns.ts';

const id = '0198aaaa-0000-7000-8000-000000000001';
const mail = { tags: { notification_id: [id], environment_id: ['e'] } };
const receiptIn = (event: object): unknown => {
  const [report] = reportsOf({ mail, ...event }, 'sns-1');
  return report?.about === 'notification' ? report.receipt : null;
};
const bounce = (bounceType: string, bounceSubType: string): object => ({
  eventType: 'Bounce',
  bounce: { bounceType, bounceSubType, bouncedRecipients: [{ diagnosticCode: 'smtp; 550' }] },
});

it.each([
  ['Permanent', 'General', false],
  ['Permanent', 'NoEmail', false],
  ['Permanent', 'Suppressed', false],
  ['Permanent', 'OnAccountSuppressionList', false],
  ['Transient', 'General', true],
  ['Transient', 'MailboxFull', true],
  ['Transient', 'MessageTooLarge', true],
  ['Transient', 'ContentRejected', true],
  ['Transient', 'AttachmentRejected', true],
  ['Undetermined', 'Undetermined', true],
])('a bounce %s/%s is soft: %s', (type, subType, soft) => {
  expect(receiptIn(bounce(type, subType))).toEqual({
    type: 'Bounced',
    detail: `ses: ${type}/${subType} smtp; 550`,
    soft,
  });
});

it('a complaint is one, unless it says that the message is no spam', () => {
  const complaint = (complaintFeedbackType?: string): object => ({
    eventType: 'Complaint',
    complaint: { complaintFeedbackType, timestamp: '2026-01-02T03:04:05.000Z' },
  });
  expect(receiptIn(complaint('abuse'))).toMatchObject({ type: 'Complained', at: '2026-01-02T03:04:05.000Z' });
  expect(receiptIn(complaint())).toMatchObject({ type: 'Complained', detail: 'ses: complaint' });
  expect(receiptIn(complaint('not-spam'))).toBeNull();
});

it('content that was refused later is a bounce that says nothing about the address', () => {
  expect(receiptIn({ eventType: 'Reject', reject: { reason: 'Bad content' } })).toEqual({
    type: 'Bounced',
    detail: 'ses: Bad content',
    soft: true,
  });
});

it('notifications of an identity are known by our own Message-ID', () => {
  const headers = [{ name: 'Message-ID', value: `<${id}@acme.example>` }];
  const event = { notificationType: 'Delivery', delivery: {}, mail: { headers } };
  expect(reportsOf(event, 'sns-1')).toMatchObject([{ notificationId: id, receipt: { type: 'Delivered' } }]);
});

it.each([
  {},
  { mail: 5 },
  { mail: { tags: { notification_id: 'x' } } },
  { mail: { tags: null, headers: [null, 5] } },
])('what is not about a message of ours says nothing: %j', (strange) => {
  expect(reportsOf({ eventType: 'Delivery', ...strange }, 'sns-1')).toEqual([]);
});

it.each(['Send', 'Subscription', 'Rendering Failure', 'Surprise', undefined])(
  '%s reports nothing',
  (eventType) => {
    expect(receiptIn({ eventType })).toBeNull();
  },
);

it.each([
  ['https://sns.eu-west-1.amazonaws.com/cert.pem', true],
  ['https://sns.cn-north-1.amazonaws.com.cn/cert.pem', true],
  ['http://sns.eu-west-1.amazonaws.com/cert.pem', false],
  ['https://sns.eu-west-1.amazonaws.com:8443/cert.pem', false],
  ['https://x@sns.eu-west-1.amazonaws.com/cert.pem', false],
  ['https://sns.eu-west-1.amazonaws.com.evil.example/cert.pem', false],
  ['https://evil.example/sns.eu-west-1.amazonaws.com/cert.pem', false],
  ['https://sns.a.b.amazonaws.com/cert.pem', false],
  ['https://my-bucket.s3.amazonaws.com/cert.pem', false],
  ['file:///etc/passwd', false],
  ['', false],
  [null, false],
  [5, false],
])('%j is an address of Amazon SNS: %s', (url, trusted) => {
  expect(isTrustedUrl(url, null)).toBe(trusted);
});

it('with a base_url its host is trusted too, and no other', () => {
  const base = 'http://127.0.0.1:9/';
  expect(isTrustedUrl('http://127.0.0.1:9/cert.pem', base)).toBe(true);
  expect(isTrustedUrl('http://127.0.0.1:10/cert.pem', base)).toBe(false);
  expect(isTrustedUrl('https://127.0.0.1:9/cert.pem', base)).toBe(false);
});

it('what is signed leaves out a subject that is not there, and nothing else', () => {
  const message = { Type: 'Notification', MessageId: 'm', TopicArn: 't', Message: 'hi', Timestamp: 'now' };
  expect(signedText(message)).toBe(
    'Message\nhi\nMessageId\nm\nTimestamp\nnow\nTopicArn\nt\nType\nNotification\n',
  );
  expect(signedText({ ...message, Subject: 's' })).toContain('\nSubject\ns\n');
  expect(signedText({ ...message, Type: 'Other' })).toBeNull();
});
