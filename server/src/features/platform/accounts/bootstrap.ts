import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../config.ts';
import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { type Scope, scopes } from '../../../http/scopes.ts';
import { randomBase62, sha256 } from '../../../kernel/crypto.ts';
import { newId } from '../../../kernel/ids.ts';
import { inheritOwner } from '../../../kernel/owner.ts';
import { type Author, recordAudit, serviceAuthor } from '../audit/index.ts';
import { keyView } from './keys-service.ts';
import { insertKey } from './keys-store.ts';
import { insertWholeOrganization } from './organizations.ts';
import { hashPassword } from './password.ts';
import { insertUser } from './people-store.ts';
import { newSecretKey } from './secret-key.ts';
import { hasOrganization, lockFirstStart } from './team-store.ts';

/**
 * The scopes of a Test key that was generated, which logs may show: who reads it there changes nothing in Live. A key that the
 * operator set is not shown, and has full access.
 */
const scopesInLogs = scopes.filter((scope) => !scope.endsWith(':promote'));

/**
 * The first start: an organization with Test and Live, a key for each, and a dashboard owner. Returns null when
 * there is already an organization. The file is written before the commit: credentials that open nothing (the next start writes
 * new ones) are better than an organization without a way in.
 */
export async function bootstrap({
  pool,
  config,
  log,
}: Pick<Deps, 'pool' | 'config' | 'log'>): Promise<Credentials | null> {
  return transaction(pool, async (tx) => {
    await lockFirstStart(tx);
    if (await hasOrganization(tx)) return null;

    const credentials: Credentials = {
      test_key: config.CARILLON_BOOTSTRAP_TEST_KEY ?? newSecretKey('test'),
      live_key: config.CARILLON_BOOTSTRAP_LIVE_KEY ?? newSecretKey('live'),
      admin_email: config.CARILLON_ADMIN_EMAIL,
      admin_password: config.CARILLON_ADMIN_PASSWORD ?? randomBase62(20),
      organization_id: newId(),
      test_environment_id: newId(),
      live_environment_id: newId(),
    };
    const userId = newId();
    const organization = {
      id: credentials.organization_id,
      name: 'My organization',
      plan: config.CARILLON_PLAN,
      testEnvironmentId: credentials.test_environment_id,
      liveEnvironmentId: credentials.live_environment_id,
      ownerId: userId,
    };
    await insertUser(tx, {
      id: userId,
      email: credentials.admin_email,
      name: 'Owner',
      password_hash: await hashPassword(credentials.admin_password),
    });
    await insertWholeOrganization(tx, organization, serviceAuthor(organization.id));
    for (const environment of [
      {
        ...{ name: 'Test', id: credentials.test_environment_id, secret: credentials.test_key },
        scopes: config.CARILLON_BOOTSTRAP_TEST_KEY === null ? scopesInLogs : null,
      },
      { name: 'Live', id: credentials.live_environment_id, secret: credentials.live_key, scopes: null },
    ]) {
      await insertFirstKey(tx, serviceAuthor(organization.id, environment.id), userId, environment);
    }
    await writeCredentials(config, credentials);
    log.info(
      { organization_id: organization.id },
      'first start: created the organization, environments, keys and owner',
    );
    return credentials;
  });
}

async function insertFirstKey(
  sql: Sql,
  author: Author,
  userId: string,
  environment: { id: string; name: string; secret: string; scopes: readonly Scope[] | null },
): Promise<void> {
  const row = await insertKey(sql, {
    id: newId(),
    environmentId: environment.id,
    name: `Default ${environment.name} key`,
    hash: sha256(environment.secret),
    last4: environment.secret.slice(-4),
    preset: environment.scopes === null ? 'full_access' : null,
    scopes: environment.scopes,
    createdByUserId: userId,
    expiresAt: null,
  });
  await recordAudit(sql, author, {
    action: 'api_key.created',
    target: `api_key:${row.id}`,
    after: keyView(row),
  });
}

const fields = [
  'test_key',
  'live_key',
  'admin_email',
  'admin_password',
  'organization_id',
  'test_environment_id',
  'live_environment_id',
] as const;

/** The credentials from the first start, for the terminal, the demo and scripts. */
export type Credentials = Record<(typeof fields)[number], string>;

type DataDirectory = Pick<Config, 'CARILLON_DATA_DIR'>;

export function credentialsPath(config: DataDirectory): string {
  return join(config.CARILLON_DATA_DIR, 'credentials.json');
}

/** Writes the file atomically and durably; only the owner of the process can read it. */
async function writeCredentials(config: DataDirectory, credentials: Credentials): Promise<void> {
  const path = credentialsPath(config);
  const draft = `${path}.tmp`;
  try {
    await mkdir(config.CARILLON_DATA_DIR, { recursive: true });
    await rm(draft, { force: true }); // the mode applies only to a new file
    await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    inheritOwner(draft);
    await rename(draft, path);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Error(
      `The first credentials cannot be written to ${path} (${reason}). Give this user write access and free disk space, or set CARILLON_DATA_DIR to another directory.`,
      { cause: error },
    );
  }
}

/** Returns null when there is no such file: the first start ran on another host, or the file was moved. */
export function readCredentials(config: DataDirectory): Credentials | null {
  try {
    const read: Credentials = JSON.parse(readFileSync(credentialsPath(config), 'utf8'));
    return fields.every((field) => typeof read[field] === 'string') ? read : null;
  } catch {
    return null;
  }
}
