import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { query } from '../../../db/sql.ts';
import { scopes } from '../../../http/scopes.ts';
import { newId } from '../../../kernel/ids.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function create(body: object, key = app.testKey) {
  const response = await app.request('POST', '/v1/api-keys', { key, body });
  expect(response).toMatchObject({ status: 201 });
  return response.body;
}

describe('GET /v1/me', () => {
  test('says whom a key stands for', async () => {
    const me = await app.request('GET', '/v1/me', { key: app.liveKey });
    expect(me.status).toBe(200);
    expect(me.body).toEqual({
      organization_id: uuid,
      environment_id: uuid,
      environment_kind: 'live',
      key_id: uuid,
      key_scope: 'full_access',
      scopes: [...scopes],
      key_type: 'secret',
    });
  });

  test('calls a key of single scopes custom', async () => {
    const { key } = await create({
      name: 'two scopes',
      scopes: ['templates:read', 'notifications:send', 'templates:read'],
    });
    const me = await app.request('GET', '/v1/me', { key });
    expect(me.body).toMatchObject({ key_scope: 'custom', scopes: ['notifications:send', 'templates:read'] });
  });
});

describe('GET /v1/environments', () => {
  test('shows a key its own environment and no other', async () => {
    const inTest = (await app.request('GET', '/v1/environments', { key: app.testKey })).body;
    const inLive = (await app.request('GET', '/v1/environments', { key: app.liveKey })).body;
    expect(inTest).toEqual({
      data: [{ id: uuid, name: 'Test', kind: 'test', created_at: timestamp }],
      next_cursor: null,
    });
    expect(inLive).toEqual({
      data: [{ id: uuid, name: 'Live', kind: 'live', created_at: timestamp }],
      next_cursor: null,
    });

    const own = await app.request('GET', `/v1/environments/${inTest.data[0].id}`, { key: app.testKey });
    expect(own).toMatchObject({ status: 200, body: inTest.data[0] });
    for (const id of [inLive.data[0].id, newId(), 'nonsense', '%00']) {
      const other = await app.request('GET', `/v1/environments/${id}`, { key: app.testKey });
      expect(other).toMatchObject({ status: 404, body: { error: { code: 'resource_not_found' } } });
    }
  });
});

