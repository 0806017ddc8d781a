import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../test/harness/app.ts';
import { sealSavedUrls } from './endpoint-url.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

const url = () => `https://example.com/hooks/${randomUUID()}`;
const create = (body: object = {}) =>
  app.request('POST', '/v1/webhook-endpoints', { body: { url: url(), ...body } });
const at = (id: string, rest = '') => `/v1/webhook-endpoints/${id}${rest}`;

describe('creating', () => {
  test('answers 201 with every documented field and the secret, which is never shown again', async () => {
    const address = url();
    const { status, body } = await create({
      url: address,
      event_filters: ['notification.sent', 'notification.sent', 'provider.critical'],
      description: 'Orders',
      timeout_seconds: 5,
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      url: address,
      status: 'active',
      event_filters: ['notification.sent', 'provider.critical'],
      description: 'Orders',
      timeout_seconds: 5,
      signing_secret_prefix: body.signing_secret.slice(0, 8),
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      paused_delivery_count: 0,
      failing_since: null,
      disabled_reason: null,
      created_at: expect.any(String),
    });
    expect(Buffer.from(body.signing_secret.slice(6), 'base64')).toHaveLength(32);
    const { signing_secret: _secret, ...shown } = body;
    expect((await app.request('GET', at(body.id))).body).toEqual(shown);
  });

  test('needs nothing but the URL', async () => {
    const { body } = await create();
    expect(body).toMatchObject({ event_filters: [], description: '', timeout_seconds: 10 });
    expect((await create({ event_filters: null, description: null, timeout_seconds: null })).status).toBe(
      201,
    );
  });

  test('takes the status active or paused', async () => {
    const make = (status: unknown, path: string) =>
      app.request('POST', '/v1/webhook-endpoints', { body: { url: `https://example.com/${path}`, status } });
    const paused = await make('paused', 'made-paused');
    expect([paused.status, paused.body.status]).toEqual([201, 'paused']);
    expect((await app.request('GET', at(paused.body.id))).body.status).toBe('paused');
    expect((await make('active', 'made-active')).body.status).toBe('active');
    expect((await make(null, 'made-null')).body.status).toBe('active');
    for (const status of ['disabled', 'auto_disabled', 'Paused', '', 1]) {
      const { status: code, body } = await make(status, 'refused');
      expect([code, body.error.param]).toEqual([400, 'status']);
    }
  });

  test('keeps secrets sealed at rest', async () => {
    const { body } = await create();
    const { rows } = await app.pool.query('select row_to_json(e)::text as text from webhook_endpoints e');
    expect(rows.map((row) => row.text).join()).not.toContain(body.signing_secret.slice(6));
  });

  test('keeps the query of the URL sealed at rest and out of the audit log, and shows it to the owner', async () => {
    const address = `${url()}?token=planted-token-1`;
    const { body } = await create({ url: address });
    expect(body.url).toBe(address);
    expect((await app.request('GET', at(body.id))).body.url).toBe(address);
    expect((await create({ url: address })).body.error.code).toBe('webhook_url_exists');
    const changed = `${url()}?token=planted-token-2`;
    expect((await app.request('PUT', at(body.id), { body: { url: changed } })).body.url).toBe(changed);
    expect((await app.request('PUT', at(body.id), { body: { status: 'paused' } })).body.url).toBe(changed);
    expect((await create({ url: changed })).body.error.code).toBe('webhook_url_exists');
    expect((await create({ url: address })).status).toBe(201);
    await app.request('DELETE', at(body.id));
    const { rows } = await app.pool.query(
      `select row_to_json(e)::text as text from webhook_endpoints e
       union all select row_to_json(a)::text from audit_entries a`,
    );
    const stored = rows.map(({ text }) => text).join('\n');
    expect(stored).not.toContain('planted-token');
    expect(stored).toContain('?••••');
  });

  test('of an earlier release left the query in plain text, which housekeeping seals', async () => {
    const address = `${url()}?token=planted-token-3`;
    const { body } = await create({ url: address });
    await app.pool.query('update webhook_endpoints set url = $2, sealed_query = null where id = $1', [
      body.id,
      address,
    ]);
    await sealSavedUrls(app.deps, () => false);
    const { rows } = await app.pool.query('select url, sealed_query from webhook_endpoints where id = $1', [
      body.id,
    ]);
    expect(rows).toEqual([{ url: address.split('?')[0], sealed_query: expect.stringMatching(/^v1\./) }]);
    expect((await app.request('GET', at(body.id))).body.url).toBe(address);
  });

  test('refuses the same URL twice in an environment, however it is spelled', async () => {
    const address = url();
    await create({ url: address });
    for (const same of [address, address.replace('example', 'EXAMPLE'), `${address}#here`]) {
      const { status, body } = await create({ url: same });
      expect([status, body.error.code]).toEqual([409, 'webhook_url_exists']);
    }
    const live = await app.request('POST', '/v1/webhook-endpoints', {
      key: app.liveKey,
      body: { url: address },
    });
    expect(live.status).toBe(201);
  });

  test('of two at the same instant with one URL makes one', async () => {
    const address = url();
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ url: address })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  test.each([
    [undefined, 'parameter_missing'],
    [5, 'parameter_invalid'],
    ['', 'parameter_invalid'],
    ['nonsense', 'parameter_invalid'],
    ['/relative', 'parameter_invalid'],
    ['ftp://example.com', 'parameter_invalid'],
    ['javascript:alert(1)', 'parameter_invalid'],
    ['http://', 'parameter_invalid'],
    ['https://user:secret@example.com/', 'parameter_invalid'],
    ['https://user@example.com/', 'parameter_invalid'],
    ['https://example.com:0/', 'parameter_invalid'],
    ['https://example.com:99999/', 'parameter_invalid'],
    ['https://example.com/ b', 'parameter_invalid'],
    ['https://example.com/\nX: y', 'parameter_invalid'],
    [`https://example.com/${'x'.repeat(10_240)}`, 'parameter_invalid'],
    [`https://example.com/${'ä'.repeat(1_000)}`, 'parameter_invalid'],
    ['http://10.0.0.1/', 'parameter_invalid'],
    ['http://169.254.169.254/latest/meta-data', 'parameter_invalid'],
    ['http://0xa9.0xfe.0xa9.0xfe/', 'parameter_invalid'],
    ['http://2852039166/', 'parameter_invalid'],
    ['http://0251.0376.0251.0376/', 'parameter_invalid'],
    ['http://0.0.0.0/', 'parameter_invalid'],
    ['http://[::]/', 'parameter_invalid'],
    ['http://[fe80::1]/', 'parameter_invalid'],
    ['http://[::ffff:10.0.0.1]/', 'parameter_invalid'],
    ['http://[64:ff9b::a00:1]/', 'parameter_invalid'],
    ['http://192.168.0.1./', 'parameter_invalid'],
  ])('refuses the URL %j', async (address, code) => {
    const { status, body } = await create({ url: address });
    expect([status, body.error?.code, body.error?.param]).toEqual([400, code, 'url']);
  });

  test.each([
    ['event_filters', 'notification.sent', 'event_filters'],
    ['event_filters', ['notification.sent', 5], 'event_filters[1]'],
    ['event_filters', ['sent'], 'event_filters[0]'],
    ['event_filters', ['Notification.Sent'], 'event_filters[0]'],
    ['event_filters', ['notification.*'], 'event_filters[0]'],
    ['event_filters', ['notification..sent'], 'event_filters[0]'],
    ['event_filters', ['notification.sent\n'], 'event_filters[0]'],
    ['event_filters', [''], 'event_filters[0]'],
    ['event_filters', Array(101).fill('a.b'), 'event_filters'],
    ['description', 5, 'description'],
    ['description', 'x'.repeat(501), 'description'],
    ['timeout_seconds', 0, 'timeout_seconds'],
    ['timeout_seconds', 31, 'timeout_seconds'],
    ['timeout_seconds', 1.5, 'timeout_seconds'],
    ['timeout_seconds', '10', 'timeout_seconds'],
  ])('refuses %s %j', async (field, value, param) => {
    const { status, body } = await create({ [field]: value });
    expect([status, body.error?.code, body.error?.param]).toEqual([400, 'parameter_invalid', param]);
  });
});

