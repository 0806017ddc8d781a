import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { type Pool, type Sql, statement } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { createBatcher } from '../kernel/batcher.ts';
import { Problem } from '../kernel/errors.ts';
import {
  type MaybePromise,
  type Plan,
  type Principal,
  type Recipient,
  type SignedIn,
  whenReady,
} from './principal.ts';
import { identifyRecipient, isRecipientAccess } from './recipient-access.ts';
import type { Route } from './route.ts';
import { sessionTokenOf } from './session-cookie.ts';
import { createTokenBuckets, type RateVerdict } from './token-buckets.ts';

type Identity = Principal | Recipient | SignedIn;

type AccessDeps = Pick<Deps, 'authenticator' | 'recipients' | 'publicUrl'> & { rateLimiter: RateLimiter };

export function authenticate(
  deps: AccessDeps,
  { access, ticket }: Route,
  request: FastifyRequest,
): MaybePromise<Identity | null> {
  if (access === 'public') return null;
  if (access === 'session') {
    return deps.authenticator.personOf(sessionToken(deps, request, 'Sign in to the dashboard first.'));
  }
  if (isRecipientAccess(access)) return identifyRecipient(deps.recipients, { access, ticket }, request);
  return whenReady(identify(deps, request), (principal) => {
    if (access !== 'key' && !principal.scopes.has(access)) {
      throw new Problem('insufficient_scope', `This operation requires the scope ${access}.`);
    }
    return principal;
  });
}

function identify(deps: AccessDeps, request: FastifyRequest): MaybePromise<Principal> {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const secret = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization)?.[1];
    if (!secret) {
      throw new Problem('invalid_credentials', 'The Authorization header must be: Bearer <key>.', {
        headers: challenge,
      });
    }
    return deps.authenticator.byKey(secret);
  }
  const token = sessionToken(deps, request, 'Send the header: Authorization: Bearer <key>.');
  const environment = request.headers['x-environment-id'];
  return deps.authenticator.bySession(token, typeof environment === 'string' ? environment : undefined);
}

/**
 * The session token of the cookie; a write must also have a header that other sites cannot send, which proves that it comes
 * from our own page.
 */
function sessionToken(deps: AccessDeps, request: FastifyRequest, otherwise: string): string {
  const token = sessionTokenOf(request.headers.cookie, deps.publicUrl());
  if (!token) throw new Problem('missing_credentials', otherwise);
  if (request.method !== 'GET' && request.method !== 'HEAD' && request.headers['x-carillon-csrf'] !== '1') {
    throw new Problem(
      'csrf_required',
      'Writes with a dashboard session require the header X-Carillon-CSRF: 1.',
    );
  }
  return token;
}

export const challenge = { 'www-authenticate': 'Bearer' };

/** The key or the person, whose lists show what it has just written; null for callers without lists. */
export function callerIdOf(principal: Identity | null): string | null {
  if (principal === null || principal.kind === 'recipient') return null;
  return principal.kind === 'person' ? principal.userId : principal.id;
}

/** The owner of the thread tasks that read large bodies. */
export function ownerOf(principal: Identity | null): string {
  if (principal === null) return 'public';
  return principal.kind === 'person' ? principal.userId : principal.environmentId;
}

const limitedCallers = {
  key: 'This key',
  user: 'A person',
  person: 'A person',
  recipient: 'An end user',
} as const satisfies Record<Identity['kind'], string>;

export function limitRate(
  { rateLimiter }: AccessDeps,
  principal: Identity,
  reply: FastifyReply,
): MaybePromise<void> {
  return whenReady(rateLimiter.take(principal), (verdict) => {
    if (verdict) applyLimit(verdict, principal, reply);
  });
}

function applyLimit(verdict: RateVerdict, principal: Identity, reply: FastifyReply): void {
  const headers = {
    'ratelimit-limit': String(verdict.limit),
    'ratelimit-remaining': String(verdict.remaining),
    'ratelimit-reset': String(verdict.resetSeconds),
  };
  if (!verdict.allowed) {
    throw new Problem(
      'rate_limited',
      `${limitedCallers[principal.kind]} can make ${verdict.ratePerSecond} requests per second. Try again later.`,
      {
        headers: { ...headers, 'retry-after': String(verdict.retryAfterSeconds) },
      },
    );
  }
  reply.headers(headers);
}

export interface RateLimiter {
  /** Takes one token of the caller's bucket. Returns null, without any work, for keys without a limit. */
  take(caller: RateLimited): Promise<RateVerdict> | RateVerdict | null;
}

type RateLimited =
  | Pick<Principal, 'kind' | 'id' | 'userId' | 'plan'>
  | Pick<SignedIn, 'kind' | 'userId'>
  | Pick<Recipient, 'kind' | 'environmentId' | 'externalUserId'>;

/** Pages make several requests at once: an inbox marks the visible items as read, a dashboard opens with a dozen requests. */
const burstSeconds = 5;

const ratesByPlan: Record<Plan, number | null> = { free: 20, pro: 200, scale: 2000, unmetered: null };

interface Demand {
  keyId: string;
  rate: number;
}

/**
 * A token bucket for each key, kept in the database so that the limit is exact for any number of processes. Requests that
 * arrive while a statement is running are served together by the next one, so the cost is one small statement at a time per
 * process, not one per request. Dashboard users and end users have buckets in the memory of the process.
 */
