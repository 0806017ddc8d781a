import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { query } from '../../../db/sql.ts';
import type { Role } from '../../../http/scopes.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { newId } from '../../../kernel/ids.ts';
import { hashPassword } from './password.ts';

const password = 'opensesame';
let app: TestApp;
let organizationId: string;
let passwordHash: string;

beforeAll(async () => {
  app = await startTestApp();
  organizationId = (await app.request('GET', '/v1/me', { key: app.testKey })).body.organization_id;
  passwordHash = await hashPassword(password);
});
afterAll(() => app.stop());
beforeEach(() => query(app.pool, 'delete from login_failures'));

async function person(role: Role = 'owner'): Promise<string> {
  const id = newId();
  await query(app.pool, 'insert into users (id, email, name, password_hash) values ($1, $2, $3, $4)', [
    id,
    `${id}@example.com`,
    'Pat',
    passwordHash,
  ]);
  await query(app.pool, 'insert into memberships (organization_id, user_id, role) values ($1, $2, $3)', [
    organizationId,
    id,
    role,
  ]);
  return `${id}@example.com`;
}

function login(email: string, guess = password, at = app) {
  return at.request('POST', '/auth/login', { key: null, body: { email, password: guess } });
}

async function cookieOf(email: string): Promise<string> {
  const response = await login(email);
  expect(response.status).toBe(204);
  return String(response.headers.get('set-cookie')).split(';')[0] ?? '';
}

describe('POST /auth/login', () => {
  test('gives a cookie for a week, of which only a hash is stored', async () => {
    const response = await login((await person()).toUpperCase());
    expect(response.status).toBe(204);
    const [, token = ''] =
      /^carillon_session=([\w-]{43}); Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/.exec(
        response.headers.getSetCookie()[0] ?? '',
      ) ?? [];
    expect(
      await query(app.pool, 'select 1 from sessions where token_hash = $1', [sha256(token)]),
    ).toHaveLength(1);
  });

  test('a wrong password and an unknown email get the same answer', async () => {
    const wrong = await login(await person(), 'guess');
    const unknown = await login('nobody@example.com');
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: 'invalid_credentials' } } });
    expect(unknown.body).toEqual(wrong.body);
    expect(wrong.headers.get('set-cookie')).toBeNull();
  });

  test.each([
    [{}, 'parameter_missing', 'email'],
    [{ email: 'a@b.c' }, 'parameter_missing', 'password'],
    [{ email: 5, password }, 'parameter_invalid', 'email'],
    [{ email: 'a@b.c', password: ['x'] }, 'parameter_invalid', 'password'],
    [{ email: 'a@b.c', password: '' }, 'parameter_invalid', 'password'],
    [{ email: 'a@b.c', password: 'x'.repeat(201) }, 'parameter_invalid', 'password'],
    [{ email: `${'x'.repeat(320)}@b.c`, password }, 'parameter_invalid', 'email'],
    [{ email: 'a\0@b.c', password }, 'parameter_invalid', 'email'],
  ])('refuses %j', async (body, code, param) => {
    const response = await app.request('POST', '/auth/login', { key: null, body });
    expect(response).toMatchObject({ status: 400, body: { error: { code, param } } });
  });

  test('behind a proxy that is trusted it is the address that the proxy names, and otherwise the caller’s own', async () => {
    const behind = await startTestApp({
      settings: { CARILLON_ROLES: 'api', CARILLON_TRUSTED_PROXIES: '127.0.0.0/8, ::1' },
    });
    try {
      const countsOf = async (at: TestApp) => {
        await query(at.pool, 'delete from login_failures');
        for (const address of ['192.0.2.1', '198.51.100.1']) {
          const body = { email: 'someone@example.com', password: 'wrong' };
          await at.request('POST', '/auth/login', {
            key: null,
            body,
            headers: { 'x-forwarded-for': `198.51.100.9, ${address}` },
          });
        }
        return (await query(at.pool, 'select 1 from login_failures')).length;
      };
      // One row is of the email; each network has one, and one together with the email.
      expect(await countsOf(behind)).toBe(5);
      expect(await countsOf(app)).toBe(3);
    } finally {
      await behind.stop();
    }
  });
});

