import { channels } from '../../../channels/contract.ts';
import { ringSettingOf } from '../../../channels/in-app/push/ring-setting.ts';
import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Caller, Principal } from '../../../http/principal.ts';
import { invalidParameter, notFound, Problem } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import type { CategoryDirectory } from './category-directory.ts';
import { type Category, type CreateCategory, preferenceLimits, type ReplaceCategory } from './schema.ts';
import {
  type CategoryRow,
  countCategories,
  findCategory,
  insertCategory,
  lockCategory,
  updateCategory,
} from './store.ts';

export interface CategoryService {
  create(caller: Caller, body: CreateCategory): Promise<Category>;
  get(principal: Principal, key: string): Promise<Category>;
  replace(caller: Caller, key: string, body: ReplaceCategory): Promise<Category>;
  archive(caller: Caller, key: string): Promise<void>;
}

export function createCategoryService({
  pool,
  clock,
  categoryDirectory,
}: Pick<Deps, 'pool' | 'clock'> & { categoryDirectory: CategoryDirectory }): CategoryService {
  /** Locks the category, writes the result of `next`, and records the difference in the audit log. */
  async function change(
    caller: Caller,
    key: string,
    action: string,
    next: (row: CategoryRow) => CategoryRow,
  ): Promise<Category> {
    const { principal } = caller;
    const changed = await transaction(pool, async (tx) => {
      const before = await lockCategory(tx, principal.environmentId, key);
      if (!before) throw notFound('category');
      const after = await updateCategory(tx, next(before));
      await recordAudit(tx, caller, {
        action,
        target: `category:${key}`,
        before: categoryView(before),
        after: categoryView(after),
      });
      return categoryView(after);
    });
    categoryDirectory.forget(principal.environmentId, key);
    return changed;
  }

  return {
    async create(caller, body) {
      const { environmentId } = caller.principal;
      const created = await transaction(pool, async (tx) => {
        if ((await countCategories(tx, environmentId)) >= preferenceLimits.categories) {
          throw invalidParameter(
            'key',
            `An environment can have at most ${preferenceLimits.categories} categories.`,
          );
        }
        const row = await insertCategory(tx, {
          id: newId(clock()),
          environment_id: environmentId,
          key: body.key,
          name: body.name,
          description: body.description ?? null,
          is_critical: body.is_critical ?? false,
          default_channels: inOrder(body.default_channels),
          default_opt_in: body.default_opt_in ?? true,
          is_archived: false,
          push: body.push ? ringSettingOf(body.push) : null,
        });
        if (!row) throw await keyTaken(tx, environmentId, body.key);
        await recordAudit(tx, caller, {
          action: 'category.created',
          target: `category:${row.key}`,
          after: categoryView(row),
        });
        return categoryView(row);
      });
      categoryDirectory.forget(environmentId, body.key);
      return created;
    },

    async get({ environmentId }, key) {
      const row = await findCategory(pool, environmentId, key);
      if (!row) throw notFound('category');
      return categoryView(row);
    },

    replace(caller, key, body) {
      return change(caller, key, 'category.updated', (row) => {
        // Changing `is_critical` would make opting out impossible, or would let accepted critical sends be suppressed.
        if (body.is_critical !== undefined && body.is_critical !== row.is_critical)
          throw invalidParameter('is_critical', 'is_critical cannot be changed after creation.');
        return {
          ...row,
          name: body.name,
          description: body.description ?? null,
          default_channels: inOrder(body.default_channels),
          default_opt_in: body.default_opt_in,
          is_archived: body.is_archived ?? row.is_archived,
          push: body.push === undefined ? row.push : body.push && ringSettingOf(body.push),
        };
      });
    },

    async archive(caller, key) {
      await change(caller, key, 'category.archived', (row) => ({ ...row, is_archived: true }));
    },
  };
}

/** An archived category keeps its key, and is in no list. */
async function keyTaken(sql: Sql, environmentId: string, key: string): Promise<Problem> {
  const taken = await findCategory(sql, environmentId, key);
  const message = taken?.is_archived
    ? `The key ${key} belongs to an archived category: replace it with "is_archived": false to use it again.`
    : `A category with the key ${key} already exists.`;
  return new Problem('duplicate_key', message, { param: 'key' });
}

function inOrder(given: CategoryRow['default_channels']): CategoryRow['default_channels'] {
  return channels.filter((channel) => given.includes(channel));
}

export function categoryView({ environment_id: _, ...category }: CategoryRow): Category {
  return category;
}
