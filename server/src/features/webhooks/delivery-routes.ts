import { type Route, route } from '../../http/route.ts';
import { IdParams } from '../../http/schema.ts';
import type { DeliveriesService } from './deliveries-service.ts';
import {
  AttemptPage,
  AttemptQuery,
  Delivery,
  DeliveryPage,
  DeliveryParams,
  DeliveryQuery,
  DeliveryWithPayload,
  Recovery,
  RecoveryResult,
} from './schema.ts';

const tag = 'Webhooks';

export function deliveryRoutes(deliveries: DeliveriesService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/webhook-endpoints/:id/deliveries',
      operation: 'listWebhookDeliveries',
      tag,
      summary: 'List the deliveries to a webhook endpoint, newest first',
      description:
        'Filters are asked of so many deliveries a page. When few match, a page may have fewer than `limit`, or none, while `next_cursor` says where to look on; the list ends when it is null.',
      access: 'webhooks:read',
      params: IdParams,
      query: DeliveryQuery,
      responses: { 200: DeliveryPage },
      async handler({ principal, params, query }) {
        return { status: 200, body: await deliveries.list(principal, params.id, query) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/webhook-endpoints/:id/deliveries/:deliveryId',
      operation: 'getWebhookDelivery',
      tag,
      summary: 'Get a delivery, with what it carries',
      access: 'webhooks:read',
      params: DeliveryParams,
      responses: { 200: DeliveryWithPayload },
      async handler({ principal, params }) {
        return { status: 200, body: await deliveries.get(principal, params.id, params.deliveryId) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/webhook-endpoints/:id/deliveries/:deliveryId/attempts',
      operation: 'listWebhookAttempts',
      tag,
      summary: 'List the attempts of a delivery, newest first',
      access: 'webhooks:read',
      params: DeliveryParams,
      query: AttemptQuery,
      responses: { 200: AttemptPage },
      async handler({ principal, params, query }) {
        const page = await deliveries.listAttempts(principal, params.id, params.deliveryId, query);
        return { status: 200, body: page };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/webhook-endpoints/:id/deliveries/:deliveryId/retry',
      operation: 'retryWebhookDelivery',
      tag,
      summary: 'Try a delivery again at once',
      description:
        'From any final status, and ahead of its time while it waits for its next attempt. The schedule of retries begins anew. The attempt is made even if the endpoint is paused or was disabled by the service. While an attempt is under way: 409 `delivery_in_flight`.',
      access: 'webhooks:write',
      params: DeliveryParams,
      responses: { 202: Delivery },
      async handler({ principal, params }) {
        return { status: 202, body: await deliveries.retry(principal, params.id, params.deliveryId) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/webhook-endpoints/:id/send-test',
      operation: 'sendWebhookTest',
      tag,
      summary: 'Send a test event to a webhook endpoint',
      description:
        'An event `webhook.test`, whatever the filters of the endpoint say, and also while it is paused or was disabled by the service. After DELETE: 409 `endpoint_disabled`.',
      access: 'webhooks:write',
      params: IdParams,
      responses: { 202: Delivery },
      async handler({ principal, params }) {
        return { status: 202, body: await deliveries.sendTest(principal, params.id) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/webhook-endpoints/:id/recover',
      operation: 'recoverWebhookEndpoint',
      tag,
      summary: 'Try again everything that failed since a time',
      description:
        'Deliveries that ended as `failed` or `permanent_failure` since then are queued anew, a hundred a second; at most 100,000 in one call.',
      access: 'webhooks:write',
      params: IdParams,
      body: Recovery,
      responses: { 202: RecoveryResult },
      async handler({ principal, params, body }) {
        const count = await deliveries.recover(principal, params.id, new Date(body.since));
        return { status: 202, body: { count } };
      },
    }),
  ];
}
