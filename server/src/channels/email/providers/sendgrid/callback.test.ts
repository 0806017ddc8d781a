import { createSign, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CallbackVerdict } from '../../../contract.ts';
import { readCallback } from './callback.ts';
import { completeConfig } from './manifest.ts';

const now = Date.parse('2026-01-02T03:04:05Z');
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const base64 = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

function read(events: unknown, body = `${JSON.stringify(events)}\r\n`): CallbackVerdict {
  const timestamp = String(now / 1000);
  const signature = createSign('sha256')
    .update(timestamp + body)
    .sign(privateKey, 'base64');
  const headers = {
    'x-twilio-email-event-webhook-signature': signature,
    'x-twilio-email-event-webhook-timestamp': timestamp,
  };
  const request = { url: '', method: 'POST', headers, query: {}, body: Buffer.from(body) };
  return readCallback(request, { webhook_public_key: base64 }, { clock: () => now });
}

const event = { sg_event_id: 'e1', email: 'ada@example.com', notification_id: 'n1', timestamp: now / 1000 };

describe('a dropped message', () => {
  it.each([
    ['Bounced Address', { type: 'Bounced', soft: false }],
    ['Spam Reporting Address', { type: 'Complained' }],
    ['Invalid', { type: 'Bounced', soft: true }],
    ['Spam Content', { type: 'Bounced', soft: true }],
    ['Recipient List over Package Quota', { type: 'Bounced', soft: true }],
  ])('for %s', (reason, receipt) => {
    expect(read([{ ...event, event: 'dropped', reason }])).toMatchObject({
      reports: [{ about: 'notification', receipt: { ...receipt, detail: `sendgrid: dropped, ${reason}` } }],
    });
  });

  it('for Unsubscribed Address says what the person wants', () => {
    expect(read([{ ...event, event: 'dropped', reason: 'Unsubscribed Address' }])).toMatchObject({
      reports: [
        { about: 'notification', receipt: { type: 'Bounced', soft: true } },
        { about: 'recipient', address: 'ada@example.com', wants: 'nothing' },
      ],
    });
  });
});

it('an unsubscription needs no message; an asynchronous bounce needs no message id of theirs', () => {
  expect(read([{ ...event, notification_id: undefined, event: 'unsubscribe' }])).toMatchObject({
    reports: [{ about: 'recipient', wants: 'nothing' }],
  });
  expect(read([{ ...event, event: 'bounce', type: 'bounce', reason: '550' }])).toMatchObject({
    reports: [{ receipt: { type: 'Bounced', soft: false, detail: 'sendgrid: 550' } }],
  });
});

it('opens by machines say so', () => {
  expect(read([{ ...event, event: 'open', sg_machine_open: true }])).toMatchObject({
    reports: [{ receipt: { type: 'Opened', detail: 'sendgrid: opened by a machine' } }],
  });
});

it.each(['processed', 'group_unsubscribe', 'group_resubscribe', 'surprise', 5])(
  '%s reports nothing',
  (kind) => {
    expect(read([{ ...event, event: kind }])).toEqual({ kind: 'reports', reports: [] });
  },
);

it('events are signed as they came: a body in another layout is another body', () => {
  const body = `[{"sg_event_id":"e1",\r\n"event":"delivered","notification_id":"n1"}]\r\n`;
  expect(read(null, body)).toMatchObject({ reports: [{ eventId: 'e1' }] });
});

it.each([
  [base64, true],
  [`-----BEGIN PUBLIC KEY-----\n${base64}\n-----END PUBLIC KEY-----`, true],
  ['nonsense', false],
  [
    generateKeyPairSync('rsa', { modulusLength: 2048 })
      .publicKey.export({ format: 'der', type: 'spki' })
      .toString('base64'),
    false,
  ],
])('%.12s… can be the verification key: %s', (key, fits) => {
  expect('config' in completeConfig({ api_key: 'k', webhook_public_key: key })).toBe(fits);
});
