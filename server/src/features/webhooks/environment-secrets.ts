import { type Sql, statement } from '../../db/sql.ts';
import type { StoredSecret } from './secrets.ts';

/** The signing secret of an environment. It signs posts of the webhook channel to a URL that is not a registered endpoint. */

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
