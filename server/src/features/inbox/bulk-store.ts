import { type Sql, statement } from '../../db/sql.ts';
import { arrivedAtSql, lockInbox, maxEvents } from './changes-store.ts';
import type { Owner } from './item.ts';
import type { TabFilter } from './schema.ts';

/** Changes of many items of one inbox, in slices: each transaction reads and locks a bounded number of items. */

/** The items that a bulk change is about; with several fields, those that fit all of them. */
export interface InboxSelection extends TabFilter {
  /** Snoozed items are changed only when they are named here. */
  ids: string[] | null;
  isRead: boolean;
  /** Items that arrived earlier; null for all. */
  before: Date | null;
}

/** An SQL condition on an item, with the category and the tag as parameters; null matches every item. */
export const isInTabSql = (category: string, tag: string): string =>
  `(${category}::text is null or category = ${category}) and (${tag}::text is null or tags @> array[${tag}::text])`;

/** A slice withdraws this many pushes, the newest. */
const maxWithdrawn = 500;

interface SliceRow {
  marked: number;
  first_read: string[] | null;
  snoozes: string[] | null;
  rung: string[] | null;
  scanned: number;
  last: string | null;
}

/**
 * Builds the statement for one slice. Items are read in the order of their positions, $4 at most and above $3: the next slice goes
 * on where this one ended, however few items of it fit the filter.
 */
function bulkChange(event: 'read' | 'archived', set: string, condition: string, source: 'all' | 'ids') {
  return statement<SliceRow>(
    `inbox_mark_many_${event}${source === 'ids' ? '_by_id' : ''}`,
    `with slice as materialized (
       select id, position, first_read_at, read_at, snooze_id, rung_at, ${isInTabSql('$7', '$8')} as is_meant from inbox_items i
       where environment_id = $1 and external_user_id = $2 and archived_at is null and ${condition}
         and (not $9::boolean or read_at is not null)
         and ${source === 'ids' ? 'id = any ($10::uuid[])' : 'snoozed_until is null'}
         and position > $3 and ($5::timestamptz is null or ${arrivedAtSql} < $5)
       order by position limit $4
     ), item as (
       update inbox_items i set ${set} from slice s where i.id = s.id and s.is_meant
       returning i.id, i.position, s.first_read_at, s.snooze_id, s.rung_at, s.read_at is null as counted
     ), total as (
       select count(*) as marked, count(*) filter (where counted) as unread,
         case when count(*) > ${maxEvents} then 1 else count(*) end as events
       from item
     ), changed as (
       update inboxes b set last_seq = b.last_seq + t.events, unread = b.unread - t.unread
       from total t where b.environment_id = $1 and b.external_user_id = $2 and t.marked > 0
       returning b.last_seq
     ), logged as (
       insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
       select $1, $2, c.last_seq - t.events + e.place, e.type, e.id, $6
       from changed c, total t, lateral (
         select '${event}' as type, id, row_number() over (order by position) as place from item where t.marked = t.events
         union all
         select 'reset', null, 1 where t.marked <> t.events
       ) e
     )
     select t.marked::int, (select array_agg(id) from item where first_read_at is null) as first_read,
       (select array_agg(snooze_id) from item where snooze_id is not null) as snoozes,
       (select array_agg(id) from (
          select id from item where rung_at is not null order by position desc limit ${maxWithdrawn}) newest) as rung,
       (select count(*) from slice)::int as scanned, (select position from slice order by position desc limit 1) as last
     from total t`,
  );
}

const read = [
  'read_at = $6, first_read_at = coalesce(i.first_read_at, $6), rung_at = null',
  'read_at is null',
] as const;
const archived = ['archived_at = $6, snoozed_until = null, snooze_id = null, rung_at = null'] as const;

const bulkChanges = {
  read: { all: bulkChange('read', ...read, 'all'), ids: bulkChange('read', ...read, 'ids') },
  archived: {
    all: bulkChange('archived', ...archived, 'true', 'all'),
    ids: bulkChange('archived', ...archived, 'true', 'ids'),
  },
};

const lowest = '00000000-0000-0000-0000-000000000000';

interface BulkSlice {
  marked: number;
  firstRead: string[];
  /** The work items of snoozes that the change has ended. */
  snoozes: string[];
  /** The newest of the items that rang devices. */
  rung: string[];
  /** The position after which the next slice begins; null when this was the last one. */
  next: string | null;
}

/** Needs a transaction. Changes the oldest items first, of at most `limit` that are read. */
export async function markItems(
  sql: Sql,
  owner: Owner,
  event: keyof typeof bulkChanges,
  filter: InboxSelection,
  slice: { after: string | null; limit: number },
  now: Date,
): Promise<BulkSlice> {
  const none: BulkSlice = { marked: 0, firstRead: [], snoozes: [], rung: [], next: null };
  if (!(await lockInbox(sql, owner))) return none;
  const { ids, before, category, tag, isRead } = filter;
  const { environmentId, externalUserId } = owner;
  const values = [
    ...[environmentId, externalUserId, slice.after ?? lowest, slice.limit, before, now],
    ...[category || null, tag || null, isRead],
  ];
  const [row] = ids
    ? await bulkChanges[event].ids(sql, [...values, ids])
    : await bulkChanges[event].all(sql, values);
  if (!row) return none;
  return {
    marked: row.marked,
    firstRead: row.first_read ?? [],
    snoozes: row.snoozes ?? [],
    rung: row.rung ?? [],
    next: row.scanned === slice.limit ? row.last : null,
  };
}
