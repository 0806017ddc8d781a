import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp } from '../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { createPool, type Pool, query } from '../db/sql.ts';
import { newId } from '../kernel/ids.ts';
import { createRateLimiter, type RateLimiter } from './access.ts';
import type { Plan } from './principal.ts';
import type { RateVerdict } from './token-buckets.ts';

let db: TestDatabase;
let otherPool: Pool;

const ownerId = newId();
const environmentId = newId();

beforeAll(async () => {
  db = await createTestDatabase();
  otherPool = createPool(db.url, 2);
  const organizationId = newId();
  await query(db.pool, `insert into organizations (id, name, plan) values ($1, 'O', 'free')`, [
    organizationId,
  ]);
  await query(
    db.pool,
    `insert into users (id, email, name, password_hash) values ($1, 'o@example.com', 'O', '')`,
    [ownerId],
  );
  await query(
    db.pool,
    `insert into environments (id, organization_id, kind, name) values ($1, $2, 'test', 'T')`,
    [environmentId, organizationId],
  );
});

afterAll(async () => {
  await otherPool.end();
  await db.drop();
});

function limiterOf(pool: Pool, CARILLON_RATE_LIMIT: number | null): RateLimiter {
  return createRateLimiter(pool, {
    CARILLON_RATE_LIMIT,
    CARILLON_SESSION_RATE_LIMIT: 50,
    CARILLON_END_USER_RATE_LIMIT: 20,
  });
}

async function newKey(plan: Plan = 'free') {
  const id = newId();
  await query(
    db.pool,
    `insert into api_keys (id, environment_id, name, key_hash, last4, preset, created_by_user_id)
     values ($1, $2, 'k', $3, '0000', 'full_access', $4)`,
    [id, environmentId, Buffer.from(id), ownerId],
  );
  return { kind: 'key' as const, id, userId: ownerId, plan };
}

/** Pretends that the bucket was last looked at this long ago. */
async function age(keyId: string, seconds: number): Promise<void> {
  await query(
    db.pool,
    'update rate_buckets set refilled_at = refilled_at - make_interval(secs => $2) where key_id = $1',
    [keyId, seconds],
  );
}

async function takeMany(
  limiters: RateLimiter[],
  key: Awaited<ReturnType<typeof newKey>>,
  count: number,
): Promise<RateVerdict[]> {
  const verdicts = await Promise.all(
    Array.from({ length: count }, (_, turn) => limiters[turn % limiters.length]?.take(key)),
  );
  return verdicts.filter((verdict) => verdict !== null && verdict !== undefined);
}

const allowed = (verdicts: RateVerdict[]) => verdicts.filter((verdict) => verdict.allowed).length;

test('keys without a limit are not even looked at', () => {
  const limiter = limiterOf(db.pool, null);
  expect(limiter.take({ kind: 'key', id: newId(), userId: ownerId, plan: 'unmetered' })).toBeNull();
});

test.each([
  ['free', null, 40, 20],
  ['pro', null, 400, 200],
  ['scale', null, 4000, 2000],
  ['unmetered', 7, 14, 7],
  ['scale', 0.25, 1, 0.25],
] as const)(
  'plan %s with the setting %j: bursts of %i, then %d a second',
  async (plan, setting, burst, rate) => {
    const limiter = limiterOf(db.pool, setting);
    const key = await newKey(plan);
    expect(await limiter.take(key)).toMatchObject({
      allowed: true,
      limit: burst,
      remaining: burst - 1,
      ratePerSecond: rate,
      retryAfterSeconds: 0,
    });
  },
);

test('a burst is served up to the bucket, first come first served, and then refused with the time to wait', async () => {
  const limiter = limiterOf(db.pool, 0.01);
  const verdicts = await takeMany([limiter], await newKey(), 3);
  expect(verdicts.map((verdict) => verdict.allowed)).toEqual([true, false, false]);
  expect(verdicts[0]).toMatchObject({ limit: 1, remaining: 0, resetSeconds: 100, retryAfterSeconds: 0 });
  expect(verdicts[2]).toMatchObject({ limit: 1, remaining: 0, resetSeconds: 100, retryAfterSeconds: 100 });
});