test('where local addresses are not allowed, no spelling of one gets in', async () => {
  const strict = await startTestApp({
    settings: { CARILLON_ROLES: 'api', CARILLON_ALLOW_PRIVATE_NETWORK: 'none' },
  });
  try {
    const spellings = [
      'http://127.0.0.1',
      'http://127.1',
      'http://2130706433',
      'http://017700000001',
      'http://0x7f000001',
      'http://[::1]',
      'http://[0:0:0:0:0:0:0:1]',
      'http://localhost',
      'http://localhost.',
      'http://LOCALHOST:8400',
      'http://a.localhost',
    ];
    for (const spelling of spellings) {
      const { status } = await strict.request('POST', '/v1/webhook-endpoints', { body: { url: spelling } });
      expect([spelling, status]).toEqual([spelling, 400]);
    }
  } finally {
    await strict.stop();
  }
});

describe('changing', () => {
  test('touches only what is given', async () => {
    const { body } = await create({ description: 'before', event_filters: ['a.b'] });
    const address = url();
    const changed = await app.request('PUT', at(body.id), { body: { url: address, timeout_seconds: 3 } });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      url: address,
      timeout_seconds: 3,
      description: 'before',
      event_filters: ['a.b'],
      status: 'active',
    });
    const emptied = await app.request('PUT', at(body.id), { body: { event_filters: [], description: '' } });
    expect(emptied.body).toMatchObject({ event_filters: [], description: '', url: address });
    expect(emptied.body).not.toHaveProperty('signing_secret');
  });

  test('pauses and resumes; other statuses are the service’s own', async () => {
    const { body } = await create();
    const set = (status: unknown) => app.request('PUT', at(body.id), { body: { status } });
    expect((await set('paused')).body.status).toBe('paused');
    expect((await set('active')).body.status).toBe('active');
    for (const status of ['auto_disabled', 'disabled', 'nonsense', 5]) {
      expect((await set(status)).body.error).toMatchObject({ code: 'parameter_invalid', param: 'status' });
    }
  });

  test('in a deadlock is repeated, and the caller does not notice', async () => {
    const { body } = await create();
    const other = await app.pool.connect();
    try {
      // The request locks the endpoint and then waits for the audit log; the other session holds them the other way round.
      await other.query(
        `begin; set local deadlock_timeout = '1min'; lock table audit_entries in exclusive mode`,
      );
      const changing = app.request('PUT', at(body.id), { body: { description: 'changed' } });
      await waitUntil(async () => {
        const { rows } = await other.query(
          `select from pg_locks where not granted and mode = 'RowExclusiveLock'
             and database = (select oid from pg_database where datname = current_database())`,
        );
        return rows.length > 0 ? true : new Error('the request does not wait yet');
      });
      await other.query('select from webhook_endpoints where id = $1 for update', [body.id]);
      await other.query('commit');
      expect([(await changing).status, (await changing).body.description]).toEqual([200, 'changed']);
    } finally {
      other.release(true);
    }
  });

  test('to the URL of another endpoint is a conflict', async () => {
    const one = await create();
    const two = await create();
    const { status, body } = await app.request('PUT', at(two.body.id), { body: { url: one.body.url } });
    expect([status, body.error.code]).toEqual([409, 'webhook_url_exists']);
    expect((await app.request('PUT', at(two.body.id), { body: { url: two.body.url } })).status).toBe(200);
  });
});

