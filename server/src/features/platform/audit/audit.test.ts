import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { transaction } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Actor, recordAudit } from './index.ts';

let app: TestApp;
let me: { organization_id: string; environment_id: string; key_id: string };
let actor: Actor;

beforeAll(async () => {
  app = await startTestApp();
  me = (await app.request('GET', '/v1/me', { key: app.testKey })).body;
  actor = {
    kind: 'key',
    id: me.key_id,
    organizationId: me.organization_id,
    environmentId: me.environment_id,
  };
});
afterAll(() => app.stop());

function record(entry: { action?: string; target?: string; principal?: Actor }): Promise<void> {
  const { principal = actor, ...change } = entry;
  return recordAudit(
    app.pool,
    { principal, requestId: 'req-1' },
    { action: 'thing.changed', target: 'thing:1', before: { size: 1 }, after: { size: 2 }, ...change },
  );
}

async function list(search = '', key = app.testKey) {
  return (await app.request('GET', `/v1/audit-log?${search}`, { key })).body;
}

test('a change of a key is recorded with who, what, before and after, and without the secret', async () => {
  const made = await app.request('POST', '/v1/api-keys', {
    key: app.testKey,
    body: { name: 'audited', preset: 'send_only' },
    headers: { 'x-request-id': 'my-request' },
  });
  const { key: secret, ...shown } = made.body;
  const created = await list('limit=1');
  expect(created.data[0]).toEqual({
    id: expect.any(String),
    actor: { kind: 'key', id: me.key_id },
    action: 'api_key.created',
    target: `api_key:${shown.id}`,
    before: null,
    after: shown,
    request_id: 'my-request',
    ip_address: '127.0.0.1',
    user_agent: null,
    environment_id: me.environment_id,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });

  const rotated = await app.request('POST', `/v1/api-keys/${shown.id}/rotate`, {
    key: app.testKey,
    body: { grace_seconds: 60 },
  });
  await app.request('DELETE', `/v1/api-keys/${rotated.body.id}`, { key: app.testKey });
  const page = await list('limit=2');
  expect(page.data).toMatchObject([
    {
      action: 'api_key.revoked',
      target: `api_key:${rotated.body.id}`,
      before: { name: 'audited' },
      after: null,
    },
    {
      action: 'api_key.rotated',
      target: `api_key:${shown.id}`,
      after: { id: rotated.body.id, grace_seconds: 60 },
    },
  ]);
  for (const text of [secret, rotated.body.key])
    expect(JSON.stringify(await list('limit=100'))).not.toContain(text);
});

test('the first start is in the log as the work of the service itself', async () => {
  const page = await list('action=organization.created');
  expect(page.data).toMatchObject([
    {
      actor: { kind: 'system', id: null },
      target: `organization:${me.organization_id}`,
      environment_id: null,
      request_id: null,
    },
  ]);
});

test('an entry lives and dies with the transaction of its change', async () => {
  const target = `thing:${newId()}`;
  await expect(
    transaction(app.pool, async (tx) => {
      await recordAudit(tx, { principal: actor, requestId: null }, { action: 'a.b', target });
      throw new Error('the change failed');
    }),
  ).rejects.toThrow('the change failed');
  expect((await list(`target=${target}`)).data).toEqual([]);
});

test('an environment sees its own entries and those of the organization, nothing else', async () => {
  const target = `thing:${newId()}`;
  await record({ target });
  await record({ target, principal: { ...actor, environmentId: null } });
  expect((await list(`target=${target}`)).data).toHaveLength(2);
  expect((await list(`target=${target}`, app.liveKey)).data).toMatchObject([{ environment_id: null }]);
});

test('filters by action, target, actor and time', async () => {
  const target = `thing:${newId()}`;
  const user = newId();
  await record({ target, action: 'thing.created' });
  await record({ target, action: 'thing.changed', principal: { ...actor, kind: 'user', id: user } });
  const actions = async (search: string) =>
    (await list(`target=${target}&${search}`)).data.map(({ action }: { action: string }) => action);

  expect(await actions('')).toEqual(['thing.changed', 'thing.created']);
  expect(await actions('action=thing.created')).toEqual(['thing.created']);
  expect(await actions(`actor_id=${user}`)).toEqual(['thing.changed']);
  const { created_at } = (await list(`target=${target}&action=thing.created`)).data[0];
  const after = new Date(Date.parse(created_at) + 60_000).toISOString();
  expect(await actions(`created_after=${created_at}`)).toEqual(['thing.changed', 'thing.created']);
  expect(await actions(`created_before=${created_at}`)).toEqual([]);
  expect(await actions(`created_after=${after}`)).toEqual([]);
  expect(await actions(`created_before=${after}`)).toEqual(['thing.changed', 'thing.created']);
  expect(await actions('created_after=1900-01-01T00:00:00Z')).toHaveLength(2);
});

test('pages through entries, and refuses a cursor of another environment', async () => {
  const target = `thing:${newId()}`;
  for (let count = 0; count < 3; count++) await record({ target });
  const first = await list(`target=${target}&limit=2`);
  expect(first.data).toHaveLength(2);
  const second = await list(`target=${target}&limit=2&cursor=${first.next_cursor}`);
  expect(second.data).toHaveLength(1);
  expect(second.next_cursor).toBeNull();
  expect(second.data[0].id < first.data[1].id).toBe(true);

  expect((await list(`cursor=${first.next_cursor}`, app.liveKey)).error).toMatchObject({
    code: 'invalid_cursor',
  });
});

test.each([
  ['action=%00', 'action'],
  ['action=', 'action'],
  [`target=${'x'.repeat(201)}`, 'target'],
  ['action=a.b&action=c.d', 'action'],
  ['actor_id=nobody', 'actor_id'],
  ['created_after=yesterday', 'created_after'],
  ['created_before=2024-13-01T00:00:00Z', 'created_before'],
  ['limit=0', 'limit'],
])('refuses ?%s', async (search, param) => {
  const response = await app.request('GET', `/v1/audit-log?${search}`, { key: app.testKey });
  expect(response).toMatchObject({ status: 400, body: { error: { code: 'parameter_invalid', param } } });
});

test('needs the scope keys:read', async () => {
  const made = await app.request('POST', '/v1/api-keys', {
    key: app.testKey,
    body: { name: 'no keys', scopes: ['keys:write', 'notifications:read'] },
  });
  const response = await app.request('GET', '/v1/audit-log', { key: made.body.key });
  expect(response).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
});
