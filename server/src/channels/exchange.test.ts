import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.ts';

test('a call is shown with where it went, how it was answered and how much was said', () => {
  const call = { method: 'POST', url: 'https://api.example.com/v3/mail/send', body: 'grüße' };
  expect(exchangeOf(call, { status: 400, body: Buffer.from('{"error":"no"}') })).toEqual({
    method: 'POST',
    url: 'https://api.example.com/v3/mail/send',
    request_bytes: 7,
    status: 400,
    response_bytes: 14,
  });
  const silence = { status: null, body: Buffer.alloc(0) };
  expect(exchangeOf({ method: 'GET', url: 'https://api.example.com' }, silence)).toMatchObject({
    request_bytes: 0,
    status: null,
    response_bytes: 0,
  });
});

test.each([
  [
    'https://chat.example/api/webhooks/123456789012345678/s3cret_T0ken-x',
    'https://chat.example/api/webhooks/…/…',
  ],
  ['https://flow.example/flows/0a1b2c3d/triggers?sig=abcdef#x', 'https://flow.example/flows/…/triggers'],
  [
    'https://sms.example/2010-04-01/Accounts/AC00ff/Messages.json',
    'https://sms.example/2010-04-01/Accounts/…/Messages.json',
  ],
  ['https://hooks.example/services/XyzAbcDefGhiJklMnoPqrStu', 'https://hooks.example/services/…'],
  ['https://user:pass@api.example.com:8443/', 'https://api.example.com:8443/'],
])('%s is shown as %s', (url, shown) => {
  expect(exchangeOf({ method: 'POST', url }, { status: 200, body: Buffer.alloc(0) }).url).toBe(shown);
});

test('a path segment with a secret in it is not shown, even if it is a plain word', () => {
  const call = {
    method: 'POST',
    url: 'https://api.example/correcthorse/send',
    secrets: ['', 'correcthorse'],
  };
  expect(exchangeOf(call, { status: 200, body: Buffer.alloc(0) }).url).toBe('https://api.example/…/send');
});
