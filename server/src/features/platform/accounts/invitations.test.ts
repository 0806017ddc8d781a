import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import {
  createOrganization,
  createPerson,
  password,
  type TestPerson,
} from '../../../../test/harness/people.ts';
import { query } from '../../../db/sql.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { newId } from '../../../kernel/ids.ts';
import { tidySessions } from './people-store.ts';

let app: TestApp;
let owner: TestPerson;
let organizationId: string;
let path: string;

beforeAll(async () => {
  app = await startTestApp({
    settings: { CARILLON_ROLES: 'api', PUBLIC_URL: 'https://carillon.example.com' },
  });
});
afterAll(() => app.stop());
beforeEach(async () => {
  await query(app.pool, 'delete from login_failures');
  ({ owner, organizationId } = await createOrganization(app));
  path = `/auth/organizations/${organizationId}/invitations`;
});

const freshEmail = () => `${newId()}@example.com`;

async function invite(email: string, role = 'developer', by = owner) {
  const made = await by.request('POST', path, { email, role });
  return { ...made, token: String(made.body.accept_url).split('#')[1] ?? '' };
}

const post = (to: 'look-up' | 'accept', body: object, at = app) =>
  at.request('POST', `/auth/invitations/${to}`, { key: null, body });

const notFound = { status: 404, body: { error: { type: 'not_found_error', code: 'invitation_not_found' } } };

