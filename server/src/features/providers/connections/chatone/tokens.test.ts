import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/harness/app.ts';
import { type ChatoneSimulator, startChatoneSimulator } from '../../../../../test/simulators/chatone.ts';
import { createChatoneApi } from '../../../../channels/chatone/index.ts';
import { createInstallationService } from './service.ts';
import { type InstallationRow, listInstallationsById } from './store.ts';
import { createTokenKeeper, grantOf } from './tokens.ts';

let service: ChatoneSimulator;
let app: TestApp;
beforeAll(async () => {
  service = await startChatoneSimulator({ rotateAfterSeconds: 43_200 });
  app = await startTestApp({
    settings: {
      CARILLON_CHATONE_API_URL: service.apiUrl,
      CARILLON_CHATONE_CLIENT_ID: service.clientId,
      CARILLON_CHATONE_CLIENT_SECRET: service.clientSecret,
    },
  });
});
afterAll(async () => {
  await app.stop();
  await service.stop();
});

const api = () => createChatoneApi(app.deps.outbound, service.apiUrl, Date.now);
let teams = 0;

/** An installation whose token ends in so many milliseconds. */
async function installation(endsInMs: number): Promise<InstallationRow> {
  teams += 1;
  const code = service.grantCode('https://x', { teamId: `T${teams}` });
  const granted = await api().call('oauth.v2.access', {
    client: { id: service.clientId, secret: service.clientSecret },
    args: { code, redirect_uri: 'https://x' },
  });
  const grant = granted.kind === 'ok' ? grantOf(granted.body) : null;
  if (!grant) throw new Error('no grant');
  const installations = createInstallationService({ ...app.services, chatoneApi: api() });
  const { body } = await app.request('GET', '/v1/me', { key: app.liveKey });
  const principal = await app.deps.authenticator.byKey(app.liveKey);
  expect(principal.environmentId).toBe(body.environment_id);
  const made = await installations.install(
    { principal, requestId: 'r' },
    {
      teamId: `T${teams}`,
      teamName: 'x',
      botUserId: 'U0BOT',
      appId: null,
      scopes: [],
      isSandbox: false,
      grant: { ...grant, expiresInSeconds: endsInMs / 1000 },
    },
  );
  return latest(made.installation.id);
}

async function latest(id: string): Promise<InstallationRow> {
  const [row] = await listInstallationsById(app.pool, [id]);
  if (!row) throw new Error('no installation');
  return row;
}

const refreshes = () => service.methods.filter((method) => method === 'oauth.v2.access').length;
const keeper = () => createTokenKeeper({ ...app.deps, chatoneApi: api() });

test('a token with hours to live is used as it is', async () => {
  const row = await installation(43_200_000);
  const before = refreshes();
  const token = await keeper().tokenOf(row, null);
  expect(service.tokens.get(String(token))?.refusal).toBeNull();
  expect(refreshes()).toBe(before);
});

test('one that ends soon is renewed before, once, however many ask at the same time', async () => {
  const row = await installation(60_000);
  const before = refreshes();
  const asked = await Promise.all([1, 2, 3, 4, 5].map(() => keeper().tokenOf(row, null)));
  expect(refreshes()).toBe(before + 1);
  for (const token of asked) expect(typeof token).toBe('string');
  const renewed = await latest(row.id);
  expect(renewed.revision).toBe(row.revision + 1);
  expect(renewed.token_expires_at?.getTime()).toBeGreaterThan(Date.now() + 3_600_000);
  expect(service.tokens.get(String(await keeper().tokenOf(renewed, null)))?.refusal).toBeNull();
});

test('one that the service calls expired is renewed, also when another process was quicker', async () => {
  const row = await installation(43_200_000);
  const old = String(await keeper().tokenOf(row, null));
  const first = await keeper().tokenOf(row, old);
  const second = await keeper().tokenOf(row, old);
  expect(first).not.toBe(old);
  expect(second).toBe(first);
});

test('when it cannot be renewed now it is used while it lives, and tried again later', async () => {
  const alive = await installation(60_000);
  service.faults = [{ status: 503 }];
  expect(typeof (await keeper().tokenOf(alive, null))).toBe('string');
  const dead = await installation(-1_000);
  service.faults = [{ status: 503 }];
  expect(await keeper().tokenOf(dead, null)).toMatchObject({
    outcome: { kind: 'retry', code: 'token_expired' },
  });
});

test('when the service refuses to renew it, the connection is broken', async () => {
  const dead = await installation(-1_000);
  service.faults = [{ status: 200, body: { ok: false, error: 'invalid_refresh_token' } }];
  expect(await keeper().tokenOf(dead, null)).toMatchObject({ outcome: { kind: 'broken' } });
});

test('a token that never was to end and has expired all the same is a broken connection', async () => {
  const row = { ...(await installation(43_200_000)), token_expires_at: null, refresh_sealed: null };
  expect(await keeper().tokenOf(row, 'x')).toMatchObject({ outcome: { kind: 'broken' } });
});

test('a token whose encryption key is lost is a broken connection, not a fault', async () => {
  const row = { ...(await installation(43_200_000)), token_sealed: 'v1.00000000.AAAA' };
  expect(await keeper().tokenOf(row, null)).toMatchObject({
    outcome: { kind: 'broken', code: 'token_unreadable' },
  });
});
