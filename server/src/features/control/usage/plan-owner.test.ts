import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { createPerson, type TestPerson } from '../../../../test/harness/people.ts';

let app: TestApp;
beforeAll(async () => {
  const settings = { CARILLON_ROLES: 'api', CARILLON_PLAN: 'free', CARILLON_RATE_LIMIT: '100000' };
  app = await startTestApp({ settings });
});
afterAll(() => app.stop());
afterEach(() => app.pool.query('delete from usage_counters'));

interface Organization {
  id: string;
  liveKey: string;
}

async function organizationOf(owner: TestPerson): Promise<Organization> {
  const { body } = await owner.request('POST', '/auth/organizations', { name: 'Acme' });
  const live = body.environments.find(({ kind }: { kind: string }) => kind === 'live').id;
  const made = await app.request('POST', '/v1/api-keys', {
    key: null,
    headers: { cookie: owner.cookie, 'x-carillon-csrf': '1', 'x-environment-id': live },
    body: { name: 'live', preset: 'full_access' },
  });
  return { id: body.id, liveKey: made.body.key };
}

const use = ({ id }: Organization, sends: number) =>
  app.pool.query(
    `insert into usage_counters (organization_id, month, channel, shard, sends)
     values ($1, date_trunc('month', now() at time zone 'UTC')::date, 'sms', 3, $2)`,
    [id, sends],
  );
const send = async ({ liveKey: key }: Organization, at = app) => {
  const body = { channel: 'in_app', recipient: { external_user_id: 'ada' }, text_body: 'Hi' };
  return (await at.request('POST', '/v1/notifications', { body, key })).status;
};
const usageOf = async ({ liveKey: key }: Organization) => {
  const { body } = await app.request('GET', '/v1/usage', { key });
  return [body.used_sends, body.used_by_other_organizations, body.remaining_sends];
};

test('the organizations of one person share the sends of the plan', async () => {
  const owner = await createPerson(app);
  const [first, second] = [await organizationOf(owner), await organizationOf(owner)];
  const stranger = await organizationOf(await createPerson(app));
  await use(first, 9_000);
  await use(second, 998);
  expect(await usageOf(first)).toEqual([9_000, 998, 2]);
  expect(await usageOf(second)).toEqual([998, 9_000, 2]);
  expect([await send(first), await send(second), await send(first), await send(second)]).toEqual([
    202, 202, 402, 402,
  ]);
  expect(await usageOf(second)).toEqual([999, 9_001, 0]);
  expect(await usageOf(stranger)).toEqual([0, 0, 10_000]);
  expect(await send(stranger)).toBe(202);
});

test('the limit is exact while processes race with sends of several organizations', async () => {
  const second = await startTestApp({
    database: app.database,
    settings: { CARILLON_ROLES: 'api', CARILLON_RATE_LIMIT: '100000' },
  });
  const owner = await createPerson(app);
  const organizations = [
    await organizationOf(owner),
    await organizationOf(owner),
    await organizationOf(owner),
  ];
  for (const organization of organizations) await use(organization, 3_325); // 25 are left
  const statuses = await Promise.all(
    [app, second].flatMap((at) =>
      organizations.flatMap((organization) => Array.from({ length: 15 }, () => send(organization, at))),
    ),
  );
  await second.stop();
  expect(statuses.filter((status) => status === 202)).toHaveLength(25);
  expect(statuses.filter((status) => status === 402)).toHaveLength(65);
});

test('an organization with another plan neither uses the sends nor is held back', async () => {
  const owner = await createPerson(app);
  const [free, paid] = [await organizationOf(owner), await organizationOf(owner)];
  await app.pool.query(`update organizations set plan = 'pro' where id = $1`, [paid.id]);
  app.deps.authenticator.forget();
  await use(paid, 50_000);
  expect(await usageOf(free)).toEqual([0, 0, 10_000]);
  await use(free, 10_000);
  expect([await send(free), await send(paid)]).toEqual([402, 202]);
});

test('when the owner leaves, the sends count for an owner who stays', async () => {
  const [first, second] = [await createPerson(app), await createPerson(app)];
  const shared = await organizationOf(first);
  const own = await organizationOf(second);
  await use(shared, 4_000);
  await app.pool.query(`insert into memberships (organization_id, user_id, role) values ($1, $2, 'owner')`, [
    shared.id,
    second.userId,
  ]);
  expect(await usageOf(own)).toEqual([0, 0, 10_000]);
  const left = await first.request('DELETE', `/auth/organizations/${shared.id}/members/${first.userId}`);
  expect(left.status).toBe(204);
  expect(await usageOf(own)).toEqual([0, 4_000, 6_000]);

  await app.pool.query(`insert into memberships (organization_id, user_id, role) values ($1, $2, 'owner')`, [
    shared.id,
    first.userId,
  ]);
  const path = `/auth/organizations/${shared.id}/members/${second.userId}`;
  expect((await first.request('PATCH', path, { role: 'admin' })).status).toBe(200);
  expect(await usageOf(own)).toEqual([0, 0, 10_000]);
});

test('unmetered organizations are counted alone', async () => {
  const owner = await createPerson(app);
  const [first, second] = [await organizationOf(owner), await organizationOf(owner)];
  await app.pool.query(`update organizations set plan = 'unmetered' where id = any ($1)`, [
    [first.id, second.id],
  ]);
  app.deps.authenticator.forget();
  await use(first, 20_000);
  expect(await usageOf(second)).toEqual([0, 0, null]);
  expect([await send(first), await send(second)]).toEqual([202, 202]);
});
