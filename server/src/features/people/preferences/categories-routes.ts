import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/route.ts';
import { pageOf, pageRequest } from '../../../kernel/page.ts';
import { type CategoryService, viewOf } from './categories-service.ts';
import { listCategories } from './categories-store.ts';
import {
  Category,
  CategoryPage,
  CategoryParams,
  CategoryQuery,
  CreateCategory,
  ReplaceCategory,
} from './schema.ts';

const tag = 'Categories';

export function categoryRoutes({
  pool,
  categories,
}: Pick<Deps, 'pool'> & { categories: CategoryService }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/preferences/categories',
      operation: 'createCategory',
      tag,
      summary: 'Create a category',
      description:
        'The topic of a notification, so that users can choose what they receive. `default_opt_in` defaults to true; users without a preference receive the category on its `default_channels`.',
      access: 'preferences:write',
      body: CreateCategory,
      responses: { 201: Category },
      async handler({ principal, body, requestId }) {
        return { status: 201, body: await categories.create({ principal, requestId }, body) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/preferences/categories',
      operation: 'listCategories',
      tag,
      summary: 'List categories',
      access: 'preferences:read',
      query: CategoryQuery,
      responses: { 200: CategoryPage },
      async handler({ principal, query }) {
        const list = `categories:${principal.environmentId}`;
        const page = pageRequest(list, query);
        const rows = await listCategories(
          pool,
          principal.environmentId,
          query.include_archived ?? false,
          page,
        );
        const { data, next_cursor } = pageOf(list, rows, page.limit);
        return { status: 200, body: { data: data.map(viewOf), next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/preferences/categories/:key',
      operation: 'getCategory',
      tag,
      summary: 'Get a category',
      access: 'preferences:read',
      params: CategoryParams,
      responses: { 200: Category },
      async handler({ principal, params }) {
        return { status: 200, body: await categories.get(principal, params.key) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/preferences/categories/:key',
      operation: 'replaceCategory',
      tag,
      summary: 'Change a category',
      description:
        'An archived category stays archived unless you set `is_archived` to false; then it can be used again. `is_critical` cannot be changed.',
      access: 'preferences:write',
      params: CategoryParams,
      body: ReplaceCategory,
      responses: { 200: Category },
      async handler({ principal, params, body, requestId }) {
        return { status: 200, body: await categories.replace({ principal, requestId }, params.key, body) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/preferences/categories/:key',
      operation: 'archiveCategory',
      tag,
      summary: 'Archive a category',
      description:
        'New sends with this category are rejected. Accepted notifications are still sent, and preferences are kept: unsubscribe links in old emails keep working, and the key stays reserved.',
      access: 'preferences:write',
      params: CategoryParams,
      responses: { 204: null },
      async handler({ principal, params, requestId }) {
        await categories.archive({ principal, requestId }, params.key);
        return { status: 204 };
      },
    }),
  ];
}
