import { deleteInSlices } from '../../db/slices.ts';
import { type Sql, statement } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import type { InboxEvent } from './changes-store.ts';
import { type ItemRow, itemColumns, type Owner } from './item.ts';
import { deleteExpiredTickets, deleteRetiredKeys } from './tokens-store.ts';

/** The position of a stream: the number of the last event it got; null when it wants only new events. */
interface StreamPosition extends Owner {
  lastSeq: number | null;
}

export interface LoggedEvent {
  seq: number;
  type: InboxEvent;
  itemId: string | null;
  occurredAt: Date;
  /** The current item of an arrival, a return or an action; null when it has been erased since. */
  item: ItemRow | null;
}

/** The events of an inbox after a position, and its unread count, read in one snapshot. */
export interface InboxUpdate {
  lastSeq: number;
  unread: number;
  /** Events from the position on, without a gap unless the missing ones have been deleted. More may follow. */
  events: LoggedEvent[];
}

const maxEvents = 50;
/** Bodies may be large: a stream gets at most this much at a time, and at least one event. */
const maxBytes = 65_536;

type NewsRow = {
  place: number;
  last_seq: number;
  unread: number;
  seq: number | null;
  type: InboxEvent;
  item_id: string | null;
  occurred_at: Date;
} & { [Column in keyof ItemRow]: ItemRow[Column] | null };

const showsItem = `e.type in ('arrived', 'returned', 'acted')`;

// One query serves all streams that may have new events: an inbox without any costs one read of its row.
const findNews = statement<NewsRow>(
  'inbox_list_news',
  `select s.place::int, b.last_seq::float8, b.unread::float8, e.seq::float8, e.type, e.item_id, e.occurred_at, ${itemColumns}
   from unnest($1::uuid[], $2::text[], $3::bigint[]) with ordinality s (environment_id, external_user_id, last_seq, place)
   join inboxes b on b.environment_id = s.environment_id and b.external_user_id = s.external_user_id
   left join lateral (
     select *, sum(bytes) over (order by seq) - bytes as bytes_before from (
       select e.seq, e.type, e.item_id, e.occurred_at, coalesce(i.bytes, 0) as bytes
       from inbox_events e
       left join inbox_items i on i.id = e.item_id and ${showsItem}
       where e.environment_id = s.environment_id and e.external_user_id = s.external_user_id and e.seq > s.last_seq
       order by e.seq limit ${maxEvents}
     ) page
   ) e on b.last_seq > s.last_seq and e.bytes_before < ${maxBytes}
   left join inbox_items i on i.id = e.item_id and ${showsItem}
   order by s.place, e.seq`,
);

/** Returns updates in the order of the positions; undefined when there is no inbox yet. */
export async function listUpdates(
  sql: Sql,
  positions: readonly StreamPosition[],
): Promise<(InboxUpdate | undefined)[]> {
  const rows = await findNews(sql, [
    positions.map(({ environmentId }) => environmentId),
    positions.map(({ externalUserId }) => externalUserId),
    positions.map(({ lastSeq }) => lastSeq),
  ]);
  const updates = new Array<InboxUpdate | undefined>(positions.length);
  for (const row of rows) {
    const found = updates[row.place - 1] ?? { lastSeq: row.last_seq, unread: row.unread, events: [] };
    updates[row.place - 1] = found;
    if (row.seq === null) continue;
    found.events.push({
      seq: row.seq,
      type: row.type,
      itemId: row.item_id,
      occurredAt: row.occurred_at,
      item: row.id === null ? null : (row as ItemRow),
    });
  }
  return updates;
}

const insertMissing = statement(
  'inbox_insert_inboxes',
  `insert into inboxes (environment_id, external_user_id)
   select distinct environment_id, external_user_id from unnest($1::uuid[], $2::text[]) as o (environment_id, external_user_id)
   order by 1, 2
   on conflict do nothing`,
);

/** A stream may be open before the first item arrives; its inbox must then exist to count from. */
export async function insertInboxes(sql: Sql, owners: readonly Owner[]): Promise<void> {
  await insertMissing(sql, [
    owners.map(({ environmentId }) => environmentId),
    owners.map(({ externalUserId }) => externalUserId),
  ]);
}

const deleteOld = statement<{ count: number }>(
  'inbox_delete_old_events',
  `with gone as (
     delete from inbox_events where ctid = any (array(
       select ctid from inbox_events where occurred_at < $1 order by occurred_at limit $2))
     returning 1)
   select count(*)::int as count from gone`,
);

async function deleteEventsBefore(sql: Sql, time: Date, limit: number): Promise<number> {
  return (await deleteOld(sql, [time, limit]))[0]?.count ?? 0;
}

/** The maximum age of an event that a stream can resume from. */
const replayMs = 3_600_000;

const tidyEvents = deleteInSlices(5_000, ({ pool, clock }, limit) =>
  deleteEventsBefore(pool, new Date(clock() - replayMs), limit),
);

/** Deletes events too old to resume from, and expired tickets and keys. */
export async function tidyInbox(deps: Pick<Deps, 'pool' | 'clock'>, isStopped: () => boolean): Promise<void> {
  await tidyEvents(deps, isStopped);
  const now = new Date(deps.clock());
  await deleteExpiredTickets(deps.pool, now);
  await deleteRetiredKeys(deps.pool, now);
}
