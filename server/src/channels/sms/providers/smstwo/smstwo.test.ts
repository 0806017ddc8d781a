import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SmstwoSimulator, startSmstwoSimulator } from '../../../../../test/simulators/smstwo.ts';
import type { CallbackRequest, Outcome, ProviderCarrier } from '../../../contract.ts';
import { createOutbound, type Outbound } from '../../../http.ts';
import type { SmsMessage } from '../../../message.ts';
import { isSigned, readCallback, signedText } from './callback.ts';
import { createSmstwoCarrier } from './carrier.ts';

let provider: SmstwoSimulator;
let outbound: Outbound;
let carrier: ProviderCarrier;
const callbackUrl = 'https://carillon.example/hooks/smstwo/token';

beforeAll(async () => {
  provider = await startSmstwoSimulator();
  outbound = createOutbound({ policy: 'loopback' });
  carrier = createSmstwoCarrier('smstwo', configFor(), { outbound, clock: Date.now });
});
afterAll(async () => {
  await outbound.stop();
  await provider.stop();
});
beforeEach(() => {
  provider.faults = [];
  provider.statuses = null;
  provider.received.splice(0);
});

function configFor(changes: object = {}) {
  const { apiKey, apiSecret, url: apiUrl } = provider;
  return { apiKey, apiSecret, signatureSecret: null, apiUrl, callbackUrl, ...changes };
}

const message: SmsMessage = {
  channel: 'sms',
  notificationId: '0198aaaa-0000-7000-8000-000000000001',
  environmentId: '0198aaaa-0000-7000-8000-00000000000e',
  attempt: 1,
  to: { address: '+447700900123', name: null },
  from: '+14155550100',
  text: 'Hello & good bye = 1',
};
const send = (changes: Partial<SmsMessage> = {}, signal = new AbortController().signal): Promise<Outcome> =>
  carrier.send({ ...message, ...changes }, signal);

