import type { Config } from '../config.ts';
import { type Pool, type Sql, statement } from '../db/sql.ts';
import { createBatcher } from '../kernel/batcher.ts';
import type { Plan, Principal, Recipient, SignedIn } from './principal.ts';
import { createTokenBuckets, type RateVerdict } from './token-buckets.ts';

export type { RateVerdict };

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

const insert = statement(
  'http_insert_rate_buckets',
  `insert into rate_buckets (key_id, tokens, refilled_at)
   select key_id, tokens, now() from unnest($1::uuid[], $2::float8[]) as d (key_id, tokens) order by key_id
   on conflict (key_id) do nothing`,
);

async function insertBuckets(sql: Sql, buckets: Bucket[]): Promise<void> {
  await insert(sql, [buckets.map(({ keyId }) => keyId), buckets.map(({ capacity }) => capacity)]);
}
