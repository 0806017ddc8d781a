import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../../test/harness/app.ts';
import {
  type SmsoneMessage,
  type SmsoneSimulator,
  startSmsoneSimulator,
} from '../../../../../test/simulators/smsone.ts';
import { type SmstwoSimulator, startSmstwoSimulator } from '../../../../../test/simulators/smstwo.ts';

let app: TestApp;
let one: SmsoneSimulator;
let two: SmstwoSimulator;

beforeAll(async () => {
  one = await startSmsoneSimulator();
  two = await startSmstwoSimulator({ signatureSecret: 'sigsecret' });
  app = await startTestApp({
    settings: {
      CARILLON_SMSONE_API_URL: one.url,
      CARILLON_SMSTWO_API_URL: two.url,
      CARILLON_MANAGED_SMS_KIND: 'smsone',
      CARILLON_MANAGED_SMS_ACCOUNT: one.accountSid,
      CARILLON_MANAGED_SMS_SECRET: one.authToken,
      CARILLON_MANAGED_SMS_FROM: 'Operator',
    },
  });
});
afterAll(async () => {
  await app.stop();
  await Promise.all([one.stop(), two.stop()]);
});
beforeEach(() => {
  one.faults = [];
  one.fault = null;
  one.received.splice(0);
  two.faults = [];
  two.statuses = null;
  two.received.splice(0);
});

/** The next send uses the settings already. */
async function configure(body: object, isNew: () => boolean): Promise<{ callback_url: string }> {
  const saved = await app.request('PUT', `/v1/environments/${app.liveEnvironmentId}/sms-settings`, {
    key: app.liveKey,
    body,
  });
  expect([saved.status, saved.body.credentials_validated]).toEqual([200, true]);
  const { last_error } = await settled(await send('+447700900999'));
  expect([isNew(), last_error]).toEqual([true, null]);
  return saved.body;
}

const smsone = () => ({
  kind: 'smsone',
  from_number: '+14155550100',
  from_sender_id: 'Acme',
  smsone_account_sid: one.accountSid,
  smsone_auth_token: one.authToken,
});
const smstwo = () => ({
  kind: 'smstwo',
  from_number: '+14155550100',
  smstwo_api_key: two.apiKey,
  smstwo_api_secret: two.apiSecret,
  smstwo_signature_secret: 'sigsecret',
});

async function send(address: string, changes: object = {}): Promise<string> {
  const { status, body } = await app.request('POST', '/v1/notifications', {
    key: app.liveKey,
    body: { channel: 'sms', recipient: { address }, text_body: 'It rings.', ...changes },
  });
  expect([status, body.error]).toEqual([202, undefined]);
  return body.id;
}

const settled = (id: string) => app.waitFor(id, ({ status }) => !['queued', 'sending'].includes(status));
const types = (notification: { events: { type: string }[] }) => notification.events.map(({ type }) => type);
const reach = (id: string, status: string) => app.waitFor(id, (seen) => seen.status === status);
function received(): SmsoneMessage {
  const message = one.received.at(-1);
  if (!message) throw new Error('nothing was received');
  return message;
}

