import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../test/harness/app.ts';
import { createOrganization, createPerson, type TestPerson } from '../../../../test/harness/people.ts';
import type { Role } from '../../../http/scopes.ts';
import { newId } from '../../../kernel/ids.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

/** An organization with an owner and somebody of each of the given roles. */
async function team<Others extends readonly Role[]>(...others: Others) {
  const { organizationId, owner } = await createOrganization(app);
  const members: TestPerson[] = [];
  for (const role of others) members.push(await createPerson(app, [{ organizationId, role }]));
  const path = `/auth/organizations/${organizationId}`;
  const memberPath = (person: TestPerson) => `${path}/members/${person.userId}`;
  const rolesNow = async () =>
    Object.fromEntries(
      (await owner.request('GET', `${path}/members`)).body.data.map(
        (member: { user_id: string; role: Role }) => [member.user_id, member.role],
      ),
    );
  return { organizationId, owner, members, path, memberPath, rolesNow };
}

const forbidden = (role: string) => ({
  status: 403,
  body: { error: { code: 'insufficient_scope', message: `This operation requires the role ${role}.` } },
});
const lastOwner = { status: 409, body: { error: { type: 'conflict_error', code: 'last_owner' } } };

async function auditOf(person: TestPerson, organizationId: string, target: string) {
  const me = (await person.request('GET', '/auth/me')).body;
  const [environment] = me.organizations.find(({ id }: { id: string }) => id === organizationId).environments;
  const log = await app.request('GET', `/v1/audit-log?target=${target}`, {
    key: null,
    headers: { cookie: person.cookie, 'x-environment-id': environment.id },
  });
  return log.body.data;
}