describe('an invitation', () => {
  test('is a link that is shown once, works for a week, and is stored as a hash', async () => {
    const made = await invite(' New.Person@Example.com ');
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      email: 'new.person@example.com',
      role: 'developer',
      invited_by_user_id: owner.userId,
      created_at: expect.any(String),
      expires_at: expect.any(String),
      accept_url: expect.stringMatching(/^https:\/\/carillon\.example\.com\/invitation#[\w-]{43}$/),
    });
    expect(Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)).toBe(7 * 86_400_000);
    const { accept_url, ...shown } = made.body;
    expect((await owner.request('GET', path)).body).toEqual({ data: [shown], next_cursor: null });
    const stored = await query(app.pool, 'select * from invitations where token_hash = $1', [
      sha256(made.token),
    ]);
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(made.token);
    const log = await owner.request('GET', `/v1/audit-log?target=invitation:${shown.id}`);
    expect(log.body.data).toMatchObject([
      { action: 'invitation.created', after: { email: 'new.person@example.com', role: 'developer' } },
    ]);
    expect(JSON.stringify(log.body)).not.toContain(made.token);
  });

  test('shows its holder what it is for', async () => {
    // The answer is the same whether the address has an account or not.
    for (const email of [freshEmail(), (await createPerson(app)).email]) {
      const { status, body } = await post('look-up', { token: (await invite(email, 'viewer')).token });
      expect([status, body]).toEqual([200, { organization_name: 'Acme', email, role: 'viewer' }]);
    }
  });

  test('replaces a former one of the same address', async () => {
    const email = freshEmail();
    const first = await invite(email, 'viewer');
    const second = await invite(email.toUpperCase(), 'admin');
    expect(await post('look-up', { token: first.token })).toMatchObject(notFound);
    expect((await post('look-up', { token: second.token })).body.role).toBe('admin');
    expect((await owner.request('GET', path)).body.data).toMatchObject([{ id: second.body.id }]);
  });

  test('is withdrawn, with its link', async () => {
    const made = await invite(freshEmail());
    expect((await owner.request('DELETE', `${path}/${made.body.id}`)).status).toBe(204);
    expect(await post('accept', { token: made.token, name: 'New', password })).toMatchObject(notFound);
    expect((await owner.request('DELETE', `${path}/${made.body.id}`)).status).toBe(404);
    const log = await owner.request('GET', '/v1/audit-log?action=invitation.withdrawn');
    expect(log.body.data).toMatchObject([{ target: `invitation:${made.body.id}`, after: null }]);
  });

  test('ends after a week, and is then cleared away', async () => {
    const made = await invite(freshEmail());
    await query(app.pool, 'update invitations set expires_at = now() where id = $1', [made.body.id]);
    expect(await post('look-up', { token: made.token })).toMatchObject(notFound);
    expect(await post('accept', { token: made.token, name: 'New', password })).toMatchObject(notFound);
    expect((await owner.request('GET', path)).body.data).toEqual([]);
    await tidySessions(app);
    expect(await query(app.pool, 'select 1 from invitations where id = $1', [made.body.id])).toEqual([]);
  });

  test('is made by owners and admins alone; only an owner invites an owner', async () => {
    for (const role of ['developer', 'viewer'] as const) {
      const person = await createPerson(app, [{ organizationId, role }]);
      const open = await invite(freshEmail());
      const forbidden = { status: 403, body: { error: { code: 'insufficient_scope' } } };
      expect(await invite(freshEmail(), 'viewer', person)).toMatchObject(forbidden);
      expect(await person.request('GET', path)).toMatchObject(forbidden);
      expect(await person.request('DELETE', `${path}/${open.body.id}`)).toMatchObject(forbidden);
    }
    const admin = await createPerson(app, [{ organizationId, role: 'admin' }]);
    expect((await invite(freshEmail(), 'admin', admin)).status).toBe(201);
    expect(await invite(freshEmail(), 'owner', admin)).toMatchObject({
      status: 403,
      body: { error: { message: 'This operation requires the role owner.' } },
    });
    const heir = await invite(freshEmail(), 'owner');
    expect((await admin.request('DELETE', `${path}/${heir.body.id}`)).status).toBe(403);
    expect((await invite(heir.body.email, 'viewer', admin)).status).toBe(403);
    expect((await post('look-up', { token: heir.token })).body.role).toBe('owner');
  });

  test('does not outlive the right to make it', async () => {
    const admin = await createPerson(app, [{ organizationId, role: 'owner' }]);
    const member = `/auth/organizations/${organizationId}/members/${admin.userId}`;
    const asOwner = await invite(freshEmail(), 'owner', admin);
    const asAdmin = await invite(freshEmail(), 'viewer', admin);
    const status = async () => [
      (await post('look-up', { token: asOwner.token })).status,
      (await post('look-up', { token: asAdmin.token })).status,
    ];
    const withdrawals = async () => {
      const log = await owner.request('GET', '/v1/audit-log?action=invitation.withdrawn&limit=2');
      return log.body.data.map(({ target }: { target: string }) => target);
    };
    await owner.request('PATCH', member, { role: 'admin' });
    expect(await status()).toEqual([404, 200]);
    expect((await withdrawals())[0]).toBe(`invitation:${asOwner.body.id}`);
    await owner.request('DELETE', member);
    expect(await status()).toEqual([404, 404]);
    expect(await withdrawals()).toEqual([`invitation:${asAdmin.body.id}`, `invitation:${asOwner.body.id}`]);
  });

  test('is not for somebody who belongs to the organization', async () => {
    expect(await invite(owner.email.toUpperCase())).toMatchObject({
      status: 409,
      body: { error: { code: 'already_member', param: 'email' } },
    });
  });

  test('a hundred may be open', async () => {
    await query(
      app.pool,
      `insert into invitations (id, organization_id, email, role, token_hash, invited_by_user_id, expires_at)
       select gen_random_uuid(), $1::uuid, n || '@many.example', 'viewer', decode(md5($1::uuid::text || n), 'hex'), $2,
         now() + case when n = 100 then interval '-1 day' else interval '1 day' end
       from generate_series(1, 100) n`,
      [organizationId, owner.userId],
    );
    expect((await invite(freshEmail())).status).toBe(201); // one of the hundred has expired
    expect(await invite(freshEmail())).toMatchObject({
      status: 409,
      body: { error: { code: 'team_limit_reached' } },
    });
    expect((await invite('7@many.example')).status).toBe(201); // in the place of the former
  });

  test.each([
    [{}, 'parameter_missing', 'email'],
    [{ email: 'a@b.co' }, 'parameter_missing', 'role'],
    [{ email: 'nobody', role: 'viewer' }, 'parameter_invalid', 'email'],
    [{ email: 'A <a@b.co>', role: 'viewer' }, 'parameter_invalid', 'email'],
    [{ email: 'a@b.co\r\nX: y', role: 'viewer' }, 'parameter_invalid', 'email'],
    [{ email: `${'x'.repeat(320)}@b.co`, role: 'viewer' }, 'parameter_invalid', 'email'],
    [{ email: ['a@b.co'], role: 'viewer' }, 'parameter_invalid', 'email'],
    [{ email: 'a@b.co', role: 'root' }, 'parameter_invalid', 'role'],
    [{ email: 'a@b.co', role: null }, 'parameter_invalid', 'role'],
  ])('is not made of %j', async (body, code, param) => {
    expect(await owner.request('POST', path, body)).toMatchObject({
      status: 400,
      body: { error: { code, param } },
    });
    expect((await owner.request('GET', path)).body.data).toEqual([]);
  });
});

