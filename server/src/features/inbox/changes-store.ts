import type { InboxItem } from '../../channels/in-app/item.ts';
import { type Sql, statement } from '../../db/sql.ts';
import { newId } from '../../kernel/ids.ts';
import type { Owner } from './item.ts';

/**
 * All writes to an inbox. Each statement changes items, the unread count, and the log of events together, under the lock of the
 * inbox's one row: so the count cannot drift, and the numbers of events (`seq`) follow the order of commits.
 */
export type ItemEvent = 'arrived' | 'read' | 'unread' | 'archived' | 'deleted';
/** `reset` replaces the single events when there are too many of them. */
export type InboxEvent = ItemEvent | 'reset';

const lockOne = statement(
  'inbox_lock',
  'select from inboxes where environment_id = $1 and external_user_id = $2 for update',
);

/**
 * Locks the inbox before existing items change, as a separate statement: the change then sees every earlier commit. (In one
 * statement it would wait for the lock and still read the snapshot from before the wait.) Resolves to false when there is no
 * inbox, and thus nothing to change: items that arrive in the meantime must not be changed without the lock.
 */
async function lockInbox(sql: Sql, owner: Owner): Promise<boolean> {
  return (await lockOne(sql, [owner.environmentId, owner.externalUserId])).length > 0;
}

const insert = statement(
  'inbox_insert_items',
  `with input as (
     select * from json_to_recordset($1::json) as (id uuid, environment_id uuid, external_user_id text, position uuid,
       subject text, html_body text, text_body text, action_url text, data jsonb)
   ), inserted as (
     insert into inbox_items (id, environment_id, external_user_id, position, subject, html_body, text_body, action_url, data, bytes)
     select id, environment_id, external_user_id, position, subject, html_body, text_body, action_url, data,
       coalesce(octet_length(html_body), 0) + coalesce(octet_length(text_body), 0) + octet_length(data::text)
     from input
     order by id -- everyone locks in this order: no deadlocks
     on conflict (id) do nothing -- whatever repeats a delivery, the item arrives once
     returning id, environment_id, external_user_id, position
   ), arriving as (
     select environment_id, external_user_id, count(*) as items from inserted group by 1, 2
   ), changed as (
     insert into inboxes as inbox (environment_id, external_user_id, unread, last_seq)
     select environment_id, external_user_id, items, (extract(epoch from clock_timestamp()) * 1000)::bigint + items
     from arriving
     order by 1, 2 -- here too
     on conflict (environment_id, external_user_id) do update set unread = inbox.unread + excluded.unread,
       last_seq = inbox.last_seq + excluded.unread
     returning environment_id, external_user_id, last_seq
   )
   insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
   select i.environment_id, i.external_user_id,
     c.last_seq - a.items + row_number() over (partition by i.environment_id, i.external_user_id order by i.position),
     'arrived', i.id, $2
   from inserted i
   join arriving a using (environment_id, external_user_id)
   join changed c using (environment_id, external_user_id)`,
);

/** Runs in the transaction that settles the notifications, so a delivered notification is always in the inbox. */
export async function insertItems(sql: Sql, items: readonly InboxItem[], nowMs: number): Promise<void> {
  if (items.length === 0) return;
  const rows = items.map((item) => ({
    id: item.id,
    environment_id: item.environmentId,
    external_user_id: item.externalUserId,
    position: newId(nowMs),
    subject: item.subject,
    html_body: item.htmlBody,
    text_body: item.textBody,
    action_url: item.actionUrl,
    data: item.data,
  }));
  await insert(sql, [JSON.stringify(rows), new Date(nowMs)]);
}

const counts = 'read_at is null and archived_at is null';

/**
 * Builds the statement for one change of one item: the update, the condition for it, and whether the item counts as unread
 * afterwards (`t` is the item before the change).
 */
function change(event: ItemEvent, action: string, condition: string, countsAfter: string) {
  return statement<{ first_read: boolean }>(
    `inbox_mark_${event}`,
    `with target as (
       select * from inbox_items
       where id = $3 and environment_id = $1 and external_user_id = $2 and ${condition}
     ), item as (
       ${action} where i.id = t.id
       returning i.id, t.first_read_at, (${countsAfter})::int - (t.read_at is null and t.archived_at is null)::int as unread
     ), changed as (
       update inboxes b set last_seq = b.last_seq + 1, unread = b.unread + item.unread
       from item where b.environment_id = $1 and b.external_user_id = $2
       returning b.last_seq
     ), logged as (
       insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
       select $1, $2, changed.last_seq, '${event}', item.id, $4 from changed, item
     )
     select first_read_at is null as first_read from item`,
  );
}

const changes = {
  read: change(
    'read',
    'update inbox_items i set read_at = $4, first_read_at = coalesce(i.first_read_at, $4) from target t',
    'read_at is null',
    'false',
  ),
  unread: change(
    'unread',
    'update inbox_items i set read_at = null from target t',
    'read_at is not null',
    't.archived_at is null',
  ),
  archived: change(
    'archived',
    'update inbox_items i set archived_at = $4 from target t',
    'archived_at is null',
    'false',
  ),
};

/** Needs a transaction. Resolves to null when the item already has this state, or does not exist. */
export async function markItem(
  sql: Sql,
  owner: Owner,
  id: string,
  event: keyof typeof changes,
  now: Date,
): Promise<{ first_read: boolean } | null> {
  if (!(await lockInbox(sql, owner))) return null;
  const rows = await changes[event](sql, [owner.environmentId, owner.externalUserId, id, now]);
  return rows[0] ?? null;
}

/** Up to this many changes at once are logged one by one; more are a `reset`, on which a client reads its feed again. */
export const maxEvents = 100;

const markAll = statement<{ marked: number; first_read: string[] | null }>(
  'inbox_mark_all_read',
  `with target as (
     select id, position, first_read_at from inbox_items
     where environment_id = $1 and external_user_id = $2 and ${counts}
       and position < coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
     order by position limit $4
   ), item as (
     update inbox_items i set read_at = $5, first_read_at = coalesce(i.first_read_at, $5)
     from target t where i.id = t.id
     returning i.id, i.position, t.first_read_at
   ), total as (
     select count(*) as marked, case when count(*) > ${maxEvents} then 1 else count(*) end as events from item
   ), changed as (
     update inboxes b set last_seq = b.last_seq + t.events, unread = b.unread - t.marked
     from total t where b.environment_id = $1 and b.external_user_id = $2 and t.marked > 0
     returning b.last_seq
   ), logged as (
     insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
     select $1, $2, c.last_seq - t.events + e.place, e.type, e.id, $5
     from changed c, total t, lateral (
       select 'read' as type, id, row_number() over (order by position) as place from item where t.marked = t.events
       union all
       select 'reset', null, 1 where t.marked <> t.events
     ) e
   )
   select t.marked::int, (select array_agg(id) from item where first_read_at is null) as first_read from total t`,
);

/** Needs a transaction. Marks the oldest items first, up to `limit`: those that arrived before the position, or all. */
export async function markItemsRead(
  sql: Sql,
  owner: Owner,
  before: string | null,
  limit: number,
  now: Date,
): Promise<{ marked: number; firstRead: string[] }> {
  if (!(await lockInbox(sql, owner))) return { marked: 0, firstRead: [] };
  const [row] = await markAll(sql, [owner.environmentId, owner.externalUserId, before, limit, now]);
  return { marked: row?.marked ?? 0, firstRead: row?.first_read ?? [] };
}
