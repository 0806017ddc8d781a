import { Webhook } from 'svix';
import { expect, it } from 'vitest';
import type { CallbackVerdict } from '../../../contract.ts';
import { readCallback } from './callback.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const now = new Date('2026-01-02T03:04:05Z');

/** Signed by the library that the provider's own customers use. */
function read(event: object, prefix = 'svix'): CallbackVerdict {
  const body = JSON.stringify(event);
  const headers = {
    [`${prefix}-id`]: 'msg_1',
    [`${prefix}-timestamp`]: String(now.getTime() / 1000),
    [`${prefix}-signature`]: `v1,bm9wZQ== ${new Webhook(secret).sign('msg_1', now, body)}`,
  };
  return readCallback(
    { url: '', method: 'POST', headers, query: {}, body: Buffer.from(body) },
    { webhook_secret: secret },
    { clock: () => now.getTime() },
  );
}

const event = (type: string, data: object = {}): object => ({
  type,
  data: { tags: { notification_id: 'n1' }, ...data },
});

it('the known vector of the scheme is taken', () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const body = Buffer.from('{"test": 2432232314}');
  const request = { url: '', method: 'POST', headers, query: {}, body };
  const clock = (): number => 1_614_265_330_000;
  expect(readCallback(request, { webhook_secret: secret }, { clock })).toMatchObject({ status: 400 }); // signed, but no event
});

it.each([
  ['Permanent', 'NoEmail', false],
  ['Permanent', 'General', false],
  ['Permanent', 'MessageTooLarge', true],
  ['Transient', 'MailboxFull', true],
  ['Undetermined', 'Undetermined', true],
])('a bounce %s/%s is soft: %s', (type, subType, soft) => {
  expect(read(event('email.bounced', { bounce: { type, subType, message: '550' } }))).toMatchObject({
    reports: [
      { eventId: 'msg_1', notificationId: 'n1', receipt: { type: 'Bounced', soft, detail: 'resend: 550' } },
    ],
  });
});

it.each([
  ['email.suppressed', { suppressed: { reason: 'previous_bounce' } }, { type: 'Bounced' }],
  ['email.suppressed', { suppressed: { reason: 'previous_complaint' } }, { type: 'Complained' }],
  ['email.failed', { failed: { reason: 'invalid_domain' } }, { type: 'Bounced', soft: true }],
])('%s %j', (type, data, receipt) => {
  expect(read(event(type, data))).toMatchObject({ reports: [{ receipt }] });
});

it('tags may come as a list, and the headers under their general names', () => {
  const tags = [
    { name: 'other', value: 'x' },
    { name: 'notification_id', value: 'n2' },
  ];
  expect(read(event('email.delivered', { tags }), 'webhook')).toMatchObject({
    reports: [{ notificationId: 'n2' }],
  });
});

it.each(['email.sent', 'email.scheduled', 'contact.created', 'surprise'])('%s reports nothing', (type) => {
  expect(read(event(type))).toEqual({ kind: 'reports', reports: [] });
});

it.each([null, 5, [], [null], 'x', {}])('tags of the form %j name nothing', (tags) => {
  expect(read(event('email.delivered', { tags }))).toEqual({ kind: 'reports', reports: [] });
});
