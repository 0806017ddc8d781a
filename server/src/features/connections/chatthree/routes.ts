import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { NotificationService } from '../../notifications/index.ts';
import { TestSent } from '../endpoints/schema.ts';
import { createEndpointsService } from '../endpoints/service.ts';
import { chatthreeKind } from './kind.ts';
import {
  ChatthreeEndpoint,
  ChatthreeEndpointChange,
  ChatthreeEndpointList,
  NewChatthreeEndpoint,
} from './schema.ts';

const tag = 'Chatthree';

export function chatthreeRoutes(
  deps: Pick<Deps, 'pool' | 'keyring' | 'clock' | 'config'>,
  notifications: Pick<NotificationService, 'sendTest'>,
): Route[] {
  const endpoints = createEndpointsService(deps, notifications, chatthreeKind(deps));
  return [
    route({
      method: 'POST',
      path: '/v1/chatthree-endpoints',
      operation: 'createChatthreeEndpoint',
      tag,
      summary: 'Create a chatthree endpoint',
      description:
        'The URL of a webhook of a channel; anything else is refused with `chatthree_url_not_accepted`.',
      access: 'channels:write',
      body: NewChatthreeEndpoint,
      responses: { 201: ChatthreeEndpoint },
      async handler({ principal, requestId, body }) {
        return { status: 201, body: await endpoints.create({ principal, requestId }, body) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/chatthree-endpoints',
      operation: 'listChatthreeEndpoints',
      tag,
      summary: 'List the chatthree endpoints, newest first',
      access: 'channels:read',
      responses: { 200: ChatthreeEndpointList },
      async handler({ principal }) {
        return { status: 200, body: { data: await endpoints.list(principal) } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/chatthree-endpoints/:id',
      operation: 'getChatthreeEndpoint',
      tag,
      summary: 'Get a chatthree endpoint',
      access: 'channels:read',
      params: IdParams,
      responses: { 200: ChatthreeEndpoint },
      async handler({ principal, params }) {
        return { status: 200, body: await endpoints.get(principal, params.id) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/chatthree-endpoints/:id',
      operation: 'updateChatthreeEndpoint',
      tag,
      summary: 'Change a chatthree endpoint',
      description:
        'Fields that are left out stay as they are, and the key always does. A URL that is given, even the same one, brings a broken endpoint back.',
      access: 'channels:write',
      params: IdParams,
      body: ChatthreeEndpointChange,
      responses: { 200: ChatthreeEndpoint },
      async handler({ principal, requestId, params, body }) {
        return { status: 200, body: await endpoints.update({ principal, requestId }, params.id, body) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/chatthree-endpoints/:id',
      operation: 'deleteChatthreeEndpoint',
      tag,
      summary: 'Delete a chatthree endpoint',
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
      path: '/v1/chatthree-endpoints/:id/send-test',
      operation: 'sendTestToChatthreeEndpoint',
      tag,
      summary: 'Send a test message',
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
