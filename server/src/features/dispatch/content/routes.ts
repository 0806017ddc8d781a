import { type Route, route } from '../../../http/route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { ContentReader } from './reader.ts';
import { Content } from './schema.ts';

export function contentRoutes({ contents }: { contents: ContentReader }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/notifications/:id/content',
      operation: 'getNotificationContent',
      tag: 'Notifications',
      summary: 'Get the message as its recipient sees it',
      description:
        'What was sent, or what would be sent now: made from the content that the notification was accepted with, in the way that sending makes it. HTML is given as it is, and must not be shown outside a sandbox; links and images are those of the author, without tracking. Sender and reply address follow the settings of today unless the sandbox kept the message. Once the content is erased: 404.',
      access: 'notifications:read',
      params: IdParams,
      responses: { 200: Content },
      async handler({ principal, params }) {
        return { status: 200, body: await contents.get(principal.environmentId, params.id) };
      },
    }),
  ];
}
