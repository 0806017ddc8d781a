import type { Deps } from '../../deps.ts';
import type { Recipient } from '../../http/principal.ts';
import { type Route, route } from '../../http/route.ts';
import { IdParams } from '../../http/schema.ts';
import type { PreferenceService } from '../preferences/index.ts';
import type { LiveInbox } from './live.ts';
import { preferenceCentreRoutes } from './preference-routes.ts';
import { Feed, FeedQuery, Item, MarkAllRead, MarkedRead, UnreadCount } from './schema.ts';
import type { InboxService } from './service.ts';
import { streamRoutes } from './stream-routes.ts';
import { tokenRoutes } from './token-routes.ts';

const tag = 'Inbox';
const access = 'recipient:inbox';

export function inboxRoutes(
  deps: Pick<Deps, 'pool' | 'keyring' | 'clock'> & {
    inbox: InboxService;
    liveInbox: LiveInbox;
    preferences: PreferenceService;
  },
): Route[] {
  return [
    ...tokenRoutes(deps),
    ...feedRoutes(deps.inbox),
    ...streamRoutes(deps),
    ...preferenceCentreRoutes(deps),
  ];
}

function feedRoutes(service: InboxService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/inbox/v1/feed',
      operation: 'getInboxFeed',
      tag,
      summary: 'List the items of an inbox, newest first',
      description:
        'Archived items are not included. A page may be shorter than `limit` when the items are large; only `next_cursor` tells whether there are more.',
      access,
      query: FeedQuery,
      responses: { 200: Feed },
      async handler({ principal, query }) {
        return { status: 200, body: await service.feed(principal, query) };
      },
    }),
    route({
      method: 'GET',
      path: '/inbox/v1/unread-count',
      operation: 'getInboxUnreadCount',
      tag,
      summary: 'Get the unread count',
      access,
      responses: { 200: UnreadCount },
      async handler({ principal }) {
        return { status: 200, body: { unread_count: await service.unreadCount(principal) } };
      },
    }),
    route({
      method: 'GET',
      path: '/inbox/v1/notifications/:id',
      operation: 'getInboxItem',
      tag,
      summary: 'Get an item',
      access,
      params: IdParams,
      responses: { 200: Item },
      async handler({ principal, params }) {
        return { status: 200, body: await service.get(principal, params.id) };
      },
    }),
    marking(service, 'read', 'read', {
      operation: 'markInboxItemRead',
      summary: 'Mark an item as read',
      description:
        'The first time, the notification gets the event `Opened` and the webhook `notification.read` is sent.',
    }),
    marking(service, 'unread', 'unread', {
      operation: 'markInboxItemUnread',
      summary: 'Mark an item as unread',
    }),
    marking(service, 'archive', 'archived', {
      operation: 'archiveInboxItem',
      summary: 'Archive an item',
      description: 'The item leaves the feed and the unread count. It can still be retrieved by its id.',
    }),
    route({
      method: 'POST',
      path: '/inbox/v1/notifications/mark-all-read',
      operation: 'markInboxRead',
      tag,
      summary: 'Mark all items as read',
      access,
      body: MarkAllRead,
      bodyOptional: true,
      responses: { 200: MarkedRead },
      async handler({ principal, body }) {
        const { marked, unread } = await service.markAllRead(principal, body.before ?? null);
        return { status: 200, body: { marked_count: marked, unread_count: unread } };
      },
    }),
  ];
}

function marking(
  service: InboxService,
  verb: string,
  as: Parameters<InboxService['mark']>[2],
  texts: Pick<Route, 'operation' | 'summary' | 'description'>,
): Route {
  return route({
    method: 'POST',
    path: `/inbox/v1/notifications/:id/${verb}`,
    tag,
    ...texts,
    access,
    params: IdParams,
    responses: { 200: Item },
    async handler({ principal, params }: { principal: Recipient; params: { id: string } }) {
      return { status: 200, body: await service.mark(principal, params.id, as) };
    },
  });
}
