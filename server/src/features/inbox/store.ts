import { type Sql, statement } from '../../db/sql.ts';
import { isInTabSql } from './bulk-store.ts';
import { countsSql } from './changes-store.ts';
import { type ItemRow, itemColumns, type Owner } from './item.ts';
import type { FeedStatus, TabFilter, UnreadCounts } from './schema.ts';

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

interface FeedPage {
  items: ItemRow[];
  /** The position that the next page begins after; null when this is the last one. */
  next: string | null;
  /** The unread count in the same snapshot as the items. */
  unread: number;
}

/** Bodies may be large: a page ends early rather than exceed this size. */
const maxPageBytes = 2_000_000;

/**
 * A page of a tab reads at most this many items, and ends early when few of them fit. An index for each category and tag would
 * cost every item that arrives, for the sake of a rare tab in a very large inbox.
 */
const scanLimit = 1_000;

type FeedRow = { [Column in keyof ItemRow]: ItemRow[Column] | null } & {
  unread: number;
  found: number;
  scanned_to: string | null;
};

const itemsOf = (condition: string, limit: string): string => `
         select id, position, bytes, category, tags from inbox_items
         where environment_id = $1 and external_user_id = $2 and archived_at is null ${condition}
           and position < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
         order by position desc limit ${limit}`;

const feedOf = (name: string, scanned: string, filter: string, scannedTo: string) =>
  statement<FeedRow>(
    `inbox_feed_${name}`,
    `with scanned as materialized (${scanned}
     ), page as (
       select i.id, i.position, sum(i.bytes) over (order by i.position desc) - i.bytes as bytes_before,
         row_number() over (order by i.position desc) as place
       from (select * from scanned ${filter} order by position desc limit $4 + 1) i
     )
     select coalesce(b.unread, 0)::float8 as unread, (select count(*) from page)::int as found, ${scannedTo} as scanned_to,
       ${itemColumns}
     from (select) one
     left join inboxes b on b.environment_id = $1 and b.external_user_id = $2
     left join (page p join inbox_items i on i.id = p.id and p.place <= $4 and p.bytes_before < ${maxPageBytes}) on true
     order by i.position desc`,
  );

const feeds = (status: FeedStatus, condition: string) => ({
  whole: feedOf(status, itemsOf(condition, '$4 + 1'), '', 'null::uuid'),
  tab: feedOf(
    `${status}_of_tab`,
    itemsOf(condition, String(scanLimit)),
    `where ${isInTabSql('$5', '$6')}`,
    `(select min(position::text)::uuid from scanned having count(*) = ${scanLimit})`,
  ),
});

const feedsOf: Record<FeedStatus, ReturnType<typeof feeds>> = {
  all: feeds('all', 'and snoozed_until is null'),
  read: feeds('read', 'and read_at is not null and snoozed_until is null'),
  unread: feeds('unread', 'and read_at is null'),
  snoozed: feeds('snoozed', 'and snoozed_until is not null'),
};

export async function findFeed(
  sql: Sql,
  owner: Owner,
  status: FeedStatus,
  page: { before: string | null; limit: number },
  { category, tag }: TabFilter = {},
): Promise<FeedPage> {
  const values = [owner.environmentId, owner.externalUserId, page.before, page.limit];
  const rows =
    category || tag
      ? await feedsOf[status].tab(sql, [...values, category || null, tag || null])
      : await feedsOf[status].whole(sql, values);
  const items = rows.filter((row): row is FeedRow & ItemRow => row.id !== null);
  const isCut = (rows[0]?.found ?? 0) > items.length;
  const next = isCut ? items.at(-1)?.position : rows[0]?.scanned_to;
  return { items, next: next ?? null, unread: rows[0]?.unread ?? 0 };
}

const maxTabCounts = 200;

const countTabs = statement<{ kind: 'category' | 'tag' | 'scanned'; name: string; unread: number }>(
  'inbox_count_tabs',
  `with scanned as materialized (
     select category, tags from inbox_items
     where environment_id = $1 and external_user_id = $2 and ${countsSql}
     order by position desc limit ${scanLimit + 1}
   )
   (select 'category' as kind, category as name, count(*)::int as unread from scanned where category is not null
    group by category order by 3 desc, 2 limit ${maxTabCounts})
   union all
   (select 'tag', tag, count(*)::int from scanned, unnest(tags) as tag group by tag order by 3 desc, 2 limit ${maxTabCounts})
   union all
   select 'scanned', '', count(*)::int from scanned`,
);

/** The unread items by category and tag. Of an inbox with very many, only the newest are counted. */
export async function findTabCounts(sql: Sql, owner: Owner): Promise<Omit<UnreadCounts, 'unread_count'>> {
  const rows = await countTabs(sql, [owner.environmentId, owner.externalUserId]);
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  return {
    categories: of('category').map(({ name, unread }) => ({ category: name, unread_count: unread })),
    tags: of('tag').map(({ name, unread }) => ({ tag: name, unread_count: unread })),
    is_exact: (of('scanned')[0]?.unread ?? 0) <= scanLimit,
  };
}

const countSnoozed = statement<{ snoozed: number }>(
  'inbox_count_snoozed',
  `select count(*)::int as snoozed from (
     select from inbox_items where environment_id = $1 and external_user_id = $2 and snoozed_until is not null limit $3
   ) items`,
);

/** Counts the snoozed items of an inbox, up to the limit. */
export async function countSnoozedItems(sql: Sql, owner: Owner, limit: number): Promise<number> {
  return (await countSnoozed(sql, [owner.environmentId, owner.externalUserId, limit]))[0]?.snoozed ?? 0;
}
