import { scryptSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../test/harness/app.ts';
import { createPerson, password, type TestPerson } from '../../../../test/harness/people.ts';
import { query } from '../../../db/sql.ts';

let app: TestApp;
let organizationId: string;
beforeAll(async () => {
  // The proxy in front is trusted, so that a test can come from any network.
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api', CARILLON_TRUSTED_PROXIES: '127.0.0.0/8' } });
  organizationId = (await app.request('GET', '/v1/me')).body.organization_id;
});
afterAll(() => app.stop());
beforeEach(() => query(app.pool, 'delete from login_failures'));

const home = '198.51.100.7';
const member = () => createPerson(app, [{ organizationId, role: 'owner' }]);

function login(email: string, guess: string, from = home, headers: Record<string, string> = {}, at = app) {
  return at.request('POST', '/auth/login', {
    key: null,
    body: { email, password: guess },
    headers: { 'x-forwarded-for': from, 'user-agent': 'Tester/1.0', ...headers },
  });
}

/** The cookies that a browser would send back. */
function cookiesOf({ headers }: Awaited<ReturnType<typeof login>>): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

/** As if there had been this many failures, by every count: a wait that begins now is long enough for a slow machine. */
const pretendFailures = (failures: number) =>
  query(app.pool, `update login_failures set failures = $1, blocked_until = '-infinity'`, [failures]);
const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status);

async function log(person: TestPerson, action = '') {
  const path = `/v1/audit-log?limit=100&target=member:${person.userId}${action && `&action=member.${action}`}`;
  return (await app.request('GET', path)).body.data;
}

