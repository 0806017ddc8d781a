import type { Static } from 'typebox';
import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Caller, Client, Principal } from '../../../http/principal.ts';
import { presets, type Scope } from '../../../http/scopes.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { invalidParameter, notFound, Problem } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { recordAudit } from '../audit/index.ts';
import { findKeyForUpdate, insertKey, type KeyRow, markKeyRetiring, markKeyRevoked } from './keys-store.ts';
import type { ApiKey, NewApiKey } from './schema.ts';
import { grantedScopes, newSecretKey } from './secret-key.ts';

type KeyDeps = Pick<Deps, 'pool' | 'clock' | 'authenticator'>;

export interface KeyCaller extends Caller {
  client: Client;
}

export interface IssuedKey {
  row: KeyRow;
  /** The secret is known only now. */
  secret: string;
}

export async function createKey(
  { pool, clock }: KeyDeps,
  caller: KeyCaller,
  request: Static<typeof NewApiKey>,
): Promise<IssuedKey> {
  const { principal } = caller;
  const wanted = request.scopes ?? (request.preset && presets[request.preset]);
  if (!wanted) throw new Problem('parameter_missing', 'preset or scopes is required.', { param: 'preset' });
  if (request.preset && request.scopes) throw invalidParameter('scopes', 'Set preset or scopes, not both.');
  const expiresAt = request.expires_at ? new Date(request.expires_at) : null;
  if (expiresAt && expiresAt.getTime() <= clock()) {
    throw invalidParameter('expires_at', 'expires_at must be in the future.');
  }
  mustBeGrantable(principal, wanted, expiresAt);

  return transaction(pool, async (tx) => {
    const issued = await issueKey(tx, principal, {
      name: request.name,
      preset: request.preset ?? null,
      scopes: request.scopes ? [...new Set(request.scopes)] : null,
      expiresAt,
    });
    await recordAudit(tx, caller, {
      action: 'api_key.created',
      target: `api_key:${issued.row.id}`,
      after: keyView(issued.row),
    });
    return issued;
  });
}

export async function revokeKey(deps: KeyDeps, caller: KeyCaller, id: string): Promise<void> {
  const { principal } = caller;
  await transaction(deps.pool, async (tx) => {
    const row = await getKeyForUpdate(tx, principal, id);
    mustHaveScopes(principal, grantedScopes(row), 'Deleting a key with');
    await markKeyRevoked(tx, id);
    await recordAudit(tx, caller, {
      action: 'api_key.revoked',
      target: `api_key:${id}`,
      before: keyView(row),
    });
  });
  deps.authenticator.forget();
}

/** Creates a new key like the old one, which stays valid for the grace period, if there is one. */
export async function rotateKey(
  deps: KeyDeps,
  caller: KeyCaller,
  id: string,
  graceSeconds: number,
): Promise<IssuedKey> {
  const { principal } = caller;
  const issued = await transaction(deps.pool, async (tx) => {
    const old = await getKeyForUpdate(tx, principal, id);
    const end = endOf(old);
    if (end && end.getTime() <= deps.clock()) {
      throw invalidParameter('id', 'This key has expired. Create a new one.');
    }
    mustBeGrantable(principal, grantedScopes(old), old.expires_at); // rotating creates a key, too
    const fresh = await issueKey(tx, principal, { ...old, expiresAt: old.expires_at });
    if (graceSeconds === 0) await markKeyRevoked(tx, id);
    else await markKeyRetiring(tx, id, new Date(deps.clock() + graceSeconds * 1000));
    await recordAudit(tx, caller, {
      action: 'api_key.rotated',
      target: `api_key:${id}`,
      before: keyView(old),
      after: { ...keyView(fresh.row), grace_seconds: graceSeconds },
    });
    return fresh;
  });
  deps.authenticator.forget();
  return issued;
}

async function issueKey(
  sql: Sql,
  principal: Principal,
  key: { name: string; preset: string | null; scopes: string[] | null; expiresAt: Date | null },
): Promise<IssuedKey> {
  const secret = newSecretKey(principal.environmentKind);
  const row = await insertKey(sql, {
    id: newId(),
    environmentId: principal.environmentId,
    name: key.name,
    hash: sha256(secret),
    last4: secret.slice(-4),
    preset: key.preset,
    scopes: key.scopes,
    createdByUserId: principal.userId,
    expiresAt: key.expiresAt,
  });
  return { row, secret };
}

async function getKeyForUpdate(sql: Sql, principal: Principal, id: string): Promise<KeyRow> {
  const row = await findKeyForUpdate(sql, principal.environmentId, id);
  if (!row) throw notFound('API key');
  return row;
}

/** A caller with few scopes, or few days left, cannot create a key that has more of them. */
function mustBeGrantable(principal: Principal, wanted: Iterable<Scope>, expiresAt: Date | null): void {
  mustHaveScopes(principal, wanted, 'Granting');
  if (principal.endsAt && (!expiresAt || expiresAt > principal.endsAt)) {
    const end = principal.endsAt.toISOString();
    throw new Problem(
      'insufficient_scope',
      `These credentials expire at ${end}: the expires_at of the new key must not be later.`,
    );
  }
}

/** A caller cannot end a key that is stronger than the caller, either: it would lock out who may do more. */
function mustHaveScopes(principal: Principal, wanted: Iterable<Scope>, what: string): void {
  for (const scope of wanted) {
    if (!principal.scopes.has(scope))
      throw new Problem(
        'insufficient_scope',
        `${what} the scope ${scope} requires credentials with that scope.`,
      );
  }
}

function endOf({ expires_at, retires_at }: KeyRow): Date | null {
  if (!expires_at || !retires_at) return expires_at ?? retires_at;
  return expires_at < retires_at ? expires_at : retires_at;
}

/** The wire form, without secrets. */
export function keyView(row: KeyRow): Static<typeof ApiKey> {
  return {
    id: row.id,
    name: row.name,
    preset: row.preset as Static<typeof ApiKey>['preset'],
    scopes: [...grantedScopes(row)],
    last4: row.last4,
    created_by_user_id: row.created_by_user_id,
    created_at: row.created_at.toISOString(),
    expires_at: endOf(row)?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}
