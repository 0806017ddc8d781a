import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { loadConfig } from '../config.ts';
import { openKeyring } from '../db/encryption-keys.ts';
import { createKeyring } from '../kernel/crypto.ts';
import { findOperatorCommand } from './index.ts';

const [lostKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const [lostId = '', newId = ''] = createKeyring([lostKey, newKey]).ids;
const setting = (...keys: Buffer[]): string => keys.map((key) => key.toString('base64')).join(',');

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'carillon-lost-key-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

function start(keys: string, logTo?: { write(line: string): void }): Promise<TestApp> {
  const settings = { CARILLON_ENCRYPTION_KEY: keys, ...(logTo && { LOG_LEVEL: 'warn' }) };
  return startTestApp({ database, settings, ...(logTo && { logTo }) });
}

async function accept(keys: string, ...ids: string[]): Promise<{ code: number; said: string }> {
  const env = { DATABASE_URL: database.url, CARILLON_DATA_DIR: folder, CARILLON_ENCRYPTION_KEY: keys };
  const lines: string[] = [];
  const command = findOperatorCommand(['--accept-lost-key', ...ids]);
  const code = await command?.run(loadConfig(env, folder), (line) => lines.push(line), command.args);
  return { code: code ?? -1, said: lines.join('\n') };
}

/** Something sealed of every sort that the service makes itself, and of one that people give. */
async function plant(app: TestApp): Promise<void> {
  const providers = [
    { kind: 'resend', config: { api_key: 're_secret_key', base_url: 'http://127.0.0.1:1' } },
  ];
  const settings = `/v1/environments/${app.testEnvironmentId}/email-settings`;
  await app.request('PUT', settings, { body: { from_address: 'a@acme.example', providers } });
  await app.request('POST', '/v1/webhook-endpoints', { body: { url: 'http://127.0.0.1:1/hook' } });
  await app.request('POST', '/v1/inbox/tokens', { body: { external_user_id: 'ada' } });
  expect((await post(app, 'webhook')).status).toBe('delivered');
}

async function post(app: TestApp, channel: string) {
  const recipient = { address: 'http://127.0.0.1:1/notify' };
  const sent = await app.request('POST', '/v1/notifications', {
    body: { channel, recipient, text_body: 'x' },
  });
  return app.waitFor(sent.body.id, ({ status }) => !['queued', 'sending'].includes(status));
}

test('a key that is missing is named, and none is made in its place', async () => {
  const app = await start(setting(lostKey));
  await plant(app);
  await app.stop();
  await expect(openKeyring(database.pool, null, folder)).rejects.toThrow(
    new RegExp(`There is no .*encryption\\.key, .* the key ${lostId}\\. .*secrets\\.md`),
  );
  expect(existsSync(join(folder, 'encryption.key'))).toBe(false);
  await expect(openKeyring(database.pool, [newKey], folder)).rejects.toThrow(
    `another key (${lostId}; this process has ${newId})`,
  );
});

test('only a key that is named, known and really missing is given up', async () => {
  for (const [keys, ids] of [
    [setting(newKey), []],
    [setting(newKey), ['00000000']],
    [setting(newKey, lostKey), [lostId]],
  ] as const) {
    expect(await accept(keys, ...ids)).toMatchObject({ code: 1, said: expect.stringContaining(lostId) });
  }
  const app = await start(setting(lostKey));
  expect((await post(app, 'webhook')).status).toBe('delivered');
  await app.stop();
});

test('without the lost key the service makes its own secrets anew, and says which must be given again', async () => {
  const { code, said } = await accept(setting(newKey), lostId);
  expect([code, said]).toEqual([0, expect.stringContaining(`continues without the key ${lostId}`)]);
  expect(said).toContain('email_settings.providers: 0 regenerated, 1 to be entered again');
  expect(said).toContain('webhook_endpoints.secrets: 1 regenerated, 0 to be entered again');

  const app = await start(setting(newKey));
  const token = await app.request('POST', '/v1/inbox/tokens', { body: { external_user_id: 'ada' } });
  const feed = await app.request('GET', '/inbox/v1/feed', { key: token.body.token });
  expect([token.status, feed.status]).toEqual([201, 200]);
  expect((await post(app, 'webhook')).status).toBe('delivered');
  const settings = `/v1/environments/${app.testEnvironmentId}/email-settings`;
  const [provider] = (await app.request('GET', settings)).body.providers;
  expect(provider.callback_url).toContain('/hooks/resend/');
  const verified = await app.request('POST', `${settings}/providers/${provider.id}/verify`);
  expect(verified.body).toEqual({ ok: false, detail: expect.stringContaining('enter them again') });
  const log = await app.request('GET', '/v1/audit-log?action=encryption_key.lost');
  expect(log.body.data).toMatchObject([
    { actor: { kind: 'system', id: null }, target: `encryption_key:${lostId}` },
  ]);
  await app.stop();
});

test('a start without a key that was used besides its own warns of it', async () => {
  await (await start(setting(lostKey, newKey))).stop();
  const lines: string[] = [];
  const app = await start(setting(newKey), { write: (line) => lines.push(line) });
  await app.stop();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ keys: [lostId] }]);
});
