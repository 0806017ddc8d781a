import { isDatabaseUnavailable } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { createBatcher } from '../../../kernel/batcher.ts';
import { cacheLoad, createCache } from '../../../kernel/cache.ts';
import { type CategoryRow, listCategoriesByKey } from './store.ts';

/** The lifetime of a cached answer: the longest time for which another process accepts sends for an archived category. */
const cacheMs = 1_000;
const cacheSize = 10_000;

/** Categories for the accept path: from the cache, or with other missing ones in one query. */
export interface CategoryDirectory {
  findCategory(environmentId: string, key: string): Promise<CategoryFlags | null>;
  /** Makes a change by this process visible to it at once. */
  forget(environmentId: string, key: string): void;
}

interface CategoryFlags {
  isCritical: boolean;
  isArchived: boolean;
}

export function createCategoryDirectory({ pool }: Pick<Deps, 'pool'>): CategoryDirectory {
  const known = createCache<Promise<CategoryFlags | null>>(cacheSize, cacheMs);
  const loads = createBatcher<{ environmentId: string; key: string }, CategoryFlags | null>(
    async (wanted) => {
      const found = new Map(
        (await listCategoriesByKey(pool, wanted)).map((row) => [nameOf(row.environment_id, row.key), row]),
      );
      return wanted.map(({ environmentId, key }) => flagsOf(found.get(nameOf(environmentId, key))));
    },
    { concurrency: 2, maxItems: 500, splitOn: (error) => !isDatabaseUnavailable(error) },
  );

  return {
    async findCategory(environmentId, key) {
      const name = nameOf(environmentId, key);
      const cached = await known.get(name);
      // A refusal never comes from the cache: a category just created or restored through another process is usable here at
      // once.
      if (cached && !cached.isArchived) return cached;
      return cacheLoad(known, name, loads.add({ environmentId, key }));
    },
    forget(environmentId, key) {
      known.delete(nameOf(environmentId, key));
    },
  };
}

function nameOf(environmentId: string, key: string): string {
  return `${environmentId} ${key}`;
}

function flagsOf(row: CategoryRow | undefined): CategoryFlags | null {
  return row ? { isCritical: row.is_critical, isArchived: row.is_archived } : null;
}
