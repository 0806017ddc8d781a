import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../../test/harness/app.ts';
import { type SmsoneSimulator, startSmsoneSimulator } from '../../../../../test/simulators/smsone.ts';
import { type SmstwoSimulator, startSmstwoSimulator } from '../../../../../test/simulators/smstwo.ts';

let app: TestApp;
let one: SmsoneSimulator;
let two: SmstwoSimulator;

beforeAll(async () => {
  [one, two] = await Promise.all([startSmsoneSimulator(), startSmstwoSimulator()]);
  app = await startTestApp({
    settings: { CARILLON_SMSONE_API_URL: one.url, CARILLON_SMSTWO_API_URL: two.url },
  });
});
afterAll(async () => {
  await app.stop();
  await Promise.all([one.stop(), two.stop()]);
});
beforeEach(async () => {
  for (const simulator of [one, two]) {
    simulator.fault = null;
    simulator.faults = [];
    simulator.received.splice(0);
  }
  await app.pool.query('delete from sms_settings');
  await app.pool.query('delete from provider_health');
  await app.pool.query('delete from provider_health_counts');
  await app.pool.query('delete from provider_pauses');
});

const settings = (more = '') => `/v1/environments/${app.liveEnvironmentId}/sms-settings${more}`;
const call = (method: string, more: string, body?: unknown) =>
  app.request(method, settings(more), { key: app.liveKey, ...(body === undefined ? {} : { body }) });
const put = (...providers: object[]) => call('PUT', '/providers', { providers });

const first = (changes: object = {}) => ({
  kind: 'smsone',
  from_number: '+14155550100',
  config: { account_sid: one.accountSid, auth_token: one.authToken },
  ...changes,
});
const second = (changes: object = {}) => ({
  kind: 'smstwo',
  from_sender_id: 'Acme',
  config: { api_key: two.apiKey, api_secret: two.apiSecret },
  ...changes,
});

/** Takes providers as they are shown, too: what cannot be changed is left out. */
async function save(...providers: object[]) {
  const names = ['id', 'kind', 'name', 'enabled', 'from_number', 'from_sender_id', 'config'];
  const given = providers.map((provider) =>
    Object.fromEntries(Object.entries(provider).filter(([name]) => names.includes(name))),
  );
  const { status, body } = await put(...given);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.providers;
}

async function send(address: string) {
  const { status, body } = await app.request('POST', '/v1/notifications', {
    key: app.liveKey,
    body: { channel: 'sms', recipient: { address }, text_body: 'It rings.' },
  });
  expect([status, body.error]).toEqual([202, undefined]);
  return app.waitFor(body.id, (seen) => !['queued', 'sending'].includes(seen.status));
}

const refusal = { status: 400, body: { code: 21612, message: 'Cannot route', status: 400 } };
const uk = '+447700900123';
const us = '+14155550123';

