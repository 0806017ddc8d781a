import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { NotificationService } from '../../notifications/index.ts';
import { TestSent } from '../endpoints/schema.ts';
import { createEndpointsService } from '../endpoints/service.ts';
import { chattwoKind } from './kind.ts';
import { ChattwoEndpoint, ChattwoEndpointChange, ChattwoEndpointList, NewChattwoEndpoint } from './schema.ts';

const tag = 'Chattwo';

export function chattwoRoutes(
  deps: Pick<Deps, 'pool' | 'keyring' | 'clock' | 'config'>,
  notifications: Pick<NotificationService, 'sendTest'>,
): Route[] {
  const endpoints = createEndpointsService(deps, notifications, chattwoKind(deps));
  return [
    route({
      method: 'POST',
      path: '/v1/chattwo-endpoints',
      operation: 'createChattwoEndpoint',
      tag,
      summary: 'Create a chattwo endpoint',
      description:
        'The URL of a workflow that posts to a channel. One of a retired connector is refused with `chattwo_legacy_connector_url`, anything else with `chattwo_url_not_accepted`.',
      access: 'channels:write',
      body: NewChattwoEndpoint,
      responses: { 201: ChattwoEndpoint },
      async handler({ principal, requestId, body }) {
        return { status: 201, body: await endpoints.create({ principal, requestId }, body) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/chattwo-endpoints',
      operation: 'listChattwoEndpoints',
      tag,
      summary: 'List the chattwo endpoints, newest first',
      access: 'channels:read',
      responses: { 200: ChattwoEndpointList },
      async handler({ principal }) {
        return { status: 200, body: { data: await endpoints.list(principal) } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/chattwo-endpoints/:id',
      operation: 'getChattwoEndpoint',
      tag,
      summary: 'Get a chattwo endpoint',
      access: 'channels:read',
      params: IdParams,
      responses: { 200: ChattwoEndpoint },
      async handler({ principal, params }) {
        return { status: 200, body: await endpoints.get(principal, params.id) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/chattwo-endpoints/:id',
      operation: 'updateChattwoEndpoint',
      tag,
      summary: 'Change a chattwo endpoint',
      description:
        'Fields that are left out stay as they are, and the key always does. A URL that is given, even the same one, brings a broken endpoint back.',
      access: 'channels:write',
      params: IdParams,
      body: ChattwoEndpointChange,
      responses: { 200: ChattwoEndpoint },
      async handler({ principal, requestId, params, body }) {
        return { status: 200, body: await endpoints.update({ principal, requestId }, params.id, body) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/chattwo-endpoints/:id',
      operation: 'deleteChattwoEndpoint',
      tag,
      summary: 'Delete a chattwo endpoint',
      description: 'Notifications that are still queued for it fail with `endpoint_not_found`.',
      access: 'channels:write',
      params: IdParams,
      responses: { 204: null },
      async handler({ principal, requestId, params }) {
        await endpoints.delete({ principal, requestId }, params.id);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/chattwo-endpoints/:id/send-test',
      operation: 'sendTestToChattwoEndpoint',
      tag,
      summary: 'Send a test card',
      description:
        'As a notification like any other: ask for it, or for its trace, to see what became of it.',
      access: 'channels:write',
      params: IdParams,
      responses: { 202: TestSent },
      async handler({ principal, params }) {
        return { status: 202, body: { notification_id: await endpoints.sendTest(principal, params.id) } };
      },
    }),
  ];
}
