import type { Sql } from '../../db/sql.ts';
import { idTime, newId } from '../../kernel/ids.ts';
import { listListeners } from './endpoints-store.ts';
import { insertEvents } from './events-store.ts';
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
  const rows = subscriptions.map(({ event }) => eventRow(event));
  const deliveries = subscriptions.flatMap(({ event, endpointIds }, index) =>
    endpointIds.map((endpointId) => ({
      id: newId(),
      environment_id: event.environmentId,
      endpoint_id: endpointId,
      event_id: rows[index]?.id ?? '',
      event_type: event.type,
    })),
  );
  const pausedIds = await insertEvents(sql, rows, deliveries);
  const due = deliveries.map(({ id, environment_id, endpoint_id }) => ({
    id,
    environmentId: environment_id,
    endpointId: endpoint_id,
    note: note.forced ? note : null,
  }));
  await enqueueDeliveries(sql, queue, due, note.forced ? [] : pausedIds);
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
