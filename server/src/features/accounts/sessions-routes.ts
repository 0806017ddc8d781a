import type { FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { type Route, route } from '../../http/route.ts';
import { clearedSessionCookie, sessionCookie, sessionTokenOf } from '../../http/session-cookie.ts';
import { Problem } from '../../kernel/errors.ts';
import { createGate } from './gate.ts';
import { Login, Person } from './schema.ts';
import { describePerson, login, logout, sessionSeconds } from './sessions-service.ts';

export function sessionRoutes(deps: Deps): Route[] {
  // A password check takes 32 MiB and a thread: two at once leave room for everything else the process does.
  const gate = createGate({ width: 2, waiting: 50 });
  const secure = () => deps.publicUrl().startsWith('https:');

  return [
    route({
      method: 'POST',
      path: '/auth/login',
      operation: 'login',
      tag: 'Dashboard sessions',
      summary: 'Sign in to the dashboard',
      description:
        'Sets a session cookie for 7 days. After 10 failures for an email, or 50 from an address, within 15 minutes: 429.',
      access: 'public',
      body: Login,
      responses: { 204: null },
      async handler({ body, raw }) {
        const token = await login(deps, gate, { ...body, address: raw.ip });
        return {
          status: 204,
          headers: {
            'set-cookie': sessionCookie(token, { secure: secure(), maxAgeSeconds: sessionSeconds }),
          },
        };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/logout',
      operation: 'logout',
      tag: 'Dashboard sessions',
      summary: 'Sign out of the dashboard',
      description: 'Needs the header `X-Carillon-CSRF: 1`.',
      access: 'session',
      responses: { 204: null },
      async handler({ raw }) {
        const token = getToken(raw);
        if (raw.headers['x-carillon-csrf'] !== '1') {
          throw new Problem(
            'csrf_required',
            'Writes with a dashboard session need the header X-Carillon-CSRF: 1.',
          );
        }
        await logout(deps, token);
        return { status: 204, headers: { 'set-cookie': clearedSessionCookie({ secure: secure() }) } };
      },
    }),
    route({
      method: 'GET',
      path: '/auth/me',
      operation: 'getPerson',
      tag: 'Dashboard sessions',
      summary: 'Show who is signed in',
      access: 'session',
      responses: { 200: Person },
      async handler({ raw }) {
        return { status: 200, body: await describePerson(deps, getToken(raw)) };
      },
    }),
  ];
}

function getToken(request: FastifyRequest): string {
  const token = sessionTokenOf(request.headers.cookie);
  if (!token) throw new Problem('missing_credentials', 'Sign in first.');
  return token;
}
