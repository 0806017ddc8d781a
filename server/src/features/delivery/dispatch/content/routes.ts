import { type Route, route } from '../../../../http/route.ts';
import { IdParams } from '../../../../http/schema.ts';
import type { ContentReader } from './reader.ts';
import { Content } from './schema.ts';

export function contentRoutes({ contents }: { contents: ContentReader }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/notifications/:id/content',
      operation: 'getNotificationContent',
      tag: 'Notifications',
      summary: 'Get the message as the recipient sees it',
      description:
        'The message as it was sent or would be sent now, rendered from the accepted content. The HTML is not sanitised and must only be shown in a sandboxed frame; links and images have no tracking. Sender and reply address follow the current settings unless the sandbox kept the message. Returns 404 once the content is erased.',
      access: 'notifications:read',
      params: IdParams,
      responses: { 200: Content },
      async handler({ principal, params }) {
        return { status: 200, body: await contents.get(principal.environmentId, params.id) };
      },
    }),
  ];
}
