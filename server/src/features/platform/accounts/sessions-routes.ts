import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Deps } from '../../../deps.ts';
import { clientOf } from '../../../http/principal.ts';
import { type Route, route } from '../../../http/route.ts';
import { IdParams, pageQuery } from '../../../http/schema.ts';
import { clearedSessionCookie } from '../../../http/session-cookie.ts';
import type { Devices } from './devices.ts';
import type { RequestContext } from './member-log.ts';
import { changePassword, describePerson, rename } from './people-service.ts';
import { Login, PasswordChange, Person, PersonPatch, SessionPage } from './schema.ts';
import type { Semaphores } from './semaphore.ts';
import { emailOf, endSession, listOwnSessions, login } from './sessions-service.ts';

const tag = 'Dashboard sessions';

export function sessionRoutes(deps: Deps, gates: Semaphores, devices: Devices): Route[] {
  return [
    route({
      method: 'POST',
      path: '/auth/login',
      operation: 'login',
      tag,
      summary: 'Sign in to the dashboard',
      description:
        'Sets a session cookie for 7 days, which expires earlier without use (`CARILLON_SESSION_IDLE_HOURS`), and a cookie that identifies this browser. Failed attempts delay the next one, longer each time (429): after 5 within an hour for an email from one network (/24 of IPv4, /64 of IPv6), 50 for an email from anywhere, 100 from a network. A browser in which the user has signed in before is counted separately.',
      access: 'public',
      body: Login,
      responses: { 204: null },
      errors: ['invalid_credentials', 'rate_limited'],
      async handler({ body, raw, requestId }) {
        const email = emailOf(body.email);
        const deviceId = devices.find(raw.headers.cookie, email);
        const context = { requestId, client: clientOf(raw), deviceId };
        const token = await login(deps, gates, { email, password: body.password }, context);
        return { status: 204, headers: devices.begin({ token, email }) };
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
      async handler({ principal, ...call }) {
        await endSession(deps, principal, principal.sessionId, contextOf(call));
        return { status: 204, headers: { 'set-cookie': clearedSessionCookie(deps.publicUrl()) } };
      },
    }),
    route({
      method: 'GET',
      path: '/auth/me',
      operation: 'getPerson',
      tag,
      summary: 'Get the signed-in user',
      access: 'session',
      responses: { 200: Person },
      async handler({ principal }) {
        return { status: 200, body: await describePerson(deps.pool, deps.config, principal) };
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
      async handler({ principal, body, ...call }) {
        return { status: 200, body: await rename(deps, principal, body.name, contextOf(call)) };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/password',
      operation: 'changePassword',
      tag,
      summary: 'Change your own password',
      description:
        'Ends all your other sessions. After 5 wrong `current_password` within an hour, further attempts in this session are delayed, longer each time (429).',
      access: 'session',
      body: PasswordChange,
      responses: { 204: null },
      errors: ['rate_limited'],
      async handler({ principal, body, ...call }) {
        await changePassword(deps, gates, principal, body, contextOf(call));
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
      description: 'The session stops working within two seconds on every node.',
      access: 'session',
      params: IdParams,
      responses: { 204: null },
      async handler({ principal, params, ...call }) {
        await endSession(deps, principal, params.id, contextOf(call));
        return { status: 204 };
      },
    }),
  ];
}

function contextOf({ requestId, raw }: { requestId: string; raw: FastifyRequest }): RequestContext {
  return { requestId, client: clientOf(raw) };
}