describe('failed sign-ins', () => {
  test('make the next attempt for that account from that network wait, longer each time, and no other', async () => {
    const { email } = await member();
    const waiting = () => query(app.pool, `select from login_failures where blocked_until > '-infinity'`);
    for (let turn = 1; turn <= 5; turn++) {
      expect([await waiting(), (await login(email, 'guess')).status]).toEqual([[], 401]);
    }
    expect(await waiting()).toHaveLength(1);
    for (const [failures, seconds] of [
      [10, 64],
      [12, 256],
      [14, 900],
      [500_000, 900],
    ] as const) {
      await pretendFailures(failures);
      expect((await login(email, 'guess')).status).toBe(401);
      const refused = await login(email, password);
      expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
      expect(refused.headers.get('ratelimit-remaining')).toBe('0');
      const wait = Number(refused.headers.get('retry-after'));
      expect([wait > seconds / 2, wait <= seconds]).toEqual([true, true]);
    }
    await query(app.pool, 'delete from login_failures');
    await login(email, 'guess');
    await pretendFailures(14);
    expect((await login(email, 'guess')).status).toBe(401);
    expect((await login(email, password)).status).toBe(429);
    expect((await login(email, password, '203.0.113.1')).status).toBe(204); // another network
    expect((await login((await member()).email, password)).status).toBe(204); // another account

    await pretendFailures(14);
    expect((await login(email, password)).status).toBe(204); // and a success clears the count
    for (let turn = 1; turn <= 4; turn++) expect((await login(email, 'guess')).status).toBe(401);
    expect((await login(email, password)).status).toBe(204);
  });

  test('get no more guesses by racing each other in several processes', async () => {
    const { email } = await member();
    const second = await startTestApp({
      database: app.database,
      settings: { CARILLON_ROLES: 'api', CARILLON_TRUSTED_PROXIES: '127.0.0.0/8' },
    });
    await login(email, 'guess');
    await pretendFailures(14);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, turn) => login(email, 'guess', home, {}, turn % 2 ? app : second)),
    );
    await second.stop();
    expect(statusesOf(answers).toSorted()).toEqual([401, ...Array(11).fill(429)]);
  });

  test('on many networks never keep the owner out of a browser in which they have signed in before', async () => {
    const owner = await member();
    const browser = { cookie: cookiesOf(await login(owner.email, password)) };
    const guess = (network: number) => login(owner.email, 'guess', `203.0.${network}.1`);
    for (let network = 0; network < 20; network++) expect((await guess(network)).status).toBe(401);
    await pretendFailures(60);
    expect((await guess(20)).status).toBe(401);
    for (let network = 21; network < 40; network++) expect((await guess(network)).status).toBe(429);
    expect((await login(owner.email, password, '192.0.2.200')).status).toBe(429); // an unknown device waits
    const again = await login(owner.email, password, home, browser);
    expect(again.status).toBe(204);
    expect((await guess(41)).status).toBe(429); // which gives no guesses back
    const change = { current_password: password, new_password: 'another password' };
    const session = { cookie: cookiesOf(again), 'x-carillon-csrf': '1' };
    const changed = await app.request('POST', '/auth/password', {
      key: null,
      body: change,
      headers: session,
    });
    expect(changed.status).toBe(204);
  });

  test('from a known browser make that browser wait, and no other', async () => {
    const owner = await member();
    const [stolen, kept] = [
      { cookie: cookiesOf(await login(owner.email, password)) },
      { cookie: cookiesOf(await login(owner.email, password)) },
    ];
    expect((await login(owner.email, 'guess', home, stolen)).status).toBe(401);
    await pretendFailures(14);
    expect((await login(owner.email, 'guess', home, stolen)).status).toBe(401);
    expect((await login(owner.email, password, home, stolen)).status).toBe(429);
    expect((await login(owner.email, password, home, kept)).status).toBe(204);
    expect((await login(owner.email, password)).status).toBe(204);
  });

  test('are not excused by a device cookie of another account, or one that was tampered with', async () => {
    const [mine, theirs] = [await member(), await member()];
    const cookie = cookiesOf(await login(mine.email, password));
    const [, value = ''] = /carillon_device_\w+=([^;]+)/.exec(cookie) ?? [];
    const theirName = /carillon_device_\w+/.exec(cookiesOf(await login(theirs.email, password)))?.[0];
    const last = value.at(-1) === 'A' ? 'B' : 'A';
    await login(theirs.email, 'guess');
    await pretendFailures(14);
    expect((await login(theirs.email, 'guess')).status).toBe(401);
    for (const forged of [value, value.slice(0, -1) + last, 'v1.x.y', '']) {
      const attempt = await login(theirs.email, password, home, { cookie: `${theirName}=${forged}` });
      expect(attempt.status).toBe(429);
    }
  });

  test('with many accounts from one network make the network wait, without a row for each made-up email', async () => {
    await login('a@example.com', 'guess');
    await pretendFailures(110);
    expect((await login('b@example.com', 'guess')).status).toBe(401);
    expect((await login((await member()).email, password)).status).toBe(429);
    const rows = await query(app.pool, 'select from login_failures');
    expect((await login('c@example.com', 'guess')).status).toBe(429);
    expect(await query(app.pool, 'select from login_failures')).toHaveLength(rows.length);
  });

  test('are answered alike whether or not there is such an account, also when they have to wait', async () => {
    const known = (await member()).email;
    const answers = async (email: string, from: string) => {
      const seen: unknown[] = [];
      for (let turn = 0; turn < 3; turn++) {
        const { status, body, headers } = await login(email, 'guess', from);
        const text = JSON.stringify([body, [...headers.keys()], headers.get('ratelimit-limit')]);
        seen.push([status, text.replaceAll(/\d+ seconds/g, 'N seconds')]);
        if (turn === 0) await pretendFailures(14);
      }
      return seen;
    };
    expect(
      (await answers('somebody@example.com', '203.0.112.1')).map((each) => (each as unknown[])[0]),
    ).toEqual([401, 401, 429]);
    expect(await answers('nobody@example.com', '203.0.113.1')).toEqual(await answers(known, '203.0.114.1'));
  });

  test('an attempt that has to wait counts nowhere', async () => {
    const { email } = await member();
    await login(email, 'guess');
    await pretendFailures(14);
    await login(email, 'guess');
    const counts = () => query(app.pool, 'select failures from login_failures order by subject');
    const before = await counts();
    expect((await login(email, 'guess')).status).toBe(429);
    expect(await counts()).toEqual(before);
  });
});

