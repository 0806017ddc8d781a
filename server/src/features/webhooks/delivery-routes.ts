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
  DiscardResult,
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
        'With filters, a page scans a limited number of deliveries. When few match, a page may have fewer than `limit` items, or none; continue with `next_cursor` until it is null.',
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
      summary: 'Get a delivery with its payload',
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
      summary: 'Retry a delivery immediately',
      description:
        'Works in any final status, and while the delivery waits for its next attempt. Restarts the retry schedule. The attempt is made even if the endpoint is paused or was disabled by the service. Returns 409 `delivery_in_flight` while an attempt is in progress, and 409 `endpoint_disabled` after DELETE of the endpoint.',
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
        'Sends a `webhook.test` event regardless of the filters of the endpoint, even if it is paused or was disabled by the service. Returns 409 `endpoint_disabled` after DELETE.',
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
      summary: 'Retry all failed and pending deliveries since a time',
      description:
        'Queues the deliveries again that ended as `failed` or `permanent_failure` since then and were not discarded, and the pending ones of events since then, a hundred per second; at most 100,000 of each in one call. While the endpoint is paused, they wait until it is resumed. Returns 409 `endpoint_disabled` after DELETE of the endpoint.',
      access: 'webhooks:write',
      params: IdParams,
      body: Recovery,
      responses: { 202: RecoveryResult },
      async handler({ principal, params, body }) {
        const count = await deliveries.recover(principal, params.id, new Date(body.since));
        return { status: 202, body: { count } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/webhook-endpoints/:id/discard-pending',
      operation: 'discardPendingWebhookDeliveries',
      tag,
      summary: 'Discard the pending deliveries of a webhook endpoint',
      description:
        'Ends the deliveries that wait because the endpoint is paused, or for their next attempt, as `permanent_failure` with the error `discarded`; at most 100,000 in one call, so call it again while `count` is 100,000. `recover` leaves them out; a single one can still be retried. Call it before you resume a paused endpoint whose old events you no longer need.',
      access: 'webhooks:write',
      params: IdParams,
      responses: { 200: DiscardResult },
      async handler({ principal, requestId, params }) {
        return {
          status: 200,
          body: { count: await deliveries.discardPending({ principal, requestId }, params.id) },
        };
      },
    }),
  ];
}