describe('through smsone', () => {
  let callbackUrl: string;
  beforeAll(async () => {
    callbackUrl = (await configure(smsone(), () => one.received.length > 0)).callback_url;
  });

  it('it is handed over and its receipt makes it delivered', async () => {
    const id = await send('+447700900123');
    expect(await settled(id)).toMatchObject({ status: 'sent', attempt_count: 1 });
    expect(received()).toMatchObject({ to: '+447700900123', from: 'Acme', text: 'It rings.' });
    expect(await one.receipt(received(), 'sent')).toBe(200);
    expect(await one.receipt(received(), 'delivered')).toBe(200);
    expect(types(await reach(id, 'delivered'))).toEqual(['Queued', 'Sending', 'Sent', 'Delivered']);
  });

  it('comes from the number where a name is not delivered', async () => {
    await settled(await send('+14155550123'));
    expect(received().from).toBe('+14155550100');
  });

  it('a receipt that is repeated, late or about nothing of ours changes nothing', async () => {
    const id = await send('+447700900124');
    await settled(id);
    const message = received();
    await one.receipt(message, 'delivered');
    const delivered = await reach(id, 'delivered');
    expect(await one.receipt(message, 'delivered')).toBe(200);
    expect(await one.receipt(message, 'sent')).toBe(200);
    const unknown = {
      ...message,
      statusCallback: message.statusCallback?.replace(id, app.liveEnvironmentId) ?? null,
    };
    expect(await one.receipt(unknown, 'undelivered', 30005)).toBe(200);
    const { body } = await app.request('GET', `/v1/notifications/${id}`, { key: app.liveKey });
    expect(body).toEqual(delivered);
  });

  it('a receipt with a wrong signature, with none, or at another address is refused', async () => {
    const id = await send('+447700900125');
    await settled(id);
    const message = received();
    expect(await one.receipt(message, 'delivered', undefined, { signature: null })).toBe(401);
    expect(await one.receipt(message, 'delivered', undefined, { signature: 'bm9uc2Vuc2U=' })).toBe(401);
    const elsewhere = { ...message, statusCallback: `${app.url}/hooks/smsone/nonsense?n=${id}` };
    expect(await one.receipt(elsewhere, 'delivered')).toBe(404);
    const otherKind = {
      ...message,
      statusCallback: message.statusCallback?.replace('smsone', 'smstwo') ?? null,
    };
    expect(await one.receipt(otherKind, 'delivered')).toBe(404);
    const { body } = await app.request('GET', `/v1/notifications/${id}`, { key: app.liveKey });
    expect(body.status).toBe('sent');
  });

  it('a number that nobody has bounces and is not tried again', async () => {
    const id = await send('+447700900126');
    await settled(id);
    expect(await one.receipt(received(), 'undelivered', 30005)).toBe(200);
    expect(await reach(id, 'bounced')).toMatchObject({ last_error: expect.stringContaining('30005') });
    expect(await settled(await send('+447700900126'))).toMatchObject({
      status: 'suppressed',
      suppression_reason: 'hard_bounce',
    });
  });

  it('a phone that was switched off bounces, and is tried again next time', async () => {
    const id = await send('+447700900127');
    await settled(id);
    await one.receipt(received(), 'undelivered', 30003);
    await reach(id, 'bounced');
    expect(await settled(await send('+447700900127'))).toMatchObject({ status: 'sent' });
  });

  it('who replies STOP gets nothing more, until START', async () => {
    const person = '+447700900128';
    expect(await settled(await send(person))).toMatchObject({ status: 'sent' });
    const stop = await one.inbound(callbackUrl, person, 'STOP');
    expect(stop).toMatchObject({ status: 200, body: expect.stringContaining('<Response>') });
    expect(await settled(await send(person))).toMatchObject({
      status: 'suppressed',
      suppression_reason: 'unsubscribed',
    });
    const entry = await app.request('GET', `/v1/suppressions/${encodeURIComponent(person)}`, {
      key: app.liveKey,
    });
    expect(entry.body).toMatchObject({ reason: 'unsubscribed', source: 'recipient' });
    expect((await one.inbound(callbackUrl, person, 'Start')).status).toBe(200);
    expect(await settled(await send(person))).toMatchObject({ status: 'sent' });
  });

  it('a reply that is not signed changes nothing', async () => {
    const person = '+447700900129';
    expect((await one.inbound(callbackUrl, person, 'STOP', { signature: 'bm8=' })).status).toBe(401);
    expect(await settled(await send(person))).toMatchObject({ status: 'sent' });
  });

  it('who opted out at the provider is left alone from then on', async () => {
    const first = await settled(await send('+15005550004'));
    expect(first).toMatchObject({ status: 'bounced', last_error: expect.stringContaining('21610') });
  });

  it('a throttle is an attempt that leaves its trail, and nothing is lost', async () => {
    const busy = { status: 429, body: { code: 20429, message: 'Too Many Requests', status: 429 } };
    one.faults = [busy, busy];
    const ids = await Promise.all(['+447700900130', '+447700900131', '+447700900132'].map((to) => send(to)));
    const ends = await Promise.all(ids.map(settled));
    const slowed = ends.flatMap(({ events }) => events).filter(({ type }) => type === 'AttemptFailed');
    expect(slowed.map(({ detail }) => detail)).toEqual(Array(2).fill(expect.stringContaining('20429')));
    for (const { status, attempt_count, events } of ends) {
      const again = Array.from({ length: attempt_count - 1 }, () => ['Sending', 'AttemptFailed', 'Retrying']);
      const types = events.map(({ type }: { type: string }) => type);
      expect([status, types]).toEqual(['sent', ['Queued', ...again.flat(), 'Sending', 'Sent']]);
    }
    expect(one.received).toHaveLength(3);
  });

  it('an answer that is lost leaves the outcome unknown, and nothing is sent twice', async () => {
    one.faults = ['drop_after_accept'];
    expect(await settled(await send('+447700900133'))).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('outcome_unknown'),
    });
    expect(one.received).toHaveLength(1);
  });

  it('a server error is tried again', async () => {
    one.faults = [{ status: 503, body: { code: 20503, message: 'Unavailable', status: 503 } }];
    expect(await settled(await send('+447700900134'))).toMatchObject({ status: 'sent', attempt_count: 2 });
  });

  it('what a template says too long about fails, and says why', async () => {
    const template = {
      key: 'long',
      name: 'Long',
      bodies: [{ channel: 'sms', text_template: '{{ words }}' }],
    };
    const made = await app.request('POST', '/v1/templates', { key: app.liveKey, body: template });
    expect([made.status, made.body.error]).toEqual([201, undefined]);
    const long = { template_key: 'long', text_body: undefined, template_data: { words: 'x'.repeat(1601) } };
    expect(await settled(await send('+447700900135', long))).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('content_refused: The text must have at most 1600 characters'),
    });
  });

  it('an inline text that is too long is refused at once', async () => {
    for (const [text_body, message] of [
      ['x'.repeat(1601), 'at most 1600'],
      [' \n ', 'blank'],
    ]) {
      const { status, body } = await app.request('POST', '/v1/notifications', {
        key: app.liveKey,
        body: { channel: 'sms', recipient: { address: '+447700900136' }, text_body },
      });
      expect([status, body.error.param]).toEqual([400, 'text_body']);
      expect(body.error.message).toContain(message);
    }
  });
});

