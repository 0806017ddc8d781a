import type { FastifyRequest } from 'fastify';
import { isAbandoned, type Route, route } from '../../../http/route.ts';
import { IdParams } from '../../../http/schema.ts';
import { Problem } from '../../../kernel/errors.ts';
import {
  idempotencyHeader,
  idempotencyKeyOf,
  refuseIdempotencyHeader,
} from '../../platform/idempotency/index.ts';
import { withoutKey } from './accept.ts';
import {
  BatchRequest,
  BatchResponse,
  Notification,
  NotificationPage,
  NotificationPatch,
  NotificationQuery,
  SendRequest,
  Trace,
} from './schema.ts';
import type { AcceptedNotification, NotificationService } from './service.ts';

const sendBodyLimit = 24 * 1_048_576; // 15 MB of attachments is 20 MB of base64
const tag = 'Notifications';
const headers = idempotencyHeader(
  'Valid for 24 hours: a replay returns 200 with the original notification and sends nothing.',
);

function answer({ span }: FastifyRequest, { notification, replayed }: AcceptedNotification) {
  if (replayed) return { status: 200, body: notification } as const;
  span?.accepted(notification.id);
  return { status: 202, body: notification } as const;
}

export function notificationRoutes({ notifications }: { notifications: NotificationService }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/notifications',
      operation: 'sendNotification',
      tag,
      summary: 'Send a notification',
      access: 'notifications:send',
      body: SendRequest,
      bodyLimit: sendBodyLimit,
      headers,
      responses: { 202: Notification, 200: Notification },
      errors: ['plan_limit_reached'],
      async handler({ principal, body, raw }) {
        const key = idempotencyKeyOf(raw, body.idempotency_key);
        return answer(raw, await notifications.accept(principal, withoutKey(body), key, isAbandoned(raw)));
      },
    }),
    route({
      method: 'POST',
      path: '/v1/notifications/batch',
      operation: 'sendNotificationBatch',
      tag,
      summary: 'Send up to 500 notifications',
      description:
        'Each element is a send request with an optional idempotency_key; the Idempotency-Key header is refused. Elements are independent: an invalid one gets an error at its position and the others are sent. The priority is bulk unless an element sets another one. The limits are 24 MiB and 100,000 JSON values in total, and 10,000 values per element.',
      access: 'notifications:send',
      body: BatchRequest,
      independentList: 'notifications',
      bodyLimit: sendBodyLimit,
      responses: { 202: BatchResponse },
      async handler({ principal, body, raw }) {
        refuseIdempotencyHeader(raw, 'give each element an idempotency_key.');
        const results = await notifications.acceptMany(principal, body.notifications, isAbandoned(raw));
        for (const result of results)
          if (!(result instanceof Problem || result.replayed)) raw.span?.accepted(result.notification.id);
        return {
          status: 202,
          body: {
            data: results.map((result, index) =>
              result instanceof Problem
                ? { index, ...result.inside(`notifications[${index}]`).toBody() }
                : { index, notification: result.notification },
            ),
          },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/notifications',
      operation: 'listNotifications',
      tag,
      summary: 'List notifications, newest first',
      description:
        'With several filters, or one by channel or by a frequent status, a page scans a limited number of notifications. When few match, a page may have fewer than `limit` items, or none; continue with `next_cursor` until it is null.',
      access: 'notifications:read',
      query: NotificationQuery,
      responses: { 200: NotificationPage },
      async handler({ principal, query }) {
        return { status: 200, body: await notifications.list(principal, query) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/notifications/:id',
      operation: 'getNotification',
      tag,
      summary: 'Get a notification',
      access: 'notifications:read',
      params: IdParams,
      responses: { 200: Notification },
      async handler({ principal, params }) {
        return { status: 200, body: await notifications.get(principal, params.id) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/v1/notifications/:id',
      operation: 'updateNotification',
      tag,
      summary: 'Change a queued notification',
      access: 'notifications:write',
      params: IdParams,
      body: NotificationPatch,
      fixed: {
        names: Object.keys(SendRequest.properties),
        instead: 'Cancel the notification and send it again.',
      },
      responses: { 200: Notification },
      async handler({ principal, params, body }) {
        return { status: 200, body: await notifications.update(principal, params.id, body) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/notifications/:id',
      operation: 'deleteNotification',
      tag,
      summary: 'Delete a notification',
      description:
        'A queued notification is never sent; for a finished one the content and personal data are erased. Returns 409 while the notification is being sent.',
      access: 'notifications:write',
      params: IdParams,
      responses: { 204: null },
      async handler({ principal, params }) {
        await notifications.delete(principal, params.id);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/notifications/:id/resend',
      operation: 'resendNotification',
      tag,
      summary: 'Send a failed or bounced notification again',
      description: 'Creates a new notification, linked by resent_from.',
      access: 'notifications:send',
      params: IdParams,
      headers,
      responses: { 202: Notification, 200: Notification },
      errors: ['plan_limit_reached'],
      async handler({ principal, params, raw }) {
        return answer(raw, await notifications.resend(principal, params.id, idempotencyKeyOf(raw)));
      },
    }),
    route({
      method: 'GET',
      path: '/v1/notifications/:id/trace',
      operation: 'traceNotification',
      tag,
      summary: 'Get the trace of a notification',
      description:
        'Explains why the notification did or did not arrive: the verdict of every gate, every provider attempt with its latency and code, and what happens next.',
      access: 'notifications:read',
      params: IdParams,
      responses: { 200: Trace },
      async handler({ principal, params }) {
        return { status: 200, body: await notifications.trace(principal, params.id) };
      },
    }),
  ];
}
