import { Type } from 'typebox';
import type { Deps } from '../../deps.ts';
import { type Route, route } from '../../http/route.ts';
import { IdParams, pageQuery } from '../../http/schema.ts';
import { createCookies } from './cookies.ts';
import type { Gate } from './gate.ts';
import { changePassword, describePerson, rename } from './people-service.ts';
import { Login, PasswordChange, Person, PersonPatch, SessionPage } from './schema.ts';
import { endSession, listOwnSessions, login } from './sessions-service.ts';

const tag = 'Dashboard sessions';

export function sessionRoutes(deps: Deps, gate: Gate): Route[] {
  const cookies = createCookies(deps);
  return [
    route({
      method: 'POST',
      path: '/auth/login',
      operation: 'login',
      tag,
      summary: 'Sign in to the dashboard',
      description:
        'Sets a session cookie for 7 days. After 10 failures for an email, or 50 from an address, within 15 minutes: 429.',
      access: 'public',
      body: Login,
      responses: { 204: null },
      async handler({ body, raw }) {
        const token = await login(deps, gate, { ...body, address: raw.ip });
        return { status: 204, headers: cookies.start(token) };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/logout',
      operation: 'logout',
      tag,
      summary: 'Sign out of the dashboard',
      description: 'Needs the header `X-Carillon-CSRF: 1`.',
      access: 'session',
      responses: { 204: null },
      async handler({ principal }) {
        await endSession(deps, principal, principal.sessionId);
        return { status: 204, headers: cookies.end() };
      },
    }),
    route({
      method: 'GET',
      path: '/auth/me',
      operation: 'getPerson',
      tag,
      summary: 'Show who is signed in',
      access: 'session',
      responses: { 200: Person },
      async handler({ principal }) {
        return { status: 200, body: await describePerson(deps.pool, principal) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/auth/me',
      operation: 'updatePerson',
      tag,
      summary: 'Change your own name',
      access: 'session',
      body: PersonPatch,
      responses: { 200: Person },
      async handler({ principal, body, requestId }) {
        return { status: 200, body: await rename(deps, principal, body.name, requestId) };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/password',
      operation: 'changePassword',
      tag,
      summary: 'Change your own password',
      description: 'Ends all your other sessions. A wrong `current_password` counts as a failed sign-in.',
      access: 'session',
      body: PasswordChange,
      responses: { 204: null },
      async handler({ principal, body, requestId }) {
        await changePassword(deps, gate, principal, body, requestId);
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: '/auth/sessions',
      operation: 'listSessions',
      tag,
      summary: 'List your own sessions',
      access: 'session',
      query: Type.Object(pageQuery),
      responses: { 200: SessionPage },
      async handler({ principal, query }) {
        const { data, next_cursor } = await listOwnSessions(deps, principal, query);
        const sessions = data.map((row) => ({
          id: row.id,
          created_at: row.created_at.toISOString(),
          last_seen_at: row.last_seen_at.toISOString(),
          expires_at: row.expires_at.toISOString(),
          current: row.id === principal.sessionId,
        }));
        return { status: 200, body: { data: sessions, next_cursor } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/auth/sessions/:id',
      operation: 'endSession',
      tag,
      summary: 'End one of your own sessions',
      description: 'It stops working within two seconds on every node.',
      access: 'session',
      params: IdParams,
      responses: { 204: null },
      async handler({ principal, params }) {
        await endSession(deps, principal, params.id);
        return { status: 204 };
      },
    }),
  ];
}
