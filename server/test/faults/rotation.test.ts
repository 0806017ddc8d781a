import { execFile } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resealAll } from '../../src/db/reseal.ts';
import { createKeyring } from '../../src/kernel/crypto.ts';
import { sealedColumns } from '../../src/sealed.ts';
import { buildService } from '../crash/service-process.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const [oldKey, newKey, thirdKey] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const idOf = (key: Buffer): string => createKeyring([key]).ids[0] ?? '';
const setting = (...keys: Buffer[]): string => keys.map((key) => key.toString('base64')).join(',');

let database: TestDatabase;
beforeAll(async () => {
  [database] = await Promise.all([createTestDatabase(), buildService()]);
});
afterAll(() => database.drop());

function start(...keys: Buffer[]): Promise<TestApp> {
  return startTestApp({
    database,
    settings: {
      CARILLON_ROLES: 'api',
      CARILLON_ENCRYPTION_KEY: setting(...keys),
      CARILLON_APNS_API_URL: 'http://127.0.0.1:1',
    },
  });
}

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

function pushSettings(): object {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return {
    web_push: { contact: 'ops@acme.example' },
    apns: {
      team_id: 'TEAM123456',
      key_id: 'KEY1234567',
      bundle_id: 'com.acme',
      private_key: pem(ec.privateKey),
    },
    fcm: {
      service_account: {
        type: 'service_account',
        project_id: 'acme',
        client_email: 'push@acme.example',
        private_key: pem(rsa.privateKey),
        token_uri: 'http://127.0.0.1:1/token',
      },
    },
  };
}

async function plantEverywhere(app: TestApp): Promise<void> {
  const env = `/v1/environments/${app.testEnvironmentId}`;
  const calls: [string, string, object][] = [
    [
      'PUT',
      `${env}/email-settings`,
      {
        from_address: 'a@acme.example',
        providers: [
          { kind: 'smtp', config: { host: 'localhost', port: 1, username: 'u', password: 'smtp-password' } },
          { kind: 'resend', config: { api_key: 're_secret_key', base_url: 'http://127.0.0.1:1' } },
        ],
      },
    ],
    [
      'PUT',
      `${env}/sms-settings`,
      { kind: 'smstwo', from_sender_id: 'Acme', smstwo_api_key: 'abcd1234', smstwo_api_secret: 'sms-secret' },
    ],
    ['PUT', `${env}/push-settings`, pushSettings()],
    ['PUT', '/v1/users/ada/devices', { kind: 'apns', token: 'a'.repeat(64) }],
    ['POST', '/v1/webhook-endpoints', { url: 'https://acme.example/hook?token=abc' }],
    ['POST', `${env}/webhook-secret/rotate`, {}],
    ['POST', '/v1/inbox/tokens', { external_user_id: 'ada' }],
    ['POST', '/v1/chatone/installations', { bot_token: 'xoxb-sandbox-rotation' }],
    [
      'POST',
      '/v1/chatthree-endpoints',
      {
        label: 'Three',
        webhook_url: `https://discord.com/api/webhooks/1234567890123456789/${'t'.repeat(60)}`,
      },
    ],
  ];
  calls.push(
    ['POST', '/v1/workflows', { key: 'rotation', name: 'Rotation' }],
    [
      'POST',
      '/v1/workflows/rotation/versions',
      {
        body: {
          steps: [
            {
              id: 'call',
              kind: 'fetch',
              url: 'https://acme.example',
              headers: { 'x-api-key': 'fetch-credential' },
            },
          ],
        },
      },
    ],
  );
  for (const [method, path, body] of calls) {
    const answer = await app.request(method, path, { body });
    expect([path, answer.status, answer.body.error]).toEqual([
      path,
      expect.toBeOneOf([200, 201, 202]),
      undefined,
    ]);
  }
  const refresh = createKeyring([oldKey]);
  const { rows } = await app.pool.query('select id from chatone_installations');
  for (const { id } of rows) {
    const sealed = refresh.seal('xoxe-1-refresh', `chatone_installation:${id}:refresh_token`);
    await app.pool.query('update chatone_installations set refresh_sealed = $2 where id = $1', [id, sealed]);
  }
}

/** Every row of every table, as text. */
async function dump(app: { pool: TestDatabase['pool'] }): Promise<string> {
  const { rows: tables } = await app.pool.query(
    "select format('%I', tablename) as name from pg_tables where schemaname = 'public'",
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await app.pool.query(
      `select coalesce(string_agg(t::text, e'\\n'), '') as text from ${name} t`,
    );
    parts.push(rows[0].text);
  }
  return parts.join('\n');
}

