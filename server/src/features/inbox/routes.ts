import type { Deps } from '../../deps.ts';
import type { Recipient } from '../../http/principal.ts';
import { type Route, route } from '../../http/route.ts';
import { IdParams } from '../../http/schema.ts';
import type { PreferenceService } from '../people/preferences/index.ts';
import type { LiveInbox } from './live.ts';
import { preferenceCentreRoutes } from './preference-routes.ts';
import {
  ActionParams,
  ArchiveAll,
  ArchivedAll,
  Feed,
  FeedQuery,
  Item,
  MarkAllRead,
  MarkedRead,
  Snooze,
  UnreadCount,
  UnreadCounts,
} from './schema.ts';
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
    ...snoozeAndActionRoutes(deps.inbox),
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
        'Archived and snoozed items are not included. `category` and `tag` select the items of a tab. A page may be shorter than `limit`, or empty, when the items are large, or when few of the newest fit the tab; only `next_cursor` tells whether there are more.',
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
      path: '/inbox/v1/unread-counts',
      operation: 'getInboxUnreadCounts',
      tag,
      summary: 'Get the unread counts by category and tag',
      description: 'For the tabs of an inbox.',
      access,
      responses: { 200: UnreadCounts },
      async handler({ principal }) {
        return { status: 200, body: await service.unreadCounts(principal) };
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
      description: 'Or those that fit `ids`, `category`, `tag` and `before`. Snoozed items stay as they are.',
      access,
      body: MarkAllRead,
      bodyOptional: true,
      responses: { 200: MarkedRead },
      async handler({ principal, body }) {
        const { marked, unread } = await service.markAll(principal, 'read', body);
        return { status: 200, body: { marked_count: marked, unread_count: unread } };
      },
    }),
    route({
      method: 'POST',
      path: '/inbox/v1/notifications/archive-all',
      operation: 'archiveInboxItems',
      tag,
      summary: 'Archive all items',
      description:
        'Or those that fit `ids`, `category`, `tag`, `before` and `status`. Snoozed items stay, unless `ids` names them.',
      access,
      body: ArchiveAll,
      bodyOptional: true,
      responses: { 200: ArchivedAll },
      async handler({ principal, body }) {
        const { marked, unread } = await service.markAll(principal, 'archived', body);
        return { status: 200, body: { archived_count: marked, unread_count: unread } };
      },
    }),
  ];
}

function snoozeAndActionRoutes(service: InboxService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/inbox/v1/notifications/:id/snooze',
      operation: 'snoozeInboxItem',
      tag,
      summary: 'Snooze an item',
      description:
        'The item is hidden, and counts as read. At its time it returns to the top of the feed, unread. Snoozing it again changes the time.',
      access,
      params: IdParams,
      body: Snooze,
      responses: { 200: Item },
      errors: ['snooze_limit_reached'],
      async handler({ principal, params, body }) {
        return { status: 200, body: await service.snooze(principal, params.id, body.until) };
      },
    }),
    route({
      method: 'POST',
      path: '/inbox/v1/notifications/:id/unsnooze',
      operation: 'unsnoozeInboxItem',
      tag,
      summary: 'End the snooze of an item',
      description: 'The item returns now, unread. An item that is not snoozed stays as it is.',
      access,
      params: IdParams,
      responses: { 200: Item },
      async handler({ principal, params }) {
        return { status: 200, body: await service.unsnooze(principal, params.id) };
      },
    }),
    route({
      method: 'POST',
      path: '/inbox/v1/notifications/:id/actions/:key',
      operation: 'takeInboxAction',
      tag,
      summary: 'Choose an action of an item',
      description:
        'Marks the item as read. The outcome is recorded once: as `action_taken`, as the webhook event `inbox.action`, and as the event `inbox.action` of the workflow run that sent the item. The same action again changes nothing; another one returns 409.',
      access,
      params: ActionParams,
      responses: { 200: Item },
      errors: ['action_already_taken'],
      async handler({ principal, params }) {
        return { status: 200, body: await service.act(principal, params.id, params.key) };
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
