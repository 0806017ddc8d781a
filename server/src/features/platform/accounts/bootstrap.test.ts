import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { type Config, loadConfig } from '../../../config.ts';
import { createPool, query } from '../../../db/sql.ts';
import { scopes } from '../../../http/scopes.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { createLog } from '../../../kernel/log.ts';
import { bootstrap, createAuthenticator, readCredentials } from './index.ts';
import { verifyPassword } from './password.ts';

const log = createLog('silent');
const opened: TestDatabase[] = [];
const folders: string[] = [];
let db: TestDatabase;
let config: Config;

beforeEach(async () => {
  db = await createTestDatabase();
  opened.push(db);
  const folder = await mkdtemp(join(tmpdir(), 'carillon-bootstrap-'));
  folders.push(folder);
  config = loadConfig({ CARILLON_DATA_DIR: join(folder, 'data') }, folder);
});

afterAll(async () => {
  await Promise.all(opened.map((each) => each.drop()));
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

test('the first start makes an organization with Test and Live, a working key for each, and an owner', async () => {
  const made = await bootstrap({ pool: db.pool, config, log });
  if (!made) throw new Error('nothing was made');
  expect(made.test_key).toMatch(/^crl_test_[0-9A-Za-z]{38}$/);
  expect(made.live_key).toMatch(/^crl_live_[0-9A-Za-z]{38}$/);
  expect(made.admin_email).toBe('admin@carillon.local');

  const authenticator = createAuthenticator(db.pool, systemClock);
  expect(await authenticator.byKey(made.test_key)).toMatchObject({
    kind: 'key',
    organizationId: made.organization_id,
    environmentId: made.test_environment_id,
    environmentKind: 'test',
    plan: 'unmetered',
    preset: null,
  });
  expect(await authenticator.byKey(made.live_key)).toMatchObject({
    environmentKind: 'live',
    preset: 'full_access',
  });
  // The output of a start, which is often kept, shows the Test key: it must not reach into Live.
  const { scopes: granted } = await authenticator.byKey(made.test_key);
  expect(scopes.filter((scope) => !granted.has(scope))).toEqual(['templates:promote', 'workflows:promote']);

  const [owner] = await query<{ password_hash: string; role: string; email: string }>(
    db.pool,
    'select password_hash, role, email from users join memberships on user_id = id',
  );
  expect(owner).toMatchObject({ role: 'owner', email: made.admin_email });
  expect(await verifyPassword(made.admin_password, owner?.password_hash ?? '')).toBe(true);
  const names = await query<{ name: string }>(db.pool, 'select name from api_keys order by id');
  expect(names.map(({ name }) => name)).toEqual(['Default Test key', 'Default Live key']);
});

test.runIf(process.getuid?.() === 0)(
  'credentials that root writes belong to whom the directory belongs',
  async () => {
    await mkdir(config.CARILLON_DATA_DIR);
    await chown(config.CARILLON_DATA_DIR, 1, 1);
    await bootstrap({ pool: db.pool, config, log });
    const file = await stat(join(config.CARILLON_DATA_DIR, 'credentials.json'));
    expect([file.uid, file.gid, file.mode & 0o777]).toEqual([1, 1, 0o600]);
  },
);

test('the credentials are in a file that only its owner can read', async () => {
  await bootstrap({ pool: db.pool, config, log });
  const path = join(config.CARILLON_DATA_DIR, 'credentials.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const written = JSON.parse(await readFile(path, 'utf8'));
  expect(Object.keys(written).sort()).toEqual([
    'admin_email',
    'admin_password',
    'live_environment_id',
    'live_key',
    'organization_id',
    'test_environment_id',
    'test_key',
  ]);
  expect(readCredentials(config)).toEqual(written);
});

test('settings fix the first credentials', async () => {
  const fixed = loadConfig({
    CARILLON_DATA_DIR: config.CARILLON_DATA_DIR,
    CARILLON_BOOTSTRAP_TEST_KEY: 'crl_test_0123456789012345678901234567',
    CARILLON_BOOTSTRAP_LIVE_KEY: 'crl_live_0123456789012345678901234567',
    CARILLON_ADMIN_EMAIL: 'Boss@Example.com',
    CARILLON_ADMIN_PASSWORD: 'a long password',
    CARILLON_PLAN: 'free',
  });
  expect(await bootstrap({ pool: db.pool, config: fixed, log })).toMatchObject({
    test_key: 'crl_test_0123456789012345678901234567',
    live_key: 'crl_live_0123456789012345678901234567',
    admin_email: 'boss@example.com',
    admin_password: 'a long password',
  });
  const principal = await createAuthenticator(db.pool, systemClock).byKey(
    'crl_live_0123456789012345678901234567',
  );
  expect(principal.plan).toBe('free');
  const test = await createAuthenticator(db.pool, systemClock).byKey('crl_test_0123456789012345678901234567');
  expect(test.preset).toBe('full_access');
});

test('processes that start together make exactly one organization, and only one of them says so', async () => {
  const other = createPool(db.url, 2);
  const results = await Promise.all(
    [db.pool, other, db.pool, other].map((pool) => bootstrap({ pool, config, log })),
  );
  expect(results.filter((result) => result !== null)).toHaveLength(1);
  const [counts] = await query<{ organizations: number; environments: number; keys: number; users: number }>(
    db.pool,
    `select (select count(*)::int from organizations) as organizations, (select count(*)::int from environments) as environments,
       (select count(*)::int from api_keys) as keys, (select count(*)::int from users) as users`,
  );
  expect(counts).toEqual({ organizations: 1, environments: 2, keys: 2, users: 1 });
  expect(readCredentials(config)).toEqual(results.find((result) => result !== null));
  await other.end();
});

test('a file that does not hold credentials is as good as none', async () => {
  await bootstrap({ pool: db.pool, config, log });
  const path = join(config.CARILLON_DATA_DIR, 'credentials.json');
  for (const text of ['', '{', 'null', '{}', '{"test_key":"crl_test_0123456789abcdefghij"}']) {
    await writeFile(path, text);
    expect(readCredentials(config)).toBeNull();
  }
});

test('a later start makes nothing and leaves the file alone', async () => {
  await bootstrap({ pool: db.pool, config, log });
  const before = readCredentials(config);
  expect(await bootstrap({ pool: db.pool, config, log })).toBeNull();
  expect(readCredentials(config)).toEqual(before);
});

test('when the file cannot be written the start says so and nothing is made', async () => {
  const file = `${config.CARILLON_DATA_DIR}-is-a-file`;
  await writeFile(file, '');
  await chmod(file, 0o600);
  const broken = { ...config, CARILLON_DATA_DIR: file };
  await expect(bootstrap({ pool: db.pool, config: broken, log })).rejects.toThrow(
    /cannot be written.*CARILLON_DATA_DIR/,
  );
  expect(await query(db.pool, 'select 1 from organizations')).toEqual([]);
  expect(readCredentials(broken)).toBeNull();
});