describe('through smstwo', () => {
  let callbackUrl: string;
  beforeAll(async () => {
    callbackUrl = (await configure(smstwo(), () => two.received.length > 0)).callback_url;
  });

  it.each(['json', 'form', 'query'] as const)(
    'receipts as %s are taken when they are signed',
    async (style) => {
      two.style = style;
      const id = await send('+447700900140');
      expect(await settled(id)).toMatchObject({ status: 'sent' });
      const message = two.received.at(-1);
      if (!message) throw new Error('nothing was received');
      expect(message).toMatchObject({ to: '447700900140', clientRef: id, callback: callbackUrl });
      expect(await two.receipt(message, 'delivered', '0', { signature: null })).toBe(401);
      expect(await two.receipt(message, 'delivered', '0', { signature: 'ab'.repeat(32) })).toBe(401);
      expect(await two.receipt(message, 'delivered', '0', { timestamp: 1 })).toBe(401);
      expect(await two.receipt(message, 'accepted')).toBe(200);
      expect(await two.receipt(message, 'delivered')).toBe(200);
      expect(types(await reach(id, 'delivered')).at(-1)).toBe('Delivered');
    },
  );

  it('an error inside a 200 is an error', async () => {
    two.statuses = ['6'];
    expect(await settled(await send('+447700900141'))).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('status 6'),
    });
  });

  it('who replies STOP gets nothing more', async () => {
    expect(await two.inbound(callbackUrl, '+447700900142', 'stop')).toBe(200);
    expect(await settled(await send('+447700900142'))).toMatchObject({ status: 'suppressed' });
  });

  it('a callback of ten megabytes is refused', async () => {
    const { status } = await fetch(callbackUrl, { method: 'POST', body: 'x'.repeat(10_000_000) }).catch(
      () => ({
        status: 413, // it may hang up before everything is sent
      }),
    );
    expect(status).toBe(413);
  });
});

