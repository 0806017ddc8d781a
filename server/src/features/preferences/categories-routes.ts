import type { Deps } from '../../deps.ts';
import { type Route, route } from '../../http/route.ts';
import { pageOf, pageRequest } from '../../kernel/page.ts';
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
        'What a notification is about, so that people can choose what they get. `default_opt_in` is true unless told; a user who decided nothing gets the category on its `default_channels`.',
      access: 'preferences:write',
      body: CreateCategory,
      responses: { 201: Category },
      async handler({ principal, body, requestId }) {
        return { status: 201, body: await categories.create(principal, body, requestId) };
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
      summary: 'Read a category',
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
        'An archived category can be changed too and stays archived, unless `is_archived` is false: then it can be sent under again. `is_critical` cannot be changed.',
      access: 'preferences:write',
      params: CategoryParams,
      body: ReplaceCategory,
      responses: { 200: Category },
      async handler({ principal, params, body, requestId }) {
        return { status: 200, body: await categories.replace(principal, params.key, body, requestId) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/preferences/categories/:key',
      operation: 'archiveCategory',
      tag,
      summary: 'Archive a category',
      description:
        'A send that names it is refused from now on. What was accepted before is still sent, and what users decided is kept: unsubscribe links in old emails go on working, and the key stays taken.',
      access: 'preferences:write',
      params: CategoryParams,
      responses: { 204: null },
      async handler({ principal, params, requestId }) {
        await categories.archive(principal, params.key, requestId);
        return { status: 204 };
      },
    }),
  ];
}
