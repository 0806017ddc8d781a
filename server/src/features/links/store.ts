import { type Sql, statement } from '../../db/sql.ts';

/** The table is named after its first use; the previous release still reads it under that name. */
export interface SecretRow {
  environment_id: string;
  handle: Buffer;
  sealed_secret: string;
}

const columns = 'environment_id, handle, sealed_secret';

const list = statement<SecretRow>(
  'links_list_secrets',
  `select ${columns} from unsubscribe_secrets where environment_id = any ($1::uuid[])`,
);

export function listSecrets(sql: Sql, environmentIds: string[]): Promise<SecretRow[]> {
  return list(sql, [environmentIds]);
}

const findByHandle = statement<SecretRow>(
  'links_find_secret',
  `select ${columns} from unsubscribe_secrets where handle = $1`,
);

export async function findSecret(sql: Sql, handle: Buffer): Promise<SecretRow | null> {
  return (await findByHandle(sql, [handle]))[0] ?? null;
}

const insert = statement(
  'links_insert_secret',
  `insert into unsubscribe_secrets (${columns}) values ($1, $2, $3) on conflict (environment_id) do nothing`,
);

/** The first secret stays: links that were sent must keep working. */
export async function insertSecret(sql: Sql, row: SecretRow): Promise<void> {
  await insert(sql, [row.environment_id, row.handle, row.sealed_secret]);
}

const reseal = statement(
  'links_reseal_secret',
  'update unsubscribe_secrets set sealed_secret = $3 where environment_id = $1 and sealed_secret = $2',
);

export async function updateSeal(sql: Sql, row: SecretRow, sealed: string): Promise<void> {
  await reseal(sql, [row.environment_id, row.sealed_secret, sealed]);
}
