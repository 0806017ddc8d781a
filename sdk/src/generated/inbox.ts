// Generated from openapi.json: npm run generate

import type { List } from '../list.ts';
import type { Table } from '../operations.ts';
import type { RequestOptions } from '../transport.ts';
import type {
  ArchiveInboxItemsParams,
  ArchiveInboxItemsResult,
  CreateStreamTicketResult,
  Device,
  DeviceInput,
  GetInboxFeedParams,
  GetInboxFeedResult,
  GetInboxUnreadCountResult,
  GetOwnPreferencesResult,
  InboxItem,
  InboxPresence,
  InboxUnreadCounts,
  MarkInboxReadParams,
  MarkInboxReadResult,
  Preference,
  PushOffer,
  SetOwnPreferenceParams,
  SnoozeInboxItemParams,
  UnsubscribeFromAllResult,
  VerifyInboxTokenResult,
} from './types.ts';

export interface InboxApi {
  /**
   * Verify an end-user token.
   *
   * Requires any valid end-user token.
   *
   * `POST /inbox/v1/tokens/verify`
   *
   * @example
   * ```ts
   * const result = await inbox.verifyToken();
   * ```
   */
  verifyToken(options?: RequestOptions): Promise<VerifyInboxTokenResult>;
  /**
   * List the items of an inbox, newest first.
   *
   * Archived and snoozed items are not included. `category` and `tag` select the items of a tab. A page may be shorter than `limit`, or empty, when the items are large, or when few of the newest fit the tab; only `next_cursor` tells whether there are more.
   *
   * Requires an end-user token with the scope `inbox`.
   *
   * `GET /inbox/v1/feed`
   *
   * @example
   * ```ts
   * for await (const item of inbox.feed()) {
   *   console.log(item);
   * }
   * ```
   */
  feed(params?: GetInboxFeedParams, options?: RequestOptions): List<InboxItem, GetInboxFeedResult>;
  /**
   * Get the unread count.
   *
   * Requires an end-user token with the scope `inbox`.
   *
   * `GET /inbox/v1/unread-count`
   *
   * @example
   * ```ts
   * const result = await inbox.unreadCount();
   * ```
   */
  unreadCount(options?: RequestOptions): Promise<GetInboxUnreadCountResult>;
  /**
   * Get the unread counts by category and tag.
   *
   * For the tabs of an inbox.
   *
   * Requires an end-user token with the scope `inbox`.
   *
   * `GET /inbox/v1/unread-counts`
   *
   * @example
   * ```ts
   * const result = await inbox.unreadCounts();
   * ```
   */
  unreadCounts(options?: RequestOptions): Promise<InboxUnreadCounts>;
  /**
   * Get an item.
   *
   * Requires an end-user token with the scope `inbox`.
   *
   * `GET /inbox/v1/notifications/{id}`
   *
   * @example
   * ```ts
   * const result = await inbox.get('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
   * ```
   */
  get(id: string, options?: RequestOptions): Promise<InboxItem>;
  /**
   * Mark an item as read.
   *
   * The first time, the notification gets the event `Opened` and the webhook `notification.read` is sent.
   *
   * Requires an end-user token with the scope `inbox`.
   *
   * `POST /inbox/v1/notifications/{id}/read`
   *
   * @example
   * ```ts
   * const result = await inbox.markRead('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
   * ```
   */
  markRead(id: string, options?: RequestOptions): Promise<InboxItem>;
  /**
   * Mark an item as unread.
   *
   * Requires an end-user token with the scope `inbox`.
   *
   * `POST /inbox/v1/notifications/{id}/unread`
   *
   * @example
   * ```ts
   * const result = await inbox.markUnread('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
   * ```
   */
  markUnread(id: string, options?: RequestOptions): Promise<InboxItem>;
  /**
   * Archive an item.
   *
   * The item leaves the feed and the unread count. It can still be retrieved by its id.
   *
   * Requires an end-user token with the scope `inbox`.
   *
   * `POST /inbox/v1/notifications/{id}/archive`
   *
   * @example
   * ```ts
   * const result = await inbox.archive('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
   * ```
   */
  archive(id: string, options?: RequestOptions): Promise<InboxItem>;
  /**
   * Mark all items as read.
   *
   * Or those that fit `ids`, `category`, `tag` and `before`. Snoozed items stay as they are.
   *
   * Requires an end-user token with the scope `inbox`.
   *
   * `POST /inbox/v1/notifications/mark-all-read`
   *
   * @example
   * ```ts
   * const result = await inbox.markAllRead({ category: 'product_news' });
   * ```
   */
  markAllRead(params?: MarkInboxReadParams, options?: RequestOptions): Promise<MarkInboxReadResult>;
  /**
   * Archive all items.
   *
   * Or those that fit `ids`, `category`, `tag`, `before` and `status`. Snoozed items stay, unless `ids` names them.
   *
   * Requires an end-user token with the scope `inbox`.
   *
   * `POST /inbox/v1/notifications/archive-all`
   *
   * @example
   * ```ts
   * const result = await inbox.archiveAll({ status: 'read' });
   * ```
   */
  archiveAll(params?: ArchiveInboxItemsParams, options?: RequestOptions): Promise<ArchiveInboxItemsResult>;
  /**
   * Snooze an item.
   *
   * The item is hidden, and counts as read. At its time it returns to the top of the feed, unread. Snoozing it again changes the time.
   *
   * Requires an end-user token with the scope `inbox`.
   *
   * `POST /inbox/v1/notifications/{id}/snooze`
   *
   * @example
   * ```ts
   * const result = await inbox.snooze('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', { until: '2030-01-01T09:00:00Z' });
   * ```
   */
  snooze(id: string, params: SnoozeInboxItemParams, options?: RequestOptions): Promise<InboxItem>;
  /**
   * End the snooze of an item.
   *
   * The item returns now, unread. An item that is not snoozed stays as it is.
   *
   * Requires an end-user token with the scope `inbox`.
   *
   * `POST /inbox/v1/notifications/{id}/unsnooze`
   *
   * @example
   * ```ts
   * const result = await inbox.unsnooze('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
   * ```
   */
  unsnooze(id: string, options?: RequestOptions): Promise<InboxItem>;
  /**
   * Choose an action of an item.
   *
   * Marks the item as read. The outcome is recorded once: as `action_taken`, as the webhook event `inbox.action`, and as the event `inbox.action` of the workflow run that sent the item. The same action again changes nothing; another one returns 409.
   *
   * Requires an end-user token with the scope `inbox`.
   *
   * `POST /inbox/v1/notifications/{id}/actions/{key}`
   *
   * @example
   * ```ts
   * const result = await inbox.takeAction('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d', 'text');
   * ```
   */
  takeAction(id: string, key: string, options?: RequestOptions): Promise<InboxItem>;
  /**
   * Get a ticket for a stream.
   *
   * Opens one stream, once, within 30 seconds: `GET /inbox/v1/stream?ticket=`.
   *
   * Requires an end-user token with the scope `inbox`.
   *
   * `POST /inbox/v1/stream/tickets`
   *
   * @example
   * ```ts
   * const result = await inbox.createStreamTicket();
   * ```
   */
  createStreamTicket(options?: RequestOptions): Promise<CreateStreamTicketResult>;
  preferences: {
    /**
     * Get the preferences of the user.
     *
     * Every category × channel with its effective value, and the names of the categories.
     *
     * Requires an end-user token with the scope `prefs`.
     *
     * `GET /inbox/v1/preferences`
     *
     * @example
     * ```ts
     * const result = await inbox.preferences.get();
     * ```
     */
    get(options?: RequestOptions): Promise<GetOwnPreferencesResult>;
    /**
     * Opt in or out.
     *
     * Requires an end-user token with the scope `prefs`.
     *
     * `PATCH /inbox/v1/preferences/{categoryKey}/{channel}`
     *
     * @example
     * ```ts
     * const result = await inbox.preferences.set('text', 'text', { opted_in: false });
     * ```
     */
    set(
      categoryKey: string,
      channel: string,
      params: SetOwnPreferenceParams,
      options?: RequestOptions,
    ): Promise<Preference>;
    /**
     * Opt out of everything.
     *
     * Opts out of every non-critical category, on every channel. Categories created later follow their default.
     *
     * Requires an end-user token with the scope `prefs`.
     *
     * `POST /inbox/v1/preferences/unsubscribe-all`
     *
     * @example
     * ```ts
     * const result = await inbox.preferences.unsubscribeAll();
     * ```
     */
    unsubscribeAll(options?: RequestOptions): Promise<UnsubscribeFromAllResult>;
  };
  inbox: {
    /**
     * Get what can be rung.
     *
     * The push services of the environment, and the public key that browsers subscribe with.
     *
     * Requires an end-user token with the scope `inbox`.
     *
     * `GET /inbox/v1/push`
     *
     * @example
     * ```ts
     * const result = await inbox.inbox.getPushOffer();
     * ```
     */
    getPushOffer(options?: RequestOptions): Promise<PushOffer>;
    /**
     * Register the device of the user.
     *
     * Items of the inbox then ring it. Call it each time the app starts: tokens change, and a device belongs to the user who registered it last. A user has at most 100 devices; the one that was registered longest ago is replaced.
     *
     * Requires an end-user token with the scope `inbox`.
     *
     * `PUT /inbox/v1/devices`
     *
     * @example
     * ```ts
     * const result = await inbox.inbox.registerOwnDevice({
     *   kind: 'web_push',
     *   endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAA',
     *   keys: {
     *     p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
     *     auth: 'BTBZMqHH6r4Tts7J_aSIgg',
     *   },
     *   label: 'Firefox on Linux',
     * });
     * ```
     */
    registerOwnDevice(params: DeviceInput, options?: RequestOptions): Promise<Device>;
    /**
     * Remove a device of the user.
     *
     * For example when the user signs out. Returns 204 even if the device is unknown.
     *
     * Requires an end-user token with the scope `inbox`.
     *
     * `DELETE /inbox/v1/devices/{id}`
     *
     * @example
     * ```ts
     * await inbox.inbox.deleteOwnDevice('0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d');
     * ```
     */
    deleteOwnDevice(id: string, options?: RequestOptions): Promise<void>;
    /**
     * Say whether the inbox is visible.
     *
     * While a page with the inbox is visible, no device of the user rings. Repeat `visible: true` every 30 seconds: it counts for 60.
     *
     * Requires an end-user token with the scope `inbox`.
     *
     * `PUT /inbox/v1/presence`
     *
     * @example
     * ```ts
     * await inbox.inbox.setInboxPresence({ page: 'k3J9xQ', visible: true });
     * ```
     */
    setInboxPresence(params: InboxPresence, options?: RequestOptions): Promise<void>;
  };
}

