import type { Config } from '../../config.ts';
import type { Pool } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { createCache } from '../../kernel/cache.ts';
import { Problem } from '../../kernel/errors.ts';
import type { QuotaHolder, StorageMeter } from '../../kernel/storage.ts';
import { addStored, claimMeasure, measure, saveMeasured } from './storage-store.ts';

const mebibyte = 1_048_576;
const everyMs = 5_000;
/** So much of one environment is written at once. */
const muchBytes = 16 * mebibyte;

type QuotaSetting = Pick<Config, 'CARILLON_STORAGE_QUOTA_MB'>;

/** Live on the plan `unmetered` has none: who runs the service for themselves must not lose sends to a default. */
export function quotaOf(
  { CARILLON_STORAGE_QUOTA_MB: megabytes }: QuotaSetting,
  { environmentKind, plan }: Pick<QuotaHolder, 'environmentKind' | 'plan'>,
): number | null {
  if (megabytes === 0 || (environmentKind === 'live' && plan === 'unmetered')) return null;
  return megabytes * mebibyte;
}

/**
 * The verdict comes from memory: what the database said last, and what this process has added since. So a quota may be passed
 * by what comes in within some seconds, and accepting costs no query.
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
      // What is lost is found again when the environment is measured.
      log.warn({ err: error }, 'stored bytes could not be counted');
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
      added.set(environmentId, pending); // asked for again with the next write: something may have been deleted
      throw new Problem(
        'storage_quota_reached',
        `The environment stores ${config.CARILLON_STORAGE_QUOTA_MB} MB, which is its quota. Delete notifications or wait for retention; room is noticed within minutes.`,
      );
    },
    add(holder, bytes) {
      if (quotaOf(config, holder) === null) return;
      const sum = (added.get(holder.environmentId) ?? 0) + bytes();
      added.set(holder.environmentId, sum);
      if (sum >= muchBytes) void flush();
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
 * Measures the environments whose turn it is: the counters only grow, and only measuring sees what was deleted. After a
 * measurement an environment rests for sixty times as long as it took, so that this never takes more than a small part of
 * the database's time.
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
