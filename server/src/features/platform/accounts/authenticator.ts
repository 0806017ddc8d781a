import type { Pool } from '../../../db/sql.ts';
import {
  type Authenticator,
  type MaybePromise,
  type Principal,
  type SignedIn,
  whenReady,
} from '../../../http/principal.ts';
import { moveProblem, type OrganizationMove } from '../../../http/problem.ts';
import { roleScopes, type Scope } from '../../../http/scopes.ts';
import { type Cache, createCache } from '../../../kernel/cache.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { notFound, Problem } from '../../../kernel/errors.ts';
import { isUuid } from '../../../kernel/ids.ts';
import { findKeyByHash, markKeyUsed } from './keys-store.ts';
import {
  findSession,
  findSessionIdentity,
  markSessionSeen,
  type SessionIdentity,
  type SessionRow,
  sessionEnd,
} from './people-store.ts';
import { couldBeSecretKey, grantedScopes } from './secret-key.ts';

/** How long an answer is cached: the longest that a revoked key keeps working in another process. */
const cacheMs = 1000;
const cacheSize = 10_000;
const noEnvironment = '00000000-0000-0000-0000-000000000000';

interface Identity<Who extends Principal | SignedIn | null> {
  principal: Who;
  revoked: boolean;
  endsAtMs: number | null;
  move: OrganizationMove | null;
}

/**
 * Credentials → Principal, without a query when the same ones were seen within the last second. Wrong credentials are cached
 * too, so repeated guesses of one key cost no more than a right one.
 */
export function createAuthenticator(
  pool: Pool,
  clock: Clock,
  sessionIdleMs: number = 72 * 3_600_000,
): Authenticator {
  const keys = createCache<CacheEntry<Identity<Principal> | null>>(cacheSize, cacheMs);
  const sessions = createCache<CacheEntry<Identity<Principal | null> | null>>(cacheSize, cacheMs);
  const used = createCache<true>(cacheSize, 60_000);

  /** The write is not awaited, and a failed one is repeated a minute later: the time of last use is only shown to people. */
  function noteUse(name: string, mark: () => Promise<void>): void {
    if (used.has(name)) return;
    used.set(name, true);
    mark().catch(() => {});
  }

  return {
    byKey(secret) {
      // The cache is keyed by the secret itself, in memory only: hashing it for every request cost 2 % of an accepted send.
      const found = couldBeSecretKey(secret) ? cached(keys, secret, () => loadKey(pool, secret)) : null;
      return whenReady(found, (identity) => {
        const { principal } = checked(identity, 'key', clock());
        noteUse(principal.id, () => markKeyUsed(pool, principal.id));
        return principal;
      });
    },
    async bySession(token, environmentId) {
      const hash = sha256(token);
      const wanted =
        environmentId === undefined ? null : isUuid(environmentId) ? environmentId : noEnvironment;
      const name = hash.toString('base64');
      const found = await cached(sessions, `${name} ${wanted}`, async () => {
        const row = await findSessionIdentity(pool, hash, wanted);
        return row ? identityOfSession(row, sessionIdleMs) : null;
      });
      const { principal } = checked(found, 'session', clock());
      if (!principal) throw notFound('environment');
      const { organizationId } = principal;
      noteUse(`${name} ${organizationId}`, () => markSessionSeen(pool, hash, organizationId));
      return principal;
    },
    async personOf(token) {
      const hash = sha256(token);
      const row = await findSession(pool, hash);
      const { principal } = checked(row ? identityOfPerson(row, sessionIdleMs) : null, 'session', clock());
      noteUse(hash.toString('base64'), () => markSessionSeen(pool, hash, null));
      return principal;
    },
    forget() {
      keys.clear();
      sessions.clear();
    },
  };
}

async function loadKey(pool: Pool, secret: string): Promise<Identity<Principal> | null> {
  const row = await findKeyByHash(pool, sha256(secret));
  if (!row) return null;
  return {
    principal: {
      kind: 'key',
      id: row.id,
      userId: row.user_id,
      organizationId: row.organization_id,
      environmentId: row.environment_id,
      environmentKind: row.environment_kind,
      plan: row.plan,
      preset: row.preset,
      scopes: grantedScopes(row),
      endsAt: row.ends_at,
    },
    revoked: row.revoked,
    endsAtMs: row.ends_at?.getTime() ?? null,
    move: row.move && { state: row.move, movedTo: row.moved_to },
  };
}

/** The principal is null when the person has no access to the environment. */
function identityOfSession(row: SessionIdentity, idleMs: number): Identity<Principal | null> {
  const session = { revoked: false, endsAtMs: sessionEnd(row, idleMs).getTime() };
  if (row.environment_id === null) return { ...session, principal: null, move: null };
  return {
    ...session,
    principal: {
      kind: 'user',
      id: row.user_id,
      userId: row.user_id,
      organizationId: row.organization_id,
      environmentId: row.environment_id,
      environmentKind: row.environment_kind,
      plan: row.plan,
      preset: null,
      scopes: new Set<Scope>(roleScopes[row.role]),
      endsAt: null,
    },
    move: row.move && { state: row.move, movedTo: row.moved_to },
  };
}

function identityOfPerson(row: SessionRow, idleMs: number): Identity<SignedIn> {
  return {
    principal: { kind: 'person', userId: row.user_id, email: row.email, name: row.name, sessionId: row.id },
    revoked: false,
    endsAtMs: sessionEnd(row, idleMs).getTime(),
    move: null,
  };
}

/** The end is checked at every call: a cached identity must not outlive its expiry. */
function checked<Found extends Identity<Principal | SignedIn | null>>(
  found: Found | null,
  what: string,
  now: number,
): Found {
  if (!found) throw new Problem('invalid_credentials', `This ${what} is not valid.`);
  if (found.revoked) throw new Problem('revoked_credentials', `This ${what} has been revoked.`);
  if (found.endsAtMs !== null && found.endsAtMs <= now) {
    throw new Problem('expired_credentials', `This ${what} has expired.`);
  }
  if (found.move) throw moveProblem(found.move);
  return found;
}

interface CacheEntry<Value> {
  /** A promise until it is loaded: concurrent requests share one query. */
  value: MaybePromise<Value>;
}

/** A failed load (the database was unavailable) is not cached. */
function cached<Value>(
  cache: Cache<CacheEntry<Value>>,
  key: string,
  load: () => Promise<Value>,
): MaybePromise<Value> {
  const known = cache.get(key);
  if (known) return known.value;
  const loading = load();
  const entry: CacheEntry<Value> = { value: loading };
  cache.set(key, entry);
  loading.then(
    (value) => {
      entry.value = value;
    },
    () => {
      if (cache.peek(key) === entry) cache.delete(key);
    },
  );
  return loading;
}
