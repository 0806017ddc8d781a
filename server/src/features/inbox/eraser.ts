import { type Sql, statement } from '../../db/sql.ts';
import { type ScopedId, scopedIdColumns } from '../../kernel/ids.ts';
import { type Eraser, isAliasSql, wholeSlice } from '../people/users/index.ts';
import { maxEvents } from './changes-store.ts';
import type { Owner } from './item.ts';

const itemsErased = `inbox_items i join unnest($1::uuid[], $2::uuid[]) as erased (environment_id, id)
       on i.id = erased.id and i.environment_id = erased.environment_id`;

const lockOwners = statement<{ environment_id: string; external_user_id: string }>(
  'inbox_lock_owners',
  `select b.environment_id, b.external_user_id from inboxes b
   join (select distinct i.environment_id, i.external_user_id from ${itemsErased}) owner
     on b.environment_id = owner.environment_id and b.external_user_id = owner.external_user_id
   order by 1, 2 -- all transactions lock in this order, so there are no deadlocks
   for update of b`,
);

/** An inbox that loses many items at once logs one `reset`, on which a client reads its feed again. */
const deleteItems = statement(
  'inbox_delete_items',
  `with item as (
     delete from inbox_items i using unnest($1::uuid[], $2::uuid[]) as erased (environment_id, id)
     where i.id = erased.id and i.environment_id = erased.environment_id
     returning i.id, i.environment_id, i.external_user_id, i.read_at is null and i.archived_at is null as counted
   ), total as (
     select environment_id, external_user_id, count(*) as items, count(*) filter (where counted) as unread,
       case when count(*) > ${maxEvents} then 1 else count(*) end as events
     from item group by 1, 2
   ), changed as (
     update inboxes b set last_seq = b.last_seq + t.events, unread = b.unread - t.unread
     from total t where b.environment_id = t.environment_id and b.external_user_id = t.external_user_id
     returning b.environment_id, b.external_user_id, b.last_seq, t.items, t.events
   )
   insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
   select c.environment_id, c.external_user_id, c.last_seq - c.events + e.place, e.type, e.id, $3
   from changed c join (
     select environment_id, external_user_id, 'deleted' as type, id,
       row_number() over (partition by environment_id, external_user_id order by id) as place
     from item
     union all
     select environment_id, external_user_id, 'reset', null, 1 from total where items <> events
   ) e on e.environment_id = c.environment_id and e.external_user_id = c.external_user_id
     and (c.items = c.events or e.type = 'reset')`,
);

/**
 * Needs a transaction. Erases the inbox items of erased notifications. Returns the owners of the inboxes that may have changed,
 * whose topics must be rung. The locks are a separate statement, as for every change of existing items.
 */
export async function eraseInboxItems(sql: Sql, notifications: readonly ScopedId[]): Promise<Owner[]> {
  if (notifications.length === 0) return [];
  const columns = scopedIdColumns(notifications);
  const inboxes = await lockOwners(sql, columns);
  if (inboxes.length > 0) await deleteItems(sql, [...columns, new Date()]);
  return inboxes.map((inbox) => ({
    environmentId: inbox.environment_id,
    externalUserId: inbox.external_user_id,
  }));
}

const lockOf = statement<{ external_user_id: string }>(
  'inbox_lock_of_person',
  `select external_user_id from inboxes
   where environment_id = $1
     and (external_user_id = $2 or ${isAliasSql('external_user_id', '$3')})
   order by external_user_id for update`,
);

/** The query has two halves, because each has its own index. */
const itemsOf = (user: string, more: string): string =>
  ['is null', 'is not null']
    .map(
      (archived) =>
        `(select id from inbox_items where environment_id = $1 and external_user_id = ${user} and archived_at ${archived} ${more})`,
    )
    .join(' union all ');

const deleteSlice = statement<{ deleted: number }>(
  'inbox_delete_slice',
  `with item as (
     delete from inbox_items where id = any (array(
       select id from (${itemsOf('any ($2::text[])', 'and id < $3 limit $4')}) theirs limit $4))
     returning external_user_id, read_at is null and archived_at is null as counted
   ), total as (
     select external_user_id, count(*) filter (where counted) as unread from item group by 1
   ), changed as (
     update inboxes b set unread = b.unread - t.unread, last_seq = b.last_seq + 1
     from total t where b.environment_id = $1 and b.external_user_id = t.external_user_id
     returning b.external_user_id, b.last_seq
   ), logged as (
     insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
     select $1, external_user_id, last_seq, 'reset', null, now() from changed
   )
   select count(*)::int as deleted from item`,
);

const deleteEmpty = statement(
  'inbox_delete_empty',
  `with gone as (
     delete from inboxes b
     where b.environment_id = $1 and b.external_user_id = any ($2::text[])
       and not exists (${itemsOf('b.external_user_id', 'limit 1')})
     returning b.external_user_id
   ), events as (
     delete from inbox_events e using gone g where e.environment_id = $1 and e.external_user_id = g.external_user_id
   )
   delete from inbox_tickets where environment_id = $1 and external_user_id = any ($2::text[])`,
);

const sliceSize = 1_000;

/** Erases all items of a person's inbox and, with the last of them, the inbox itself. */
export const inboxEraser: Eraser = {
  async erase(tx, { environmentId, externalUserId, aliases, before }) {
    const inboxes = await lockOf(tx, [environmentId, externalUserId, aliases]);
    const ids = [externalUserId, ...inboxes.map((inbox) => inbox.external_user_id)]; // a user can have tickets without an inbox
    const [slice] = await deleteSlice(tx, [environmentId, ids, before, sliceSize]);
    if (slice?.deleted === sliceSize) return { next: 'more', skipped: false };
    await deleteEmpty(tx, [environmentId, ids]);
    return wholeSlice;
  },
};
