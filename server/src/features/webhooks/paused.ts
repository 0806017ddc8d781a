import type { Sql } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { idTime, newId } from '../../kernel/ids.ts';
import {
  type Job,
  loadNotes,
  type PostponedWork,
  type Queue,
  runSlice,
  type SliceEnd,
} from '../../queue/index.ts';
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

/** A job that waits for so long checks again whether the delivery still exists, and whether its endpoint is still paused. */
const recheckMs = 30 * 86_400_000;

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

/** A delivery that is released when its endpoint, which the transaction has locked, is resumed. */
export function waitForResume({ id, environmentId, endpointId }: DueDelivery): PostponedWork {
  return {
    kind: 'webhook_delivery',
    id,
    lane: 'bulk',
    environmentId,
    runAt: new Date(Date.now() + recheckMs),
    wait: { name: pausedName(endpointId), since: new Date(idTime(id)) },
  };
}

/** A second between slices: the backlog comes back as a stream that leaves the endpoint time for new events. */
const sliceSize = 500;
const pauseMs = 1_000;
/** All deliveries that wait are released; the clocks of the processes that wrote them may be ahead. */
const clockSkewMs = 3_600_000;

interface ResumeNote {
  endpointId: string;
}

const resumeName = (endpointId: string): string => `resume:${endpointId}`;

/**
 * Begins to release the deliveries that wait because the endpoint is paused. Runs in the transaction that changes the status, while the
 * endpoint is locked. An endpoint that is paused and resumed again and again has one release under way, not many.
 */
export async function startResume(
  tx: Sql,
  queue: Pick<Queue, 'postpone' | 'listWaitingFor'>,
  { id: endpointId, environment_id: environmentId }: { id: string; environment_id: string },
  nowMs: number,
): Promise<void> {
  const wait = { name: resumeName(endpointId), since: new Date(nowMs) };
  const running = await queue.listWaitingFor(tx, 'webhook_resume', { environmentId, names: [wait.name] }, 1);
  if (running.length > 0) return;
  const note: ResumeNote = { endpointId };
  await queue.postpone(tx, [
    { kind: 'webhook_resume', id: newId(), lane: 'normal', environmentId, note, runAt: wait.since, wait },
  ]);
}

/** Releases a slice, oldest first, until nothing waits or the endpoint is paused again. */
async function resumeSlice(
  tx: Sql,
  { queue, clock }: Pick<Deps, 'queue' | 'clock'>,
  environmentId: string,
  endpointId: string,
): Promise<SliceEnd | null> {
  if ((await lockPaused(tx, [endpointId])).size > 0) return null;
  const before = new Date(clock() + clockSkewMs);
  const name = pausedName(endpointId);
  const wait = { environmentId, name, before };
  const released = await queue.releaseWaiting(tx, 'webhook_delivery', wait, sliceSize, {});
  const rings = released > 0 ? (['webhook_delivery'] as const) : [];
  // A slice skips what another transaction has locked: deliveries may be left even when it released none.
  const left = await queue.listWaitingFor(tx, 'webhook_delivery', { environmentId, names: [name] }, 1);
  if (left.length === 0) return { next: null, rings };
  const next = new Date(clock() + pauseMs);
  return { next, wait: { name: resumeName(endpointId), since: next }, rings };
}

export function createResumeJob(deps: Pick<Deps, 'pool' | 'queue' | 'clock'>): Job<ResumeNote> {
  return {
    batch: 10,
    capacity: 20,
    load: loadNotes,
    async run(claim, note) {
      if (note)
        await runSlice(deps, claim, (tx) => resumeSlice(tx, deps, claim.environmentId, note.endpointId));
    },
  };
}
