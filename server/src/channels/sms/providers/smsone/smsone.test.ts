import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { localhostCertificate, localhostKey } from '../../../../../test/simulators/localhost-certificate.ts';
import { type SmsoneSimulator, startSmsoneSimulator } from '../../../../../test/simulators/smsone.ts';
import { startWebhookSink } from '../../../../../test/simulators/webhook-sink.ts';
import type { CallbackRequest, Outcome, ProviderCarrier } from '../../../contract.ts';
import { createOutbound, type Outbound } from '../../../http.ts';
import type { SmsMessage } from '../../../message.ts';
import { readCallback, signatureOf } from './callback.ts';
import { createSmsoneCarrier } from './carrier.ts';
import { knownCodes } from './codes.ts';

let provider: SmsoneSimulator;
let outbound: Outbound;
let carrier: ProviderCarrier;
const callbackUrl = 'https://carillon.example/hooks/smsone/token';

beforeAll(async () => {
  provider = await startSmsoneSimulator();
  outbound = createOutbound({ policy: 'loopback' });
  carrier = createSmsoneCarrier('smsone', configFor(), { outbound, clock: Date.now });
});
afterAll(async () => {
  await outbound.stop();
  await provider.stop();
});
beforeEach(() => {
  provider.faults = [];
  provider.received.splice(0);
});

function configFor(changes: object = {}) {
  const { accountSid, authToken, url: apiUrl } = provider;
  return { accountSid, authToken, apiUrl, callbackUrl, ...changes };
}

const message: SmsMessage = {
  channel: 'sms',
  notificationId: '0198aaaa-0000-7000-8000-000000000001',
  environmentId: '0198aaaa-0000-7000-8000-00000000000e',
  attempt: 1,
  to: { address: '+447700900123', name: null },
  from: '+14155550100',
  text: 'Grüße & 50 % off = 🔔 +1',
};
const send = (changes: Partial<SmsMessage> = {}, signal = new AbortController().signal): Promise<Outcome> =>
  carrier.send({ ...message, ...changes }, signal);