describe('the audit log', () => {
  test('says who signed in and out, from where and with what', async () => {
    const person = await member();
    const signedIn = await login(person.email, password, '192.0.2.9', {
      'user-agent': `Agent \u00e9${'x'.repeat(400)}`,
    });
    const headers = { cookie: cookiesOf(signedIn), 'x-carillon-csrf': '1', 'user-agent': 'Other/2' };
    await app.request('POST', '/auth/logout', { key: null, headers });
    const [signedOut, entry] = await log(person);
    expect(entry).toMatchObject({
      action: 'member.signed_in',
      actor: { kind: 'user', id: person.userId },
      environment_id: null,
      ip_address: '192.0.2.9',
      user_agent: expect.stringMatching(/^Agent \?+x+$/),
      after: { session_id: expect.any(String) },
    });
    expect(entry.user_agent).toHaveLength(300);
    expect(signedOut).toMatchObject({
      action: 'member.signed_out',
      ip_address: '127.0.0.1',
      user_agent: 'Other/2',
      before: { session_id: entry.after.session_id },
    });
    const inLive = await app.request('GET', `/v1/audit-log?target=member:${person.userId}`, {
      key: app.liveKey,
    });
    expect(inLive.body.data).toEqual([signedOut, entry]);
  });

  test('has the failures and the beginning of the wait, and a stranger cannot fill it', async () => {
    const person = await member();
    for (let turn = 0; turn < 49; turn++) await login(person.email, 'guess', `203.0.${turn}.1`);
    await login(person.email, 'guess', '203.0.200.1');
    await login(person.email, 'guess', '203.0.201.1'); // refused
    const throttled = await waitUntil(async () => {
      const entries = await log(person, 'sign_in_throttled');
      return entries.length > 0 ? entries : new Error('not yet');
    });
    expect(throttled).toMatchObject([
      {
        actor: { kind: 'system', id: null },
        after: { failures: 50, by: ['account'] },
        ip_address: '203.0.200.1',
        user_agent: 'Tester/1.0',
      },
    ]);
    const failed = await waitUntil(async () => {
      const entries = await log(person, 'sign_in_failed');
      return entries.length === 12 ? entries : new Error(`${entries.length} entries`);
    });
    const counts = failed.map(({ after }: { after: { failures: number } }) => after.failures);
    expect(counts.toSorted((a: number, b: number) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32]);
  });

  test('has nothing of emails without an account', async () => {
    const entries = () => query(app.pool, 'select from audit_entries');
    const before = (await entries()).length;
    await login('nobody@example.com', 'guess');
    expect(await entries()).toHaveLength(before);
  });

  test('says from where a key was made, rotated and revoked', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.44', 'user-agent': 'Keys/1' };
    const made = await app.request('POST', '/v1/api-keys', {
      body: { name: 'k', preset: 'send_only' },
      headers,
    });
    const rotated = await app.request('POST', `/v1/api-keys/${made.body.id}/rotate`, { headers });
    await app.request('DELETE', `/v1/api-keys/${rotated.body.id}`, { headers });
    for (const action of ['created', 'rotated', 'revoked']) {
      const { body } = await app.request('GET', `/v1/audit-log?action=api_key.${action}&limit=1`);
      expect(body.data).toMatchObject([{ ip_address: '192.0.2.44', user_agent: 'Keys/1' }]);
    }
  });
});

test('a password that was hashed with less work is hashed anew at the next sign-in, by any number at once', async () => {
  const person = await member();
  const salt = Buffer.from('sixteen bytes of');
  const hash = scryptSync(password, salt, 32, { N: 32, r: 8, p: 1 }).toString('base64');
  const old = `scrypt$32$8$1$${salt.toString('base64')}$${hash}`;
  await query(app.pool, 'update users set password_hash = $2 where id = $1', [person.userId, old]);
  expect((await login(person.email, 'guess')).status).toBe(401);
  const stored = async () =>
    (
      await query<{ password_hash: string }>(app.pool, 'select password_hash from users where id = $1', [
        person.userId,
      ])
    )[0]?.password_hash;
  expect(await stored()).toBe(old);
  const second = await startTestApp({ database: app.database, settings: { CARILLON_ROLES: 'api' } });
  const logins = await Promise.all(
    [app, second, app, second].map((at) => login(person.email, password, home, {}, at)),
  );
  await second.stop();
  expect(statusesOf(logins)).toEqual([204, 204, 204, 204]);
  expect(await stored()).toMatch(/^scrypt\$256\$8\$1\$/); // the cost of tests
  expect((await login(person.email, password)).status).toBe(204);
});
