import type { Sql } from '../../db/sql.ts';
import { idTime } from '../../kernel/ids.ts';
import type { PostponedWork, Queue } from '../../queue/index.ts';
import { lockPaused } from './endpoints-store.ts';

/** The part of the queue that recording events uses. */
export type DeliveryQueue = Pick<Queue, 'enqueue' | 'postpone'>;

/** What the jobs of deliveries wait for in the queue while their endpoint is paused. */
export const pausedPrefix = 'paused:';
export const pausedName = (endpointId: string): string => `${pausedPrefix}${endpointId}`;

/** A delivery that is to be attempted now, unless its endpoint is paused. */
interface DueDelivery {
  id: string;
  environmentId: string;
  endpointId: string;
  note?: unknown;
}

/** A job that waits for so long looks again: whether the delivery still exists, and whether its endpoint is still paused. */
const lookAgainMs = 30 * 86_400_000;

/**
 * Enqueues deliveries. Those of paused endpoints wait, oldest first, in the bulk lane: when the endpoint is resumed they delay
 * neither new events nor other endpoints. The endpoints are locked, so that a resume sees all deliveries that wait.
 * `pausedIds` are those that may be paused. Returns the ids of the deliveries that wait.
 */
export async function enqueueDeliveries(
  tx: Sql,
  queue: DeliveryQueue,
  deliveries: readonly DueDelivery[],
  pausedIds: string[],
): Promise<string[]> {
  const paused = await lockPaused(tx, pausedIds);
  const waiting = deliveries.filter(({ endpointId }) => paused.has(endpointId));
  await queue.postpone(tx, waiting.map(waitForResume));
  await queue.enqueue(
    tx,
    deliveries
      .filter(({ endpointId }) => !paused.has(endpointId))
      .map(({ endpointId: _, ...delivery }) => ({ kind: 'webhook_delivery', lane: 'normal', ...delivery })),
  );
  return waiting.map(({ id }) => id);
}

function waitForResume({ id, environmentId, endpointId }: DueDelivery): PostponedWork {
  return {
    kind: 'webhook_delivery',
    id,
    lane: 'bulk',
    environmentId,
    runAt: new Date(Date.now() + lookAgainMs),
    wait: { name: pausedName(endpointId), since: new Date(idTime(id)) },
  };
}
