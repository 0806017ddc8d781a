import { transaction } from '../../db/sql.ts';
import { notFound } from '../../kernel/errors.ts';
import { encodeCursor, pageRequest } from '../../kernel/page.ts';
import { type ActionDeps, takeAction } from './actions.ts';
import { type InboxSelection, markItems } from './bulk-store.ts';
import { markItem } from './changes-store.ts';
import { enqueueReceipts, enqueueWithdrawal, openedReceipt } from './follow-ups.ts';
import { inboxTopic, itemView, type Owner } from './item.ts';
import type { BulkRequest, FeedQuery, Item, UnreadCounts } from './schema.ts';
import { beginSnooze, endSnooze } from './snoozes.ts';
import { findFeed, findItem, findTabCounts, findUnreadCount } from './store.ts';

export type InboxService = ReturnType<typeof createInboxService>;

export function createInboxService(deps: ActionDeps) {
  const { pool } = deps;

  async function get(owner: Owner, id: string): Promise<Item> {
    const item = await findItem(pool, owner, id);
    if (!item) throw notFound('inbox item');
    return itemView(item);
  }

  return {
    async feed(owner: Owner, query: FeedQuery) {
      const { status = 'all', category, tag } = query;
      const tab = category || tag ? `:${JSON.stringify([category, tag])}` : '';
      const list = `inbox:${owner.environmentId}:${status}:${owner.externalUserId}${tab}`;
      const page = await findFeed(pool, owner, status, pageRequest(list, query), { category, tag });
      return {
        data: page.items.map(itemView),
        next_cursor: page.next === null ? null : encodeCursor(list, page.next),
        unread_count: page.unread,
      };
    },

    get,

    unreadCount: (owner: Owner) => findUnreadCount(pool, owner),

    async unreadCounts(owner: Owner): Promise<UnreadCounts> {
      const [unread_count, tabs] = await Promise.all([
        findUnreadCount(pool, owner),
        findTabCounts(pool, owner),
      ]);
      return { unread_count, ...tabs };
    },

    /** Idempotent. */
    async mark(owner: Owner, id: string, as: 'read' | 'unread' | 'archived') {
      await markOne(deps, owner, id, as);
      return get(owner, id);
    },

    /** Changes all items that fit the request. */
    async markAll(owner: Owner, as: 'read' | 'archived', request: BulkRequest) {
      const marked = await markMany(deps, owner, as, request);
      return { marked, unread: await findUnreadCount(pool, owner) };
    },

    /** Hides the item until a time. A snoozed item gets the new time. */
    async snooze(owner: Owner, id: string, until: string) {
      await beginSnooze(deps, owner, id, until);
      return get(owner, id);
    },

    /** Ends the snooze now. Idempotent. */
    async unsnooze(owner: Owner, id: string) {
      await endSnooze(deps, owner, id);
      return get(owner, id);
    },

    /** Records the action that the recipient chose. The first one stays; the same one again changes nothing. */
    async act(owner: Owner, id: string, key: string) {
      await takeAction(deps, owner, id, key);
      return get(owner, id);
    },
  };
}

async function markOne(
  { pool, queue, clock, doorbell }: ActionDeps,
  owner: Owner,
  id: string,
  as: 'read' | 'unread' | 'archived',
): Promise<void> {
  const at = new Date(clock());
  const change = await transaction(pool, async (tx) => {
    const done = await markItem(tx, owner, id, as, at);
    if (done?.snooze_id && as === 'archived') await queue.withdraw(tx, 'inbox_return', done.snooze_id);
    if (as === 'read' && done?.first_read)
      await enqueueReceipts(tx, queue, owner, { receipts: [openedReceipt(id)], lane: 'normal', at });
    if (as !== 'unread' && done?.rung) await enqueueWithdrawal(tx, queue, owner, [id]);
    return done;
  });
  if (change) doorbell.ring(inboxTopic(owner));
  if (as === 'read' && change) queue.ring('receipt');
  if (change?.rung) queue.ring('push');
}

/** The maximum of items read by one transaction of a bulk change, which blocks all other changes of that inbox. */
const markAtOnce = 10_000;

/** Resolves to the number of changed items. */
async function markMany(
  { pool, queue, clock, doorbell }: ActionDeps,
  owner: Owner,
  as: 'read' | 'archived',
  request: BulkRequest,
): Promise<number> {
  const at = new Date(clock());
  const filter: InboxSelection = {
    ids: request.ids ?? null,
    before: request.before ? new Date(request.before) : null,
    category: request.category,
    tag: request.tag,
    isRead: request.status === 'read',
  };
  let total = 0;
  let after: string | null = null;
  do {
    const slice = { after, limit: markAtOnce };
    const done = await transaction(pool, async (tx) => {
      const result = await markItems(tx, owner, as, filter, slice, at);
      const receipts = as === 'read' ? result.firstRead.map(openedReceipt) : [];
      await enqueueReceipts(tx, queue, owner, { receipts, lane: 'bulk', at });
      if (result.snoozes.length > 0) await queue.withdrawMany(tx, 'inbox_return', result.snoozes);
      await enqueueWithdrawal(tx, queue, owner, result.rung);
      return result;
    });
    total += done.marked;
    after = done.next;
  } while (after !== null);
  if (total > 0) {
    if (as === 'read') queue.ring('receipt');
    queue.ring('push');
    doorbell.ring(inboxTopic(owner));
  }
  return total;
}
