import type { Sql } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { type Claim, type Job, loadNotes, runSlice, type SliceEnd } from '../../../queue/index.ts';
import { recordEvents } from '../../webhooks/index.ts';
import { type BrakeNote, frozenChannel, waitName } from './hold.ts';
import { listFreezes, lockRelease, type ReleaseRow, updateRelease } from './store.ts';
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

/** Carries out a part of a release. */
async function releaseSlice(
  tx: Sql,
  queue: Deps['queue'],
  claim: Claim,
  pass: number,
): Promise<SliceEnd | null> {
  const release = await lockRelease(tx, claim.id);
  if (!release || release.status === 'cancelled') return null;
  const { environment_id: environmentId, hold, action } = release;
  const isUnfreeze = frozenChannel(hold) !== null && action === 'release';
  if (isUnfreeze && (await isFrozen(tx, environmentId, hold))) {
    if (release.status === 'running') await updateRelease(tx, { ...release, status: 'cancelled' });
    return null;
  }
  const limit = pass > 0 ? sliceSize : Math.min(sliceSize, release.total - release.done);
  const before = isUnfreeze ? claim.leasedAt : release.held_before;
  const wait = { environmentId, name: waitName(hold), before };
  const note: BrakeNote = { decided: action };
  const released = limit <= 0 ? 0 : await queue.releaseWaiting(tx, 'notification', wait, limit, note);
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
  const isCompleted = release.status === 'running' && next.status === 'done';
  const isReported =
    isCompleted && (await recordReleased(tx, queue, { ...next, completed_at: claim.leasedAt }));
  const delayMs = hasMore ? pauseMs : isUnfreeze ? laterPassesMs[pass] : undefined;
  return {
    next: delayMs === undefined ? null : new Date(claim.leasedAt.getTime() + delayMs),
    note: { pass: hasMore ? pass : pass + 1 },
    rings: [
      ...(released > 0 ? (['notification'] as const) : []),
      ...(isReported ? (['webhook_delivery'] as const) : []),
    ],
  };
}

async function recordReleased(tx: Sql, queue: Deps['queue'], release: ReleaseRow): Promise<boolean> {
  const { environment_id: environmentId } = release;
  const data = { environment_id: environmentId, ...releaseView(release) };
  return (await recordEvents(tx, queue, [{ environmentId, type: 'brake.released', data }])).length > 0;
}

export function createReleaseJob(deps: Pick<Deps, 'pool' | 'queue'>): Job<ReleaseNote | null> {
  return {
    batch: 10,
    capacity: 20,
    load: loadNotes,
    run: (claim, note) => runSlice(deps, claim, (tx) => releaseSlice(tx, deps.queue, claim, note?.pass ?? 0)),
  };
}
