import { expect, it } from 'vitest';
import type { CallbackVerdict } from '../../../contract.ts';
import { readCallback } from './callback.ts';

const config = { webhook_username: 'u', webhook_password: 'a:password' };

function read(
  record: object,
  authorization = `Basic ${Buffer.from('u:a:password').toString('base64')}`,
): CallbackVerdict {
  const body = Buffer.from(JSON.stringify({ Metadata: { notification_id: 'n1' }, ...record }));
  const request = { url: '', method: 'POST', headers: { authorization }, query: {}, body };
  return readCallback(request, config, { clock: () => now });
}

const now = Date.parse('2026-03-10T12:00:00Z');

it('an event of days ago is refused: a repetition could no longer be recognized', () => {
  const delivery = (DeliveredAt: string) => read({ RecordType: 'Delivery', DeliveredAt });
  expect(delivery('2026-03-09T12:00:00Z')).toMatchObject({ kind: 'reports', reports: [{}] });
  expect(delivery('2026-03-08T11:00:00Z')).toMatchObject({ kind: 'refused', status: 401 });
});

const bounce = (Type: string, Inactive = false): object => ({
  RecordType: 'Bounce',
  ID: 7,
  Type,
  Inactive,
  Details: '550',
});

it.each([
  ['HardBounce', false],
  ['BadEmailAddress', false],
  ['Unsubscribe', false],
  ['ManuallyDeactivated', false],
  ['SoftBounce', true],
  ['Blocked', true],
  ['DMARCPolicy', true],
  ['SpamNotification', true],
  ['VirusNotification', true],
  ['Unknown', true],
])('a bounce of type %s is soft: %s', (type, soft) => {
  expect(read(bounce(type))).toMatchObject({
    reports: [{ eventId: 'Bounce:7', receipt: { type: 'Bounced', soft, detail: `postmark: ${type} 550` } }],
  });
});

it('an address that Postmark deactivated bounced for good, for any type of bounce', () => {
  expect(read(bounce('SoftBounce', true))).toMatchObject({ reports: [{ receipt: { soft: false } }] });
});

it('a transient bounce is a delay, and a complaint among bounces is a complaint', () => {
  expect(read(bounce('Transient'))).toMatchObject({ reports: [{ receipt: { type: 'DeliveryDelayed' } }] });
  expect(read(bounce('DnsError'))).toMatchObject({ reports: [{ receipt: { type: 'DeliveryDelayed' } }] });
  expect(read(bounce('SpamComplaint', true))).toMatchObject({
    reports: [{ receipt: { type: 'Complained' } }],
  });
});

it.each(['AutoResponder', 'AddressChange', 'ChallengeVerification', 'Subscribe'])(
  '%s is no bounce',
  (type) => {
    expect(read(bounce(type))).toEqual({ kind: 'reports', reports: [] });
  },
);

it.each([
  [{ SuppressSending: true, SuppressionReason: 'ManualSuppression', Origin: 'Recipient' }, 'nothing'],
  [{ SuppressSending: false, SuppressionReason: null, Origin: 'Recipient' }, 'again'],
])('a change of subscription by the person: %j', (change, wants) => {
  expect(read({ RecordType: 'SubscriptionChange', Recipient: 'ada@example.com', ...change })).toMatchObject({
    reports: [{ about: 'recipient', address: 'ada@example.com', wants }],
  });
});

it.each([
  { SuppressSending: true, SuppressionReason: 'HardBounce', Origin: 'Recipient' },
  { SuppressSending: true, SuppressionReason: 'SpamComplaint', Origin: 'Recipient' },
  { SuppressSending: false, Origin: 'Customer' },
])('no change that the recipient did not make, or that another record reports: %j', (change) => {
  const record = { RecordType: 'SubscriptionChange', Recipient: 'ada@example.com', ...change };
  expect(read(record)).toEqual({ kind: 'reports', reports: [] });
});

it.each([
  '',
  'Basic',
  `Basic ${Buffer.from('u:a:passwore').toString('base64')}`,
  `Bearer ${Buffer.from('u:a:password').toString('base64')}`,
])('the credentials %j are wrong', (authorization) => {
  expect(read(bounce('HardBounce'), authorization)).toMatchObject({ kind: 'refused', status: 401 });
});

it.each(['basic', 'BASIC', 'bAsIc'])('the scheme may be written %s', (scheme) => {
  const authorization = `${scheme} ${Buffer.from('u:a:password').toString('base64')}`;
  expect(read(bounce('HardBounce'), authorization)).toMatchObject({ kind: 'reports' });
});
