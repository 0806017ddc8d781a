import { type Sql, statement } from '../../db/sql.ts';
import type { StoredSecret } from './secrets.ts';

/** The secret of an environment itself: it signs what the webhook channel posts to a URL that is nobody's endpoint. */

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

/** The first of two at the same instant counts; read it back. */
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

/** Two rotations at once come one after the other: whoever finds no row yet makes an empty one to lock. */
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
