import { Type } from 'typebox';
import { type Route, route } from '../../http/route.ts';
import { IdParams } from '../../http/schema.ts';
import { sha256 } from '../../kernel/crypto.ts';
import { EndpointHealth, Overview, WindowQuery } from './schema.ts';
import type { ActivityService } from './service.ts';

const freshness =
  'Each process writes its figures every five seconds; one that is killed takes the last of them with it. They are there to be looked at, and no account of what happened: that is what notifications, their events and `/v1/usage` are.';

export function activityRoutes({ overview }: { overview: ActivityService }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/overview',
      operation: 'getOverview',
      tag: 'Overview',
      summary: 'What happened lately, at a glance',
      description: `Counts over time, delivery rate, latency, the queue, providers, webhook endpoints, and why notifications did not arrive. ${freshness}`,
      access: 'notifications:read',
      query: WindowQuery,
      headers: {
        'If-None-Match': {
          description: 'The ETag of an earlier answer: 304 when nothing has changed since.',
          schema: Type.String({ maxLength: 200 }),
        },
      },
      responses: { 200: Overview },
      async handler({ principal, query, raw }) {
        const body = await overview.overview(principal, query.window ?? '1h');
        const etag = `W/"${sha256(JSON.stringify(body)).toString('base64url').slice(0, 22)}"`;
        if (raw.headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
        return { status: 200, headers: { etag }, body };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/webhook-endpoints/:id/health',
      operation: 'getWebhookEndpointHealth',
      tag: 'Webhooks',
      summary: 'How calls to a webhook endpoint went, over time',
      description: `Counted by five minutes. ${freshness}`,
      access: 'webhooks:read',
      params: IdParams,
      query: WindowQuery,
      responses: { 200: EndpointHealth },
      async handler({ principal, params, query }) {
        const health = await overview.endpointHealth(principal, params.id, query.window ?? '1h');
        return { status: 200, body: health };
      },
    }),
  ];
}
