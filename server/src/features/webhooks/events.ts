import type { Sql } from '../../db/sql.ts';
import { idTime, newId } from '../../kernel/ids.ts';
import type { Queue } from '../../queue/index.ts';
import { listListeners } from './endpoints-store.ts';
import { insertEvents } from './events-store.ts';

/** Something that happened, which the environment's endpoints may want to know. */
export interface EventIntent {
  environmentId: string;
  /** Dotted lower-case: `notification.sent`. */
  type: string;
}

export interface WebhookEvent extends EventIntent {
  /** A UUIDv7 of its own, where the same event must never be recorded twice; a new one unless told. */
  id?: string;
  notificationId?: string;
  data: object;
}

/** A happening and the endpoints that listen to it: at least one. */
export interface EventSubscription<Event extends EventIntent> {
  event: Event;
  endpointIds: string[];
}

/**
 * Which of these anybody listens to. One indexed statement, so that the many environments without endpoints pay next to
 * nothing; what an event says is put together only for those that are heard.
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

/** The delivery's own memory on the queue. */
export interface DeliveryNote {
  /** Somebody asked for this attempt: it is made although the endpoint takes no events at the moment. */
  forced?: true;
}

/**
 * Writes events, a delivery of each to each of its endpoints, and the work of delivering them. Takes the transaction of the
 * change that the events tell of, so that neither is ever there without the other. Ring `webhook_delivery` after the commit.
 * Returns the ids of the deliveries.
 */
export async function recordSubscribed(
  sql: Sql,
  queue: Pick<Queue, 'enqueue'>,
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
  await insertEvents(sql, rows, deliveries);
  await queue.enqueue(
    sql,
    deliveries.map(({ id, environment_id }) => ({
      kind: 'webhook_delivery',
      id,
      lane: 'normal',
      environmentId: environment_id,
      note: note.forced ? note : null,
    })),
  );
  return deliveries.map(({ id }) => id);
}

function eventRow(event: WebhookEvent) {
  const id = event.id ?? newId();
  const created_at = new Date(idTime(id)).toISOString();
  return {
    id,
    environment_id: event.environmentId,
    type: event.type,
    notification_id: event.notificationId ?? null,
    body: JSON.stringify({ id, type: event.type, created_at, data: event.data }),
  };
}

/** For events whose data is at hand. See recordHeard. */
export async function recordEvents(
  sql: Sql,
  queue: Pick<Queue, 'enqueue'>,
  events: readonly WebhookEvent[],
): Promise<string[]> {
  return recordSubscribed(sql, queue, await listSubscriptions(sql, events));
}
