import { type Sql, transaction, untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Claim, Job } from '../../../queue/index.ts';
import { recordEvents } from '../../webhooks/index.ts';
import { listFreezes } from './freezes-store.ts';
import { frozenChannel, waitName } from './hold.ts';
import { lockRelease, type ReleaseRow, updateRelease } from './releases-store.ts';
import { releaseView } from './view.ts';

/** Whether the freeze that a release followed has begun again. */
async function isFrozen(tx: Sql, environmentId: string, hold: string): Promise<boolean> {
  const freezes = await listFreezes(tx, [environmentId]);
  return freezes.some(({ channel }) => channel === frozenChannel(hold));
}

/** The state of a release in the queue. */
interface ReleaseNote {
  /** Later passes find what was in flight when the environment was unfrozen. */
  pass?: number;
}

/** Slices with a second between them: a backlog comes back as a stream that leaves room for new work. */
const sliceSize = 500;
const pauseMs = 1_000;
/** By then other processes know that the freeze is over, and what they were holding meanwhile is held. */
const laterPassesMs = [5_000, 180_000];

/**
 * Carries out a release. A slice is one transaction, with the progress and the work for the next slice: a kill at any moment repeats
 * nothing and loses nothing. The row of the release is locked, so that a cancellation takes effect between two slices.
 */
export function createReleaseJob({ pool, queue }: Pick<Deps, 'pool' | 'queue'>): Job<ReleaseNote> {
  function releaseSlice(
    claim: Claim,
    { pass = 0 }: ReleaseNote,
  ): Promise<{ released: number; isReported: boolean }> {
    return transaction(pool, async (tx) => {
      const nothing = { released: 0, isReported: false };
      if ((await queue.finish(tx, 'brake_release', [claim.id])).length === 0) return nothing;
      const release = await lockRelease(tx, claim.id);
      if (!release || release.status === 'cancelled') return nothing;
      const { environment_id: environmentId, hold, action } = release;
      const isUnfreeze = frozenChannel(hold) !== null && action === 'release';
      if (isUnfreeze && (await isFrozen(tx, environmentId, hold))) {
        if (release.status === 'running') await updateRelease(tx, { ...release, status: 'cancelled' });
        return nothing;
      }
      const limit = pass > 0 ? sliceSize : Math.min(sliceSize, release.total - release.done);
      const before = isUnfreeze ? claim.leasedAt : release.held_before;
      const wait = { environmentId, name: waitName(hold), before };
      const released =
        limit <= 0 ? 0 : await queue.releaseWaiting(tx, 'notification', wait, limit, { decided: action });
      const hasMore = released === limit && (pass > 0 || release.done + released < release.total);
      const done = release.done + released;
      const next: ReleaseRow = {
        ...release,
        done,
        // What was counted and is gone by now was sent, deleted or released by another decision.
        total: hasMore ? Math.max(release.total, done) : done,
        status: hasMore && pass === 0 ? 'running' : 'done',
      };
      await updateRelease(tx, next);
      const nextPass = hasMore ? pass : pass + 1;
      const delayMs = hasMore ? pauseMs : isUnfreeze ? laterPassesMs[pass] : undefined;
      if (delayMs !== undefined) {
        const runAt = new Date(claim.leasedAt.getTime() + delayMs);
        await queue.postpone(tx, [{ ...claim, note: { pass: nextPass }, runAt }]);
      }
      const isCompleted = release.status === 'running' && next.status === 'done';
      if (!isCompleted) return { released, isReported: false };
      const data = {
        environment_id: environmentId,
        ...releaseView({ ...next, completed_at: claim.leasedAt }),
      };
      const reported = await recordEvents(tx, queue, [{ environmentId, type: 'brake.released', data }]);
      return { released, isReported: reported.length > 0 };
    });
  }

  return {
    batch: 10,
    capacity: 20,
    load: async (claims) => new Map(claims.map((claim) => [claim.id, (claim.note ?? {}) as ReleaseNote])),
    async run(claim, note) {
      const { released, isReported } = await untilDatabaseAnswers(() => releaseSlice(claim, note ?? {}));
      if (released > 0) queue.ring('notification');
      if (isReported) queue.ring('webhook_delivery');
    },
  };
}