export function createRateLimiter(
  pool: Pool,
  config: Pick<
    Config,
    'CARILLON_RATE_LIMIT' | 'CARILLON_SESSION_RATE_LIMIT' | 'CARILLON_END_USER_RATE_LIMIT'
  >,
): RateLimiter {
  const bucketsOf = (ratePerSecond: number) =>
    createTokenBuckets({ ratePerSecond, burst: Math.max(1, burstSeconds * ratePerSecond) });
  const people = bucketsOf(config.CARILLON_SESSION_RATE_LIMIT);
  const endUsers = bucketsOf(config.CARILLON_END_USER_RATE_LIMIT);
  const batcher = createBatcher<Demand, RateVerdict>((demands) => serve(pool, demands), {
    concurrency: 1,
    maxItems: 5000,
  });
  return {
    take(caller) {
      if (caller.kind === 'recipient')
        return endUsers.take(`${caller.environmentId} ${caller.externalUserId}`);
      if (caller.kind !== 'key') return people.take(caller.userId);
      const rate = config.CARILLON_RATE_LIMIT ?? ratesByPlan[caller.plan];
      return rate === null ? null : batcher.add({ keyId: caller.id, rate });
    },
  };
}

interface Bucket {
  keyId: string;
  rate: number;
  capacity: number;
  wanted: number;
}

async function serve(sql: Sql, demands: Demand[]): Promise<RateVerdict[]> {
  const buckets = new Map<string, Bucket>();
  for (const { keyId, rate } of demands) {
    const bucket = buckets.get(keyId) ?? { keyId, rate, capacity: Math.max(1, 2 * rate), wanted: 0 };
    bucket.wanted += 1;
    buckets.set(keyId, bucket);
  }

  const grants = await takeTokens(sql, [...buckets.values()]);
  const missing = [...buckets.values()].filter(({ keyId }) => !grants.has(keyId));
  if (missing.length > 0) {
    await insertBuckets(sql, missing);
    for (const [keyId, grant] of await takeTokens(sql, missing)) grants.set(keyId, grant);
  }

  // First come, first served within a key.
  return demands.map(({ keyId, rate }) => {
    const grant = grants.get(keyId);
    const bucket = buckets.get(keyId);
    if (!grant || !bucket) throw new Error('a rate limit bucket disappeared while it was in use');
    const allowed = grant.granted > 0;
    if (allowed) grant.granted -= 1;
    return {
      allowed,
      limit: Math.floor(bucket.capacity),
      remaining: Math.floor(grant.tokens) + grant.granted,
      resetSeconds: Math.ceil((bucket.capacity - grant.tokens) / rate),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - grant.tokens) / rate)),
      ratePerSecond: rate,
    };
  });
}

interface Grant {
  granted: number;
  /** The tokens left after the grant. */
  tokens: number;
}

// Rows are locked in the order of key ids, so two processes that serve the same keys wait for each other and never deadlock. A
// process that waited sees the row as the other left it, possibly with a later time than its own, hence `greatest`.
const takeFromBuckets = statement<{ key_id: string; granted: number; tokens: number }>(
  'http_take_rate_tokens',
  `with demand as (
     select * from unnest($1::uuid[], $2::float8[], $3::float8[], $4::float8[]) as d (key_id, rate, capacity, wanted)
   ), locked as (
     select key_id, tokens, refilled_at from rate_buckets where key_id = any($1) order by key_id for update
   ), filled as (
     select key_id, wanted, now.at,
       least(capacity, tokens + rate * greatest(0, extract(epoch from now.at - refilled_at))) as tokens
     from locked join demand using (key_id), (select clock_timestamp() as at) as now
   )
   update rate_buckets as b
   set tokens = f.tokens - least(f.wanted, floor(f.tokens)), refilled_at = greatest(b.refilled_at, f.at)
   from filled f
   where b.key_id = f.key_id
   returning b.key_id, least(f.wanted, floor(f.tokens)) as granted, b.tokens`,
);

async function takeTokens(sql: Sql, buckets: Bucket[]): Promise<Map<string, Grant>> {
  const rows = await takeFromBuckets(sql, [
    buckets.map(({ keyId }) => keyId),
    buckets.map(({ rate }) => rate),
    buckets.map(({ capacity }) => capacity),
    buckets.map(({ wanted }) => wanted),
  ]);
  return new Map(rows.map(({ key_id, granted, tokens }) => [key_id, { granted, tokens }]));
}

const insertRows = statement(
  'http_insert_rate_buckets',
  `insert into rate_buckets (key_id, tokens, refilled_at)
   select key_id, tokens, now() from unnest($1::uuid[], $2::float8[]) as d (key_id, tokens) order by key_id
   on conflict (key_id) do nothing`,
);

async function insertBuckets(sql: Sql, buckets: Bucket[]): Promise<void> {
  await insertRows(sql, [buckets.map(({ keyId }) => keyId), buckets.map(({ capacity }) => capacity)]);
}

/** A dashboard previews each body of a template at once; a script one after the other. */
const maxComputations = 8;

/**
 * Counts the running requests of each key and person that compute on their input, such as previews. The rate limit does not bound
 * them: one request may use seconds of a processor.
 */
export function createComputations() {
  const running = new Map<string, number>();
  return {
    /** Throws when the caller has too many; otherwise returns what ends this one. */
    begin(id: string): () => void {
      const count = running.get(id) ?? 0;
      if (count >= maxComputations)
        throw new Problem(
          'rate_limited',
          `A key or a person can have ${maxComputations} previews and simulations at a time. Try again when one has ended.`,
          { headers: { 'retry-after': '1' } },
        );
      running.set(id, count + 1);
      return () => {
        const left = (running.get(id) ?? 1) - 1;
        if (left > 0) running.set(id, left);
        else running.delete(id);
      };
    },
  };
}
