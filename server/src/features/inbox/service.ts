import { type Sql, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { notFound } from '../../kernel/errors.ts';
import { lowestIdAt, newId } from '../../kernel/ids.ts';
import { encodeCursor, pageRequest } from '../../kernel/page.ts';
import type { Lane } from '../../queue/index.ts';
import { markItem, markItemsRead } from './changes-store.ts';
import { itemView, type Owner } from './item.ts';
import type { FeedQuery, Item } from './schema.ts';
import { findFeed, findItem, findUnreadCount } from './store.ts';
import { inboxTopic } from './topic.ts';

export interface InboxService {
  feed(
    owner: Owner,
    query: FeedQuery,
  ): Promise<{ data: Item[]; next_cursor: string | null; unread_count: number }>;
  get(owner: Owner, id: string): Promise<Item>;
  unreadCount(owner: Owner): Promise<number>;
  /** Idempotent. */
  mark(owner: Owner, id: string, as: 'read' | 'unread' | 'archived'): Promise<Item>;
  markAllRead(owner: Owner, before: string | null): Promise<{ marked: number; unread: number }>;
}

/** The maximum of items marked by one transaction, which blocks all other changes of that inbox. */
const markAtOnce = 10_000;

export function createInboxService(deps: Pick<Deps, 'pool' | 'queue' | 'clock' | 'doorbell'>): InboxService {
  const { pool, queue, clock, doorbell } = deps;

  /** Reading an item is a receipt for its notification: the job for other receipts makes an event of it. */
  function enqueueOpened(
    sql: Sql,
    { environmentId }: Owner,
    ids: string[],
    lane: Lane,
    at: Date,
  ): Promise<void> {
    return queue.enqueue(
      sql,
      ids.map((id) => ({
        kind: 'receipt' as const,
        id: newId(),
        lane,
        environmentId,
        note: {
          notification_id: id,
          type: 'Opened' as const,
          detail: 'Read in the inbox.',
          at: at.toISOString(),
        },
      })),
    );
  }

  const service: InboxService = {
    async feed(owner, query) {
      const status = query.status ?? 'all';
      const list = `inbox:${owner.environmentId}:${status}:${owner.externalUserId}`;
      const page = await findFeed(pool, owner, status, pageRequest(list, query));
      const last = page.items.at(-1);
      return {
        data: page.items.map(itemView),
        next_cursor: page.hasMore && last ? encodeCursor(list, last.position) : null,
        unread_count: page.unread,
      };
    },

    async get(owner, id) {
      const item = await findItem(pool, owner, id);
      if (!item) throw notFound('inbox item');
      return itemView(item);
    },

    unreadCount: (owner) => findUnreadCount(pool, owner),

    async mark(owner, id, as) {
      const now = new Date(clock());
      const change = await transaction(pool, async (tx) => {
        const done = await markItem(tx, owner, id, as, now);
        if (as === 'read' && done?.first_read) await enqueueOpened(tx, owner, [id], 'normal', now);
        return done;
      });
      if (change) doorbell.ring(inboxTopic(owner));
      if (as === 'read' && change) queue.ring('receipt');
      return service.get(owner, id);
    },

    async markAllRead(owner, before) {
      const position = before === null ? null : lowestIdAt(Date.parse(before));
      const now = new Date(clock());
      let total = 0;
      for (let marked = markAtOnce; marked === markAtOnce; total += marked) {
        marked = await transaction(pool, async (tx) => {
          const result = await markItemsRead(tx, owner, position, markAtOnce, now);
          await enqueueOpened(tx, owner, result.firstRead, 'bulk', now);
          return result.marked;
        });
      }
      if (total > 0) {
        queue.ring('receipt');
        doorbell.ring(inboxTopic(owner));
      }
      return { marked: total, unread: await findUnreadCount(pool, owner) };
    },
  };
  return service;
}
