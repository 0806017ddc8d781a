import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { createPerson } from '../../../../test/harness/people.ts';
import { loadConfig } from '../../../config.ts';
import { findOperatorCommand } from '../../../operator/index.ts';

const relay = {
  CARILLON_SMTP_URL: 'smtp://relay.example',
  CARILLON_MANAGED_FROM: 'no-reply@operator.example',
};
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api', ...relay } });
});
afterAll(() => app.stop());

async function createOrganization(...args: string[]) {
  const { CARILLON_DATA_DIR, DATABASE_URL } = app.deps.config;
  const config = loadConfig({ CARILLON_DATA_DIR, DATABASE_URL: DATABASE_URL ?? '' }, CARILLON_DATA_DIR);
  const lines: string[] = [];
  const command = findOperatorCommand(['--create-organization', ...args]);
  const code = await command?.run(config, (line) => lines.push(line), command.args);
  return [code, lines.join('\n')];
}

test('where the operator lends a provider, people cannot make organizations that would use it', async () => {
  const person = await createPerson(app);
  expect(await person.request('POST', '/auth/organizations', { name: 'Spam Ltd' })).toMatchObject({
    status: 403,
    body: { error: { type: 'permission_error', code: 'self_service_disabled' } },
  });
  expect((await person.request('GET', '/auth/me')).body).toMatchObject({
    organizations: [],
    may_create_organizations: false,
  });
});

test('the operator makes one for somebody who has an account', async () => {
  const person = await createPerson(app);
  const [code, said] = await createOrganization(person.email.toUpperCase(), 'Acme', 'and', 'Sons');
  expect([code, said]).toEqual([0, expect.stringContaining(person.email)]);
  const { organizations } = (await person.request('GET', '/auth/me')).body;
  expect(organizations).toMatchObject([
    { name: 'Acme and Sons', role: 'owner', environments: [{ kind: 'test' }, { kind: 'live' }] },
  ]);
  const log = await person.request('GET', '/v1/audit-log?action=organization.created');
  expect(log.body.data).toMatchObject([{ actor: { kind: 'system', id: null } }]);
});

test.each([[[]], [['nobody@example.com', 'Acme']], [['owner@example.com']], [['owner@example.com', ' ']]])(
  'the command says what it needs, and makes nothing: %j',
  async (args) => {
    const count = async () => (await app.pool.query('select from organizations')).rows.length;
    const before = await count();
    expect(await createOrganization(...args)).toEqual([
      1,
      expect.stringContaining('--create-organization EMAIL NAME'),
    ]);
    expect(await count()).toBe(before);
  },
);

test.each([
  [{}, 'on'],
  [relay, 'off'],
  [{ ...relay, CARILLON_SELF_SERVICE_ORGANIZATIONS: 'on' }, 'on'],
  [{ CARILLON_SELF_SERVICE_ORGANIZATIONS: 'off' }, 'off'],
])('with the settings %j self-service is %s', (settings, expected) => {
  const config = loadConfig(settings, app.deps.config.CARILLON_DATA_DIR);
  expect(config.CARILLON_SELF_SERVICE_ORGANIZATIONS).toBe(expected);
});

test('where it is on, people make their own', async () => {
  const open = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  const person = await createPerson(open);
  expect((await person.request('GET', '/auth/me')).body.may_create_organizations).toBe(true);
  expect((await person.request('POST', '/auth/organizations', { name: 'Acme' })).status).toBe(201);
  await open.stop();
});
