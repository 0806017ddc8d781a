import { inSlices } from '../../db/slices.ts';
import { type Sql, statement } from '../../db/sql.ts';
import { idTime, lowestIdAt, newId, type ScopedId, scopedIdColumns } from '../../kernel/ids.ts';
import { deletePostponedSql } from '../../queue/index.ts';
import { listListeners } from './endpoints-store.ts';
import { type DeliveryQueue, enqueueDeliveries } from './paused.ts';

/** An event to be recorded when an endpoint of the environment subscribes to its type. */
interface EventIntent {
  environmentId: string;
  /** Dotted lower case: `notification.sent`. */
  type: string;
}

export interface WebhookEvent extends EventIntent {
  /** A UUIDv7 chosen by the caller when the same event must never be recorded twice; a new one by default. */
  id?: string;
  notificationId?: string;
  /** The chain of workflow runs that led to the event. */
  chain?: string | null;
  data: object;
}

/** An event and the endpoints that subscribe to it: at least one. */
interface EventSubscription<Event extends EventIntent> {
  event: Event;
  endpointIds: string[];
}

/**
 * Returns the events that have subscribers. One indexed statement, so that the many environments without endpoints pay next to
 * nothing; the data of an event is built only when it has a subscriber.
 */
export async function listSubscriptions<Event extends EventIntent>(
  sql: Sql,
  events: readonly Event[],
): Promise<EventSubscription<Event>[]> {
  if (events.length === 0) return [];
  const environments = [...new Set(events.map((event) => event.environmentId))];
  const listeners = await listListeners(sql, environments);
  if (listeners.length === 0) return [];
  return events.flatMap((event) => {
    const endpointIds = listeners
      .filter(
        ({ environment_id, event_filters }) =>
          environment_id === event.environmentId &&
          (event_filters.length === 0 || event_filters.includes(event.type)),
      )
      .map(({ id }) => id);
    return endpointIds.length > 0 ? [{ event, endpointIds }] : [];
  });
}

/** The state of a delivery kept in the queue. */
export interface DeliveryNote {
  /** Set when a user requested this attempt: it is made even though the endpoint receives no events at the moment. */
  forced?: true;
}

/**
 * Writes events, one delivery for each of their endpoints, and the delivery jobs. Runs in the transaction of the change that
 * the events report, so that neither exists without the other. Deliveries to paused endpoints wait. Ring `webhook_delivery`
 * after the commit. Returns the ids of the deliveries.
 */
export async function recordSubscribed(
  sql: Sql,
  queue: DeliveryQueue,
  subscriptions: readonly EventSubscription<WebhookEvent>[],
  note: DeliveryNote = {},
): Promise<string[]> {
  if (subscriptions.length === 0) return [];
  const recorded = subscriptions.map(({ event, endpointIds }) => ({ row: eventRow(event), endpointIds }));
  const deliveries = recorded.flatMap(({ row, endpointIds }) =>
    endpointIds.map((endpointId) => ({
      id: newId(),
      environment_id: row.environment_id,
      endpoint_id: endpointId,
      event_id: row.id,
      event_type: row.type,
    })),
  );
  const rows = recorded.map(({ row }) => row);
  const paused = await insertEvents(sql, [JSON.stringify(rows), JSON.stringify(deliveries)]);
  const due = deliveries.map(({ id, environment_id, endpoint_id }) => ({
    id,
    environmentId: environment_id,
    endpointId: endpoint_id,
    note: note.forced ? note : null,
  }));
  await enqueueDeliveries(sql, queue, due, note.forced ? [] : paused.map(({ id }) => id));
  return deliveries.map(({ id }) => id);
}

function eventRow(event: WebhookEvent) {
  const id = event.id ?? newId();
  const created_at = new Date(idTime(id)).toISOString();
  const chain = event.chain ?? null;
  return {
    id,
    environment_id: event.environmentId,
    type: event.type,
    notification_id: event.notificationId ?? null,
    chain,
    body: JSON.stringify({ id, type: event.type, created_at, ...(chain && { chain }), data: event.data }),
  };
}

/** For events whose data is already built. See recordSubscribed. */
export async function recordEvents(
  sql: Sql,
  queue: DeliveryQueue,
  events: readonly WebhookEvent[],
): Promise<string[]> {
  return recordSubscribed(sql, queue, await listSubscriptions(sql, events));
}

/** Returns the endpoints that seem to be paused: nothing keeps them from being resumed meanwhile. */
const insertEvents = statement<{ id: string }>(
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

const forgottenTogether = 1_000;

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
    return (await deleteSlice(pool, [after, lowestIdAt(beforeMs), forgottenTogether]))[0]?.last ?? null;
  });
