import { type Sql, statement } from '../../db/sql.ts';
import { type ItemRow, itemColumns, type Owner } from './item.ts';
import type { FeedStatus } from './schema.ts';

/** Reads of an inbox. Every query filters by owner first, so the items of other users are out of scope. */

const findOne = statement<ItemRow>(
  'inbox_find_item',
  `select ${itemColumns} from inbox_items i where i.id = $3 and i.environment_id = $1 and i.external_user_id = $2`,
);

export async function findItem(sql: Sql, owner: Owner, id: string): Promise<ItemRow | null> {
  return (await findOne(sql, [owner.environmentId, owner.externalUserId, id]))[0] ?? null;
}

const findUnread = statement<{ unread: number }>(
  'inbox_find_unread',
  'select unread::float8 from inboxes where environment_id = $1 and external_user_id = $2',
);

export async function findUnreadCount(sql: Sql, owner: Owner): Promise<number> {
  return (await findUnread(sql, [owner.environmentId, owner.externalUserId]))[0]?.unread ?? 0;
}

export interface FeedPage {
  items: ItemRow[];
  hasMore: boolean;
  /** The unread count in the same snapshot as the items. */
  unread: number;
}

/** Bodies may be large: a page ends early rather than exceed this size. */
const maxPageBytes = 2_000_000;

type FeedRow = { [Column in keyof ItemRow]: ItemRow[Column] | null } & { unread: number; found: number };

const feedOf = (status: FeedStatus, condition: string) =>
  statement<FeedRow>(
    `inbox_feed_${status}`,
    `with page as (
       select i.id, i.position, sum(i.bytes) over (order by i.position desc) - i.bytes as bytes_before,
         row_number() over (order by i.position desc) as place
       from (
         select id, position, bytes from inbox_items
         where environment_id = $1 and external_user_id = $2 and archived_at is null ${condition}
           and position < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
         order by position desc limit $4 + 1
       ) i
     )
     select coalesce(b.unread, 0)::float8 as unread, (select count(*) from page)::int as found, ${itemColumns}
     from (select) one
     left join inboxes b on b.environment_id = $1 and b.external_user_id = $2
     left join (page p join inbox_items i on i.id = p.id and p.place <= $4 and p.bytes_before < ${maxPageBytes}) on true
     order by i.position desc`,
  );

const feeds = {
  all: feedOf('all', ''),
  read: feedOf('read', 'and read_at is not null'),
  unread: feedOf('unread', 'and read_at is null'),
};

export async function findFeed(
  sql: Sql,
  owner: Owner,
  status: FeedStatus,
  page: { before: string | null; limit: number },
): Promise<FeedPage> {
  const rows = await feeds[status](sql, [owner.environmentId, owner.externalUserId, page.before, page.limit]);
  const items = rows.filter((row): row is FeedRow & ItemRow => row.id !== null);
  return { items, hasMore: (rows[0]?.found ?? 0) > items.length, unread: rows[0]?.unread ?? 0 };
}
