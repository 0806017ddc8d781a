import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../test/harness/app.ts';
import {
  createOrganization,
  createPerson,
  createSession,
  password,
  personWith,
} from '../../../../test/harness/people.ts';
import { query } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());
beforeEach(() => query(app.pool, 'delete from login_failures'));

const fresh = 'a new password';
const login = (email: string, guess: string) =>
  app.request('POST', '/auth/login', { key: null, body: { email, password: guess } });
const me = (cookie: string, at = app) => at.request('GET', '/auth/me', { key: null, headers: { cookie } });

describe('PATCH /auth/me', () => {
  test('changes one’s own name, for all organizations to see', async () => {
    const { owner, organizationId } = await createOrganization(app);
    const renamed = await owner.request('PATCH', '/auth/me', { name: 'Ada Lovelace' });
    expect(renamed).toMatchObject({
      status: 200,
      body: { user_id: owner.userId, name: 'Ada Lovelace', organizations: [{ id: organizationId }] },
    });
    expect((await owner.request('GET', '/auth/me')).body).toEqual(renamed.body);
    const log = await owner.request('GET', `/v1/audit-log?target=member:${owner.userId}`);
    expect(log.body.data).toMatchObject([
      { action: 'member.updated', before: { name: 'Pat' }, after: { name: 'Ada Lovelace' } },
    ]);
  });

  test.each([{}, { name: '' }, { name: 7 }, { name: '\u0007' }])('refuses %j', async (body) => {
    const person = await createPerson(app);
    expect((await person.request('PATCH', '/auth/me', body)).status).toBe(400);
  });
});

describe('POST /auth/password', () => {
  test('changes the password and ends all other sessions, everywhere', async () => {
    const elsewhere = await startTestApp({ database: app.database, settings: { CARILLON_ROLES: 'api' } });
    try {
      const { owner } = await createOrganization(app);
      const other = await createSession(app, owner.userId);
      const use = (at: TestApp) => at.request('GET', '/v1/me', { key: null, headers: { cookie: other } });
      expect([(await use(app)).status, (await use(elsewhere)).status]).toEqual([200, 200]);

      const changed = await owner.request('POST', '/auth/password', {
        current_password: password,
        new_password: fresh,
      });
      expect(changed.status).toBe(204);
      expect((await use(app)).status).toBe(401);
      expect((await me(other, elsewhere)).status).toBe(401);
      await waitUntil(async () => (await use(elsewhere)).status === 401 || new Error('still in'), 20_000);
      expect((await owner.request('GET', '/v1/me')).status).toBe(200);
      expect((await login(owner.email, password)).status).toBe(401);
      expect((await login(owner.email, fresh)).status).toBe(204);
      const query = `target=member:${owner.userId}&action=member.password_changed`;
      const log = await owner.request('GET', `/v1/audit-log?${query}`);
      expect(log.body.data).toMatchObject([{ before: null, after: null, ip_address: '127.0.0.1' }]);
    } finally {
      await elsewhere.stop();
    }
  });

  test('needs the current one, and gives a session that was left open few guesses', async () => {
    const person = await createPerson(app);
    const change = (current_password: string) =>
      person.request('POST', '/auth/password', { current_password, new_password: fresh });
    for (let turn = 0; turn < 2; turn++) {
      expect(await change('a guess')).toMatchObject({
        status: 400,
        body: { error: { code: 'parameter_invalid', param: 'current_password' } },
      });
      await query(app.pool, 'update login_failures set failures = 14');
    }
    expect((await change(password)).status).toBe(429);
    expect((await me(person.cookie)).status).toBe(200);
    // Another session of the same person is not concerned.
    const other = personWith(app, { ...person, cookie: await createSession(app, person.userId) });
    const request = { current_password: password, new_password: fresh };
    expect((await other.request('POST', '/auth/password', request)).status).toBe(204);
  });

  test('of several at once one is right', async () => {
    const person = await createPerson(app);
    const tries = await Promise.all(
      ['first one…', 'second one…', 'third one…'].map((new_password) =>
        person.request('POST', '/auth/password', { current_password: password, new_password }),
      ),
    );
    expect(tries.map(({ status }) => status).toSorted()).toEqual([204, 400, 400]);
  });

  test('a session that begins with the old password meanwhile does not live on', async () => {
    const person = await createPerson(app);
    const [, ...logins] = await Promise.all([
      person.request('POST', '/auth/password', { current_password: password, new_password: fresh }),
      ...Array.from({ length: 3 }, () => login(person.email, password)),
    ]);
    for (const { status, headers } of logins) {
      if (status === 401) continue;
      expect(status).toBe(204);
      expect((await me(String(headers.get('set-cookie')).split(';')[0] ?? '')).status).toBe(401);
    }
  });

  test.each([
    [{ current_password: password }, 'new_password'],
    [{ new_password: fresh }, 'current_password'],
    [{ current_password: password, new_password: 'too short' }, 'new_password'],
    [{ current_password: password, new_password: 'x'.repeat(201) }, 'new_password'],
    [{ current_password: null, new_password: fresh }, 'current_password'],
  ])('refuses %j', async (body, param) => {
    const person = await createPerson(app);
    const refused = await person.request('POST', '/auth/password', body);
    expect(refused).toMatchObject({ status: 400, body: { error: { param } } });
  });
});

describe('one’s own sessions', () => {
  test('are listed without their tokens, the current one marked', async () => {
    const person = await createPerson(app);
    await createSession(app, person.userId);
    const expired = await createSession(app, person.userId);
    await query(
      app.pool,
      `update sessions set expires_at = now() where id = (select max(id::text)::uuid from sessions where user_id = $1)`,
      [person.userId],
    );
    const list = await person.request('GET', '/auth/sessions');
    expect(list.body.data).toEqual(
      [false, true].map((current) => ({
        id: expect.any(String),
        created_at: expect.stringMatching(/Z$/),
        last_seen_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
        current,
      })),
    );
    for (const cookie of [person.cookie, expired]) {
      expect(JSON.stringify(list.body)).not.toContain(cookie.split('=')[1]);
    }
    const first = await person.request('GET', '/auth/sessions?limit=1');
    const second = await person.request('GET', `/auth/sessions?limit=1&cursor=${first.body.next_cursor}`);
    const idsOf = (sessions: { id: string }[]) => sessions.map(({ id }) => id);
    expect(idsOf([...first.body.data, ...second.body.data])).toEqual(idsOf(list.body.data));
  });

  test('are ended one by one; those of others do not exist', async () => {
    const person = await createPerson(app);
    const other = await createSession(app, person.userId);
    const [{ id }] = (await person.request('GET', '/auth/sessions')).body.data;
    const stranger = await createPerson(app);
    for (const wrong of [`/auth/sessions/${newId()}`, '/auth/sessions/nonsense']) {
      expect((await person.request('DELETE', wrong)).status).toBe(404);
    }
    expect((await stranger.request('DELETE', `/auth/sessions/${id}`)).status).toBe(404);
    expect((await me(other)).status).toBe(200);
    expect((await person.request('DELETE', `/auth/sessions/${id}`)).status).toBe(204);
    expect((await me(other)).status).toBe(401);
    expect((await me(person.cookie)).status).toBe(200);
  });
});