describe('the settings', () => {
  test('are an empty chain until they are set, and again after an empty chain', async () => {
    expect((await call('GET', '/providers')).body).toEqual({ providers: [] });
    await save(first());
    expect((await call('GET', '')).status).toBe(200);
    await save();
    expect((await call('GET', '')).status).toBe(404);
  });

  test('show each provider in its order, with its sender, its health and no secret', async () => {
    const providers = await save(first(), second({ enabled: false }));
    expect(providers).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: 'smsone',
        name: 'smsone',
        enabled: true,
        from_number: '+14155550100',
        from_sender_id: null,
        credentials_validated: false,
        credentials_validated_at: null,
        credentials_detail: '',
        config: { account_sid: expect.stringMatching(/^••••/), auth_token: expect.stringMatching(/^••••/) },
        callback_url: expect.stringContaining(`${app.url}/hooks/smsone/`),
        health: { status: 'healthy', messages: 0, failed_messages: 0, failure_rate: 0, since: null },
      },
      expect.objectContaining({ kind: 'smstwo', enabled: false, from_sender_id: 'Acme' }),
    ]);
    expect((await call('GET', '/providers')).body.providers).toEqual(providers);
  });

  test('keep the id, the name and the secrets of a provider that is given with its id', async () => {
    const [a, b] = await save(first({ name: 'main' }), second());
    const again = await save(
      { id: b.id, kind: 'smstwo', from_number: '+447700900000' },
      { id: a.id, kind: 'smsone', from_number: '+14155550100', config: a.config },
    );
    expect(again).toMatchObject([
      { id: b.id, name: 'smstwo', from_number: '+447700900000', from_sender_id: null },
      { id: a.id, name: 'main' },
    ]);
    expect(await send(uk)).toMatchObject({ status: 'sent' });
    expect(two.received).toMatchObject([{ from: '447700900000' }]);
  });

  test.each([
    ['an unknown kind', () => first({ kind: 'pigeon' }), 'providers[1].kind'],
    ['no sender', () => first({ from_number: null }), 'providers[1].from_number'],
    ['a wrong sender', () => second({ from_sender_id: 'Ac me' }), 'providers[1].from_sender_id'],
    ['no secret', () => second({ config: { api_key: 'a' } }), 'providers[1].config.api_secret'],
    ['the name of another', () => second({ name: 'SMSone' }), 'providers[1].name'],
  ])('with %s are refused', async (_title, provider, param) => {
    const { status, body } = await put(first({ name: 'smsone' }), provider());
    expect([status, body.error.param]).toEqual([400, param]);
  });

  test('take the operator’s provider once', async () => {
    const { status, body } = await put({ kind: 'managed' }, first(), { kind: 'managed' });
    expect([status, body.error.param]).toEqual([400, 'providers[2].kind']);
    expect(await save(first(), { kind: 'managed' })).toMatchObject([{ kind: 'smsone' }, { kind: 'managed' }]);
  });

  test('of a single provider are a chain of one, and show the first of several', async () => {
    const [a] = await save(first({ name: 'main' }), second());
    expect((await call('GET', '')).body).toEqual({
      id: a.id,
      kind: 'Smsone',
      from_number: '+14155550100',
      from_sender_id: null,
      credentials_validated: false,
      credentials_validated_at: null,
      credentials_detail: '',
      callback_url: a.callback_url,
    });
    const single = await call('PUT', '', { kind: 'smsone', from_number: '+14155550101' });
    expect(single.body).toMatchObject({ id: a.id, credentials_validated: true });
    expect((await call('GET', '/providers')).body.providers).toMatchObject([
      { id: a.id, name: 'smsone', from_number: '+14155550101', credentials_detail: 'The account is active.' },
    ]);
  });

  test('keep the result of a check until the credentials change', async () => {
    const [a, b] = await save(first(), second({ config: { api_key: two.apiKey, api_secret: 'wrong' } }));
    expect((await call('POST', `/providers/${a.id}/verify`)).body).toMatchObject({ ok: true });
    expect((await call('POST', `/providers/${b.id}/verify`)).body).toMatchObject({ ok: false });
    const moved = await save({ ...b, from_sender_id: 'Other' }, { ...a, name: 'main' });
    expect(moved).toMatchObject([
      { credentials_validated: false, credentials_detail: '401 authentication failed' },
      { credentials_validated: true, credentials_detail: 'The account is active.' },
    ]);
    const [changed] = await save({ ...b, config: { ...b.config, api_secret: two.apiSecret } });
    expect(changed).toMatchObject({ credentials_validated: false, credentials_detail: '' });
    const unknown = await call('POST', `/providers/${a.id}/verify`);
    expect(unknown.status).toBe(404);
  });

  test('that the previous release writes become a chain of one', async () => {
    const [a] = await save(first(), second());
    await app.pool.query(
      `insert into sms_settings (environment_id, id, kind, from_number, config, credentials_validated_at, credentials_detail)
       select environment_id, id, kind, '+14155550199', config, '2026-11-18T10:00:00.120Z', 'Fine.' from sms_settings
       on conflict (environment_id) do update set from_number = excluded.from_number,
         credentials_validated_at = excluded.credentials_validated_at, credentials_detail = excluded.credentials_detail`,
    );
    expect((await call('GET', '')).body).toMatchObject({
      id: a.id,
      from_number: '+14155550199',
      credentials_validated_at: '2026-11-18T10:00:00.120Z',
    });
    expect((await call('GET', '/providers')).body.providers).toHaveLength(1);
    expect(await send(uk)).toMatchObject({ status: 'sent' });
  });

  test('are in the audit log as a chain, without secrets', async () => {
    await save(first(), second());
    const { body } = await app.request('GET', '/v1/audit-log?limit=1', { key: app.liveKey });
    expect(body.data[0]).toMatchObject({
      action: 'sms_settings.updated',
      before: null,
      after: { providers: [{ kind: 'smsone' }, { kind: 'smstwo' }] },
    });
    for (const secret of [one.authToken, two.apiSecret, '/hooks/'])
      expect(JSON.stringify(body)).not.toContain(secret);
  });
});

