import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness/app.ts';
import { openStream } from '../../test/harness/event-stream.ts';
import { createPerson, createSession, personWith } from '../../test/harness/people.ts';
import { createTokenBuckets } from './token-buckets.ts';

let app: TestApp;
beforeAll(async () => {
  // One request, and the next after half an hour: nothing comes back while the test runs.
  const settings = {
    CARILLON_END_USER_RATE_LIMIT: '0.0005',
    CARILLON_SESSION_RATE_LIMIT: '0.0005',
    PUBLIC_URL: 'https://carillon.example',
  };
  app = await startTestApp({ settings });
});
afterAll(() => app.stop());

async function tokenOf(external_user_id: string): Promise<string> {
  return (await app.request('POST', '/v1/inbox/tokens', { body: { external_user_id } })).body.token;
}

test('an end user is limited across all their tokens, and told so in headers that a page can read', async () => {
  const [first, second, others] = [await tokenOf('ada'), await tokenOf('ada'), await tokenOf('bob')];
  const allowed = await app.request('GET', '/inbox/v1/unread-count', { key: first });
  expect(allowed.status).toBe(200);
  expect(allowed.headers.get('ratelimit-limit')).toBe('1');
  expect(allowed.headers.get('ratelimit-remaining')).toBe('0');

  const refused = await app.request('GET', '/inbox/v1/preferences', { key: second });
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1000);
  expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  expect(refused.headers.get('access-control-expose-headers')).toContain('RateLimit-Reset');
  expect((await app.request('GET', '/inbox/v1/feed', { key: others })).status).toBe(200);
});

test('an open stream is one request and goes on, also for a user who may make no more of them', async () => {
  const key = await tokenOf('carol');
  const stream = await openStream(`${app.url}/inbox/v1/stream`, { authorization: `Bearer ${key}` });
  expect((await app.request('GET', '/inbox/v1/feed', { key })).status).toBe(429);
  for (let turn = 0; turn < 3; turn++) {
    const body = { channel: 'in_app', recipient: { external_user_id: 'carol' }, html_body: '<p>Hi</p>' };
    expect((await app.request('POST', '/v1/notifications', { body })).status).toBe(202);
  }
  await stream.waitFor('notification.arrived', 3);
  stream.close();
});

test('a person is limited across all their sessions, in the API and in their account', async () => {
  const organizationId = (await app.request('GET', '/v1/me')).body.organization_id;
  const membership = { organizationId, role: 'owner' as const };
  const [person, other] = [await createPerson(app, [membership]), await createPerson(app, [membership])];
  const first = await person.request('GET', '/v1/me');
  expect([first.status, first.headers.get('ratelimit-limit')]).toEqual([200, '1']);
  const elsewhere = personWith(app, { ...person, cookie: await createSession(app, person.userId) });
  for (const path of ['/auth/me', '/v1/me']) expect((await elsewhere.request('GET', path)).status).toBe(429);
  expect((await other.request('GET', '/auth/me')).status).toBe(200);
});

test('keys have their own limit', async () => {
  for (let turn = 0; turn < 10; turn++) expect((await app.request('GET', '/v1/me')).status).toBe(200);
});

test('a bucket fills with time, up to its burst', () => {
  let now = 0;
  const buckets = createTokenBuckets({ ratePerSecond: 2, burst: 4 }, () => now);
  const take = (count: number) => Array.from({ length: count }, () => buckets.take('a').allowed);
  expect(take(5)).toEqual([true, true, true, true, false]);
  expect(buckets.take('a')).toMatchObject({ limit: 4, remaining: 0, resetSeconds: 2, retryAfterSeconds: 1 });
  expect(buckets.take('b')).toMatchObject({ allowed: true, remaining: 3, retryAfterSeconds: 0 });
  now += 500;
  expect(take(2)).toEqual([true, false]);
  now += 3_600_000;
  expect(take(5)).toEqual([true, true, true, true, false]);
  now -= 10_000; // a clock that steps back takes nothing away
  expect(buckets.take('a')).toMatchObject({ allowed: false, remaining: 0 });
});

test('behind TLS browsers are told to come over TLS only; without it nothing is said', async () => {
  for (const path of ['/healthz', '/v1/me', '/nowhere', '/sign-in']) {
    const { headers } = await app.request('GET', path, { key: null });
    expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000']);
  }
  const plain = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  expect((await plain.request('GET', '/healthz')).headers.get('strict-transport-security')).toBeNull();
  await plain.stop();
});