test('remaining counts down within a batch', async () => {
  const limiter = limiterOf(db.pool, 5);
  const verdicts = await takeMany([limiter], await newKey(), 4);
  expect(verdicts.map((verdict) => verdict.remaining)).toEqual([9, 8, 7, 6]);
});

test('tokens come back with time, up to a full bucket', async () => {
  const limiter = limiterOf(db.pool, 0.01);
  const key = await newKey();
  expect((await limiter.take(key))?.allowed).toBe(true);
  await age(key.id, 50);
  const early = await limiter.take(key);
  expect(early?.allowed).toBe(false);
  expect(early?.retryAfterSeconds).toBeGreaterThan(45);
  expect(early?.retryAfterSeconds).toBeLessThanOrEqual(50);
  await age(key.id, 51);
  expect((await limiter.take(key))?.allowed).toBe(true);
  await age(key.id, 1_000_000);
  expect(allowed(await takeMany([limiter], key, 5))).toBe(1);
});

test('each key has a bucket of its own, also within one batch', async () => {
  const limiter = limiterOf(db.pool, 0.5);
  const keys = await Promise.all(Array.from({ length: 5 }, () => newKey()));
  const verdicts = await Promise.all(keys.flatMap((key) => [limiter.take(key), limiter.take(key)]));
  expect(verdicts.map((verdict) => verdict?.allowed)).toEqual(keys.flatMap(() => [true, false]));
});

test('the limit holds exactly across processes that race for the same keys', async () => {
  const limiters = [db.pool, otherPool, db.pool, otherPool].map((pool) => limiterOf(pool, 200));
  const keys = await Promise.all(Array.from({ length: 4 }, () => newKey()));
  for (const key of keys) await limiters[0]?.take(key);
  // Refilled in the future: nothing comes back while the test runs, so what is given out must add up exactly.
  await query(
    db.pool,
    `update rate_buckets set tokens = 150, refilled_at = now() + interval '1 hour' where key_id = any($1)`,
    [keys.map(({ id }) => id)],
  );
  // Each takes one of every key and again, in an order of its own, so that their statements really interleave.
  const totals = new Map(keys.map((key) => [key.id, 0]));
  await Promise.all(
    limiters.map(async (limiter, index) => {
      const order = index < 2 ? keys : keys.toReversed();
      for (let round = 0; round < 60; round++) {
        const verdicts = await Promise.all(order.map((key) => limiter.take(key)));
        order.forEach((key, position) => {
          if (verdicts[position]?.allowed) totals.set(key.id, (totals.get(key.id) ?? 0) + 1);
        });
      }
    }),
  );
  expect([...totals.values()]).toEqual(keys.map(() => 150));
});

test('the limit holds also when processes race for the first request of a key', async () => {
  const limiters = [db.pool, otherPool].map((pool) => limiterOf(pool, 0.001));
  for (let round = 0; round < 20; round++) {
    expect(allowed(await takeMany(limiters, await newKey(), 4))).toBe(1);
  }
});

test('over HTTP a key learns its limit from headers, and is refused with the time to wait', async () => {
  const app = await startTestApp({ settings: { CARILLON_RATE_LIMIT: '0.01' } });
  const first = await app.request('GET', '/v1/me');
  expect(first.status).toBe(200);
  expect(first.headers.get('ratelimit-limit')).toBe('1');
  expect(first.headers.get('ratelimit-remaining')).toBe('0');
  expect(first.headers.get('ratelimit-reset')).toBe('100');

  const second = await app.request('GET', '/v1/me');
  expect(second).toMatchObject({
    status: 429,
    body: { error: { type: 'rate_limit_error', code: 'rate_limited' } },
  });
  expect(second.headers.get('ratelimit-remaining')).toBe('0');
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(90);
  expect((await app.request('GET', '/v1/me', { key: app.liveKey })).status).toBe(200); // a bucket of its own
  await app.stop();
});