it('a provider that does not answer holds up the messages of its own environment alone', {
  timeout: 60_000,
}, async () => {
  await configure(smsone(), () => one.received.length > 0);
  const before = one.calls();
  one.fault = 'hang';
  const { body } = await app.request('POST', '/v1/notifications/batch', {
    key: app.liveKey,
    body: {
      notifications: Array.from({ length: 120 }, () => ({
        channel: 'sms',
        recipient: { address: '+447700900160' },
        text_body: 'It rings.',
      })),
    },
  });
  // What there is no room for has left the process, which has its hands free for everybody else.
  await waitUntil(async () => {
    const { rows } = await app.pool.query('select count(*)::int as parked from queue_parked');
    const underWay = one.calls() - before;
    const { parked } = rows[0];
    return (parked > 0 && parked + underWay === 120) || new Error(`${parked} parked, ${underWay} under way`);
  }, 20_000);
  expect(one.calls() - before).toBeLessThanOrEqual(50);
  one.fault = { status: 400, body: { code: 21612, message: 'no', status: 400 } };
  one.dropAll();
  for (const { notification } of body.data)
    await waitUntil(async () => {
      const { status } = await settled(notification.id);
      return status === 'failed' || new Error(status);
    }, 30_000);
});

describe('through the provider of the operator', () => {
  it('it comes from the sender of the operator, and receipts find their way', async () => {
    await configure({ kind: 'managed' }, () => one.received.at(-1)?.from === 'Operator');
    const id = await send('+447700900150');
    await settled(id);
    expect(received()).toMatchObject({ from: 'Operator' });
    expect(await one.receipt(received(), 'delivered')).toBe(200);
    await reach(id, 'delivered');
  });

  it.each([
    ['from_number', { from_number: '+14155550100' }],
    ['from_sender_id', { from_sender_id: 'Bank' }],
  ])('%s is refused: the sender is the operator’s', async (param, sender) => {
    const path = `/v1/environments/${app.liveEnvironmentId}/sms-settings`;
    const { status, body } = await app.request('PUT', path, {
      key: app.liveKey,
      body: { kind: 'managed', ...sender },
    });
    expect([status, body.error.param]).toEqual([400, param]);
    expect(body.error.message).toContain('operator');
  });

  it('a name alone reaches nobody in America, and the failure says so', async () => {
    expect(await settled(await send('+14155550123'))).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('sender_not_allowed'),
      attempt_count: 0,
    });
  });

  it('once the settings are deleted, sends are refused', async () => {
    const path = `/v1/environments/${app.liveEnvironmentId}/sms-settings`;
    expect((await app.request('DELETE', path, { key: app.liveKey })).status).toBe(204);
    const recipient = { address: '+447700900151' };
    const { status, body } = await app.request('POST', '/v1/notifications', {
      key: app.liveKey,
      body: { channel: 'sms', recipient, text_body: 'It rings: 5 €' },
    });
    expect([status, body.error.code]).toEqual([400, 'provider_not_configured']);
  });
});

describe('in Test', () => {
  async function sendTest(address: string, text_body = 'It rings: 5 €'): Promise<string> {
    const { status, body } = await app.request('POST', '/v1/notifications', {
      body: { channel: 'sms', recipient: { address }, text_body },
    });
    expect(status).toBe(202);
    return body.id;
  }

  it('the sandbox keeps the text, its alphabet and its parts', async () => {
    const id = await sendTest('+447700900160', 'д'.repeat(71));
    await reach(id, 'delivered');
    const { body } = await app.request('GET', `/v1/sandbox/messages?notification_id=${id}`);
    expect(body.data).toMatchObject([
      {
        channel: 'sms',
        to: '+447700900160',
        payload: {
          to: '+447700900160',
          from: '+15005550000',
          text: 'д'.repeat(71),
          encoding: 'UCS-2',
          segments: 2,
        },
      },
    ]);
    expect(one.received).toHaveLength(0);
  });

  it.each([
    ['+15005550001', 'bounced'],
    ['+15005550004', 'bounced'],
    ['+15005550006', 'delivered'],
    ['+15005550009', 'bounced'],
    ['+447700900161', 'delivered'],
    ['+14155550123', 'delivered'],
  ])('%s ends %s, as often as one likes', async (address, status) => {
    await reach(await sendTest(address), status);
    await reach(await sendTest(address), status);
  });
});
