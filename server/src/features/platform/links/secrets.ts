import { randomBytes } from 'node:crypto';
import { sealedText } from '../../../db/reseal.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { createCache } from '../../../kernel/cache.ts';

export const linkSealedColumns = [
  sealedText(
    { table: 'unsubscribe_secrets', key: 'environment_id', column: 'sealed_secret', remake: newLinkSecret },
    ({ environment_id }) => `unsubscribe:${environment_id}`,
  ),
];

/** The table is named after its first use. */
interface SecretRow {
  environment_id: string;
  handle: Buffer;
  sealed_secret: string;
}

const columns = 'environment_id, handle, sealed_secret';

const list = statement<SecretRow>(
  'links_list_secrets',
  `select ${columns} from unsubscribe_secrets where environment_id = any ($1::uuid[])`,
);

function listSecrets(sql: Sql, environmentIds: string[]): Promise<SecretRow[]> {
  return list(sql, [environmentIds]);
}

const findByHandle = statement<SecretRow>(
  'links_find_secret',
  `select ${columns} from unsubscribe_secrets where handle = $1`,
);

async function findSecret(sql: Sql, handle: Buffer): Promise<SecretRow | null> {
  return (await findByHandle(sql, [handle]))[0] ?? null;
}

const insert = statement(
  'links_insert_secret',
  `insert into unsubscribe_secrets (${columns}) values ($1, $2, $3) on conflict (environment_id) do nothing`,
);

/** The first secret stays: links that were sent must keep working. */
async function insertSecret(sql: Sql, row: SecretRow): Promise<void> {
  await insert(sql, [row.environment_id, row.handle, row.sealed_secret]);
}

const reseal = statement(
  'links_reseal_secret',
  'update unsubscribe_secrets set sealed_secret = $3 where environment_id = $1 and sealed_secret = $2',
);

async function updateSeal(sql: Sql, row: SecretRow, sealed: string): Promise<void> {
  await reseal(sql, [row.environment_id, row.sealed_secret, sealed]);
}

/** The secret that all links of one environment are made with, for every purpose. */
export interface LinkSecret {
  environmentId: string;
  /** Identifies the environment in a link, and reveals nothing else. */
  handle: Buffer;
  secret: Buffer;
}

export interface LinkSecrets {
  /** Secrets of environments, created on first use; at most one query for those not cached yet. */
  secretsFor(environmentIds: readonly string[]): Promise<Map<string, LinkSecret>>;
  find(handle: Buffer): Promise<LinkSecret | null>;
}

export const handleBytes = 8;
const secretBytes = 32;

function newLinkSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

/** Secrets never change, so a cached one stays valid: no expiry, no second query. */
export function createLinkSecrets({
  pool,
  keyring,
  log,
}: Pick<Deps, 'pool' | 'keyring' | 'log'>): LinkSecrets {
  const known = createCache<LinkSecret>(20_000); // each by its environment and by its handle

  async function open(row: SecretRow): Promise<LinkSecret | null> {
    const context = `unsubscribe:${row.environment_id}`; // named after their first use
    try {
      const secret = keyring.open(row.sealed_secret, context);
      // Old links must outlive the encryption key that sealed their secret, because the key may be retired.
      if (keyring.isStale(row.sealed_secret)) await updateSeal(pool, row, keyring.seal(secret, context));
      const opened = {
        environmentId: row.environment_id,
        handle: row.handle,
        secret: Buffer.from(secret, 'base64url'),
      };
      known.set(row.environment_id, opened);
      known.set(row.handle.toString('hex'), opened);
      return opened;
    } catch (error) {
      log.error({ err: error, environment_id: row.environment_id }, 'failed to decrypt a link secret');
      return null;
    }
  }

  async function makeSecret(environmentId: string): Promise<void> {
    await insertSecret(pool, {
      environment_id: environmentId,
      handle: randomBytes(handleBytes),
      sealed_secret: keyring.seal(newLinkSecret(), `unsubscribe:${environmentId}`),
    });
  }

  return {
    async secretsFor(environmentIds) {
      const missing = environmentIds.filter((id) => !known.has(id));
      if (missing.length > 0) {
        let rows = await listSecrets(pool, missing);
        if (rows.length < missing.length) {
          const present = new Set(rows.map((row) => row.environment_id));
          for (const id of missing) if (!present.has(id)) await makeSecret(id);
          rows = await listSecrets(pool, missing);
        }
        for (const row of rows) await open(row);
      }
      return new Map(
        environmentIds.flatMap((id) => {
          const secret = known.get(id);
          return secret ? [[id, secret]] : [];
        }),
      );
    },

    async find(handle) {
      const cached = known.get(handle.toString('hex'));
      if (cached) return cached;
      const row = await findSecret(pool, handle);
      return row && open(row);
    },
  };
}
