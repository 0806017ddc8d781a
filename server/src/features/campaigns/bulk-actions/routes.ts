import { type Route, route } from '../../../http/route.ts';
import { IdParams } from '../../../http/schema.ts';
import {
  BulkAction,
  BulkActionPage,
  BulkActionQuery,
  BulkPreview,
  CancelRequest,
  RedriveRequest,
} from './schema.ts';
import type { BulkActionService } from './service.ts';

const tag = 'Bulk actions';
const confirming =
  'Without `confirm_token` the answer is 200 with a preview: how many match, five of them, and a token that is valid for ten minutes. The same request with the token starts the action (202). It works on notifications that existed at the preview, a slice per second.';

export function bulkActionRoutes({ bulkActions }: { bulkActions: BulkActionService }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/notifications/redrive',
      operation: 'redriveNotifications',
      tag: 'Notifications',
      summary: 'Resend many failed or bounced notifications',
      description: `${confirming} Each original is redriven at most once, also by several actions. Requires the scope \`notifications:send\`, too.`,
      access: 'notifications:write',
      body: RedriveRequest,
      responses: { 200: BulkPreview, 202: BulkAction },
      errors: ['bulk_action_limit_reached'],
      async handler({ principal, body: { filter, confirm_token: token }, requestId }) {
        if (token === undefined)
          return { status: 200, body: await bulkActions.preview(principal, 'redrive', filter) };
        return {
          status: 202,
          body: await bulkActions.start({ principal, requestId }, 'redrive', filter, token),
        };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/notifications/cancel',
      operation: 'cancelNotifications',
      tag: 'Notifications',
      summary: 'Cancel many queued notifications',
      description: `${confirming} Cancelled notifications become \`suppressed\` with the reason \`cancelled\`. Those that are being sent are skipped.`,
      access: 'notifications:write',
      body: CancelRequest,
      responses: { 200: BulkPreview, 202: BulkAction },
      errors: ['bulk_action_limit_reached'],
      async handler({ principal, body: { filter, confirm_token: token }, requestId }) {
        if (token === undefined)
          return { status: 200, body: await bulkActions.preview(principal, 'cancel', filter) };
        return {
          status: 202,
          body: await bulkActions.start({ principal, requestId }, 'cancel', filter, token),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/bulk-actions',
      operation: 'listBulkActions',
      tag,
      summary: 'List bulk actions, newest first',
      description: 'Ended actions are deleted after 30 days.',
      access: 'notifications:read',
      query: BulkActionQuery,
      responses: { 200: BulkActionPage },
      async handler({ principal, query }) {
        return { status: 200, body: await bulkActions.list(principal, query) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/bulk-actions/:id',
      operation: 'getBulkAction',
      tag,
      summary: 'Get a bulk action with its progress',
      access: 'notifications:read',
      params: IdParams,
      responses: { 200: BulkAction },
      async handler({ principal, params }) {
        return { status: 200, body: await bulkActions.get(principal, params.id) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/bulk-actions/:id/cancel',
      operation: 'cancelBulkAction',
      tag,
      summary: 'Stop a bulk action',
      description: 'What is done stays done. An action that has ended stays as it is.',
      access: 'notifications:write',
      params: IdParams,
      responses: { 200: BulkAction },
      async handler({ principal, params, requestId }) {
        return { status: 200, body: await bulkActions.cancel({ principal, requestId }, params.id) };
      },
    }),
  ];
}
