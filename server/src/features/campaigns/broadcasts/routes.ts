import { type Route, route } from '../../../http/route.ts';
import { IdParams } from '../../../http/schema.ts';
import { idempotencyHeader, idempotencyKeyOf } from '../../platform/idempotency/index.ts';
import {
  Broadcast,
  BroadcastDefinition,
  BroadcastDryRun,
  BroadcastPage,
  BroadcastQuery,
  broadcastLimits,
} from './schema.ts';
import type { BroadcastService } from './service.ts';

const tag = 'Broadcasts';
const headers = idempotencyHeader(
  'Valid for 24 hours: a replay returns 200 with the original broadcast and starts nothing.',
);
export const definitionErrors = [
  'topic_not_found',
  'template_not_found',
  'template_body_missing',
  'category_not_found',
  'category_archived',
  'installation_not_found',
] as const;

export function broadcastRoutes({ broadcasts }: { broadcasts: BroadcastService }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/broadcasts',
      operation: 'createBroadcast',
      tag,
      summary: 'Send to an audience',
      description:
        'Sends one notification to each user of the audience, once, in the bulk lane. The template version is pinned; preferences, suppressions and quiet hours are read at each send. Make a dry run first.',
      access: 'broadcasts:write',
      body: BroadcastDefinition,
      bodyLimit: broadcastLimits.bodyBytes,
      headers,
      responses: { 201: Broadcast, 200: Broadcast },
      errors: [
        ...definitionErrors,
        'confirmation_required',
        'broadcast_limit_reached',
        'storage_quota_reached',
      ],
      async handler({ principal, body, raw, requestId }) {
        const { broadcast, replayed } = await broadcasts.create(
          { principal, requestId },
          body,
          idempotencyKeyOf(raw),
        );
        return { status: replayed ? 200 : 201, body: broadcast };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/broadcasts/dry-run',
      operation: 'dryRunBroadcast',
      tag,
      summary: 'Show what a broadcast would do',
      description:
        'Takes the body of `POST /v1/broadcasts` and sends nothing. Counts the audience, judges it by suppressions, preferences, quiet hours and the rules of the brake as the sends would be, and renders five of them. Nothing is counted.',
      computes: true,
      access: 'broadcasts:read',
      body: BroadcastDefinition,
      bodyLimit: broadcastLimits.bodyBytes,
      responses: { 200: BroadcastDryRun },
      errors: definitionErrors,
      async handler({ principal, body }) {
        return { status: 200, body: await broadcasts.dryRun(principal, body) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/broadcasts',
      operation: 'listBroadcasts',
      tag,
      summary: 'List broadcasts, newest first',
      access: 'broadcasts:read',
      query: BroadcastQuery,
      responses: { 200: BroadcastPage },
      async handler({ principal, query }) {
        return { status: 200, body: await broadcasts.list(principal, query) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/broadcasts/:id',
      operation: 'getBroadcast',
      tag,
      summary: 'Get a broadcast with its progress',
      access: 'broadcasts:read',
      params: IdParams,
      responses: { 200: Broadcast },
      async handler({ principal, params }) {
        return { status: 200, body: await broadcasts.get(principal, params.id) };
      },
    }),
    ...(['pause', 'resume', 'cancel'] as const).map((action) =>
      route({
        method: 'POST',
        path: `/v1/broadcasts/:id/${action}`,
        operation: `${action}Broadcast`,
        tag,
        summary: texts[action].summary,
        description: texts[action].description,
        access: 'broadcasts:write',
        params: IdParams,
        responses: { 200: Broadcast },
        errors: ['broadcast_ended'],
        async handler({ principal, params, requestId }) {
          return { status: 200, body: await broadcasts[action]({ principal, requestId }, params.id) };
        },
      }),
    ),
  ];
}

const texts = {
  pause: {
    summary: 'Pause a broadcast',
    description:
      'No more notifications are created, and those in the queue wait. Those being sent are finished. Pausing a paused broadcast changes nothing.',
  },
  resume: {
    summary: 'Resume a broadcast',
    description: 'Continues where the broadcast was paused. Nobody gets it twice.',
  },
  cancel: {
    summary: 'Cancel a broadcast',
    description:
      'No more notifications are created, and those in the queue are suppressed with the reason `broadcast_cancelled`. Those being sent are finished.',
  },
} as const;
