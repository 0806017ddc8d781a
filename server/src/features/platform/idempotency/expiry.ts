import { deleteInSlices } from '../../../db/slices.ts';
import { query, type Sql, statement } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';

const removeExpired = statement(
  'idempotency_remove_expired',
  `delete from idempotency_claims where ctid = any (array(
     select ctid from idempotency_claims
     where ctid >= $1::tid and ctid < $2::tid and created_at < now() - interval '24 hours'
     for update skip locked))
   returning 1 as one`,
);

/** Deletes the expired keys in these pages of the table. Returns how many there were. */
export async function deleteExpiredKeys(sql: Sql, fromPage: number, toPage: number): Promise<number> {
  return (await removeExpired(sql, [`(${fromPage},0)`, `(${toPage},0)`])).length;
}

/** About 80 keys fit a page. */
const pagesPerSlice = 100;
/** A table of this size or less is read whole in every round. */
const fewPages = 1_000;
/** The share of a larger table that a round reads. */
const roundsPerTable = 60;

/**
 * Expired keys count as absent, so it matters little when they go. They are found without an index by age, which cost each key
 * 123 of 450 bytes of WAL: every minute, each worker reads a sixtieth of the table, from a random page on.
 */
async function tidyClaims(
  { pool }: Pick<Deps, 'pool'>,
  isStopped: () => boolean,
  random = Math.random,
): Promise<void> {
  const [size] = await query<{ pages: number }>(
    pool,
    `select (pg_relation_size('idempotency_claims') / current_setting('block_size')::int)::float8 as pages`,
  );
  const pages = size?.pages ?? 0;
  const part = Math.max(fewPages, Math.ceil(pages / roundsPerTable));
  const first = part >= pages ? 0 : Math.floor(random() * pages);
  for (let read = 0; read < Math.min(part, pages) && !isStopped(); read += pagesPerSlice) {
    const from = (first + read) % pages;
    await deleteExpiredKeys(pool, from, from + pagesPerSlice);
  }
}

const removeExpiredTexts = statement(
  'idempotency_remove_expired_texts',
  // The order is needed: without it PostgreSQL might read the table from its beginning, for every slice, to find the first old
  // keys.
  `delete from idempotency_keys where ctid = any (array(
     select ctid from idempotency_keys where created_at < now() - interval '24 hours'
     order by created_at limit $1 for update skip locked))
   returning 1 as one`,
);

/** What the previous release wrote, until a later release drops the table. */
const tidyTexts = deleteInSlices(
  5_000,
  async ({ pool }, limit) => (await removeExpiredTexts(pool, [limit])).length,
);

export async function tidyIdempotencyKeys(
  deps: Pick<Deps, 'pool' | 'clock'>,
  isStopped: () => boolean,
): Promise<void> {
  await tidyClaims(deps, isStopped);
  await tidyTexts(deps, isStopped);
}
