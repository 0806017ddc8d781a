import { type Sql, statement } from '../../db/sql.ts';
import { type ScopedId, scopedIdColumns } from '../../kernel/ids.ts';

interface EventRow {
  id: string;
  environment_id: string;
  type: string;
  notification_id: string | null;
  chain: string | null;
  body: string;
}

interface NewDelivery {
  id: string;
  environment_id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
}

const insert = statement<{ id: string }>(
  'webhooks_insert_events',
  `with events as (
     insert into webhook_events (id, environment_id, type, notification_id, chain, body)
     select * from json_to_recordset($1::json)
       as (id uuid, environment_id uuid, type text, notification_id uuid, chain text, body text)
   ), deliveries as (
     insert into webhook_deliveries (id, environment_id, endpoint_id, event_id, event_type)
     select * from json_to_recordset($2::json)
       as (id uuid, environment_id uuid, endpoint_id uuid, event_id uuid, event_type text)
     returning endpoint_id
   )
   select id from webhook_endpoints
   where id = any (array(select endpoint_id from deliveries)) and status = 'paused'`,
);

/** Returns the endpoints that seem to be paused: nothing keeps them from being resumed meanwhile. */
export async function insertEvents(
  sql: Sql,
  events: EventRow[],
  deliveries: NewDelivery[],
): Promise<string[]> {
  const rows = await insert(sql, [JSON.stringify(events), JSON.stringify(deliveries)]);
  return rows.map(({ id }) => id);
}

const strip = statement(
  'webhooks_erase_events',
  // Pending deliveries are left out: their next attempt writes a new snippet, about an erased body.
  `with events as (
     update webhook_events w set body = json_build_object('id', w.id, 'type', type, 'created_at', body::json -> 'created_at',
       'data', json_build_object('id', w.notification_id, 'deleted', true))::text
     from unnest($1::uuid[], $2::uuid[]) as erased (environment_id, notification_id)
     where w.notification_id = erased.notification_id and w.environment_id = erased.environment_id
     returning w.id),
   deliveries as (
     update webhook_deliveries d set response_snippet = null from events e
     where d.event_id = e.id and d.status <> 'pending'
     returning d.id)
   update webhook_attempts a set response_snippet = null from deliveries d where a.delivery_id = d.id`,
);

/**
 * Erasing notifications also erases the data of their events, and the answers of endpoints, which may repeat that data. Pending
 * deliveries then carry a body that marks the notification as deleted.
 */
export async function eraseNotificationEvents(sql: Sql, notifications: readonly ScopedId[]): Promise<void> {
  await strip(sql, scopedIdColumns(notifications));
}