describe('a dashboard session', () => {
  test('GET /auth/me says who it is and where they belong', async () => {
    const email = await person('admin');
    const me = await app.request('GET', '/auth/me', {
      key: null,
      headers: { cookie: await cookieOf(email) },
    });
    expect(me.status).toBe(200);
    expect(me.body).toEqual({
      user_id: email.split('@')[0],
      email,
      name: 'Pat',
      organizations: [
        {
          id: organizationId,
          name: 'My organization',
          role: 'admin',
          environments: [
            { id: expect.any(String), name: 'Test', kind: 'test', created_at: expect.any(String) },
            { id: expect.any(String), name: 'Live', kind: 'live', created_at: expect.any(String) },
          ],
        },
      ],
      may_create_organizations: true,
    });
  });

  test('uses the API in the environment that it names, with the scopes of the role', async () => {
    const cookie = await cookieOf(await person('owner'));
    const live = (await app.request('GET', '/v1/me', { key: app.liveKey })).body.environment_id;
    const me = await app.request('GET', '/v1/me', {
      key: null,
      headers: { cookie, 'x-environment-id': live },
    });
    expect(me.body).toMatchObject({
      environment_id: live,
      environment_kind: 'live',
      key_id: null,
      key_scope: null,
      key_type: 'session',
    });
    const environments = await app.request('GET', '/v1/environments', { key: null, headers: { cookie } });
    expect(environments.body.data.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['live', 'test']);
    expect(
      (await app.request('GET', `/v1/environments/${live}`, { key: null, headers: { cookie } })).status,
    ).toBe(200);

    const made = await app.request('POST', '/v1/api-keys', {
      key: null,
      headers: { cookie, 'x-environment-id': live, 'x-carillon-csrf': '1' },
      body: { name: 'by hand', preset: 'send_only' },
    });
    expect(made).toMatchObject({ status: 201, body: { key: expect.stringMatching(/^crl_live_/) } });
  });

  test('a developer cannot hand out keys', async () => {
    const cookie = await cookieOf(await person('developer'));
    expect((await app.request('GET', '/v1/api-keys', { key: null, headers: { cookie } })).status).toBe(403);
  });

  test('an unknown environment is not found', async () => {
    const cookie = await cookieOf(await person());
    const response = await app.request('GET', '/v1/me', {
      key: null,
      headers: { cookie, 'x-environment-id': newId() },
    });
    expect(response).toMatchObject({ status: 404, body: { error: { message: 'No such environment.' } } });
  });

  test('ends with POST /auth/logout, which other sites cannot call', async () => {
    const cookie = await cookieOf(await person());
    expect(await app.request('POST', '/auth/logout', { key: null, headers: { cookie } })).toMatchObject({
      status: 403,
      body: { error: { code: 'csrf_required' } },
    });
    expect((await app.request('GET', '/v1/me', { key: null, headers: { cookie } })).status).toBe(200);

    const out = await app.request('POST', '/auth/logout', {
      key: null,
      headers: { cookie, 'x-carillon-csrf': '1' },
    });
    expect(out.status).toBe(204);
    expect(out.headers.get('set-cookie')).toMatch(/^carillon_session=; .*Max-Age=0/);
    for (const path of ['/v1/me', '/auth/me']) {
      expect(await app.request('GET', path, { key: null, headers: { cookie } })).toMatchObject({
        status: 401,
        body: { error: { code: 'invalid_credentials' } },
      });
    }
  });

  test('an expired session is told so', async () => {
    const email = await person();
    const cookie = await cookieOf(email);
    await query(app.pool, `update sessions set expires_at = now() - interval '1 second' where user_id = $1`, [
      email.split('@')[0],
    ]);
    const me = await app.request('GET', '/auth/me', { key: null, headers: { cookie } });
    expect(me).toMatchObject({ status: 401, body: { error: { code: 'expired_credentials' } } });
  });

  test.each(['/auth/me', '/auth/logout'])('%s without a cookie is refused', async (path) => {
    const response = await app.request(path === '/auth/me' ? 'GET' : 'POST', path, {
      key: null,
      headers: { 'x-carillon-csrf': '1' },
    });
    expect(response).toMatchObject({ status: 401, body: { error: { code: 'missing_credentials' } } });
  });
});