describe('accepting', () => {
  test('somebody new chooses a name and a password, belongs, and is signed in', async () => {
    const email = freshEmail();
    const { token } = await invite(email, 'viewer');
    const accepted = await post('accept', { token, name: 'New Person', password: 'ten letters' });
    expect(accepted).toMatchObject({
      status: 200,
      body: { email, name: 'New Person', organizations: [{ id: organizationId, role: 'viewer' }] },
    });
    const [session = '', device = ''] = accepted.headers.getSetCookie();
    expect(session).toMatch(/^__Host-carillon_session=[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/);
    expect(device).toMatch(
      /^__Host-carillon_device_\w{8}=v1\.[\w.-]+; Path=\/; .*HttpOnly; SameSite=Strict; Secure$/,
    );
    const cookie = session.split(';')[0] ?? '';
    const me = await app.request('GET', '/auth/me', { key: null, headers: { cookie } });
    expect(me.body).toEqual(accepted.body);
    const login = { email, password: 'ten letters' };
    expect((await app.request('POST', '/auth/login', { key: null, body: login })).status).toBe(204);
    const log = await owner.request('GET', `/v1/audit-log?target=member:${accepted.body.user_id}`);
    expect(log.body.data.slice(2)).toMatchObject([
      {
        action: 'member.added',
        actor: { kind: 'user', id: accepted.body.user_id },
        after: { email, role: 'viewer', invited_by_user_id: owner.userId },
      },
    ]);
  });

  test('somebody known shows their password, and keeps their name', async () => {
    const known = await createPerson(app);
    const { token } = await invite(known.email);
    expect(await post('accept', { token, name: 'Mallory', password: 'not this one' })).toMatchObject({
      status: 401,
      body: { error: { code: 'invalid_credentials' } },
    });
    const accepted = await post('accept', { token, name: 'Mallory', password });
    expect(accepted).toMatchObject({
      status: 200,
      body: { user_id: known.userId, name: 'Pat', organizations: [{ id: organizationId }] },
    });
    expect((await known.request('GET', '/v1/me')).status).toBe(200); // with the session they had before
  });

  test('works once, however often it is tried at once, in any process', async () => {
    const elsewhere = await startTestApp({ database: app.database, settings: { CARILLON_ROLES: 'api' } });
    try {
      const email = freshEmail();
      const { token } = await invite(email);
      const tries = await Promise.all(
        Array.from({ length: 6 }, (_, turn) =>
          post('accept', { token, name: 'New', password }, turn % 2 ? app : elsewhere),
        ),
      );
      expect(tries.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404, 404]);
      expect(await query(app.pool, 'select 1 from users where email = $1', [email])).toHaveLength(1);
    } finally {
      await elsewhere.stop();
    }
  });

  test('two invitations of somebody new, at once: one account', async () => {
    const email = freshEmail();
    const first = await invite(email);
    const other = await createOrganization(app);
    const second = await other.owner.request(
      'POST',
      `/auth/organizations/${other.organizationId}/invitations`,
      { email, role: 'viewer' },
    );
    const tokens = [first.token, String(second.body.accept_url).split('#')[1]];
    const tries = await Promise.all(tokens.map((token) => post('accept', { token, name: 'New', password })));
    expect(tries.some(({ status }) => status === 200)).toBe(true);
    // Whoever lost the race finds the account and accepts with its password.
    for (const [turn, { status }] of tries.entries()) {
      if (status === 200) continue;
      expect(status).toBe(401);
      expect((await post('accept', { token: tokens[turn], password })).status).toBe(200);
    }
    expect(await query(app.pool, 'select 1 from users where email = $1', [email])).toHaveLength(1);
  });

  test.each([
    [{ name: 'New' }, 'parameter_missing', 'password'],
    [{ name: 'New', password: 'too short' }, 'parameter_invalid', 'password'],
    [{ name: 'New', password: 'x'.repeat(201) }, 'parameter_invalid', 'password'],
    [{ name: ' ', password }, 'parameter_invalid', 'name'],
    [{ name: 'a\nb', password }, 'parameter_invalid', 'name'],
  ])('%j is refused, and the invitation stays open', async (body, code, param) => {
    const { token } = await invite(freshEmail());
    expect(await post('accept', { token, ...body })).toMatchObject({
      status: 400,
      body: { error: { code, param } },
    });
    expect((await post('look-up', { token })).status).toBe(200);
  });

  test.each([
    [{ password: 'not this one' }, 401],
    [{ name: null, password: 'not this one' }, 401],
    [{ name: 'New', password: 'too short' }, 400],
  ])('%j tells those who invite an address not whether it has an account', async (body, status) => {
    const known = await createPerson(app);
    const answers = [];
    for (const email of [known.email, freshEmail()]) {
      const { token } = await invite(email);
      for (let turn = 0; turn < 6; turn++) {
        const refused = await post('accept', { token, ...body });
        answers.push([refused.status, refused.body]);
      }
      expect((await post('look-up', { token })).status).toBe(200);
    }
    expect(answers[0]?.[0]).toBe(status);
    expect(answers[5]?.[0]).toBe(429);
    expect(answers.slice(6)).toEqual(answers.slice(0, 6));
  });

  test.each(['look-up', 'accept'] as const)('%s: a made-up token is no invitation', async (to) => {
    const others = to === 'accept' ? { name: 'New', password } : {};
    for (const token of ['x', '../../..', newId(), 'x'.repeat(200)]) {
      expect(await post(to, { token, ...others })).toMatchObject(notFound);
    }
    expect(await post(to, { token: 'x'.repeat(201), ...others })).toMatchObject({
      status: 400,
      body: { error: { param: 'token' } },
    });
  });

  test('is throttled like signing in: by address, and by the email whose password is guessed', async () => {
    const known = await createPerson(app);
    const { token } = await invite(known.email);
    for (let turn = 0; turn < 2; turn++) {
      expect((await post('accept', { token, password: 'a guess' })).status).toBe(401);
      await query(app.pool, 'update login_failures set failures = 14');
    }
    const throttled = { status: 429, body: { error: { code: 'rate_limited' } } };
    expect(await post('accept', { token, password })).toMatchObject(throttled);
    const login = { email: known.email, password };
    expect((await app.request('POST', '/auth/login', { key: null, body: login })).status).toBe(429);
    expect((await post('look-up', { token })).status).toBe(200);

    await query(app.pool, 'update login_failures set failures = 120');
    expect(await post('look-up', { token: 'made up' })).toMatchObject(notFound);
    expect(await post('look-up', { token })).toMatchObject(throttled);
  });
});
