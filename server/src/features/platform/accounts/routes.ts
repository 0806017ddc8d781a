import { Type } from 'typebox';
import type { Deps } from '../../../deps.ts';
import { clientOf, type Principal } from '../../../http/principal.ts';
import { type Route, type RouteCall, route } from '../../../http/route.ts';
import { EnvironmentParams, IdParams, pageQuery } from '../../../http/schema.ts';
import { notFound } from '../../../kernel/errors.ts';
import { pageOf, pageRequest } from '../../../kernel/page.ts';
import { createDevices } from './devices.ts';
import { createKey, type IssuedKey, type KeyCaller, keyView, revokeKey, rotateKey } from './keys-service.ts';
import { listKeys } from './keys-store.ts';
import { environmentView } from './people-service.ts';
import {
  ApiKeyPage,
  ApiKeyWithSecret,
  Environment,
  EnvironmentPage,
  Me,
  NewApiKey,
  Rotation,
} from './schema.ts';
import { createSemaphores } from './semaphore.ts';
import { sessionRoutes } from './sessions-routes.ts';
import { invitationRoutes, teamRoutes } from './team-routes.ts';
import { type EnvironmentRow, listEnvironments } from './team-store.ts';

type KeyCall = RouteCall<unknown, unknown, unknown, 'keys:write'>;

export function accountRoutes(deps: Deps): Route[] {
  // A password check takes 128 MiB and a thread: one check from an unknown and one from a known device at a time leave room for
  // the rest of the process.
  const gates = createSemaphores({ width: 1, waiting: 25 });
  const devices = createDevices(deps);
  return [
    ...identityRoutes(deps),
    ...keyRoutes(deps),
    ...sessionRoutes(deps, gates, devices),
    ...teamRoutes(deps),
    ...invitationRoutes(deps, gates, devices),
  ];
}

function identityRoutes({ pool }: Deps): Route[] {
  /** A key sees its own environment; a person in the dashboard sees all environments of the organization. */
  async function visibleEnvironments(principal: Principal): Promise<EnvironmentRow[]> {
    const rows = await listEnvironments(pool, principal.organizationId);
    return principal.kind === 'user' ? rows : rows.filter((row) => row.id === principal.environmentId);
  }

  return [
    route({
      method: 'GET',
      path: '/v1/me',
      operation: 'getMe',
      tag: 'Accounts',
      summary: 'Get the identity of the credentials',
      access: 'key',
      responses: { 200: Me },
      handler({ principal }) {
        const isKey = principal.kind === 'key';
        return {
          status: 200,
          body: {
            organization_id: principal.organizationId,
            environment_id: principal.environmentId,
            environment_kind: principal.environmentKind,
            key_id: isKey ? principal.id : null,
            key_scope: isKey ? (principal.preset ?? 'custom') : null,
            scopes: [...principal.scopes],
            key_type: isKey ? 'secret' : 'session',
          },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/environments',
      operation: 'listEnvironments',
      tag: 'Accounts',
      summary: 'List environments',
      description:
        'A key sees its own environment, a dashboard session all environments of the organization.',
      access: 'key',
      responses: { 200: EnvironmentPage },
      async handler({ principal }) {
        const rows = await visibleEnvironments(principal);
        return { status: 200, body: { data: rows.map(environmentView), next_cursor: null } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/environments/:envId',
      operation: 'getEnvironment',
      tag: 'Accounts',
      summary: 'Get an environment',
      access: 'key',
      params: EnvironmentParams,
      responses: { 200: Environment },
      async handler({ principal, params }) {
        const row = (await visibleEnvironments(principal)).find(
          ({ id }) => id === params.envId.toLowerCase(),
        );
        if (!row) throw notFound('environment');
        return { status: 200, body: environmentView(row) };
      },
    }),
  ];
}

function keyRoutes(deps: Deps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/api-keys',
      operation: 'listApiKeys',
      tag: 'API keys',
      summary: 'List API keys',
      description: 'The active keys of the environment, newest first. Secrets are never shown again.',
      access: 'keys:read',
      query: Type.Object(pageQuery),
      responses: { 200: ApiKeyPage },
      async handler({ principal, query }) {
        const list = `api_keys:${principal.environmentId}`;
        const page = pageRequest(list, query);
        const rows = await listKeys(deps.pool, principal.environmentId, page);
        const { data, next_cursor } = pageOf(list, rows, page.limit);
        return { status: 200, body: { data: data.map(keyView), next_cursor } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/api-keys',
      operation: 'createApiKey',
      tag: 'API keys',
      summary: 'Create an API key',
      description:
        'Creates a key for the environment of the credentials, with at most their scopes. A key that expires cannot create a key that expires later.',
      access: 'keys:write',
      body: NewApiKey,
      responses: { 201: ApiKeyWithSecret },
      async handler({ body, ...call }) {
        return { status: 201, body: issuedView(await createKey(deps, callerOf(call), body)) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/api-keys/:id',
      operation: 'revokeApiKey',
      tag: 'API keys',
      summary: 'Revoke an API key',
      description: 'The key stops working within two seconds on every node and is removed from the list.',
      access: 'keys:write',
      params: IdParams,
      responses: { 204: null },
      async handler({ params, ...call }) {
        await revokeKey(deps, callerOf(call), params.id);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/api-keys/:id/rotate',
      operation: 'rotateApiKey',
      tag: 'API keys',
      summary: 'Rotate an API key',
      description:
        'Creates a new key with the same name, scopes and expiry. The old key is revoked immediately, or after `grace_seconds`.',
      access: 'keys:write',
      params: IdParams,
      body: Rotation,
      bodyOptional: true,
      responses: { 201: ApiKeyWithSecret },
      async handler({ params, body, ...call }) {
        const issued = await rotateKey(deps, callerOf(call), params.id, body.grace_seconds ?? 0);
        return { status: 201, body: issuedView(issued) };
      },
    }),
  ];
}

function callerOf({
  principal,
  requestId,
  raw,
}: Pick<KeyCall, 'principal' | 'requestId' | 'raw'>): KeyCaller {
  return { principal, requestId, client: clientOf(raw) };
}

function issuedView({ row, secret }: IssuedKey) {
  return { ...keyView(row), key: secret };
}