describe('rotating the encryption key', () => {
  it('seals everything anew while the service runs, and the old key is not needed after', async () => {
    const before = await start(oldKey);
    await plantEverywhere(before);
    await before.stop();

    const during = await start(newKey, oldKey);
    const settings = `/v1/environments/${during.testEnvironmentId}/email-settings`;
    const { providers } = (await during.request('GET', settings)).body;
    let busy = true;
    // Somebody saves settings all the while: neither may undo the other.
    const saving = (async () => {
      for (let number = 0; busy; number += 1) {
        const body = {
          from_address: `a${number}@acme.example`,
          providers: providers.map(({ id, kind, config }: { id: string; kind: string; config: object }) => ({
            id,
            kind,
            config,
          })),
        };
        const { status } = await during.request('PUT', settings, { body });
        expect(status).toBe(200);
      }
    })();
    const report = await resealAll(during.pool, createKeyring([newKey, oldKey]), sealedColumns);
    busy = false;
    await saving;

    expect(report.columns.filter(({ values }) => values === 0)).toEqual([]);
    expect(report.columns.filter(({ unopened }) => unopened > 0)).toEqual([]);
    expect([...report.used.keys()]).toEqual([idOf(newKey)]);
    expect(await dump(during)).not.toContain(`v1.${idOf(oldKey)}.`);
    await during.stop();

    const after = await start(newKey);
    // Only a value that is sealed anew is really opened; so to a third key, and back.
    const opened = await resealAll(after.pool, createKeyring([thirdKey, newKey]), sealedColumns);
    expect(opened.columns.map(({ unopened }) => unopened)).toEqual(opened.columns.map(() => 0));
    await resealAll(after.pool, createKeyring([newKey, thirdKey]), sealedColumns);
    expect((await after.request('GET', settings)).body.providers[0].config.password).toBe('••••word');
    await after.stop();
  });

  it('says which values nobody can open, and leaves them', async () => {
    const kept = await dump({ pool: database.pool });
    const report = await resealAll(database.pool, createKeyring([thirdKey]), sealedColumns);
    expect(report.columns.every(({ values, unopened }) => values === unopened)).toBe(true);
    expect([...report.used.keys()]).toEqual([idOf(newKey)]);
    expect(await dump({ pool: database.pool })).toBe(kept);
  });

  async function command(...keys: Buffer[]): Promise<{ code: number; said: string }> {
    try {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['server/dist/main.js', '--rotate-secrets'],
        {
          cwd: root,
          env: {
            PATH: process.env.PATH,
            DATABASE_URL: database.url,
            CARILLON_DATA_DIR: '/nonexistent',
            CARILLON_ENCRYPTION_KEY: setting(...keys),
          },
        },
      );
      return { code: 0, said: stdout };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, said: stdout + stderr };
    }
  }

  it('is a command that tells which keys are no longer used', async () => {
    const first = await command(thirdKey, newKey);
    expect([first.code, first.said]).toEqual([0, expect.any(String)]);
    expect(first.said).toContain(`every secret is encrypted with key ${idOf(thirdKey)}`);
    expect(first.said).toMatch(new RegExp(`no longer needed.*${idOf(newKey)}`));
    expect(first.said).toMatch(/email_settings\.providers: 2 encrypted values, 2 re-encrypted/);

    const second = await command(thirdKey);
    expect([second.code, second.said]).toEqual([0, expect.stringContaining('0 re-encrypted')]);

    const retired = await command(oldKey);
    expect([retired.code, retired.said]).toEqual([1, expect.stringContaining('encrypted with another key')]);
  }, 60_000);
});

it('every feature that seals something says where', () => {
  const features = join(root, 'server/src/features');
  const sealing = readdirSync(features, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) => readFileSync(join(features, path), 'utf8').includes('.seal('))
    // These seal a cookie and a token, which the caller keeps, not the database.
    .filter(
      (path) =>
        ![
          join('platform', 'accounts', 'devices.ts'),
          join('campaigns', 'bulk-actions', 'service.ts'),
        ].includes(path),
    )
    .map((path) => dirname(path).split('/').slice(0, 2).join('/'));
  const table = readFileSync(join(root, 'server/src/sealed.ts'), 'utf8');
  for (const feature of new Set(sealing)) expect(table).toContain(`./features/${feature}/index.ts`);
});

it('every column that is named for being sealed is in the table', async () => {
  const { rows } = await database.pool.query(
    "select table_name || '.' || column_name as place from information_schema.columns where table_schema = 'public' and column_name like '%sealed%'",
  );
  const places = sealedColumns.map(({ table, column }) => `${table}.${column}`);
  expect(rows.length).toBeGreaterThan(3);
  for (const { place } of rows) expect(places).toContain(place);
});
