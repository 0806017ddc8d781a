import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { createPerson } from '../../../../test/harness/people.ts';
import type { Role, Scope } from '../../../http/scopes.ts';

let app: TestApp;
let organizationId: string;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  organizationId = (await app.request('GET', '/v1/me')).body.organization_id;
  const template = { key: 'hello', name: 'Hello', subject_template: 'Hi', html_body_template: '<p>Hi</p>' };
  expect((await app.request('POST', '/v1/templates', { body: template })).status).toBe(201);
  await app.request('POST', '/v1/workflows', { body: { key: 'welcome', name: 'Welcome' } });
  const steps = [
    { id: 'hi', kind: 'send', channel: 'email', recipient: { address: 'a@b.test' }, template_key: 'hello' },
  ];
  const body = { body_json: JSON.stringify({ steps }) };
  expect((await app.request('POST', '/v1/workflows/welcome/versions', { body })).status).toBe(201);
  const active = await app.request('POST', '/v1/workflows/welcome/versions/1/activate');
  expect(active.body).toMatchObject({ valid: true });
});
afterAll(() => app.stop());

async function keyWith(...scopes: Scope[]): Promise<string> {
  return (await app.request('POST', '/v1/api-keys', { body: { name: 'narrow', scopes } })).body.key;
}

async function promote(path: string, key: string, body: object = {}) {
  const { status, body: answer } = await app.request('POST', `${path}/promote`, { key, body });
  return status === 200 ? 200 : [status, answer.error.code, answer.error.message];
}

const refusedFor = (scope: string) => [403, 'insufficient_scope', expect.stringContaining(scope)];

test('a Test key that may write templates and workflows cannot promote them to Live', async () => {
  const key = await keyWith('templates:read', 'templates:write', 'workflows:read', 'workflows:write');
  for (const dry_run of [true, false]) {
    expect(await promote('/v1/templates/hello', key, { dry_run })).toEqual(refusedFor('templates:promote'));
    expect(await promote('/v1/workflows/welcome', key, { dry_run })).toEqual(refusedFor('workflows:promote'));
  }
  expect((await app.request('GET', '/v1/templates/hello', { key: app.liveKey })).status).toBe(404);
});

test('a workflow takes its templates along only for a key that may promote both', async () => {
  const key = await keyWith('workflows:promote', 'templates:write');
  const withTemplates = { include_templates: true };
  expect(await promote('/v1/workflows/welcome', key, withTemplates)).toEqual(refusedFor('templates:promote'));
  const both = await keyWith('workflows:promote', 'templates:promote');
  expect(await promote('/v1/workflows/welcome', both, withTemplates)).toBe(200);
});

test('full-access keys and the roles that edit Live may promote; other presets and viewers may not', async () => {
  expect(await promote('/v1/templates/hello', app.testKey)).toBe(200);
  expect(await promote('/v1/workflows/welcome', app.testKey)).toBe(200);
  for (const preset of ['send_only', 'read_only']) {
    const made = await app.request('POST', '/v1/api-keys', { body: { name: preset, preset } });
    expect(made.body.scopes.filter((scope: string) => scope.endsWith(':promote'))).toEqual([]);
  }
  const statusOf = async (role: Role) => {
    const person = await createPerson(app, [{ organizationId, role }]);
    return (await person.request('POST', '/v1/templates/hello/promote', {})).status;
  };
  expect(await Promise.all((['owner', 'admin', 'developer', 'viewer'] as const).map(statusOf))).toEqual([
    200, 200, 200, 403,
  ]);
});
