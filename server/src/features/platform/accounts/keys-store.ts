import { query, type Sql, statement } from '../../../db/sql.ts';
import type { Plan } from '../../../http/principal.ts';
import type { OrganizationMove } from '../../../http/problem.ts';
import type { PageRequest } from '../../../kernel/page.ts';

export interface KeyRow {
  id: string;
  name: string;
  last4: string;
  preset: string | null;
  scopes: string[] | null;
  created_by_user_id: string;
  created_at: Date;
  expires_at: Date | null;
  retires_at: Date | null;
  last_used_at: Date | null;
}

const columns =
  'id, name, last4, preset, scopes, created_by_user_id, created_at, expires_at, retires_at, last_used_at';

interface NewKey {
  id: string;
  environmentId: string;
  name: string;
  hash: Buffer;
  last4: string;
  preset: string | null;
  scopes: readonly string[] | null;
  createdByUserId: string;
  expiresAt: Date | null;
}

const insert = statement<KeyRow>(
  'accounts_insert_key',
  `insert into api_keys (id, environment_id, name, key_hash, last4, preset, scopes, created_by_user_id, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   returning ${columns}`,
);

export async function insertKey(sql: Sql, key: NewKey): Promise<KeyRow> {
  const [row] = await insert(sql, [
    key.id,
    key.environmentId,
    key.name,
    key.hash,
    key.last4,
    key.preset,
    key.scopes,
    key.createdByUserId,
    key.expiresAt,
  ]);
  if (!row) throw new Error('the new key was not returned');
  return row;
}

/** Returns up to `limit + 1` keys that are not revoked, newest first. */
export function listKeys(sql: Sql, environmentId: string, page: PageRequest): Promise<KeyRow[]> {
  return query<KeyRow>(
    sql,
    `select ${columns} from api_keys
     where environment_id = $1 and revoked_at is null and ($2::uuid is null or id < $2)
     order by id desc
     limit $3`,
    [environmentId, page.before, page.limit + 1],
  );
}

const findForUpdate = statement<KeyRow>(
  'accounts_find_key_for_update',
  `select ${columns} from api_keys where environment_id = $1 and id = $2 and revoked_at is null for update`,
);

/** Revoked keys are not found. The lock makes a second revocation or rotation wait, and then find nothing. */
export async function findKeyForUpdate(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<KeyRow | undefined> {
  const [row] = await findForUpdate(sql, [environmentId, id]);
  return row;
}

const revoke = statement('accounts_mark_key_revoked', 'update api_keys set revoked_at = now() where id = $1');

export async function markKeyRevoked(sql: Sql, id: string): Promise<void> {
  await revoke(sql, [id]);
}

const retire = statement(
  'accounts_mark_key_retiring',
  'update api_keys set retires_at = least(retires_at, $2) where id = $1',
);

/** Never extends a lifetime: an earlier end of a previous grace period stays. */
export async function markKeyRetiring(sql: Sql, id: string, retiresAt: Date): Promise<void> {
  await retire(sql, [id, retiresAt]);
}

const use = statement(
  'accounts_mark_key_used',
  `update api_keys set last_used_at = now()
   where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
);

export async function markKeyUsed(sql: Sql, id: string): Promise<void> {
  await use(sql, [id]);
}

interface KeyIdentity {
  id: string;
  user_id: string;
  organization_id: string;
  environment_id: string;
  environment_kind: 'test' | 'live';
  plan: Plan;
  preset: string | null;
  scopes: string[] | null;
  ends_at: Date | null;
  revoked: boolean;
  move: OrganizationMove['state'] | null;
  moved_to: string | null;
}

const findByHash = statement<KeyIdentity>(
  'accounts_find_key_by_hash',
  `select k.id, k.created_by_user_id as user_id, e.organization_id, k.environment_id, e.kind as environment_kind, o.plan,
     k.preset, k.scopes, least(k.expires_at, k.retires_at) as ends_at, k.revoked_at is not null as revoked, m.state as move, m.moved_to
   from api_keys k
   join environments e on e.id = k.environment_id
   join organizations o on o.id = e.organization_id
   left join organization_moves m on m.organization_id = o.id
   where k.key_hash = $1`,
);

export async function findKeyByHash(sql: Sql, hash: Buffer): Promise<KeyIdentity | undefined> {
  const [row] = await findByHash(sql, [hash]);
  return row;
}