describe('smsone', () => {
  it('hands the text over as it is, and says where its receipt goes', async () => {
    const outcome = await send();
    const [sent] = provider.received;
    expect(outcome).toMatchObject({ kind: 'accepted', providerMessageId: sent?.sid, code: '201' });
    expect(sent).toMatchObject({
      to: '+447700900123',
      from: '+14155550100',
      text: message.text,
      statusCallback: `${callbackUrl}?n=${message.notificationId}`,
    });
  });

  it('shows an id that repeats a credential without any part of it, and in one line', async () => {
    const start = 'x'.repeat(90);
    provider.faults = [{ status: 201, body: { sid: `${start}${provider.authToken}\0\n` } }];
    expect(await send()).toMatchObject({ kind: 'accepted', providerMessageId: `${start}••••` });
  });

  it('asks for no receipt that the provider could not deliver, for it would refuse the message', async () => {
    const local = { callbackUrl: 'http://127.0.0.1:8400/hooks/smsone/token' };
    const calls: string[] = [];
    const spy: Outbound = {
      takeExchange: () => null,
      stop: async () => {},
      request: async ({ body }) => {
        calls.push(String(body));
        return { kind: 'answer', status: 500, headers: {}, body: Buffer.alloc(0), latencyMs: 0 };
      },
    };
    const real = createSmsoneCarrier('smsone', configFor({ ...local, apiUrl: 'https://api.twilio.com' }), {
      outbound: spy,
      clock: Date.now,
    });
    await real.send(message, new AbortController().signal);
    expect(calls[0]).not.toContain('StatusCallback');
  });

  it.each([
    ['an invalid number', { to: { address: '+15005550001', name: null } }, 'suppress', '21211'],
    ['a landline', { to: { address: '+15005550009', name: null } }, 'suppress', '21614'],
    ['a recipient who replied STOP', { to: { address: '+15005550004', name: null } }, 'suppress', '21610'],
    ['an unreachable route', { to: { address: '+15005550002', name: null } }, 'rejected', '21612'],
    ['a region that is not enabled', { to: { address: '+15005550003', name: null } }, 'rejected', '21408'],
    [
      'an alphanumeric sender where it is not allowed',
      { from: 'Acme', to: { address: '+14155550123', name: null } },
      'rejected',
      '21612',
    ],
    ['a sender that is none', { from: 'Acme & Sons Ltd' }, 'broken', '21212'],
    ['no text', { text: '' }, 'rejected', '21602'],
    ['a text that is too long', { text: 'x'.repeat(1601) }, 'rejected', '21617'],
  ] as const)('%s', async (_name, changes, kind, code) => {
    expect(await send(changes)).toMatchObject({ kind, code });
  });

  it('distinguishes a refusal of the person from a refusal of the number', async () => {
    expect(await send({ to: { address: '+15005550004', name: null } })).toMatchObject({
      reason: 'unsubscribed',
    });
    expect(await send({ to: { address: '+15005550001', name: null } })).toMatchObject({
      reason: 'hard_bounce',
    });
  });

  it.each([...knownCodes])('code %i means %s', async (code, meaning) => {
    provider.faults = [{ status: 400, body: { code, message: 'Refused.', status: 400 } }];
    const kind = meaning === 'unreachable' || meaning === 'unsubscribed' ? 'suppress' : meaning;
    expect(await send()).toMatchObject({ kind, code: String(code) });
  });

  it.each([
    [401, 'broken'],
    [403, 'broken'],
    [404, 'rejected'],
    [418, 'rejected'],
    [429, 'throttled'],
    [500, 'retry'],
    [502, 'retry'],
    [503, 'retry'],
    [504, 'ambiguous'],
    [302, 'broken'],
  ])('an error page with status %i is %s', async (status, kind) => {
    provider.faults = [{ status, headers: { 'content-type': 'text/html' }, body: '<h1>Oh</h1>' }];
    expect(await send()).toMatchObject({ kind });
  });

  it.each([
    ['2', 2_000],
    ['0', 0],
    ['-5', null],
    ['soon', null],
    [undefined, null],
  ])('429 with Retry-After %s waits %s ms', async (header, retryAfterMs) => {
    const headers = header === undefined ? {} : { 'retry-after': header };
    provider.faults = [
      { status: 429, headers, body: { code: 20429, message: 'Too many requests', status: 429 } },
    ];
    expect(await send()).toMatchObject({ kind: 'throttled', retryAfterMs });
  });

  it.each(['html', 'malformed', 'empty'] as const)('a success that is %s says nothing', async (fault) => {
    provider.faults = [fault];
    expect(await send()).toMatchObject({ kind: 'ambiguous' });
  });

  it('a success that is cut off is one', async () => {
    provider.faults = ['half'];
    expect(await send()).toMatchObject({ kind: 'accepted' });
  });

  it('a success with an error inside is the error', async () => {
    provider.faults = [
      { status: 201, body: { sid: 'SM1', status: 'failed', error_code: 30006, error_message: 'Landline' } },
      { status: 201, body: { sid: 'SM1', status: 'failed', error_code: 12345, error_message: 'New' } },
    ];
    expect(await send()).toMatchObject({ kind: 'suppress', code: '30006' });
    expect(await send()).toMatchObject({ kind: 'rejected', code: '12345' });
  });

  it('a connection that breaks after the message was taken leaves its outcome open', async () => {
    provider.faults = ['drop_after_accept', 'drop'];
    expect(await send()).toMatchObject({ kind: 'ambiguous', code: 'closed' });
    expect(await send()).toMatchObject({ kind: 'ambiguous', code: 'closed' });
    expect(provider.received).toHaveLength(1);
  });

  it('a provider that cannot be reached got nothing', async () => {
    const gone = await startSmsoneSimulator();
    await gone.stop();
    const lost = createSmsoneCarrier('smsone', configFor({ apiUrl: gone.url }), {
      outbound,
      clock: Date.now,
    });
    expect(await lost.send(message, new AbortController().signal)).toMatchObject({
      kind: 'retry',
      code: 'connect',
    });
  });

  it('an address that may not be called is a broken connection', async () => {
    const strict = createOutbound({ policy: 'none' });
    const blocked = createSmsoneCarrier('smsone', configFor(), { outbound: strict, clock: Date.now });
    expect(await blocked.send(message, new AbortController().signal)).toMatchObject({ kind: 'broken' });
    await strict.stop();
  });

  it('a message is not sent to a server with an untrusted certificate', async () => {
    const impostor = await startWebhookSink({ tls: { key: localhostKey, cert: localhostCertificate } });
    const tls = createSmsoneCarrier('smsone', configFor({ apiUrl: impostor.url('') }), {
      outbound,
      clock: Date.now,
    });
    expect(await tls.send(message, new AbortController().signal)).toMatchObject({
      kind: 'retry',
      code: 'tls',
    });
    expect(impostor.received).toHaveLength(0);
    await impostor.stop();
  });

  it('ends when it is stopped', async () => {
    provider.faults = ['hang_after_accept'];
    const stopping = new AbortController();
    const sending = send({}, stopping.signal);
    while (provider.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stopping.abort();
    expect(await sending).toMatchObject({ kind: 'ambiguous', code: 'stopped' });
    expect(await send({}, AbortSignal.abort())).toMatchObject({ kind: 'retry', code: 'stopped' });
  });

  it('repeats no credentials that the provider repeats', async () => {
    const { accountSid, authToken } = provider;
    provider.faults = [
      {
        status: 404,
        body: { code: 20404, message: `No /Accounts/${accountSid}/ with\n${authToken}`, status: 404 },
      },
    ];
    const outcome = await send();
    expect(outcome).toMatchObject({
      kind: 'broken',
      code: '20404',
      detail: '20404 No /Accounts/••••/ with ••••',
    });
  });

  it('checks credentials without sending', async () => {
    expect(await carrier.verify()).toMatchObject({ ok: true });
    provider.status = 'suspended';
    expect(await carrier.verify()).toEqual({ ok: false, detail: 'The account is suspended.' });
    expect(await send()).toMatchObject({ kind: 'broken', code: '20005' });
    provider.status = 'active';
    const wrong = createSmsoneCarrier('smsone', configFor({ authToken: 'wrong' }), {
      outbound,
      clock: Date.now,
    });
    expect(await wrong.verify()).toEqual({ ok: false, detail: '401 Authenticate' });
    expect(await wrong.send(message, new AbortController().signal)).toMatchObject({
      kind: 'broken',
      code: '20003',
    });
    provider.faults = ['html'];
    expect((await carrier.verify()).ok).toBe(false);
    expect(provider.received).toHaveLength(0);
  });
});

describe('callbacks of smsone', () => {
  const config = { account_sid: `AC${'0'.repeat(31)}1`, auth_token: '12345' };
  const url = `${callbackUrl}?n=${message.notificationId}`;

  function callback(
    fields: Record<string, string>,
    changes: Partial<CallbackRequest> & { signedUrl?: string } = {},
  ) {
    const form = new URLSearchParams({ MessageSid: 'SM1', AccountSid: config.account_sid, ...fields });
    return readCallback(
      {
        url,
        method: 'POST',
        headers: { 'x-twilio-signature': signatureOf('12345', changes.signedUrl ?? url, form) },
        query: { n: message.notificationId },
        body: Buffer.from(form.toString()),
        ...changes,
      },
      config,
    );
  }

  it('are signed as the provider documents it', () => {
    const form = new URLSearchParams({
      Digits: '1234',
      CallSid: 'CA1234567890ABCDE',
      To: '+18005551212',
      Caller: '+12349013030',
      From: '+12349013030',
    });
    expect(signatureOf('12345', 'https://mycompany.com/myapp.php?foo=1&bar=2', form)).toBe(
      '0/KCTR6DLpKmkAf8muzZqo1nDgQ=',
    );
  });

  it.each([
    ['delivered', undefined, { type: 'Delivered' }],
    ['read', undefined, { type: 'Delivered' }],
    ['undelivered', '30003', { type: 'Bounced', soft: true }],
    ['undelivered', '30004', { type: 'Bounced', soft: true }],
    ['undelivered', '30005', { type: 'Bounced', soft: false }],
    ['undelivered', '30006', { type: 'Bounced', soft: false }],
    ['undelivered', '30007', { type: 'Bounced', soft: true }],
    ['undelivered', '99999', { type: 'Bounced', soft: true }],
    ['failed', undefined, { type: 'Bounced', soft: true }],
    ['canceled', undefined, { type: 'Bounced', soft: true }],
  ])('%s (%s) is a receipt, which names whose it is', (status, code, wanted) => {
    const detail = expect.stringMatching(new RegExp(`^Twilio \\(smsone\\): .*${code ?? ''}`));
    const receipt = { ...wanted, detail };
    expect(callback({ MessageStatus: status, ...(code ? { ErrorCode: code } : {}) })).toMatchObject({
      kind: 'reports',
      reports: [
        { about: 'notification', notificationId: message.notificationId, receipt, eventId: `SM1:${status}` },
      ],
    });
  });

  it.each(['accepted', 'queued', 'sending', 'sent', 'scheduled', 'something new'])(
    '%s reports nothing',
    (status) => {
      expect(callback({ MessageStatus: status })).toEqual({ kind: 'reports', reports: [] });
    },
  );

  it('a message that failed because of an earlier STOP reports the person too', () => {
    expect(callback({ MessageStatus: 'failed', ErrorCode: '21610', To: '+447700900123' })).toMatchObject({
      reports: [
        { about: 'notification' },
        { about: 'recipient', address: '+447700900123', wants: 'nothing' },
      ],
    });
  });

  it.each([
    ['STOP', 'nothing'],
    [' stop. ', 'nothing'],
    ['Unsubscribe', 'nothing'],
    ['ARRÊT', 'nothing'],
    ['start', 'again'],
    ['UNSTOP', 'again'],
  ])('a reply that says %j', (text, wants) => {
    expect(callback({ SmsStatus: 'received', From: '+447700900123', Body: text })).toMatchObject({
      reports: [{ about: 'recipient', address: '+447700900123', wants }],
      answer: { contentType: 'text/xml' },
    });
  });

  it('any other reply is left alone, unless the provider itself took it for an opt-out', () => {
    const reply = { SmsStatus: 'received', From: '+447700900123', Body: 'please stop by tomorrow' };
    expect(callback(reply)).toMatchObject({ kind: 'reports', reports: [] });
    expect(callback({ ...reply, OptOutType: 'STOP' })).toMatchObject({ reports: [{ wants: 'nothing' }] });
    expect(callback({ ...reply, From: 'Acme', Body: 'STOP' })).toMatchObject({ reports: [] });
  });

  it('are refused without a signature, with a wrong one, and for another account', () => {
    const fields = { MessageStatus: 'delivered' };
    expect(callback(fields, { headers: {} })).toMatchObject({ kind: 'refused', status: 401 });
    expect(callback(fields, { headers: { 'x-twilio-signature': 'bm9uc2Vuc2U=' } })).toMatchObject({
      status: 401,
    });
    expect(callback(fields, { signedUrl: `${callbackUrl}?n=another` })).toMatchObject({ status: 401 });
    expect(callback(fields, { body: Buffer.from('MessageSid=SM2&MessageStatus=failed') })).toMatchObject({
      status: 401,
    });
    expect(callback({ ...fields, AccountSid: 'AC2' })).toMatchObject({ status: 403 });
    expect(callback({ MessageSid: '' })).toMatchObject({ status: 400 });
  });

  it('are signed with each value of a repeated field once, sorted', () => {
    const form = new URLSearchParams('b=2&a=z&a=ä&a=z&a=%F0%9F%94%94&a=%EF%BF%BD');
    expect(signatureOf('12345', url, form)).toBe(
      createHmac('sha1', '12345').update(`${url}azaäa\u{fffd}a🔔b2`).digest('base64'),
    );
  });

  it('have a bounded form, also if the content type is another', () => {
    const receive = (body: string) =>
      callback(
        {},
        {
          headers: { 'content-type': 'application/json', 'x-twilio-signature': 'x' },
          body: Buffer.from(body),
        },
      );
    expect(receive('a=b&'.repeat(900))).toMatchObject({ kind: 'refused', status: 401 });
    for (const body of [
      Array.from({ length: 1_001 }, (_, n) => `a${n}=`).join('&'),
      `a=${'b'.repeat(131_072)}`,
    ])
      expect(() => receive(body)).toThrow('form with more than');
  });

  it('are recognised whether or not the provider names the port that the scheme implies', () => {
    const signedUrl = url.replace('carillon.example', 'carillon.example:443');
    expect(callback({ MessageStatus: 'delivered' }, { signedUrl })).toMatchObject({ kind: 'reports' });
  });
});
