import { newSigningSecret } from '../../channels/webhook/index.ts';
import { type Sql, statement } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { createCache } from '../../kernel/cache.ts';
import type { Keyring } from '../../kernel/crypto.ts';
import { Problem } from '../../kernel/errors.ts';

/** A signing secret at rest. After a rotation, the old secret signs beside the new one until `expires_at`. */
export interface StoredSecret {
  sealed: string;
  expires_at: string | null;
}

const overlapMs = 24 * 3_600_000;
/** The maximum number of signatures in one header. */
const maxSecrets = 10;
const prefixLength = 8;

interface IssuedSecret {
  /** The plain text, which is returned only once. */
  secret: string;
  /** Shown so that users can recognize the secret. */
  prefix: string;
  stored: StoredSecret[];
}

/** Issues a new secret; the previous ones keep signing for a day. `context` names the row that the secret belongs to. */
export function issueSecret(
  keyring: Keyring,
  context: string,
  before: readonly StoredSecret[],
  now: number,
): IssuedSecret {
  const overlap = new Date(now + overlapMs).toISOString();
  const old = signing(before, now).map((one) => ({ ...one, expires_at: one.expires_at ?? overlap }));
  const oldest = old[maxSecrets - 1];
  if (oldest) throw tooManySecrets(Date.parse(oldest.expires_at) - now);
  const secret = newSigningSecret();
  return {
    secret,
    prefix: secret.slice(0, prefixLength),
    stored: [{ sealed: keyring.seal(secret, context), expires_at: null }, ...old],
  };
}

/** The oldest secret is valid for a full day, so it is not dropped for a new one. */
function tooManySecrets(untilNextMs: number): Problem {
  return new Problem(
    'rate_limited',
    `The endpoint already has ${maxSecrets} active secrets. Rotate again when the oldest has expired.`,
    {
      headers: { 'retry-after': String(Math.ceil(untilNextMs / 1000)) },
    },
  );
}

function signing(stored: readonly StoredSecret[], now: number): StoredSecret[] {
  return stored.filter(({ expires_at }) => expires_at === null || Date.parse(expires_at) > now);
}

/** Returns the secrets that sign now, newest first. Throws when the encryption key is no longer configured. */
export type OpenSecrets = (context: string, stored: readonly StoredSecret[], now: number) => string[];

/** Opened secrets are cached: a busy endpoint signs thousands of times a second. */
export function createSecretOpener({ keyring }: Pick<Deps, 'keyring'>): OpenSecrets {
  const opened = createCache<string>(10_000);
  return (context, stored, now) =>
    signing(stored, now).map(({ sealed }) => {
      const secret = opened.get(sealed) ?? keyring.open(sealed, context);
      opened.set(sealed, secret);
      return secret;
    });
}

export function endpointContext(endpointId: string): string {
  return `webhook_endpoint:${endpointId}`;
}

export function environmentContext(environmentId: string): string {
  return `webhook_environment:${environmentId}`;
}

// The secret of an environment signs posts of the webhook channel to a URL that is not a registered endpoint.

const findMany = statement<{ environment_id: string; secrets: StoredSecret[] }>(
  'webhooks_find_environment_secrets',
  'select environment_id, secrets from webhook_environment_secrets where environment_id = any ($1::uuid[])',
);

export async function listEnvironmentSecrets(sql: Sql, ids: string[]): Promise<Map<string, StoredSecret[]>> {
  return new Map((await findMany(sql, [ids])).map((row) => [row.environment_id, row.secrets]));
}

const insert = statement(
  'webhooks_insert_environment_secrets',
  'insert into webhook_environment_secrets (environment_id, secrets) values ($1, $2) on conflict do nothing',
);

/** The first of two concurrent inserts wins; read the row back. */
export async function insertEnvironmentSecrets(
  sql: Sql,
  environmentId: string,
  secrets: StoredSecret[],
): Promise<void> {
  await insert(sql, [environmentId, JSON.stringify(secrets)]);
}

const lock = statement<{ secrets: StoredSecret[] }>(
  'webhooks_lock_environment_secrets',
  'select secrets from webhook_environment_secrets where environment_id = $1 for update',
);

/** Concurrent rotations are serialized: when there is no row yet, an empty one is inserted and locked. */
export async function lockEnvironmentSecrets(tx: Sql, environmentId: string): Promise<StoredSecret[]> {
  await insertEnvironmentSecrets(tx, environmentId, []);
  return (await lock(tx, [environmentId]))[0]?.secrets ?? [];
}

const update = statement(
  'webhooks_update_environment_secrets',
  'update webhook_environment_secrets set secrets = $2 where environment_id = $1',
);

export async function updateEnvironmentSecrets(
  tx: Sql,
  environmentId: string,
  secrets: StoredSecret[],
): Promise<void> {
  await update(tx, [environmentId, JSON.stringify(secrets)]);
}