describe('an organization', () => {
  test('is made with Test and Live, no keys, and its maker as owner', async () => {
    const person = await createPerson(app);
    expect((await person.request('GET', '/v1/me')).status).toBe(404);
    const made = await person.request('POST', '/auth/organizations', { name: 'Acme' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      name: 'Acme',
      role: 'owner',
      environments: [
        { id: expect.any(String), name: 'Test', kind: 'test', created_at: expect.any(String) },
        { id: expect.any(String), name: 'Live', kind: 'live', created_at: expect.any(String) },
      ],
    });
    expect((await person.request('GET', '/auth/me')).body.organizations).toEqual([made.body]);
    const keys = await person.request('GET', '/v1/api-keys');
    expect(keys).toMatchObject({ status: 200, body: { data: [] } });
    expect(await auditOf(person, made.body.id, `organization:${made.body.id}`)).toMatchObject([
      { action: 'organization.created', actor: { kind: 'user', id: person.userId }, environment_id: null },
    ]);
  });

  test('is renamed by an owner or an admin, and by nobody else', async () => {
    const { members, path, owner, organizationId } = await team('admin', 'developer', 'viewer');
    const [admin, ...others] = members;
    const renamed = await admin?.request('PATCH', path, { name: 'Acme & Söhne' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Acme & Söhne', role: 'admin' } });
    for (const other of others) {
      expect(await other.request('PATCH', path, { name: 'Mine' })).toMatchObject(forbidden('owner or admin'));
    }
    expect((await owner.request('GET', '/auth/me')).body.organizations[0].name).toBe('Acme & Söhne');
    expect((await auditOf(owner, organizationId, `organization:${organizationId}`))[0]).toMatchObject({
      action: 'organization.updated',
      actor: { kind: 'user', id: admin?.userId },
      before: { name: 'Acme' },
      after: { name: 'Acme & Söhne' },
    });
  });

  test('twenty are enough for one person, also when they are made at once', async () => {
    const person = await createPerson(app);
    const make = () => person.request('POST', '/auth/organizations', { name: 'One of many' });
    for (let count = 0; count < 17; count++) await make();
    const last = await Promise.all(Array.from({ length: 6 }, make));
    expect(last.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409, 409]);
    expect((await make()).body.error.code).toBe('team_limit_reached');
  });

  test.each([{}, { name: '' }, { name: '   ' }, { name: 5 }, { name: 'a\nb' }, { name: 'x'.repeat(101) }])(
    'is not called %j',
    async (body) => {
      const { owner, path } = await team();
      for (const [method, where] of [
        ['POST', '/auth/organizations'],
        ['PATCH', path],
      ] as const) {
        expect(await owner.request(method, where, body)).toMatchObject({
          status: 400,
          body: { error: { param: 'name' } },
        });
      }
    },
  );
});

describe('members', () => {
  test('are seen by everybody who is one, page by page', async () => {
    const { members, path, owner } = await team('viewer', 'developer');
    const [viewer] = members;
    const first = await viewer?.request('GET', `${path}/members?limit=2`);
    expect(first?.status).toBe(200);
    const rest = await viewer?.request('GET', `${path}/members?limit=2&cursor=${first?.body.next_cursor}`);
    expect(rest?.body.next_cursor).toBeNull();
    const all = [...(first?.body.data ?? []), ...(rest?.body.data ?? [])];
    expect(all.map(({ user_id }) => user_id)).toEqual(
      [owner, ...members].map(({ userId }) => userId).toReversed(),
    );
    expect(all[2]).toEqual({
      user_id: owner.userId,
      email: owner.email,
      name: 'Pat',
      role: 'owner',
      joined_at: expect.stringMatching(/Z$/),
      last_seen_at: null,
    });
  });

  test('are told apart by when they were last seen in this organization', async () => {
    const { organizationId: elsewhere } = await createOrganization(app);
    const { organizationId, owner, path } = await team();
    const person = await createPerson(app, [
      { organizationId: elsewhere, role: 'viewer' },
      { organizationId, role: 'viewer' },
    ]);
    await person.request('GET', '/v1/me'); // the first organization
    const seen = async (id: string, by: TestPerson) =>
      (await by.request('GET', `/auth/organizations/${id}/members`)).body.data.find(
        ({ user_id }: { user_id: string }) => user_id === person.userId,
      ).last_seen_at;
    await waitUntil(async () => (await seen(elsewhere, person)) ?? new Error('not seen yet'), 20_000);
    expect(await seen(organizationId, owner)).toBeNull();
    expect(path).toContain(organizationId);
  });

  test.each(['developer', 'viewer'] as const)('a %s changes nobody, not even themselves', async (role) => {
    const { members, memberPath, owner, rolesNow } = await team(role, 'viewer');
    const [person, other] = members as [TestPerson, TestPerson];
    const before = await rolesNow();
    for (const whom of [owner, other, person]) {
      expect(await person.request('PATCH', memberPath(whom), { role: 'viewer' })).toMatchObject(
        forbidden('owner or admin'),
      );
    }
    for (const whom of [owner, other]) {
      expect(await person.request('DELETE', memberPath(whom))).toMatchObject(forbidden('owner or admin'));
    }
    expect(await rolesNow()).toEqual(before);
  });

  test('an admin changes everybody but owners, and makes none', async () => {
    const { members, memberPath, owner, rolesNow } = await team('admin', 'viewer', 'admin');
    const [admin, viewer, colleague] = members as [TestPerson, TestPerson, TestPerson];
    expect(await admin.request('PATCH', memberPath(viewer), { role: 'developer' })).toMatchObject({
      status: 200,
      body: { user_id: viewer.userId, role: 'developer' },
    });
    expect((await admin.request('PATCH', memberPath(colleague), { role: 'viewer' })).status).toBe(200);
    for (const [whom, role] of [
      [owner, 'admin'],
      [owner, 'owner'],
      [viewer, 'owner'],
      [admin, 'owner'],
    ] as const) {
      expect(await admin.request('PATCH', memberPath(whom), { role })).toMatchObject(forbidden('owner'));
    }
    expect(await admin.request('DELETE', memberPath(owner))).toMatchObject(forbidden('owner'));
    expect((await admin.request('DELETE', memberPath(colleague))).status).toBe(204);
    expect(await rolesNow()).toEqual({
      [owner.userId]: 'owner',
      [admin.userId]: 'admin',
      [viewer.userId]: 'developer',
    });
  });

  test('an owner makes another, and may then step down', async () => {
    const { members, memberPath, owner, organizationId } = await team('viewer');
    const [heir] = members as [TestPerson];
    expect((await owner.request('PATCH', memberPath(heir), { role: 'owner' })).status).toBe(200);
    expect((await owner.request('PATCH', memberPath(owner), { role: 'viewer' })).status).toBe(200);
    expect(await heir.request('DELETE', memberPath(owner))).toMatchObject({ status: 204 });
    expect(await auditOf(heir, organizationId, `member:${owner.userId}`)).toMatchObject([
      { action: 'member.removed', before: { email: owner.email, role: 'viewer' }, after: null },
      {
        action: 'member.role_changed',
        actor: { kind: 'user', id: owner.userId },
        before: { role: 'owner' },
        after: { role: 'viewer' },
        request_id: expect.any(String),
      },
    ]);
  });

  test('the same role again changes nothing and is not in the log', async () => {
    const { members, memberPath, owner, organizationId } = await team('viewer');
    const [viewer] = members as [TestPerson];
    expect((await owner.request('PATCH', memberPath(viewer), { role: 'viewer' })).status).toBe(200);
    expect((await owner.request('PATCH', memberPath(owner), { role: 'owner' })).status).toBe(200);
    expect(await auditOf(owner, organizationId, `member:${viewer.userId}`)).toEqual([]);
  });

  test('the last owner can be neither demoted nor removed, by nobody', async () => {
    const { memberPath, owner, rolesNow } = await team('admin');
    expect(await owner.request('PATCH', memberPath(owner), { role: 'admin' })).toMatchObject(lastOwner);
    expect(await owner.request('DELETE', memberPath(owner))).toMatchObject(lastOwner);
    expect((await rolesNow())[owner.userId]).toBe('owner');
  });

  test('two owners who demote each other at once leave one', async () => {
    for (let round = 0; round < 5; round++) {
      const { members, memberPath, owner, path } = await team('owner', 'viewer');
      const [other, viewer] = members as [TestPerson, TestPerson];
      await Promise.all([
        owner.request('PATCH', memberPath(other), { role: 'viewer' }),
        other.request('DELETE', memberPath(owner)),
        owner.request('DELETE', memberPath(owner)),
        other.request('PATCH', memberPath(other), { role: 'admin' }),
      ]);
      const left = (await viewer.request('GET', `${path}/members`)).body.data;
      expect(left.filter(({ role }: { role: Role }) => role === 'owner')).toHaveLength(1);
    }
  });

  test('everybody may leave, and is then a stranger', async () => {
    const { members, memberPath, path } = await team('viewer');
    const [viewer] = members as [TestPerson];
    expect((await viewer.request('DELETE', memberPath(viewer))).status).toBe(204);
    expect((await viewer.request('GET', `${path}/members`)).status).toBe(404);
    expect((await viewer.request('GET', '/auth/me')).body.organizations).toEqual([]);
  });

  test('a demotion or removal is felt by open sessions at once, and within two seconds everywhere', async () => {
    const elsewhere = await startTestApp({ database: app.database, settings: { CARILLON_ROLES: 'api' } });
    try {
      const { members, memberPath, owner } = await team('admin');
      const [admin] = members as [TestPerson];
      const status = async (at: TestApp) =>
        (await admin.request('GET', '/v1/api-keys', undefined, at)).status;
      const felt = (wanted: number) =>
        waitUntil(async () => {
          const now = await status(elsewhere);
          return now === wanted || new Error(`still ${now}`);
        }, 20_000);
      expect([await status(app), await status(elsewhere)]).toEqual([200, 200]);
      await owner.request('PATCH', memberPath(admin), { role: 'developer' });
      expect(await status(app)).toBe(403);
      await felt(403);
      await owner.request('DELETE', memberPath(admin));
      expect(await status(app)).toBe(404);
      await felt(404);
    } finally {
      await elsewhere.stop();
    }
  });

  test('keys that a removed member made go on working', async () => {
    const { members, memberPath, owner } = await team('admin');
    const [admin] = members as [TestPerson];
    const made = await admin.request('POST', '/v1/api-keys', { name: 'theirs', preset: 'read_only' });
    await owner.request('DELETE', memberPath(admin));
    const me = await app.request('GET', '/v1/me', { key: made.body.key });
    expect(me).toMatchObject({ status: 200, body: { key_id: made.body.id } });
  });
});

describe('an organization that one does not belong to', () => {
  test('does not exist, whatever is asked of it', async () => {
    const { path, owner, organizationId } = await team();
    const { owner: stranger } = await createOrganization(app);
    const invited = await owner.request('POST', `${path}/invitations`, { email: 'a@b.co', role: 'viewer' });
    const missing = { status: 404, body: { error: { code: 'resource_not_found' } } };
    for (const base of [path, `/auth/organizations/${newId()}`, '/auth/organizations/nonsense']) {
      for (const [method, rest, body] of [
        ['PATCH', '', { name: 'Mine' }],
        ['GET', '/members', undefined],
        ['PATCH', `/members/${owner.userId}`, { role: 'viewer' }],
        ['DELETE', `/members/${owner.userId}`, undefined],
        ['PATCH', `/members/${stranger.userId}`, { role: 'owner' }],
        ['DELETE', `/members/${stranger.userId}`, undefined],
        ['GET', '/invitations', undefined],
        ['POST', '/invitations', { email: 'b@b.co', role: 'owner' }],
        ['DELETE', `/invitations/${invited.body.id}`, undefined],
      ] as const) {
        expect(await stranger.request(method, base + rest, body)).toMatchObject(missing);
      }
    }
    expect((await owner.request('GET', `${path}/invitations`)).body.data).toHaveLength(1);
    expect(organizationId).toBe(path.split('/').at(-1));
  });

  test('neither do its members in another', async () => {
    const { path, owner } = await team();
    const { owner: stranger } = await createOrganization(app);
    for (const id of [stranger.userId, newId(), 'nobody']) {
      const member = `${path}/members/${id}`;
      expect((await owner.request('PATCH', member, { role: 'viewer' })).status).toBe(404);
      expect((await owner.request('DELETE', member)).status).toBe(404);
    }
  });
});

test.each([{}, { role: 'god' }, { role: null }, { role: ['owner'] }, [], 'owner'])(
  'a role is not %j',
  async (body) => {
    const { members, memberPath, owner } = await team('viewer');
    const [viewer] = members as [TestPerson];
    expect((await owner.request('PATCH', memberPath(viewer), body)).status).toBe(400);
  },
);
