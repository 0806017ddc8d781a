import { type Channel, channels } from '../../../channels/contract.ts';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/route.ts';
import { invalidParameter, notFound } from '../../../kernel/errors.ts';
import { pageOf, pageRequest } from '../../../kernel/page.ts';
import { isTimeZone } from '../../../kernel/time-zone.ts';
import { UserParams } from '../users/index.ts';
import { type CategoryService, categoryView } from './categories-service.ts';
import { userKeyOf } from './consent.ts';
import type { PreferenceService } from './preferences-service.ts';
import { localTime, minuteOf, type QuietHours } from './quiet-hours.ts';
import {
  Category,
  CategoryPage,
  CategoryParams,
  CategoryQuery,
  CellParams,
  CreateCategory,
  Preference,
  PreferenceMatrix,
  QuietHoursBody,
  ReplaceCategory,
  SetPreference,
  SetPreferences,
} from './schema.ts';
import { deleteQuietHours, findQuietHours, listCategories, upsertQuietHours } from './store.ts';

const tag = 'Preferences';
const categoryTag = 'Categories';

export function preferenceRoutes({
  pool,
  preferences,
}: Pick<Deps, 'pool'> & { preferences: PreferenceService }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/preferences/users/:externalUserId',
      operation: 'getUserPreferences',
      tag,
      summary: 'Get the preferences of a user',
      description:
        'Every category × channel with its effective value: the choice of the user, or else the default of the category. The user is the `external_user_id` of the recipient, or else the address. Users do not need to be registered. Archived categories are not included.',
      access: 'preferences:read',
      params: UserParams,
      responses: { 200: PreferenceMatrix },
      async handler({ principal, params }) {
        const data = await preferences.matrix(principal.environmentId, params.externalUserId);
        return { status: 200, body: { data } };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/preferences/users/:externalUserId',
      operation: 'setUserPreferences',
      tag,
      summary: 'Set several preferences of a user',
      description:
        'All or nothing: if one element is invalid, none is set. Other preferences stay unchanged. Returns every preference of the user.',
      access: 'preferences:write',
      params: UserParams,
      body: SetPreferences,
      responses: { 200: PreferenceMatrix },
      async handler({ principal, params, body }) {
        const data = await preferences.set(
          principal.environmentId,
          params.externalUserId,
          body.preferences,
          'api',
        );
        return { status: 200, body: { data } };
      },
    }),
    route({
      method: 'PATCH',
      path: '/v1/preferences/users/:externalUserId/:categoryKey/:channel',
      operation: 'setUserPreference',
      tag,
      summary: 'Set one preference of a user',
      access: 'preferences:write',
      params: CellParams,
      body: SetPreference,
      responses: { 200: Preference },
      async handler({ principal, params, body }) {
        const change = {
          category_key: params.categoryKey,
          channel: channelOf(params.channel),
          opted_in: body.opted_in,
        };
        return {
          status: 200,
          body: await preferences.setOne(principal.environmentId, params.externalUserId, change, 'api'),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/preferences/users/:externalUserId/quiet-hours',
      operation: 'getQuietHours',
      tag,
      summary: 'Get the quiet hours of a user',
      access: 'preferences:read',
      params: UserParams,
      responses: { 200: QuietHoursBody },
      async handler({ principal, params }) {
        const hours = await findQuietHours(pool, principal.environmentId, userKeyOf(params.externalUserId));
        if (!hours) throw notFound('quiet hours');
        return { status: 200, body: hoursView(hours) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/preferences/users/:externalUserId/quiet-hours',
      operation: 'setQuietHours',
      tag,
      summary: 'Set the quiet hours of a user',
      description:
        'Sends with a non-critical category wait until the local end of the window; the trace shows it. A window that ends before it starts spans midnight. The local time decides, including daylight saving time.',
      access: 'preferences:write',
      params: UserParams,
      body: QuietHoursBody,
      responses: { 200: QuietHoursBody },
      async handler({ principal, params, body }) {
        const hours = readQuietHours(body);
        await upsertQuietHours(pool, principal.environmentId, userKeyOf(params.externalUserId), hours);
        return { status: 200, body: hoursView(hours) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/preferences/users/:externalUserId/quiet-hours',
      operation: 'deleteQuietHours',
      tag,
      summary: 'Remove the quiet hours of a user',
      description: 'Notifications that are already waiting keep their time.',
      access: 'preferences:write',
      params: UserParams,
      responses: { 204: null },
      async handler({ principal, params }) {
        const user = userKeyOf(params.externalUserId);
        if (!(await deleteQuietHours(pool, principal.environmentId, user))) throw notFound('quiet hours');
        return { status: 204 };
      },
    }),
  ];
}

/** Paths also accept `in-app`, as template bodies do. */
export function channelOf(text: string): Channel {
  const found = channels.find((channel) => channel === text.replaceAll('-', '_'));
  if (!found) throw invalidParameter('channel', `channel must be one of ${channels.join(', ')}.`);
  return found;
}

function readQuietHours(body: QuietHoursBody): QuietHours {
  if (!isTimeZone(body.timezone)) {
    throw invalidParameter('timezone', 'timezone must be an IANA time zone name, such as Europe/Rome.');
  }
  if (body.start_local === body.end_local)
    throw invalidParameter('end_local', 'end_local must differ from start_local.');
  return {
    start_minute: minuteOf(body.start_local),
    end_minute: minuteOf(body.end_local),
    timezone: body.timezone,
  };
}

function hoursView(hours: QuietHours): QuietHoursBody {
  return {
    start_local: localTime(hours.start_minute),
    end_local: localTime(hours.end_minute),
    timezone: hours.timezone,
  };
}

export function categoryRoutes({
  pool,
  categories,
}: Pick<Deps, 'pool'> & { categories: CategoryService }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/preferences/categories',
      operation: 'createCategory',
      tag: categoryTag,
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
      tag: categoryTag,
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
        return { status: 200, body: { data: data.map(categoryView), next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/preferences/categories/:key',
      operation: 'getCategory',
      tag: categoryTag,
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
      tag: categoryTag,
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
      tag: categoryTag,
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