describe('POST /v1/api-keys', () => {
  test('makes a key of the same environment and shows its secret this once', async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const made = await create({ name: 'CI', preset: 'read_only', expires_at: expires }, app.liveKey);
    expect(made).toEqual({
      id: uuid,
      name: 'CI',
      preset: 'read_only',
      scopes: scopes.filter((scope) => scope.endsWith(':read')),
      key: expect.stringMatching(/^crl_live_[0-9A-Za-z]{38}$/),
      last4: made.key.slice(-4),
      created_by_user_id: uuid,
      created_at: timestamp,
      expires_at: expires,
      last_used_at: null,
    });
    expect((await app.request('GET', '/v1/me', { key: made.key })).body).toMatchObject({
      environment_kind: 'live',
      key_id: made.id,
    });

    const { key: _, ...listed } = made;
    const list = await app.request('GET', '/v1/api-keys?limit=100', { key: app.liveKey });
    expect(list.body.data.find(({ id }: { id: string }) => id === made.id)).toEqual({
      ...listed,
      last_used_at: expect.toSatisfy((value) => value === null || typeof value === 'string'),
    });
    const stored = await query<{ row: string }>(app.pool, 'select api_keys::text as row from api_keys');
    expect(stored.filter(({ row }) => row.includes(made.key.slice(9, 30)))).toEqual([]);
  });

  test.each([
    [{}, 'parameter_missing', 'name'],
    [{ name: 'x' }, 'parameter_missing', 'preset'],
    [{ name: '', preset: 'full_access' }, 'parameter_invalid', 'name'],
    [{ name: 'x'.repeat(101), preset: 'full_access' }, 'parameter_invalid', 'name'],
    [{ name: 'a\nb', preset: 'full_access' }, 'parameter_invalid', 'name'],
    [{ name: 'a\0b', preset: 'full_access' }, 'parameter_invalid', 'name'],
    [{ name: null, preset: 'full_access' }, 'parameter_invalid', 'name'],
    [{ name: 5, preset: 'full_access' }, 'parameter_invalid', 'name'],
    [{ name: 'x', preset: 'everything' }, 'parameter_invalid', 'preset'],
    [{ name: 'x', preset: 'toString' }, 'parameter_invalid', 'preset'],
    [{ name: 'x', preset: null }, 'parameter_missing', 'preset'],
    [{ name: 'x', scopes: [] }, 'parameter_invalid', 'scopes'],
    [{ name: 'x', scopes: 'keys:read' }, 'parameter_invalid', 'scopes'],
    [{ name: 'x', scopes: ['keys:read', 'keys:eat'] }, 'parameter_invalid', 'scopes[1]'],
    [{ name: 'x', scopes: ['keys:read', null] }, 'parameter_invalid', 'scopes[1]'],
    [{ name: 'x', scopes: ['keys:read'], preset: 'send_only' }, 'parameter_invalid', 'scopes'],
    [{ name: 'x', preset: 'send_only', expires_at: 'tomorrow' }, 'parameter_invalid', 'expires_at'],
    [{ name: 'x', preset: 'send_only', expires_at: 1_900_000_000 }, 'parameter_invalid', 'expires_at'],
    [
      { name: 'x', preset: 'send_only', expires_at: '2020-01-01T00:00:00Z' },
      'parameter_invalid',
      'expires_at',
    ],
    [[], 'parameter_invalid', null],
  ])('refuses %j: %s %s', async (body, code, param) => {
    const response = await app.request('POST', '/v1/api-keys', { key: app.testKey, body });
    expect(response).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', code, param } },
    });
  });

  test('takes null as no expiry', async () => {
    expect(await create({ name: 'x', preset: 'send_only', expires_at: null })).toMatchObject({
      expires_at: null,
    });
  });

  test('a key cannot mint scopes that it lacks, neither as a preset nor one by one', async () => {
    const { key } = await create({ name: 'minter', scopes: ['keys:write', 'keys:read', 'templates:read'] });
    for (const [body, missing] of [
      [{ name: 'x', preset: 'full_access' }, 'notifications:send'],
      [{ name: 'x', scopes: ['templates:read', 'templates:write'] }, 'templates:write'],
    ] as const) {
      const response = await app.request('POST', '/v1/api-keys', { key, body });
      expect(response).toMatchObject({
        status: 403,
        body: {
          error: {
            type: 'permission_error',
            code: 'insufficient_scope',
            message: expect.stringContaining(missing),
          },
        },
      });
    }
    expect(await create({ name: 'less', scopes: ['templates:read'] }, key)).toMatchObject({
      scopes: ['templates:read'],
    });
  });
});

