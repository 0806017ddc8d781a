import { type Route, route } from '../../http/route.ts';
import { EnvironmentParams, IdParams } from '../../http/schema.ts';
import { notFound } from '../../kernel/errors.ts';
import type { DeliveriesService } from './deliveries-service.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import type { WebhookEndpointsService } from './endpoints-service.ts';
import {
  EndpointChange,
  EndpointPage,
  EndpointQuery,
  EndpointWithSecret,
  EnvironmentSecret,
  NewWebhookEndpoint,
  WebhookEndpoint,
} from './schema.ts';

const tag = 'Webhooks';

export function webhookRoutes({
  webhookEndpoints,
  webhookDeliveries,
}: {
  webhookEndpoints: WebhookEndpointsService;
  webhookDeliveries: DeliveriesService;
}): Route[] {
  return [...endpointRoutes(webhookEndpoints), ...deliveryRoutes(webhookDeliveries)];
}

function endpointRoutes(endpoints: WebhookEndpointsService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/webhook-endpoints',
      operation: 'createWebhookEndpoint',
      tag,
      summary: 'Create a webhook endpoint',
      description:
        'The signing secret is shown only in this response. A second endpoint with the same URL returns 409 `webhook_url_exists`.',
      access: 'webhooks:write',
      body: NewWebhookEndpoint,
      responses: { 201: EndpointWithSecret },
      async handler({ principal, requestId, body }) {
        return { status: 201, body: await endpoints.create({ principal, requestId }, body) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/webhook-endpoints',
      operation: 'listWebhookEndpoints',
      tag,
      summary: 'List webhook endpoints, newest first',
      access: 'webhooks:read',
      query: EndpointQuery,
      responses: { 200: EndpointPage },
      async handler({ principal, query }) {
        return { status: 200, body: await endpoints.list(principal, query) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/webhook-endpoints/:id',
      operation: 'getWebhookEndpoint',
      tag,
      summary: 'Get a webhook endpoint',
      access: 'webhooks:read',
      params: IdParams,
      responses: { 200: WebhookEndpoint },
      async handler({ principal, params }) {
        return { status: 200, body: await endpoints.get(principal, params.id) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/webhook-endpoints/:id',
      operation: 'updateWebhookEndpoint',
      tag,
      summary: 'Change, pause or resume a webhook endpoint',
      description:
        'Omitted fields stay unchanged. While an endpoint is paused, its deliveries wait, also those of new events, for at most the retention period. When it is resumed they are sent, oldest first and 500 per second, beside new events; `discard-pending` ends them instead. Events are not recorded while an endpoint is disabled, by DELETE or by the service; deliveries that ended then can be recovered.',
      access: 'webhooks:write',
      params: IdParams,
      body: EndpointChange,
      responses: { 200: WebhookEndpoint },
      async handler({ principal, requestId, params, body }) {
        return { status: 200, body: await endpoints.update({ principal, requestId }, params.id, body) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/webhook-endpoints/:id',
      operation: 'disableWebhookEndpoint',
      tag,
      summary: 'Disable a webhook endpoint',
      description:
        'The endpoint gets no more calls, and its pending deliveries end as `permanent_failure`, also those that waited because it was paused. You can still read it; PUT with `status: active` enables it again.',
      access: 'webhooks:write',
      params: IdParams,
      responses: { 204: null },
      async handler({ principal, requestId, params }) {
        await endpoints.disable({ principal, requestId }, params.id);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/webhook-endpoints/:id/rotate-secret',
      operation: 'rotateWebhookSecret',
      tag,
      summary: 'Rotate the signing secret of a webhook endpoint',
      description:
        'The new secret is shown only in this response. For 24 hours calls are signed with the old and the new secret, so receivers can switch over. With ten active secrets, the response is 429.',
      access: 'webhooks:write',
      params: IdParams,
      responses: { 200: EndpointWithSecret },
      async handler({ principal, requestId, params }) {
        return { status: 200, body: await endpoints.rotateSecret({ principal, requestId }, params.id) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/environments/:envId/webhook-secret/rotate',
      operation: 'rotateEnvironmentWebhookSecret',
      tag,
      summary: 'Rotate the webhook secret of an environment',
      description:
        'The secret signs notifications of the `webhook` channel that are addressed to a URL. It is shown only in this response; the previous secret also signs for 24 hours. With ten active secrets, the response is 429.',
      access: 'webhooks:write',
      params: EnvironmentParams,
      responses: { 200: EnvironmentSecret },
      async handler({ principal, requestId, params }) {
        if (params.envId.toLowerCase() !== principal.environmentId) throw notFound('environment');
        const { secret, prefix } = await endpoints.rotateEnvironmentSecret({ principal, requestId });
        return {
          status: 200,
          body: {
            environment_id: principal.environmentId,
            signing_secret_prefix: prefix,
            signing_secret: secret,
          },
        };
      },
    }),
  ];
}