describe('disabling', () => {
  test('hides an endpoint from the list, but not from reads, and frees its URL', async () => {
    const { body } = await create();
    expect((await app.request('DELETE', at(body.id))).status).toBe(204);
    expect((await app.request('DELETE', at(body.id))).status).toBe(204);
    expect((await app.request('GET', at(body.id))).body.status).toBe('disabled');
    const ids = async (query: string) => {
      const { body: page } = await app.request('GET', `/v1/webhook-endpoints?limit=100${query}`);
      return page.data.map((row: { id: string }) => row.id);
    };
    expect(await ids('')).not.toContain(body.id);
    expect(await ids('&include_disabled=true')).toContain(body.id);
    expect((await app.request('POST', at(body.id, '/send-test'))).body.error.code).toBe('endpoint_disabled');

    const again = await create({ url: body.url });
    expect(again.status).toBe(201);
    const revived = await app.request('PUT', at(body.id), { body: { status: 'active' } });
    expect(revived.body.error.code).toBe('webhook_url_exists');
    await app.request('DELETE', at(again.body.id));
    expect((await app.request('PUT', at(body.id), { body: { status: 'active' } })).body.status).toBe(
      'active',
    );
  });
});

describe('rotating', () => {
  test('shows the new secret once', async () => {
    const { body } = await create();
    const { status, body: rotated } = await app.request('POST', at(body.id, '/rotate-secret'));
    expect(status).toBe(200);
    expect(rotated.signing_secret).toMatch(/^whsec_/);
    expect(rotated.signing_secret).not.toBe(body.signing_secret);
    expect(rotated.signing_secret_prefix).toBe(rotated.signing_secret.slice(0, 8));
  });

  test('many times at once keeps every secret that somebody was shown', async () => {
    const { body } = await create();
    const rotations = await Promise.all(
      Array.from({ length: 5 }, () => app.request('POST', at(body.id, '/rotate-secret'))),
    );
    expect(new Set(rotations.map((answer) => answer.body.signing_secret)).size).toBe(5);
    const { rows } = await app.pool.query('select secrets from webhook_endpoints where id = $1', [body.id]);
    expect(rows[0].secrets).toHaveLength(6);
    expect(rows[0].secrets.filter((secret: { expires_at: null }) => secret.expires_at === null)).toHaveLength(
      1,
    );
  });

  test('is refused while ten secrets sign, and none of them is dropped before its time', async () => {
    const { body } = await create();
    const rotate = () => app.request('POST', at(body.id, '/rotate-secret'));
    for (let count = 0; count < 9; count += 1) expect((await rotate()).status).toBe(200);
    const refused = await rotate();
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(86_000);
    expect(seconds).toBeLessThanOrEqual(86_400);
    const { rows } = await app.pool.query('select secrets from webhook_endpoints where id = $1', [body.id]);
    expect(rows[0].secrets).toHaveLength(10);

    await app.pool.query(
      `update webhook_endpoints set secrets = jsonb_set(secrets, '{9,expires_at}', '"2026-01-01T00:00:00.000Z"')
       where id = $1`,
      [body.id],
    );
    expect((await rotate()).status).toBe(200);
  });

  test('the secret of the environment itself', async () => {
    const rotate = (id: string) => app.request('POST', `/v1/environments/${id}/webhook-secret/rotate`);
    const { status, body } = await rotate(app.testEnvironmentId);
    expect(status).toBe(200);
    expect(body).toEqual({
      environment_id: app.testEnvironmentId,
      signing_secret: expect.stringMatching(/^whsec_/),
      signing_secret_prefix: body.signing_secret.slice(0, 8),
    });
    expect((await rotate(app.liveEnvironmentId)).body.error.code).toBe('resource_not_found');
  });
});

