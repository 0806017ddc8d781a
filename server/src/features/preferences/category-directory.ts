import { isDatabaseUnavailable, type Pool } from '../../db/sql.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import { createCache } from '../../kernel/cache.ts';
import { type CategoryRow, listCategoriesByKey } from './categories-store.ts';

/** How long an answer is believed: the longest that another process still takes sends for a category that was archived. */
const memoryMs = 1_000;
const memorySize = 10_000;

/** Categories as the accept path needs them: from memory, or with others that are missing in one query. */
export interface CategoryDirectory {
  findCategory(environmentId: string, key: string): Promise<CategoryFact | null>;
  /** A change made by this process is felt by it at once. */
  forget(environmentId: string, key: string): void;
}

export interface CategoryFact {
  isCritical: boolean;
  isArchived: boolean;
}

export function createCategoryDirectory(pool: Pool): CategoryDirectory {
  const known = createCache<Promise<CategoryFact | null>>(memorySize, memoryMs);
  const loads = createBatcher<{ environmentId: string; key: string }, CategoryFact | null>(
    async (wanted) => {
      const found = new Map(
        (await listCategoriesByKey(pool, wanted)).map((row) => [nameOf(row.environment_id, row.key), row]),
      );
      return wanted.map(({ environmentId, key }) => factOf(found.get(nameOf(environmentId, key))));
    },
    { concurrency: 2, maxItems: 500, splitOn: (error) => !isDatabaseUnavailable(error) },
  );

  return {
    async findCategory(environmentId, key) {
      const name = nameOf(environmentId, key);
      const remembered = await known.get(name);
      // A refusal is never given from memory: a category that another process has just made or brought back is usable here.
      if (remembered && !remembered.isArchived) return remembered;
      const loading = loads.add({ environmentId, key });
      known.set(name, loading);
      loading.catch(() => {
        if (known.peek(name) === loading) known.delete(name);
      });
      return loading;
    },
    forget(environmentId, key) {
      known.delete(nameOf(environmentId, key));
    },
  };
}

function nameOf(environmentId: string, key: string): string {
  return `${environmentId} ${key}`;
}

function factOf(row: CategoryRow | undefined): CategoryFact | null {
  return row ? { isCritical: row.is_critical, isArchived: row.is_archived } : null;
}
