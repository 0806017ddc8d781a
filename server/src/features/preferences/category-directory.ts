import { isDatabaseUnavailable, type Pool } from '../../db/sql.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import { createMemory } from '../../kernel/memory.ts';
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
  const known = createMemory<Promise<CategoryFact | null>>(memorySize, memoryMs);
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
    findCategory(environmentId, key) {
      const name = nameOf(environmentId, key);
      const remembered = known.get(name);
      if (remembered) return remembered;
      const loading = loads.add({ environmentId, key });
      known.set(name, loading);
      // Only what exists is remembered: a category can be used the moment it was created, whoever created it.
      const drop = () => {
        if (known.peek(name) === loading) known.delete(name);
      };
      loading.then((fact) => {
        if (!fact) drop();
      }, drop);
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
