import type { Config } from '../../../config.ts';
import type { Pool } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { createCache } from '../../../kernel/cache.ts';
import { Problem } from '../../../kernel/errors.ts';
import type { QuotaHolder, StorageMeter } from '../../../kernel/storage.ts';
import { addStored, claimMeasure, measure, saveMeasured } from './storage-store.ts';

const mebibyte = 1_048_576;
const everyMs = 5_000;
/** An environment's added bytes are written at once when they exceed this. */
const largeStorageBytes = 16 * mebibyte;

type QuotaSetting = Pick<Config, 'CARILLON_STORAGE_QUOTA_MB'>;

/** A Live environment on the plan `unmetered` has no quota: a self-hosted service must not lose sends to a default. */
export function quotaOf(
  { CARILLON_STORAGE_QUOTA_MB: megabytes }: QuotaSetting,
  { environmentKind, plan }: Pick<QuotaHolder, 'environmentKind' | 'plan'>,
): number | null {
  if (megabytes === 0 || (environmentKind === 'live' && plan === 'unmetered')) return null;
  return megabytes * mebibyte;
}

/**
 * The decision comes from memory: the last total from the database plus what this process has added since. A quota may be
 * exceeded by what arrives within some seconds, and accepting costs no query.
 */
export function startStorageMeter({
  pool,
  config,
  log,
}: Pick<Deps, 'pool' | 'config' | 'log'>): StorageMeter & { stop(): Promise<void> } {
  const stored = createCache<{ bytes: number }>(10_000);
  let added = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (added.size === 0) return;
    const taken = added;
    added = new Map();
    try {
      for (const { environment_id, stored_bytes } of await addStored(pool, taken))
        stored.set(environment_id, { bytes: stored_bytes });
    } catch (error) {
      // The next measurement of the environment corrects a lost count.
      log.warn({ err: error }, 'failed to count the stored bytes');
    }
  }

  const flush = (): Promise<void> => {
    writing = writing.then(write);
    return writing;
  };
  const timer = setInterval(() => void flush(), everyMs).unref();

  return {
    quotaOf: (holder) => quotaOf(config, holder),
    check(holder) {
      const quota = quotaOf(config, holder);
      if (quota === null) return;
      const { environmentId } = holder;
      const pending = added.get(environmentId) ?? 0;
      if ((stored.get(environmentId)?.bytes ?? 0) + pending < quota) return;
      added.set(environmentId, pending); // the next write reads the total again: something may have been deleted
      throw new Problem(
        'storage_quota_reached',
        `The environment has reached its storage quota of ${config.CARILLON_STORAGE_QUOTA_MB} MB. Delete notifications or wait for retention; freed space counts within minutes.`,
      );
    },
    add(holder, bytes) {
      if (quotaOf(config, holder) === null) return;
      const sum = (added.get(holder.environmentId) ?? 0) + bytes();
      added.set(holder.environmentId, sum);
      if (sum >= largeStorageBytes) void flush();
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}

const minuteMs = 60_000;

/**
 * Measures the environments that are due: the counters only grow, and only a measurement accounts for deletions. An environment
 * is not measured again for sixty times as long as its measurement took, so that measuring uses only a small part of the
 * database's time.
 */
export async function measureStorage(
  { pool, config }: { pool: Pool; config: QuotaSetting },
  isStopped: () => boolean,
): Promise<void> {
  const often = 0.8 * config.CARILLON_STORAGE_QUOTA_MB * mebibyte;
  while (!isStopped()) {
    const claimed = await claimMeasure(pool, often);
    if (!claimed) return;
    const began = performance.now();
    const bytes = await measure(pool, claimed.environment_id);
    const restMs = Math.max(minuteMs, 60 * (performance.now() - began));
    await saveMeasured(pool, claimed.environment_id, { bytes, included: claimed.added_bytes, restMs });
  }
}
