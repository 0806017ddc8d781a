import { afterAll, beforeAll, expect, test } from 'vitest';
import { isRecipientAccess } from '../../src/http/recipient-access.ts';
import { mustMatch } from '../../src/kernel/patterns.ts';
import { allRoutes } from '../../src/routes.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const pathOf = (path: string): string => path.replace(/:\w+/g, '01890000-0000-7000-8000-000000000000');

/** Bodies are left out on purpose: who may not call must be told so before anything else is looked at. */
test('every operation refuses missing and wrong credentials, and such as lack its scope', async () => {
  const narrow = await app.request('POST', '/v1/api-keys', {
    body: { name: 'narrow', scopes: ['workflows:trigger'] },
  });
  const other = await app.request('POST', '/v1/api-keys', {
    body: { name: 'other', scopes: ['notifications:read'] },
  });
  const tokens = new Map<string, string>();
  for (const scope of ['inbox', 'prefs']) {
    const body = { external_user_id: 'ada', scope };
    tokens.set(scope, (await app.request('POST', '/v1/inbox/tokens', { body })).body.token);
  }
  const guarded = allRoutes(app.services).filter(
    (route) => route.access !== 'public' && route.access !== 'session',
  );
  expect(guarded.length).toBeGreaterThan(10);
  for (const route of guarded) {
    const name = `${route.method} ${route.path}`;
    const path = pathOf(route.path);
    const missing = await app.request(route.method, path, { key: null });
    expect([name, missing.status, missing.body.error.code]).toEqual([name, 401, 'missing_credentials']);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    const wrong = await app.request(route.method, path, { key: 'crl_test_nonsense' });
    expect([name, wrong.status, wrong.body.error.code]).toEqual([name, 401, 'invalid_credentials']);
    if (route.access === 'key' || route.access === 'recipient') continue;
    const key = isRecipientAccess(route.access)
      ? tokens.get(route.access === 'recipient:inbox' ? 'prefs' : 'inbox')
      : (route.access === 'workflows:trigger' ? other : narrow).body.key;
    const short = await app.request(route.method, path, { key });
    expect([name, short.status, short.body.error.code]).toEqual([name, 403, 'insufficient_scope']);
    expect(short.body.error.message).toContain(route.access.replace('recipient:', ''));
  }
});

test('what is for dashboard people refuses strangers, dead sessions and writes of other sites', async () => {
  const cookie = `carillon_session=${'x'.repeat(43)}`;
  const guarded = allRoutes(app.services).filter((route) => route.access === 'session');
  expect(guarded.length).toBeGreaterThan(10);
  for (const route of guarded) {
    const name = `${route.method} ${route.path}`;
    const refused = async (headers: Record<string, string>) => {
      const { status, body } = await app.request(route.method, pathOf(route.path), { key: null, headers });
      return [name, status, body.error.code];
    };
    expect(await refused({})).toEqual([name, 401, 'missing_credentials']);
    expect(await refused({ cookie, 'x-carillon-csrf': '1' })).toEqual([name, 401, 'invalid_credentials']);
    if (route.method !== 'GET') expect(await refused({ cookie })).toEqual([name, 403, 'csrf_required']);
  }
});

test('operation names and addresses are unique', () => {
  const routes = allRoutes(app.services);
  const names = routes.map((route) => route.operation);
  const addresses = routes.map((route) => `${route.method} ${route.path}`);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(addresses).size).toBe(addresses.length);
});

test('a known address with another verb is 405 with the verbs that work', async () => {
  const { status, body, headers } = await app.request('PUT', '/v1/notifications');
  expect([status, body.error.code]).toEqual([405, 'method_not_allowed']);
  expect(headers.get('allow')).toBe('POST, GET, HEAD');
});

test('an unknown address is 404 in the shape of every error', async () => {
  for (const path of ['/v1', '/v1/nothing', '/v1/notifications//', '/%ff', '/v1/notifications/%00']) {
    const { status, body } = await app.request('GET', path);
    expect([path, status, body.error?.type]).toEqual([path, 404, 'not_found_error']);
  }
});

test('a request id is given back, and a valid one is kept', async () => {
  const given = await app.request('GET', '/v1/me', { headers: { 'x-request-id': 'abc-123' } });
  expect(given.headers.get('x-request-id')).toBe('abc-123');
  const made = await app.request('GET', '/nowhere', { headers: { 'x-request-id': 'a b<script>' } });
  expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('the OpenAPI document names 422 where trigger data or a promotion is refused', async () => {
  const { paths } = (await app.request('GET', '/openapi.json', { key: null })).body;
  for (const path of ['trigger', 'promote', 'versions/{version}/simulate'])
    expect(paths[`/v1/workflows/{key}/${path}`].post.responses).toHaveProperty('422');
  expect(paths['/v1/workflows/{key}/events'].post.responses).not.toHaveProperty('422');
});

test('what a text must look like is told in words wherever it can be wrong', async () => {
  const { body } = await app.request('GET', '/openapi.json', { key: null });
  const patterns = JSON.stringify(body).match(/(?<="pattern":)"(?:[^"\\]|\\.)*"/g) ?? [];
  expect(patterns.length).toBeGreaterThan(10);
  expect(patterns.map((each) => mustMatch(JSON.parse(each))).filter((words) => words.includes('^'))).toEqual(
    [],
  );
});