test('lists page through everything, newest first', async () => {
  const made = [];
  for (let count = 0; count < 5; count += 1) made.push((await create()).body.id);
  const first = await app.request('GET', '/v1/webhook-endpoints?limit=3');
  expect(first.body.data.map((row: { id: string }) => row.id)).toEqual(made.slice(2).reverse());
  const second = await app.request('GET', `/v1/webhook-endpoints?limit=3&cursor=${first.body.next_cursor}`);
  expect(second.body.data.map((row: { id: string }) => row.id).slice(0, 2)).toEqual(
    made.slice(0, 2).reverse(),
  );
  const broken = await app.request('GET', '/v1/webhook-endpoints?cursor=nonsense');
  expect(broken.body.error.code).toBe('invalid_cursor');
  for (const limit of [0, 101, 'x']) {
    expect((await app.request('GET', `/v1/webhook-endpoints?limit=${limit}`)).status).toBe(400);
  }
});

test('endpoints of another environment do not exist', async () => {
  const { body } = await create();
  const key = app.liveKey;
  const none = '01890000-0000-7000-8000-000000000000';
  const calls: [string, string, unknown?][] = [
    ['GET', at(body.id)],
    ['PUT', at(body.id), { description: 'mine now' }],
    ['DELETE', at(body.id)],
    ['POST', at(body.id, '/rotate-secret')],
    ['POST', at(body.id, '/send-test')],
    ['POST', at(body.id, '/recover'), { since: '2026-01-01T00:00:00Z' }],
    ['POST', at(body.id, '/discard-pending')],
    ['GET', at(body.id, '/deliveries')],
    ['GET', at(body.id, `/deliveries/${none}`)],
    ['GET', at(body.id, `/deliveries/${none}/attempts`)],
    ['POST', at(body.id, `/deliveries/${none}/retry`)],
  ];
  for (const [method, path, content] of calls) {
    const answer = await app.request(method, path, { key, ...(content ? { body: content } : {}) });
    expect([path, answer.status, answer.body.error.code]).toEqual([path, 404, 'resource_not_found']);
  }
  const mine = await app.request('GET', '/v1/webhook-endpoints?limit=100', { key });
  expect(mine.body.data.map((row: { id: string }) => row.id)).not.toContain(body.id);
});

test('every change is audited, without secrets', async () => {
  const { body } = await create();
  await app.request('PUT', at(body.id), { body: { description: 'x' } });
  await app.request('POST', at(body.id, '/rotate-secret'));
  await app.request('DELETE', at(body.id));
  await app.request('DELETE', at(body.id));
  const { body: log } = await app.request('GET', `/v1/audit-log?target=webhook_endpoint:${body.id}`);
  expect(log.data.map((entry: { action: string }) => entry.action)).toEqual([
    'webhook_endpoint.disabled',
    'webhook_endpoint.secret_rotated',
    'webhook_endpoint.updated',
    'webhook_endpoint.created',
  ]);
  expect(log.data[2]).toMatchObject({ before: { description: '' }, after: { description: 'x' } });
  expect(JSON.stringify(log)).not.toMatch(/"signing_secret"|sealed/);
});
