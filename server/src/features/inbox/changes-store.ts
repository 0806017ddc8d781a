import type { InboxItem } from '../../channels/delivery-plan.ts';
import { type Sql, statement } from '../../db/sql.ts';
import { newId } from '../../kernel/ids.ts';
import type { Owner } from './item.ts';

/**
 * All writes to an inbox. Each statement changes items, the unread count, and the log of events together, under the lock of the
 * inbox's one row: so the count cannot drift, and the numbers of events (`seq`) follow the order of commits.
 */
type ItemEvent = 'arrived' | 'read' | 'unread' | 'archived' | 'deleted' | 'snoozed' | 'returned' | 'acted';
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
export async function lockInbox(sql: Sql, owner: Owner): Promise<boolean> {
  return (await lockOne(sql, [owner.environmentId, owner.externalUserId])).length > 0;
}

const insert = statement(
  'inbox_insert_items',
  `with input as (
     select * from json_to_recordset($1::json) as (id uuid, environment_id uuid, external_user_id text, position uuid,
       subject text, html_body text, text_body text, action_url text, data jsonb, category text, tags text[], actions jsonb)
   ), inserted as (
     insert into inbox_items (id, environment_id, external_user_id, position, subject, html_body, text_body, action_url, data,
       category, tags, actions, bytes)
     select id, environment_id, external_user_id, position, subject, html_body, text_body, action_url, data, category, tags, actions,
       coalesce(octet_length(html_body), 0) + coalesce(octet_length(text_body), 0) + octet_length(data::text)
         + octet_length(actions::text)
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
    category: item.category,
    tags: item.tags,
    actions: item.actions,
  }));
  await insert(sql, [JSON.stringify(rows), new Date(nowMs)]);
}

/** An SQL condition on an item: it is part of the unread count. A snoozed item is not, because it is read until it returns. */
export const countsSql = 'read_at is null and archived_at is null';

/** The time when `i` arrived: that in its position, unless the item has returned from a snooze. */
export const arrivedAtSql = `coalesce(i.arrived_at,
         to_timestamp(('x' || left(replace(i.position::text, '-', ''), 12))::bit(48)::bigint / 1000.0))`;

/** A change of one item. */
interface ItemChange {
  /** The item was never read before this change. */
  first_read: boolean;
  /** The work item that would have ended the snooze; null when the item was not snoozed. */
  snooze_id: string | null;
  /** The item rang devices before the change. */
  rung: boolean;
}

/**
 * Builds the statement for one change of one item: the columns it sets, the condition for it, and whether the item counts as
 * unread afterwards (`t` is the item before the change). Parameters of the change begin with $5.
 */
function change(event: ItemEvent, set: string, condition: string, countsAfter: string) {
  return statement<ItemChange>(
    `inbox_mark_${event}`,
    `with target as (
       select * from inbox_items
       where id = $3 and environment_id = $1 and external_user_id = $2 and ${condition}
     ), item as (
       update inbox_items i set ${set} from target t where i.id = t.id
       returning i.id, t.first_read_at, t.snooze_id, t.rung_at,
         (${countsAfter})::int - (t.read_at is null and t.archived_at is null)::int as unread
     ), changed as (
       update inboxes b set last_seq = b.last_seq + 1, unread = b.unread + item.unread
       from item where b.environment_id = $1 and b.external_user_id = $2
       returning b.last_seq
     ), logged as (
       insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
       select $1, $2, changed.last_seq, '${event}', item.id, $4 from changed, item
     )
     select first_read_at is null as first_read, snooze_id, rung_at is not null as rung from item`,
  );
}

const changes = {
  read: change(
    'read',
    'read_at = $4, first_read_at = coalesce(i.first_read_at, $4), rung_at = null',
    'read_at is null',
    'false',
  ),
  unread: change(
    'unread',
    'read_at = null',
    'read_at is not null and snoozed_until is null',
    't.archived_at is null',
  ),
  archived: change(
    'archived',
    'archived_at = $4, snoozed_until = null, snooze_id = null, rung_at = null',
    'archived_at is null',
    'false',
  ),
  // An archived item can be snoozed too: it then returns to the feed.
  snoozed: change(
    'snoozed',
    `snoozed_until = $5::timestamptz, snooze_id = $6::uuid, read_at = coalesce(i.read_at, $4), archived_at = null,
       rung_at = null`,
    'true',
    'false',
  ),
  returned: change(
    'returned',
    `snoozed_until = null, snooze_id = null, read_at = null, position = $5::uuid, arrived_at = ${arrivedAtSql}`,
    'snoozed_until is not null',
    't.archived_at is null',
  ),
  // What was decided needs no return.
  acted: change(
    'acted',
    `action_key = $5, action_at = $4, read_at = coalesce(i.read_at, $4), first_read_at = coalesce(i.first_read_at, $4),
       snoozed_until = null, snooze_id = null, rung_at = null`,
    'action_key is null',
    'false',
  ),
};

/**
 * Needs a transaction. Resolves to null when the item already has this state, or does not exist. `values` are the parameters of
 * the change: the end and the id of a snooze, the new position of an item that returns, the key of an action.
 */
export async function markItem(
  sql: Sql,
  owner: Owner,
  id: string,
  event: keyof typeof changes,
  now: Date,
  values: readonly unknown[] = [],
): Promise<ItemChange | null> {
  if (!(await lockInbox(sql, owner))) return null;
  const rows = await changes[event](sql, [owner.environmentId, owner.externalUserId, id, now, ...values]);
  return rows[0] ?? null;
}

/** Up to this many changes at once are logged one by one; more are a `reset`, on which a client reads its feed again. */
export const maxEvents = 100;