export const inboxApi: Table = {
  verifyToken: { method: 'POST', path: '/inbox/v1/tokens/verify', repeatable: true },
  feed: {
    method: 'GET',
    path: '/inbox/v1/feed',
    query: ['limit', 'cursor', 'status', 'category', 'tag'],
    list: 'cursor',
  },
  unreadCount: { method: 'GET', path: '/inbox/v1/unread-count' },
  unreadCounts: { method: 'GET', path: '/inbox/v1/unread-counts' },
  get: { method: 'GET', path: '/inbox/v1/notifications/{id}' },
  markRead: { method: 'POST', path: '/inbox/v1/notifications/{id}/read', repeatable: true },
  markUnread: { method: 'POST', path: '/inbox/v1/notifications/{id}/unread', repeatable: true },
  archive: { method: 'POST', path: '/inbox/v1/notifications/{id}/archive', repeatable: true },
  markAllRead: { method: 'POST', path: '/inbox/v1/notifications/mark-all-read', body: true },
  archiveAll: { method: 'POST', path: '/inbox/v1/notifications/archive-all', body: true },
  snooze: { method: 'POST', path: '/inbox/v1/notifications/{id}/snooze', body: true, repeatable: true },
  unsnooze: { method: 'POST', path: '/inbox/v1/notifications/{id}/unsnooze', repeatable: true },
  takeAction: { method: 'POST', path: '/inbox/v1/notifications/{id}/actions/{key}', repeatable: true },
  createStreamTicket: { method: 'POST', path: '/inbox/v1/stream/tickets', repeatable: true },
  preferences: {
    get: { method: 'GET', path: '/inbox/v1/preferences' },
    set: { method: 'PATCH', path: '/inbox/v1/preferences/{categoryKey}/{channel}', body: true },
    unsubscribeAll: { method: 'POST', path: '/inbox/v1/preferences/unsubscribe-all', repeatable: true },
  },
  inbox: {
    getPushOffer: { method: 'GET', path: '/inbox/v1/push' },
    registerOwnDevice: { method: 'PUT', path: '/inbox/v1/devices', body: true },
    deleteOwnDevice: { method: 'DELETE', path: '/inbox/v1/devices/{id}' },
    setInboxPresence: { method: 'PUT', path: '/inbox/v1/presence', body: true },
  },
};
