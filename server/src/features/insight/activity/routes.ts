import { Type } from 'typebox';
import { type Route, route } from '../../../http/route.ts';
import { IdParams } from '../../../http/schema.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { EndpointHealth, Overview, WindowQuery } from './schema.ts';
import type { ActivityService } from './service.ts';

const freshness =
  'Each process writes its counts every five seconds; a killed process loses the last ones. Use the counts for monitoring only; for exact data, use notifications, their events and `/v1/usage`.';

export function activityRoutes({ overview }: { overview: ActivityService }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/overview',
      operation: 'getOverview',
      tag: 'Overview',
      summary: 'Get the activity overview',
      description: `Counts over time, delivery rate, latency, the queue, providers, webhook endpoints, and why notifications did not arrive. ${freshness}`,
      access: 'notifications:read',
      query: WindowQuery,
      headers: {
        'If-None-Match': {
          description: 'The ETag of an earlier response; returns 304 if nothing has changed.',
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
      summary: 'Get the health of a webhook endpoint over time',
      description: `Counted per five minutes. ${freshness}`,
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
