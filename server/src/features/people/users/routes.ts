import { type Route, route } from '../../../http/route.ts';
import { UserBody, UserPage, UserParams, UserQuery, UserView, type UserView as View } from './schema.ts';
import type { UserService } from './service.ts';
import type { UserRow } from './store.ts';

const tag = 'Users';

export function userRoutes({ users }: { users: UserService }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/users',
      operation: 'listUsers',
      tag,
      summary: 'List users, newest first',
      access: 'preferences:read',
      query: UserQuery,
      responses: { 200: UserPage },
      async handler({ principal, query }) {
        const { data, next_cursor } = await users.list(principal, query);
        return { status: 200, body: { data: data.map(viewOf), next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/users/:externalUserId',
      operation: 'getUser',
      tag,
      summary: 'Get a user',
      description: 'Includes addresses stored by sends with both an `external_user_id` and an address.',
      access: 'preferences:read',
      params: UserParams,
      responses: { 200: UserView },
      async handler({ principal, params }) {
        return { status: 200, body: viewOf(await users.get(principal, params.externalUserId)) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/users/:externalUserId',
      operation: 'replaceUser',
      tag,
      summary: 'Store a user',
      description:
        'Later sends to this user need only the `external_user_id`. Omitted fields are cleared. A later send with the user and another address replaces the address of that channel.',
      access: 'preferences:write',
      params: UserParams,
      body: UserBody,
      responses: { 200: UserView },
      async handler({ principal, params, body }) {
        return {
          status: 200,
          body: viewOf(await users.replace(principal, params.externalUserId, body)),
        };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/users/:externalUserId',
      operation: 'eraseUser',
      tag,
      summary: 'Erase a user',
      description:
        'Deletes addresses, preferences and quiet hours. Past notifications keep their status and lose recipient, content and all details; queued notifications are never sent. Sends to only an address stored for the user are included. Suppressions and usage counters are kept. A history of more than about 10,000 notifications is erased in the background. Returns 204 even if the user is unknown.',
      access: 'preferences:write',
      params: UserParams,
      responses: { 204: null },
      async handler({ principal, params, requestId }) {
        await users.erase({ principal, requestId }, params.externalUserId);
        return { status: 204 };
      },
    }),
  ];
}

function viewOf(row: UserRow): View {
  const { external_user_id, email, phone, name, locale, timezone, chatone_user_id, attributes } = row;
  return {
    external_user_id,
    email,
    phone,
    name,
    locale,
    timezone,
    chatone_user_id,
    attributes,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
