import { type Sql, transaction, untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Claim, Job, Queue } from '../../../queue/index.ts';
import { overheadBytes } from '../../control/usage/index.ts';
import type { BroadcastStatus } from './schema.ts';
import {
  cancelSlice,
  fanOutSlice,
  prepareSlice,
  type SliceProgress,
  type SliceResult,
  settleSlice,
  startSlice,
} from './slices.ts';
import { type BroadcastRow, lockBroadcast, updateBroadcast } from './store.ts';

/** The broadcast that a work item is about. An item of an earlier epoch was replaced by a pause, a resume or a cancellation. */
interface BroadcastNote extends SliceProgress {
  broadcastId: string;
  epoch: number;
}

/** Adds the work for the next slice, in the transaction that makes it necessary. */
export async function addSlice(
  tx: Sql,
  queue: Pick<Queue, 'enqueue' | 'postpone'>,
  {
    id: broadcastId,
    environment_id: environmentId,
    epoch,
  }: Pick<BroadcastRow, 'id' | 'environment_id' | 'epoch'>,
  at: Date | 'now',
  progress: SliceProgress = {},
): Promise<void> {
  const note: BroadcastNote = { ...progress, broadcastId, epoch };
  const work = { kind: 'broadcast', id: newId(), lane: 'bulk', environmentId, note } as const;
  if (at === 'now') await queue.enqueue(tx, [work]);
  else await queue.postpone(tx, [{ ...work, runAt: at }]);
}

/**
 * The job that carries out broadcasts. One claim is one slice and one transaction: the lease ends, the slice is written, the cursor
 * moves and the work for the next slice is added together. A worker that is killed repeats nothing and loses nothing.
 */
export function createBroadcastJob(
  deps: Pick<Deps, 'pool' | 'queue' | 'clock' | 'config' | 'metrics' | 'activity' | 'storage'>,
): Job<BroadcastNote> {
  const { pool, queue, clock } = deps;

  function runSlice(claim: Claim, note: BroadcastNote): Promise<SliceResult | null> {
    return transaction(pool, async (tx) => {
      if ((await queue.finish(tx, 'broadcast', [claim.id])).length === 0) return null;
      const row = await lockBroadcast(tx, claim.environmentId, note.broadcastId);
      if (!row || row.epoch !== note.epoch) return null;
      const slice = await nextSlice(tx, row, note, Math.max(clock(), claim.leasedAt.getTime()));
      if (!slice) return null;
      await updateBroadcast(tx, slice.row);
      if (slice.next) await addSlice(tx, queue, slice.row, slice.next, slice.progress);
      return slice;
    });
  }

  async function nextSlice(
    tx: Sql,
    row: BroadcastRow,
    note: BroadcastNote,
    now: number,
  ): Promise<SliceResult | null> {
    const slices: Record<BroadcastStatus, () => Promise<SliceResult | null> | SliceResult | null> = {
      scheduled: () =>
        row.starts_at && row.starts_at.getTime() > now
          ? { row, next: row.starts_at }
          : startSlice(tx, deps.config, row),
      preparing: () => prepareSlice(tx, row, now),
      running: () =>
        row.cursor === null ? settleSlice(queue, tx, row, note, now) : fanOutSlice(queue, tx, row, now),
      paused: () => null,
      cancelled: () => cancelSlice(queue, tx, row, note, now),
      done: () => null,
    };
    return slices[row.status]();
  }

  function committed({ next, created, rings = [] }: SliceResult): void {
    for (const { environment_id, channel } of created?.recipients ?? []) {
      deps.metrics.accepted.inc({ channel });
      deps.activity.count(environment_id, channel, 'accepted');
    }
    if (created) deps.storage.add(created.sender, () => created.recipients.length * overheadBytes);
    for (const kind of rings) queue.ring(kind);
    if (next === 'now') queue.ring('broadcast');
  }

  return {
    batch: 4,
    capacity: 8,
    load: async (claims) => new Map(claims.map((claim) => [claim.id, claim.note as BroadcastNote])),
    async run(claim, note) {
      const slice = note && (await untilDatabaseAnswers(() => runSlice(claim, note)));
      if (slice) committed(slice);
    },
  };
}
