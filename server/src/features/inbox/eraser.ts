import { type Sql, statement } from '../../db/sql.ts';
import { type Eraser, isAliasSql, wholeSlice } from '../users/index.ts';
import { markItem } from './changes-store.ts';
import type { Owner } from './item.ts';

const findOwner = statement<{ external_user_id: string }>(
  'inbox_find_owner',
  'select external_user_id from inbox_items where id = $2 and environment_id = $1',
);

/** Erases the inbox item of an erased notification. Returns its owner, whose topic must be rung. */
export async function eraseInboxItem(
  sql: Sql,
  environmentId: string,
  notificationId: string,
): Promise<Owner | null> {
  const [found] = await findOwner(sql, [environmentId, notificationId]);
  if (!found) return null;
  const owner = { environmentId, externalUserId: found.external_user_id };
  await markItem(sql, owner, notificationId, 'deleted', new Date());
  return owner;
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