describe('GET /v1/api-keys', () => {
  test('pages through the keys, newest first', async () => {
    const ids = [];
    for (const name of ['p1', 'p2', 'p3']) ids.unshift((await create({ name, preset: 'send_only' })).id);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await app.request('GET', `/v1/api-keys?limit=2${cursor && `&cursor=${cursor}`}`, {
        key: app.testKey,
      });
      expect(page.body.data.length).toBeLessThanOrEqual(2);
      seen.push(...page.body.data.map(({ id }: { id: string }) => id));
      cursor = page.body.next_cursor;
    } while (cursor);
    expect(seen.slice(0, 3)).toEqual(ids);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test.each([
    ['limit=0', 'parameter_invalid', 'limit'],
    ['limit=101', 'parameter_invalid', 'limit'],
    ['limit=ten', 'parameter_invalid', 'limit'],
    ['cursor=nonsense', 'invalid_cursor', 'cursor'],
  ])('refuses ?%s', async (search, code, param) => {
    const response = await app.request('GET', `/v1/api-keys?${search}`, { key: app.testKey });
    expect(response).toMatchObject({ status: 400, body: { error: { code, param } } });
  });
});

describe('DELETE /v1/api-keys/:id', () => {
  test('revokes at once, and then the key is gone', async () => {
    const { id, key } = await create({ name: 'short-lived', preset: 'full_access' });
    expect((await app.request('GET', '/v1/me', { key })).status).toBe(200);
    expect(await app.request('DELETE', `/v1/api-keys/${id}`, { key: app.testKey })).toMatchObject({
      status: 204,
    });
    expect(await app.request('GET', '/v1/me', { key })).toMatchObject({
      status: 401,
      body: { error: { type: 'authentication_error', code: 'revoked_credentials' } },
    });
    for (const path of [
      `/v1/api-keys/${id}/rotate`,
      `/v1/api-keys/${newId()}/rotate`,
      '/v1/api-keys/nonsense/rotate',
    ]) {
      expect((await app.request('POST', path, { key: app.testKey })).status).toBe(404);
    }
    for (const gone of [id, newId(), 'nonsense']) {
      expect((await app.request('DELETE', `/v1/api-keys/${gone}`, { key: app.testKey })).status).toBe(404);
    }
    const list = await app.request('GET', '/v1/api-keys?limit=100', { key: app.testKey });
    expect(list.body.data.map((row: { id: string }) => row.id)).not.toContain(id);
  });

  test('a key of another environment does not exist', async () => {
    const { id, key } = await create({ name: 'mine', preset: 'send_only' });
    expect((await app.request('DELETE', `/v1/api-keys/${id}`, { key: app.liveKey })).status).toBe(404);
    expect((await app.request('POST', `/v1/api-keys/${id}/rotate`, { key: app.liveKey })).status).toBe(404);
    expect((await app.request('GET', '/v1/me', { key })).status).toBe(200);
  });

  test('is refused to a key that lacks a scope of the other', async () => {
    const strong = await create({ name: 'strong', preset: 'full_access' });
    const { key } = await create({ name: 'weak', scopes: ['keys:write'] });
    const response = await app.request('DELETE', `/v1/api-keys/${strong.id}`, { key });
    expect(response).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
    expect((await app.request('GET', '/v1/me', { key: strong.key })).status).toBe(200);
  });

  test('a key may revoke itself', async () => {
    const { id, key } = await create({ name: 'self', preset: 'full_access' });
    expect((await app.request('DELETE', `/v1/api-keys/${id}`, { key })).status).toBe(204);
    expect((await app.request('GET', '/v1/me', { key })).status).toBe(401);
  });
});

describe('POST /v1/api-keys/:id/rotate', () => {
  test('without a grace the old key is revoked and a new one like it is shown once', async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const old = await create({ name: 'turns', scopes: ['keys:write', 'keys:read'], expires_at: expires });
    const rotated = await app.request('POST', `/v1/api-keys/${old.id}/rotate`, { key: old.key });
    expect(rotated.status).toBe(201);
    expect(rotated.body).toEqual({
      ...old,
      id: uuid,
      key: expect.stringMatching(/^crl_test_/),
      last4: rotated.body.key.slice(-4),
      created_at: timestamp,
    });
    expect(rotated.body.id).not.toBe(old.id);
    expect((await app.request('GET', '/v1/me', { key: old.key })).body.error.code).toBe(
      'revoked_credentials',
    );
    expect((await app.request('GET', '/v1/me', { key: rotated.body.key })).status).toBe(200);
  });

  test('with a grace both work, and the old one shows when it ends', async () => {
    const old = await create({ name: 'graceful', preset: 'send_only' });
    const rotate = () =>
      app.request('POST', `/v1/api-keys/${old.id}/rotate`, {
        key: app.testKey,
        body: { grace_seconds: 3600 },
      });
    const first = await rotate();
    expect(first.body.expires_at).toBeNull();
    for (const key of [old.key, first.body.key])
      expect((await app.request('GET', '/v1/me', { key })).status).toBe(200);
    const list = await app.request('GET', '/v1/api-keys?limit=100', { key: app.testKey });
    const ends =
      Date.parse(list.body.data.find(({ id }: { id: string }) => id === old.id).expires_at) - Date.now();
    expect(ends).toBeGreaterThan(3_500_000);
    expect(ends).toBeLessThanOrEqual(3_600_000);
    // Rotated once more, its successor does not inherit the end of the grace.
    expect((await rotate()).body.expires_at).toBeNull();
  });

  test.each([
    [{ grace_seconds: -1 }],
    [{ grace_seconds: 604_801 }],
    [{ grace_seconds: 1.5 }],
    [{ grace_seconds: '60' }],
  ])('refuses %j', async (body) => {
    const { id } = await create({ name: 'x', preset: 'send_only' });
    const response = await app.request('POST', `/v1/api-keys/${id}/rotate`, { key: app.testKey, body });
    expect(response).toMatchObject({
      status: 400,
      body: { error: { code: 'parameter_invalid', param: 'grace_seconds' } },
    });
  });

  test.each(['expires_at', 'retires_at'])('a key whose %s is over is not rotated', async (end) => {
    const { id } = await create({ name: 'x', preset: 'send_only' });
    await query(app.pool, `update api_keys set ${end} = now() - interval '1 second' where id = $1`, [id]);
    const response = await app.request('POST', `/v1/api-keys/${id}/rotate`, { key: app.testKey });
    expect(response).toMatchObject({
      status: 400,
      body: { error: { code: 'parameter_invalid', param: 'id' } },
    });
  });

  test('a key that ends makes none that lives longer, neither new nor by rotation', async () => {
    const until = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const { id, key } = await create({ name: 'ends', preset: 'full_access', expires_at: until(2) });
    const lasting = await create({ name: 'lasts', preset: 'full_access' });
    const refused = { status: 403, body: { error: { code: 'insufficient_scope' } } };
    for (const expires_at of [undefined, null, until(3)]) {
      const body = { name: 'x', preset: 'send_only', expires_at };
      expect(await app.request('POST', '/v1/api-keys', { key, body })).toMatchObject(refused);
    }
    expect(await app.request('POST', `/v1/api-keys/${lasting.id}/rotate`, { key })).toMatchObject(refused);
    await create({ name: 'x', preset: 'send_only', expires_at: until(1) }, key);

    // In its grace a key ends, too: whoever it leaked to cannot turn it into one that lasts.
    const body = { grace_seconds: 60 };
    const rotated = await app.request('POST', `/v1/api-keys/${lasting.id}/rotate`, {
      key: lasting.key,
      body,
    });
    expect(rotated.status).toBe(201);
    const again = await app.request('POST', `/v1/api-keys/${lasting.id}/rotate`, { key: lasting.key });
    expect(again).toMatchObject(refused);
    expect((await app.request('POST', `/v1/api-keys/${id}/rotate`, { key })).status).toBe(201);
  });

  test('a key cannot rotate its way to scopes that it lacks', async () => {
    const strong = await create({ name: 'strong', preset: 'full_access' });
    const { key } = await create({ name: 'weak', scopes: ['keys:write'] });
    const response = await app.request('POST', `/v1/api-keys/${strong.id}/rotate`, { key });
    expect(response).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
    expect((await app.request('GET', '/v1/me', { key: strong.key })).status).toBe(200);
  });

  test('of many rotations at once only one finds the key', async () => {
    const { id } = await create({ name: 'popular', preset: 'send_only' });
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => app.request('POST', `/v1/api-keys/${id}/rotate`, { key: app.testKey })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(404)]);
  });
});

test.each([
  ['GET', '/v1/api-keys', 'keys:read'],
  ['POST', '/v1/api-keys', 'keys:write'],
  ['DELETE', `/v1/api-keys/${newId()}`, 'keys:write'],
  ['POST', `/v1/api-keys/${newId()}/rotate`, 'keys:write'],
] as const)('%s %s needs the scope %s', async (method, path, scope) => {
  const { key } = await create({ name: 'all but one', scopes: scopes.filter((each) => each !== scope) });
  expect(await app.request(method, path, { key })).toMatchObject({
    status: 403,
    body: { error: { code: 'insufficient_scope', message: expect.stringContaining(scope) } },
  });
});
