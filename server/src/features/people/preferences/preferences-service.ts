import { type Channel, channels } from '../../../channels/contract.ts';
import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { notFound, Problem } from '../../../kernel/errors.ts';
import { effectiveOf, userKeyOf } from './consent.ts';
import type { DescribedCategory, Preference } from './schema.ts';
import {
  type CategoryRow,
  type Cell,
  type CellRow,
  listActiveCategories,
  listCategoriesByKey,
  listCells,
  upsertCells,
} from './store.ts';

export interface PreferenceChange {
  category_key: string;
  channel: Channel;
  opted_in: boolean;
}

/** The preferences of users, also for the inbox and for unsubscribe links, which pass their own `source`. */
export interface PreferenceService {
  /** The effective value of every category × channel. */
  matrix(environmentId: string, user: string): Promise<Preference[]>;
  /** The display names of the categories in the matrix. */
  describe(environmentId: string): Promise<DescribedCategory[]>;
  /** Writes all cells or none. Cells that are not named stay unchanged, so that leaving out a cell never loses an opt-out. */
  set(
    environmentId: string,
    user: string,
    changes: PreferenceChange[],
    source: Cell['source'],
  ): Promise<Preference[]>;
  setOne(
    environmentId: string,
    user: string,
    change: PreferenceChange,
    source: Cell['source'],
  ): Promise<Preference>;
}

export function createPreferenceService({ pool }: Pick<Deps, 'pool'>): PreferenceService {
  async function categoriesOf(
    sql: Sql,
    environmentId: string,
    changes: PreferenceChange[],
  ): Promise<Map<string, CategoryRow>> {
    const keys = [...new Set(changes.map((change) => change.category_key))];
    const rows = await listCategoriesByKey(
      sql,
      keys.map((key) => ({ environmentId, key })),
    );
    return new Map(rows.map((row) => [row.key, row]));
  }

  const service: PreferenceService = {
    async matrix(environmentId, user) {
      const [categories, cells] = await Promise.all([
        listActiveCategories(pool, environmentId),
        listCells(pool, environmentId, userKeyOf(user)),
      ]);
      const byCell = new Map(cells.map((cell) => [`${cell.category_key} ${cell.channel}`, cell]));
      return categories.flatMap((category) =>
        channels.map((channel) =>
          viewOf(category, channel, byCell.get(`${category.key} ${channel}`) ?? null),
        ),
      );
    },

    async describe(environmentId) {
      const categories = await listActiveCategories(pool, environmentId);
      return categories.map(({ key, name, description, default_channels }) => ({
        key,
        name,
        description,
        default_channels,
      }));
    },

    async set(environmentId, user, changes, source) {
      await transaction(pool, async (tx) => {
        const categories = await categoriesOf(tx, environmentId, changes);
        const seen = new Set<string>();
        for (const [index, change] of changes.entries()) {
          const param = `preferences[${index}]`;
          checkChange(categories.get(change.category_key), change, param);
          const cell = `${change.category_key} ${change.channel}`;
          if (seen.has(cell)) {
            throw new Problem('parameter_invalid', `${param} repeats a category and channel.`, {
              param,
            });
          }
          seen.add(cell);
        }
        await upsertCells(tx, environmentId, userKeyOf(user), changes, source);
      });
      return service.matrix(environmentId, user);
    },

    async setOne(environmentId, user, change, source) {
      const category = (await categoriesOf(pool, environmentId, [change])).get(change.category_key);
      if (!category) throw notFound('category');
      checkChange(category, change, null);
      const [cell] = await upsertCells(pool, environmentId, userKeyOf(user), [change], source);
      return viewOf(category, change.channel, cell ?? null);
    },
  };
  return service;
}

function checkChange(category: CategoryRow | undefined, change: PreferenceChange, cell: string | null): void {
  const at = (field: string) => ({ param: cell === null ? null : `${cell}.${field}` });
  if (!category) {
    throw new Problem(
      'category_not_found',
      `There is no category with the key ${change.category_key}.`,
      at('category_key'),
    );
  }
  if (category.is_archived) {
    throw new Problem('category_archived', `The category ${category.key} is archived.`, at('category_key'));
  }
  if (category.is_critical && !change.opted_in) {
    throw new Problem(
      'category_critical',
      `The category ${category.key} is critical: users cannot opt out.`,
      { param: cell === null ? 'opted_in' : `${cell}.opted_in` },
    );
  }
}

function viewOf(category: CategoryRow, channel: Channel, cell: CellRow | null): Preference {
  return {
    category_key: category.key,
    category_name: category.name,
    channel,
    ...effectiveOf(category, channel, cell),
    is_critical: category.is_critical,
    updated_at: cell?.updated_at.toISOString() ?? null,
  };
}
