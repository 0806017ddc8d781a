import { type AfterCommit, createBatchedWriter } from '../../db/batched-writer.ts';
import { type Sql, statement } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { newId } from '../../kernel/ids.ts';
import { type Claim, finishLeased, type Job, loadNotes } from '../../queue/index.ts';
import { arrivedAtSql } from './changes-store.ts';
import { inboxTopic } from './item.ts';
import type { SnoozeNote } from './snoozes.ts';

/** An item whose snooze is over, and its new position. */
interface ReturningItem {
  id: string;
  snoozeId: string;
  position: string;
}

const lockOwners = statement(
  'inbox_lock_owners_of_snoozed',
  `select from inboxes b
   join (
     select distinct i.environment_id, i.external_user_id from inbox_items i
     join unnest($1::uuid[], $2::uuid[]) as due (id, snooze_id) on i.id = due.id and i.snooze_id = due.snooze_id
   ) owner on b.environment_id = owner.environment_id and b.external_user_id = owner.external_user_id
   order by b.environment_id, b.external_user_id -- all transactions lock in this order, so there are no deadlocks
   for update of b`,
);

/** An item that is back, with what decides whether it rings. */
interface ReturnedItem {
  id: string;
  environment_id: string;
  external_user_id: string;
  category: string | null;
  template_version_id: string | null;
}

const returnAll = statement<ReturnedItem>(
  'inbox_return_items',
  `with target as (
     -- The previous release archives without ending the snooze: such an item stays archived, and adds nothing.
     select i.id, i.read_at is null or i.archived_at is not null as counted, due.position
     from inbox_items i
     join unnest($1::uuid[], $2::uuid[], $3::uuid[]) as due (id, snooze_id, position)
       on i.id = due.id and i.snooze_id = due.snooze_id
   ), item as (
     update inbox_items i
     set snoozed_until = null, snooze_id = null, read_at = null, position = t.position, arrived_at = ${arrivedAtSql}
     from target t where i.id = t.id
     returning i.id, i.environment_id, i.external_user_id, i.position, i.category, t.counted
   ), total as (
     select environment_id, external_user_id, count(*) as items, count(*) filter (where not counted) as unread
     from item group by 1, 2
   ), changed as (
     update inboxes b set last_seq = b.last_seq + t.items, unread = b.unread + t.unread
     from total t where b.environment_id = t.environment_id and b.external_user_id = t.external_user_id
     returning b.environment_id, b.external_user_id, b.last_seq, t.items
   ), logged as (
     insert into inbox_events (environment_id, external_user_id, seq, type, item_id, occurred_at)
     select c.environment_id, c.external_user_id,
       c.last_seq - c.items + row_number() over (partition by i.environment_id, i.external_user_id order by i.position),
       'returned', i.id, $4
     from changed c
     join item i on i.environment_id = c.environment_id and i.external_user_id = c.external_user_id
   )
   select i.id, i.environment_id, i.external_user_id, i.category, n.template_version_id
   from item i left join notification_contents n on n.notification_id = i.id`,
);

/**
 * Needs a transaction. Brings the items back, unread and at the top of their feeds, unless their snooze was changed in the
 * meantime. Returns those that are back. The locks are a separate statement, as for every change of existing
 * items.
 */
export async function returnItems(
  sql: Sql,
  items: readonly ReturningItem[],
  now: Date,
): Promise<ReturnedItem[]> {
  if (items.length === 0) return [];
  const ids = items.map(({ id }) => id);
  const snoozes = items.map(({ snoozeId }) => snoozeId);
  await lockOwners(sql, [ids, snoozes]);
  return returnAll(sql, [ids, snoozes, items.map(({ position }) => position), now]);
}

interface DueReturn {
  claim: Claim;
  note: SnoozeNote;
}

/** Writes the work that rings the devices for items that are back; true: ring `push` after the commit. */
type PlanRings = (
  tx: Sql,
  queue: Deps['queue'],
  items: (ReturnedItem & { lane: 'normal'; isReturned: true })[],
  now: number,
) => Promise<boolean>;

/** Brings snoozed items back at their time. The end of the lease, the return and its ring are one transaction. */
export function createInboxReturnJob({
  pool,
  queue,
  clock,
  doorbell,
  planRings,
}: Pick<Deps, 'pool' | 'queue' | 'clock' | 'doorbell'> & { planRings: PlanRings }): Job<SnoozeNote> {
  async function write(tx: Sql, due: DueReturn[]): Promise<AfterCommit> {
    const mine = await finishLeased(tx, queue, 'inbox_return', due);
    const now = clock();
    const items = await returnItems(
      tx,
      mine.map(({ claim, note }) => ({ id: note.item_id, snoozeId: claim.id, position: newId(now) })),
      new Date(now),
    );
    const ringing = items.map((item) => ({ ...item, lane: 'normal' as const, isReturned: true as const }));
    const rings = await planRings(tx, queue, ringing, now);
    return (): undefined => {
      const topics = items.map((item) =>
        inboxTopic({ environmentId: item.environment_id, externalUserId: item.external_user_id }),
      );
      for (const topic of new Set(topics)) doorbell.ring(topic);
      if (rings) queue.ring('push');
    };
  }

  const end = createBatchedWriter(pool, write, { concurrency: 1, maxItems: 200, whenUnavailable: 'wait' });

  return {
    batch: 100,
    capacity: 400,
    load: loadNotes,
    async run(claim, note) {
      if (note) await end({ claim, note });
    },
  };
}
