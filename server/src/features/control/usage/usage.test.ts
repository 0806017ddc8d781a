import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { managedEmail, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { monthOf, nextMonth } from './meter.ts';

const email = {
  channel: 'email',
  recipient: { address: 'ada@example.com' },
  subject: 'Hello',
  text_body: 'Hi',
};
const inApp = { channel: 'in_app', recipient: { address: 'ada' }, text_body: 'Hi' };

const usageOf = async (app: TestApp) => (await app.request('GET', '/v1/usage')).body;
const counted = async (app: TestApp) =>
  Number((await app.pool.query('select coalesce(sum(sends), 0) as n from usage_counters')).rows[0].n);

describe('an unmetered organization', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ settings: { CARILLON_ROLES: 'api', ...managedEmail } });
  });
  afterAll(() => app.stop());
  const send = (body: object, key = app.liveKey) => app.request('POST', '/v1/notifications', { body, key });

  test('has no limits, and counts only Live sends', async () => {
    await send(email, app.testKey);
    await send(email);
    await send(inApp);
    await send({ ...email, subject: null });
    const { body } = await app.request('GET', '/v1/usage', { key: app.liveKey });
    expect(body).toEqual({
      plan: 'unmetered',
      period_start: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/),
      period_end: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/),
      included_sends: null,
      used_sends: 2,
      used_by_other_organizations: 0,
      remaining_sends: null,
      hard_limit: false,
      by_channel: { email: 1, in_app: 1, webhook: 0, sms: 0, chatone: 0, chattwo: 0, chatthree: 0 },
      stored_bytes: null,
      stored_bytes_limit: null,
      estimated_cost: null,
    });
    expect(Date.parse(body.period_start)).toBeLessThan(Date.now());
    expect(Date.parse(body.period_end)).toBeGreaterThan(Date.now());
    // The Test key sees the same organization, and the storage of its own environment.
    const stored = { stored_bytes: expect.any(Number), stored_bytes_limit: 10_737_418_240 };
    expect(await usageOf(app)).toEqual({ ...body, ...stored });
  });

  test('any key may ask', async () => {
    const { body } = await app.request('POST', '/v1/api-keys', {
      body: { name: 'narrow', scopes: ['workflows:trigger'] },
    });
    expect((await app.request('GET', '/v1/usage', { key: body.key })).status).toBe(200);
  });

  test('a replay does not count, a resend does, and a deletion takes nothing back', async () => {
    const before = await counted(app);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await app.request('POST', '/v1/notifications', { body: email, key: app.liveKey, headers });
    await app.request('POST', '/v1/notifications', { body: email, key: app.liveKey, headers });
    expect(await counted(app)).toBe(before + 1);
    await app.pool.query(`update notifications set status = 'failed' where id = $1`, [first.body.id]);
    await app.request('POST', `/v1/notifications/${first.body.id}/resend`, { key: app.liveKey });
    expect(await counted(app)).toBe(before + 2);
    await app.request('DELETE', `/v1/notifications/${first.body.id}`, { key: app.liveKey });
    expect(await counted(app)).toBe(before + 2);
  });

  test('what was used last month is another matter', async () => {
    const { used_sends } = await usageOf(app);
    await app.pool.query(
      `insert into usage_counters (organization_id, month, channel, shard, sends)
       select id, date_trunc('month', now() - interval '40 days')::date, 'email', 0, 500 from organizations`,
    );
    expect((await usageOf(app)).used_sends).toBe(used_sends);
  });

  test('counters are exact with two processes racing', async () => {
    const second = await startTestApp({
      database: app.database,
      settings: { CARILLON_ROLES: 'api', ...managedEmail },
    });
    const before = (await usageOf(app)).by_channel;
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        (n % 2 ? app : second).request('POST', '/v1/notifications', {
          body: n % 3 ? email : inApp,
          key: app.liveKey,
        }),
      ),
    );
    await second.stop();
    expect(answers.every(({ status }) => status === 202)).toBe(true);
    const after = (await usageOf(app)).by_channel;
    expect([after.email - before.email, after.in_app - before.in_app]).toEqual([200, 100]);
  }, 90_000);
});

