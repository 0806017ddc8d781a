import { type Sql, statement } from '../../../db/sql.ts';
import { Problem } from '../../../kernel/errors.ts';

/**
 * Idempotency keys, valid 24 hours. The primary key of the table decides which request was first, so the guarantee holds across
 * processes and restarts; a key is written in the transaction that creates the resource, so a failed request does not burn it.
 * The primary key is a hash of environment, operation and key: one narrow row and one index instead of two (docs/adr/0036).
 */
export interface KeyClaim {
  environmentId: string;
  /** The operation and, for some operations, its target: `notification`, `trigger:<workflow>`. */
  operation: string;
  key: string;
  bodyHash: string;
  resourceId: string;
}

/** 128 bits of the SHA-256 of the body. A caller who finds two bodies with the same ones fools only itself. */
const bodyHashSql = (hex: string): string => `left(${hex}, 32)::uuid`;

const newClaims = (source: string): string => `
   insert into idempotency_claims as known (key_hash, environment_id, body_hash, resource_id)
   select idempotency_hash(environment_id, operation, key), environment_id, ${bodyHashSql('body_hash')}, resource_id from ${source}
   -- everyone locks in this order: no deadlocks
   order by 1`;

/**
 * Claims the keys of `source` (environment_id, operation, key, body_hash in hex, resource_id; each key once) and returns the
 * resource_id of those that are new.
 */
export function claimKeysSql(source: string): string {
  return `${newClaims(source)}
   on conflict (key_hash) do update
     set body_hash = excluded.body_hash, resource_id = excluded.resource_id, created_at = now()
     where known.created_at < now() - interval '24 hours'
   returning resource_id`;
}

const claimOne = statement<{ resource_id: string }>(
  'idempotency_claim',
  claimKeysSql(
    '(select $1::uuid as environment_id, $2::text as operation, $3::text as key, $4::text as body_hash, $5::uuid as resource_id) claim',
  ),
);

/** Returns false when the key is taken. */
export async function claimKey(tx: Sql, claim: KeyClaim): Promise<boolean> {
  const { environmentId, operation, key, bodyHash, resourceId } = claim;
  return (await claimOne(tx, [environmentId, operation, key, bodyHash, resourceId])).length > 0;
}

/**
 * The same statement for keys that are expected to be new: it fails with `isKnownKey` if one is not. Half the cost of a claim.
 */
export const insertKeysSql = newClaims;

export function isKnownKey(error: unknown): boolean {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'idempotency_claims_pkey';
}

/** The same key has the same name. */
export function nameOfKey({ environmentId, operation, key }: KeyClaim): string {
  return `${environmentId} ${operation} ${key}`;
}

const findKnown = statement<{ environment_id: string; operation: string; key: string }>(
  'idempotency_find_known',
  `select wanted.environment_id, wanted.operation, wanted.key
   from json_to_recordset($1::json) as wanted (environment_id uuid, operation text, key text)
   join idempotency_claims known on known.key_hash = idempotency_hash(wanted.environment_id, wanted.operation, wanted.key)
     and known.environment_id = wanted.environment_id
   where known.created_at >= now() - interval '24 hours'`,
);

/** Returns the names of the keys that are taken. */
export async function listKnownKeys(sql: Sql, claims: KeyClaim[]): Promise<Set<string>> {
  if (claims.length === 0) return new Set();
  const wanted = claims.map(({ environmentId, operation, key }) => ({
    environment_id: environmentId,
    operation,
    key,
  }));
  const rows = await findKnown(sql, [JSON.stringify(wanted)]);
  return new Set(rows.map((row) => `${row.environment_id} ${row.operation} ${row.key}`));
}

const findHolder = statement<{ resource_id: string; is_same: boolean }>(
  'idempotency_find',
  `select resource_id, body_hash = ${bodyHashSql('$4')} as is_same from idempotency_claims
   where key_hash = idempotency_hash($1, $2, $3) and environment_id = $1`,
);

/**
 * Returns the resource of the earlier request with this key; a different body under the same key is a conflict. Returns null
 * when the key expired and was removed since the claim; claim it again.
 */
export async function findKeyHolder(sql: Sql, claim: KeyClaim): Promise<string | null> {
  const { environmentId, operation, key, bodyHash } = claim;
  const [row] = await findHolder(sql, [environmentId, operation, key, bodyHash]);
  if (!row) return null;
  if (!row.is_same) {
    throw new Problem(
      'idempotency_key_reused',
      'This Idempotency-Key was used with a different body within the last 24 hours.',
    );
  }
  return row.resource_id;
}

const findEarlier = statement<{ resource_id: string }>(
  'idempotency_find_earlier',
  `select resource_id from idempotency_claims
   where key_hash = idempotency_hash($1, $2, $3) and environment_id = $1 and body_hash = ${bodyHashSql('$4')}
     and created_at >= now() - interval '24 hours'`,
);

/** Returns the resource that the identical request made earlier; null when there was none. */
export async function findEarlierHolder(
  sql: Sql,
  claim: Omit<KeyClaim, 'resourceId'>,
): Promise<string | null> {
  const values = [claim.environmentId, claim.operation, claim.key, claim.bodyHash];
  return (await findEarlier(sql, values))[0]?.resource_id ?? null;
}