describe('smstwo', () => {
  it('hands the text over as it is, with what its receipt will echo', async () => {
    const outcome = await send();
    const [sent] = provider.received;
    expect(outcome).toMatchObject({ kind: 'accepted', providerMessageId: sent?.id, code: '0' });
    expect(sent).toMatchObject({
      to: '447700900123',
      from: '14155550100',
      text: message.text,
      type: 'text',
      clientRef: message.notificationId,
      callback: callbackUrl,
    });
  });

  it('says unicode where the alphabet needs it, or letters would be lost', async () => {
    await send({ text: 'Привет 🔔' });
    await send({ text: 'Grüße' });
    expect(provider.received.map(({ type, text }) => [type, text])).toEqual([
      ['unicode', 'Привет 🔔'],
      ['text', 'Grüße'],
    ]);
  });

  it('names no callback that is longer than the provider takes', async () => {
    const long = createSmstwoCarrier(
      'smstwo',
      configFor({ callbackUrl: `${callbackUrl}${'x'.repeat(100)}` }),
      {
        outbound,
        clock: Date.now,
      },
    );
    expect(await long.send(message, new AbortController().signal)).toMatchObject({ kind: 'accepted' });
    expect(provider.received[0]?.callback).toBeNull();
  });

  it.each([
    ['1', 'throttled'],
    ['2', 'rejected'],
    ['3', 'rejected'],
    ['4', 'broken'],
    ['5', 'retry'],
    ['6', 'rejected'],
    ['7', 'suppress'],
    ['8', 'broken'],
    ['9', 'broken'],
    ['10', 'throttled'],
    ['11', 'broken'],
    ['12', 'rejected'],
    ['14', 'broken'],
    ['15', 'broken'],
    ['22', 'rejected'],
    ['23', 'rejected'],
    ['29', 'broken'],
    ['32', 'broken'],
    ['33', 'suppress'],
    ['99', 'rejected'],
    ['constructor', 'rejected'],
  ])('status %s inside a 200 is %s', async (status, kind) => {
    provider.statuses = [status];
    expect(await send()).toMatchObject({ kind, code: status });
    expect(provider.received).toHaveLength(0);
  });

  it('a long text is accepted when all its parts are', async () => {
    const text = 'x'.repeat(400);
    expect(await send({ text })).toMatchObject({ kind: 'accepted', detail: 'Accepted in 3 parts.' });
    provider.statuses = ['0', '0', '1'];
    expect(await send({ text })).toMatchObject({ kind: 'ambiguous', code: '1' });
    provider.statuses = ['1', '1', '1'];
    expect(await send({ text })).toMatchObject({ kind: 'throttled' });
  });

  it.each([
    [401, 'broken'],
    [403, 'broken'],
    [404, 'rejected'],
    [429, 'throttled'],
    [500, 'retry'],
    [503, 'retry'],
    [504, 'ambiguous'],
    [302, 'broken'],
  ])('an error page with status %i is %s', async (status, kind) => {
    provider.faults = [{ status, headers: { 'content-type': 'text/html' }, body: '<h1>Oh</h1>' }];
    expect(await send()).toMatchObject({ kind });
  });

  it('429 waits as long as it says', async () => {
    provider.faults = [{ status: 429, headers: { 'retry-after': '3' } }, { status: 429 }];
    expect(await send()).toMatchObject({ kind: 'throttled', retryAfterMs: 3_000 });
    expect(await send()).toMatchObject({ kind: 'throttled', retryAfterMs: null });
  });

  it.each(['html', 'malformed', 'empty', 'half'] as const)(
    'a success that is %s says nothing',
    async (fault) => {
      provider.faults = [fault];
      expect(await send()).toMatchObject({ kind: 'ambiguous' });
    },
  );

  it.each([
    { messages: [] },
    { messages: 'none' },
    { messages: [null, 5, { status: 0 }] },
    { messages: {} },
    [],
  ])('a 200 that says %j says nothing', async (body) => {
    provider.faults = [{ status: 200, body }];
    expect(await send()).toMatchObject({ kind: 'ambiguous' });
  });

  it('a connection that breaks after the message was taken leaves its outcome open', async () => {
    provider.faults = ['drop_after_accept'];
    expect(await send()).toMatchObject({ kind: 'ambiguous', code: 'closed' });
    expect(provider.received).toHaveLength(1);
  });

  it('ends when it is stopped', async () => {
    provider.faults = ['hang_after_accept'];
    const stopping = new AbortController();
    const sending = send({}, stopping.signal);
    while (provider.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stopping.abort();
    expect(await sending).toMatchObject({ kind: 'ambiguous', code: 'stopped' });
  });

  it('repeats no credentials that the provider repeats', async () => {
    const text = `Bad ${provider.apiKey} / ${provider.apiSecret}`;
    provider.faults = [{ status: 200, body: { messages: [{ status: '4', 'error-text': text }] } }];
    expect(await send()).toMatchObject({ kind: 'broken', detail: 'status 4 Bad •••• / ••••' });
  });

  it('checks credentials without sending', async () => {
    expect(await carrier.verify()).toMatchObject({ ok: true });
    const wrong = createSmstwoCarrier('smstwo', configFor({ apiSecret: 'wrong' }), {
      outbound,
      clock: Date.now,
    });
    expect(await wrong.verify()).toEqual({ ok: false, detail: '401 authentication failed' });
    expect(await wrong.send(message, new AbortController().signal)).toMatchObject({
      kind: 'broken',
      code: '4',
    });
    provider.faults = ['html'];
    expect((await carrier.verify()).ok).toBe(false);
    expect(provider.received).toHaveLength(0);
  });
});

describe('callbacks of smstwo', () => {
  const now = 1_700_000_000;
  const vector = {
    'err-code': '0',
    messageId: '0A01',
    msisdn: '447700900000',
    status: 'delivered',
    timestamp: '1700000000',
    to: 'Acme&Co=1',
  };
  const sha256 = 'c6af9dc4bc54a2e806efc2afe01eb5be26f1961dfba158c89b08f4394a92ad0a';

  function callback(
    params: Record<string, unknown>,
    secret: string | null = null,
    changes: Partial<CallbackRequest> = {},
  ) {
    return readCallback(
      {
        url: callbackUrl,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        query: {},
        body: Buffer.from(JSON.stringify(params)),
        ...changes,
      },
      { api_key: 'abcd1234', api_secret: 's', signature_secret: secret },
      { clock: () => now * 1000 },
    );
  }

  it('are signed as the provider documents it, with any method that the account can have', () => {
    expect(signedText(vector)).toBe(
      '&err-code=0&messageId=0A01&msisdn=447700900000&status=delivered&timestamp=1700000000&to=Acme_Co_1',
    );
    expect(isSigned({ ...vector, sig: sha256 }, 'sigsecret')).toBe(true);
    expect(isSigned({ ...vector, sig: sha256.toUpperCase() }, 'sigsecret')).toBe(true);
    expect(isSigned({ ...vector, sig: 'c0898f29ee6acb6a10e60257030742af' }, 'sigsecret')).toBe(true);
    expect(isSigned({ ...vector, sig: sha256 }, 'another')).toBe(false);
    expect(isSigned({ ...vector, sig: '' }, 'sigsecret')).toBe(false);
    expect(isSigned({ ...vector, sig: 'z'.repeat(64) }, 'sigsecret')).toBe(false);
  });

  it.each([
    ['delivered', '0', { type: 'Delivered' }],
    ['failed', '1', { type: 'Bounced', soft: true }],
    ['failed', '2', { type: 'Bounced', soft: true }],
    ['failed', '3', { type: 'Bounced', soft: false }],
    ['rejected', '4', { type: 'Bounced', soft: false }],
    ['rejected', '9', { type: 'Bounced', soft: false }],
    ['rejected', '14', { type: 'Bounced', soft: false }],
    ['expired', '6', { type: 'Bounced', soft: true }],
    ['failed', undefined, { type: 'Bounced', soft: true }],
  ])('%s (%s) is a receipt, which names whose it is', (status, code, wanted) => {
    const receipt = { ...wanted, detail: expect.stringMatching(/^Vonage \(smstwo\): /) };
    const params = { ...vector, status, 'err-code': code, 'client-ref': message.notificationId };
    expect(callback(params)).toMatchObject({
      kind: 'reports',
      reports: [{ about: 'notification', notificationId: message.notificationId, receipt }],
    });
  });

  it.each(['accepted', 'buffered', 'unknown', 'something new'])('%s reports nothing', (status) => {
    expect(callback({ ...vector, status, 'client-ref': 'x' })).toEqual({ kind: 'reports', reports: [] });
  });

  it('the receipts of all parts of a message are one event', () => {
    const of = (messageId: string) =>
      callback({ ...vector, messageId, 'client-ref': message.notificationId });
    expect(of('0A01')).toEqual(of('0A02'));
  });

  it('come as JSON, as a form or in the query', () => {
    const params = { ...vector, 'client-ref': 'ref', sig: '' };
    const query = new URLSearchParams(params).toString();
    const form = {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(query),
    };
    const inQuery = { method: 'GET', headers: {}, query: params, body: Buffer.alloc(0) };
    expect(callback({}, null, form)).toEqual(callback(params));
    expect(callback({}, null, inQuery)).toEqual(callback(params));
  });

  it('must be signed once there is a secret', () => {
    expect(callback({ ...vector, sig: sha256 }, 'sigsecret')).toMatchObject({ kind: 'reports' });
    expect(callback(vector, 'sigsecret')).toMatchObject({ kind: 'refused', status: 401 });
    expect(callback({ ...vector, sig: sha256, status: 'failed' }, 'sigsecret')).toMatchObject({
      status: 401,
    });
    expect(callback({ ...vector, sig: sha256 }, 'another')).toMatchObject({ status: 401 });
  });

  it.each([
    ['two days old', 1_700_000_000 - 2 * 86_400],
    ['from the future', 1_700_000_000 + 3_600],
    ['without a time', Number.NaN],
  ])('that are %s are refused', (_name, timestamp) => {
    const params: Record<string, string> = { ...vector, timestamp: String(timestamp) };
    params.sig = createHmac('sha256', 'sigsecret').update(signedText(params)).digest('hex');
    expect(callback(params, 'sigsecret')).toMatchObject({ kind: 'refused', status: 401 });
  });

  it('about another account, or in no language, are refused', () => {
    expect(callback({ ...vector, 'api-key': 'other' })).toMatchObject({ status: 403 });
    expect(callback({}, null, { body: Buffer.from('{') })).toMatchObject({ status: 400 });
    expect(callback({}, null, { body: Buffer.from('[]') })).toMatchObject({ status: 400 });
    const fields = { headers: {}, body: Buffer.from('a=b&'.repeat(1_001)) };
    expect(() => callback({}, null, fields)).toThrow('form with more than');
  });

  it('an empty call only checks that the URL answers', () => {
    expect(callback({})).toEqual({ kind: 'reports', reports: [] });
  });

  it('a reply of STOP or START is about the person who wrote it', () => {
    const reply = (text: string) =>
      callback({ msisdn: '447700900123', to: '14155550100', messageId: 'A', text });
    expect(reply('Stop')).toMatchObject({ reports: [{ address: '+447700900123', wants: 'nothing' }] });
    expect(reply('START')).toMatchObject({ reports: [{ address: '+447700900123', wants: 'again' }] });
    expect(reply('Thanks!')).toEqual({ kind: 'reports', reports: [] });
  });
});