describe('a message', () => {
  test('that the first provider refuses goes to the next, from the sender of that one', async () => {
    await save(first(), second());
    one.fault = refusal;
    const { status, events } = await send(uk);
    expect([status, events.map(({ type }: { type: string }) => type)]).toEqual([
      'sent',
      ['Queued', 'Sending', 'FailedOver', 'Sent'],
    ]);
    expect(two.received).toMatchObject([{ from: 'Acme', to: '447700900123' }]);
  });

  test('that the recipient caused to fail does not go to the next', async () => {
    await save(first(), second());
    expect(await send('+15005550004')).toMatchObject({ status: 'bounced' });
    expect(two.received).toEqual([]);
  });

  test('with an unknown outcome does not go to the next', async () => {
    await save(first(), second());
    one.faults = ['drop_after_accept'];
    expect(await send(uk)).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('outcome_unknown'),
    });
    expect(two.received).toEqual([]);
  });

  test('passes over a provider without a sender for its country', async () => {
    await save(second(), first());
    expect(await send(us)).toMatchObject({ status: 'sent' });
    expect([two.received.length, one.received[0]?.from]).toEqual([0, '+14155550100']);
    await save(second());
    expect(await send(us)).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('sender_not_allowed'),
    });
  });

  test('tries a provider last that refused its credentials, until it is saved again', async () => {
    const [a] = await save(first({ config: { account_sid: one.accountSid, auth_token: 'wrong' } }), second());
    await send(uk);
    await waitUntil(async () => {
      const { body } = await call('GET', '/providers');
      return body.providers[0].health.status !== 'healthy' || new Error('still healthy');
    });
    const { id } = await send('+447700900124');
    const { body } = await app.request('GET', `/v1/notifications/${id}/trace`, { key: app.liveKey });
    const verdicts = body.entries.map(({ verdict }: { verdict: string }) => verdict);
    expect(verdicts.some((verdict: string) => ['tried_last', 'probe'].includes(verdict))).toBe(true);
    // Saved settings get a fresh chance.
    const [fixed] = await save({ ...a, config: { ...a.config, auth_token: one.authToken } }, second());
    expect(fixed.health.status).not.toBe('outage');
    await send('+447700900125');
    expect(one.received).toHaveLength(1);
  });

  test('gets the receipt of the provider that took it, wherever it is in the chain', async () => {
    await save(first({ enabled: false }), second());
    const { id } = await send(uk);
    const [message] = two.received;
    if (!message) throw new Error('nothing was received');
    expect(await two.receipt(message, 'delivered')).toBe(200);
    await app.waitFor(id, ({ status }) => status === 'delivered');
  });

  test('is refused when every provider is disabled, and says why', async () => {
    await save(first({ enabled: false }));
    const { status, body } = await app.request('POST', '/v1/notifications', {
      key: app.liveKey,
      body: { channel: 'sms', recipient: { address: uk }, text_body: 'Hi' },
    });
    expect([status, body.error.code]).toEqual([400, 'provider_not_configured']);
  });

  // The last test: the account stays throttled.
  test('goes to the next provider while the first is throttled', async () => {
    await save(first(), second());
    one.faults = [
      { status: 429, headers: { 'retry-after': '600' }, body: { code: 20429, message: 'Slow', status: 429 } },
    ];
    expect(await send(uk)).toMatchObject({ status: 'sent', attempt_count: 2 });
    expect(await send('+447700900124')).toMatchObject({ status: 'sent', attempt_count: 1 });
    expect([one.received.length, two.received.length]).toEqual([0, 2]);
    const { body } = await app.request('GET', '/v1/overview?window=1h', { key: app.liveKey });
    expect(body.providers.filter(({ channel }: { channel: string }) => channel === 'sms')).toMatchObject([
      { kind: 'Smsone', status: 'paused' },
      { kind: 'Smstwo', status: 'healthy' },
    ]);
  });
});
