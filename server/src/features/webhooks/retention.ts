import { inSlices } from '../../db/slices.ts';
import { statement } from '../../db/sql.ts';
import { lowestIdAt } from '../../kernel/ids.ts';
import { deletePostponedSql } from '../../queue/index.ts';

const sliceSize = 1_000;

/** Events with pending deliveries are skipped, except for those that wait because their endpoint is paused. */
const deleteSlice = statement<{ last: string | null }>(
  'webhooks_forget',
  `with old as (
     select id from webhook_events e where id > $1 and id < $2
       and not exists (
         select from webhook_deliveries d where d.event_id = e.id and d.status = 'pending'
           and (select p.status from webhook_endpoints p where p.id = d.endpoint_id) <> 'paused')
     order by id limit $3
   ), deliveries as (
     delete from webhook_deliveries where event_id in (select id from old) returning id
   ), attempts as (
     delete from webhook_attempts where delivery_id in (select id from deliveries)
   ), jobs as (
     ${deletePostponedSql('webhook_delivery', 'select id from deliveries')}
   ), gone as (
     delete from webhook_events where id in (select id from old)
   )
   select max(id::text) as last from old`,
);

/** Deletes the events that happened before the given time, with their deliveries and attempts. */
export const forgetEvents = (beforeMs: number) =>
  inSlices(async ({ pool }, after) => {
    return (await deleteSlice(pool, [after, lowestIdAt(beforeMs), sliceSize]))[0]?.last ?? null;
  });