describe('a free organization', () => {
  const settings = {
    CARILLON_ROLES: 'api',
    CARILLON_PLAN: 'free',
    CARILLON_RATE_LIMIT: '100000',
    ...managedEmail,
  };
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ settings });
  });
  afterAll(() => app.stop());
  afterEach(() => app.pool.query('delete from usage_counters'));

  const use = (sends: number) =>
    app.pool.query(
      `insert into usage_counters (organization_id, month, channel, shard, sends)
       select id, date_trunc('month', now() at time zone 'UTC')::date, 'sms', 3, $1 from organizations`,
      [sends],
    );
  const send = (body: object, headers = {}) =>
    app.request('POST', '/v1/notifications', { body, key: app.liveKey, headers });

  test('has 10,000 sends a month and is told how many are left', async () => {
    await use(9_990);
    await send(email);
    expect(await usageOf(app)).toMatchObject({
      plan: 'free',
      included_sends: 10_000,
      used_sends: 9_991,
      remaining_sends: 9,
      hard_limit: true,
    });
  });

  test('is refused with 402 beyond, in Live only, and the key is not burnt', async () => {
    await use(10_000);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const refused = await send(email, headers);
    expect([refused.status, refused.body.error.type, refused.body.error.code]).toEqual([
      402,
      'plan_limit_error',
      'plan_limit_reached',
    ]);
    expect((await app.request('POST', '/v1/notifications', { body: email })).status).toBe(202);
    await app.pool.query('delete from usage_counters');
    expect((await send(email, headers)).status).toBe(202);
    await use(10_000);
    expect((await send(email, headers)).status).toBe(200); // a replay sends nothing, so it is still answered
  });

  test('a batch that crosses the limit gets exactly what is left', async () => {
    await use(9_997);
    const element = { ...email, idempotency_key: 'same' };
    const { body } = await app.request('POST', '/v1/notifications/batch', {
      key: app.liveKey,
      body: { notifications: [email, email, email, element, element, email] },
    });
    // In which order elements are taken is open; the two with the same key are one notification.
    const entries: { error?: { code: string }; notification?: { id: string } }[] = body.data;
    const made = new Set(entries.flatMap(({ notification }) => notification?.id ?? []));
    expect(made.size).toBe(3);
    expect(new Set(entries.map(({ error }) => error?.code ?? 'ok'))).toEqual(
      new Set(['ok', 'plan_limit_reached']),
    );
    expect((await usageOf(app)).used_sends).toBe(10_000);
  });

  test('the limit is exact with two processes racing for the last sends', async () => {
    await use(9_950);
    await app.pool.query('delete from notifications');
    const second = await startTestApp({ database: app.database, settings });
    const element = () => ({ ...email, idempotency_key: crypto.randomUUID() });
    const answers = await Promise.all(
      [app, second].flatMap((one) => [
        ...Array.from({ length: 40 }, () =>
          one
            .request('POST', '/v1/notifications', { body: email, key: app.liveKey })
            .then(({ status }) => [status]),
        ),
        one
          .request('POST', '/v1/notifications/batch', {
            body: { notifications: Array.from({ length: 40 }, element) },
            key: app.liveKey,
          })
          .then(({ body }) => body.data.map((entry: { error?: unknown }) => (entry.error ? 402 : 202))),
      ]),
    );
    await second.stop();
    const statuses = answers.flat();
    expect(statuses).toHaveLength(160);
    expect(statuses.filter((status) => status === 202)).toHaveLength(50);
    expect(statuses.filter((status) => status === 402)).toHaveLength(110);
    expect((await app.pool.query('select from notifications')).rows).toHaveLength(50);
    expect((await usageOf(app)).used_sends).toBe(10_000);
  });
});

test('months are calendar months in UTC', () => {
  expect(monthOf(Date.parse('2026-01-31T23:59:59.999Z'))).toBe('2026-01-01');
  expect(monthOf(Date.parse('2026-02-01T00:00:00Z'))).toBe('2026-02-01');
  expect(nextMonth('2026-12-01')).toBe('2027-01-01');
  expect(nextMonth('2026-01-01')).toBe('2026-02-01');
});
