import { type Sql, transaction, untilDatabaseAnswers } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { newId } from '../../kernel/ids.ts';
import type { Claim, Job, Queue } from '../../queue/index.ts';
import { lockPaused } from './endpoints-store.ts';
import { pausedName } from './paused.ts';

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

/** Releases a slice, oldest first, together with the job for the next one, until nothing waits or the endpoint is paused again. */
export function createResumeJob({
  pool,
  queue,
  clock,
}: Pick<Deps, 'pool' | 'queue' | 'clock'>): Job<ResumeNote> {
  function releaseSlice(claim: Claim, { endpointId }: ResumeNote): Promise<number> {
    const { kind, id, lane, environmentId, note } = claim;
    return transaction(pool, async (tx) => {
      if ((await queue.finish(tx, 'webhook_resume', [id])).length === 0) return 0;
      if ((await lockPaused(tx, [endpointId])).size > 0) return 0;
      const before = new Date(clock() + clockSkewMs);
      const name = pausedName(endpointId);
      const wait = { environmentId, name, before };
      const released = await queue.releaseWaiting(tx, 'webhook_delivery', wait, sliceSize, {});
      // A slice skips what another transaction has locked: deliveries may be left even when it released none.
      const left = await queue.listWaitingFor(tx, 'webhook_delivery', { environmentId, names: [name] }, 1);
      if (left.length > 0) {
        const runAt = new Date(clock() + pauseMs);
        const next = { name: resumeName(endpointId), since: runAt };
        await queue.postpone(tx, [{ kind, id, lane, environmentId, note, runAt, wait: next }]);
      }
      return released;
    });
  }

  return {
    batch: 10,
    capacity: 20,
    load: async (claims) => new Map(claims.map((claim) => [claim.id, claim.note as ResumeNote])),
    async run(claim, note) {
      if (!note) return;
      const released = await untilDatabaseAnswers(() => releaseSlice(claim, note));
      if (released > 0) queue.ring('webhook_delivery');
    },
  };
}
