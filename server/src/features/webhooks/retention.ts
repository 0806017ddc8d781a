import { type Pool, statement } from '../../db/sql.ts';
import { lowestIdAt } from '../../kernel/ids.ts';

const slice = 1_000;

/** `last`: where the next slice begins; what an endpoint still waits for (it may be paused) is passed over. */
const deleteSlice = statement<{ last: string | null }>(
  'webhooks_forget',
  `with old as (
     select id from webhook_events e where id > $1 and id < $2
       and not exists (select from webhook_deliveries d where d.event_id = e.id and d.status = 'pending')
     order by id limit $3
   ), deliveries as (
     delete from webhook_deliveries where event_id in (select id from old) returning id
   ), attempts as (
     delete from webhook_attempts where delivery_id in (select id from deliveries)
   ), gone as (
     delete from webhook_events where id in (select id from old)
   )
   select max(id::text) as last from old`,
);

/** Events that happened before then, with their deliveries and attempts. */
export async function forgetEvents(pool: Pool, beforeMs: number, isStopped: () => boolean): Promise<void> {
  let last: string | null = lowestIdAt(0);
  while (last !== null && !isStopped()) {
    const [row]: { last: string | null }[] = await deleteSlice(pool, [last, lowestIdAt(beforeMs), slice]);
    last = row?.last ?? null;
  }
}
