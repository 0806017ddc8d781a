import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import type { CallbackVerdict } from '../../../contract.ts';
import { readCallback } from './callback.ts';

const key = 'signing-key';
const timestamp = '1700000000';
const token = `tok_${'0'.repeat(46)}`;

function read(event: object, signature?: string): CallbackVerdict {
  const payload = {
    signature: {
      timestamp,
      token,
      signature:
        signature ??
        createHmac('sha256', key)
          .update(timestamp + token)
          .digest('hex'),
    },
    'event-data': {
      id: 'e1',
      recipient: 'ada@example.com',
      'user-variables': { notification_id: 'n1' },
      ...event,
    },
  };
  const body = Buffer.from(JSON.stringify(payload));
  return readCallback(
    { url: '', method: 'POST', headers: {}, query: {}, body },
    { webhook_signing_key: key },
    { clock: () => 1_700_000_060_000 },
  );
}

it('the known vector is taken, and its token counts once', () => {
  const known = 'adc351790f860f9759acfaf1b4548a8516b6e8502482389d8dbba261ea24dc56';
  expect(read({ event: 'delivered' }, known)).toMatchObject({ nonce: token, reports: [{ eventId: 'e1' }] });
});

it.each(['', 'zz', 'adc3'])('the signature %j is not', (signature) => {
  expect(read({ event: 'delivered' }, signature)).toMatchObject({ kind: 'refused', status: 401 });
});

it.each([
  ['bounce', {}, false],
  ['generic', {}, false],
  ['suppress-bounce', {}, false],
  ['old', {}, true],
  ['espblock', {}, true],
  ['bounce', { 'enhanced-code': '5.7.1' }, true],
  ['bounce', { 'enhanced-code': '5.1.1' }, false],
])('a permanent failure for %s %j is soft: %s', (reason, status, soft) => {
  const event = {
    event: 'failed',
    severity: 'permanent',
    reason,
    'delivery-status': { code: 550, message: 'no', ...status },
  };
  expect(read(event)).toMatchObject({
    reports: [{ receipt: { type: 'Bounced', soft, detail: 'mailgun: 550 no' } }],
  });
});

it.each([
  [{ event: 'failed', severity: 'temporary' }, { type: 'DeliveryDelayed' }],
  [{ event: 'failed', severity: 'permanent', reason: 'suppress-complaint' }, { type: 'Complained' }],
  [
    { event: 'rejected', reason: 'virus' },
    { type: 'Bounced', soft: true, detail: 'mailgun: virus' },
  ],
  [
    { event: 'opened', timestamp: 1_700_000_000.5 },
    { type: 'Opened', at: '2023-11-14T22:13:20.500Z' },
  ],
])('%j', (event, receipt) => {
  expect(read(event)).toMatchObject({ reports: [{ receipt }] });
});

it('a recipient who unsubscribed gets no more', () => {
  const wish = { about: 'recipient', address: 'ada@example.com', wants: 'nothing' };
  expect(read({ event: 'unsubscribed' })).toMatchObject({ reports: [wish] });
  expect(read({ event: 'failed', severity: 'permanent', reason: 'suppress-unsubscribe' })).toMatchObject({
    reports: [{ receipt: { type: 'Bounced', soft: true } }, wish],
  });
});

it.each(['accepted', 'stored', 'surprise'])('%s reports nothing', (event) => {
  expect(read({ event })).toMatchObject({ kind: 'reports', reports: [] });
});
