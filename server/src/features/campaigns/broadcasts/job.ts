import type { Sql } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { newId } from '../../../kernel/ids.ts';
import {
  type Claim,
  type Job,
  loadNotes,
  type Queue,
  runSlice,
  type SliceEnd,
} from '../../../queue/index.ts';
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

/** Adds the work for the first slice after a change of the status, in the transaction of the change. */
export async function addFirstSlice(
  tx: Sql,
  queue: Pick<Queue, 'enqueue' | 'postpone'>,
  {
    id: broadcastId,
    environment_id: environmentId,
    epoch,
    starts_at,
    status,
  }: Pick<BroadcastRow, 'id' | 'environment_id' | 'epoch' | 'starts_at' | 'status'>,
): Promise<void> {
  const note: BroadcastNote = { broadcastId, epoch };
  const work = { kind: 'broadcast', id: newId(), lane: 'bulk', environmentId, note } as const;
  if (status === 'scheduled' && starts_at) await queue.postpone(tx, [{ ...work, runAt: starts_at }]);
  else await queue.enqueue(tx, [work]);
}

type JobDeps = Pick<Deps, 'pool' | 'queue' | 'clock' | 'config' | 'metrics' | 'activity' | 'storage'>;

export function createBroadcastJob(deps: JobDeps): Job<BroadcastNote> {
  return {
    batch: 4,
    capacity: 8,
    load: loadNotes,
    async run(claim, note) {
      if (note) await runSlice(deps, claim, (tx) => broadcastSlice(tx, deps, claim, note));
    },
  };
}

async function broadcastSlice(
  tx: Sql,
  deps: JobDeps,
  claim: Claim,
  { broadcastId, epoch, ...progress }: BroadcastNote,
): Promise<SliceEnd | null> {
  const row = await lockBroadcast(tx, claim.environmentId, broadcastId);
  if (!row || row.epoch !== epoch) return null;
  const slice = await nextSlice(tx, deps, row, progress, Math.max(deps.clock(), claim.leasedAt.getTime()));
  if (!slice) return null;
  await updateBroadcast(tx, slice.row);
  const note: BroadcastNote = { ...slice.progress, broadcastId, epoch };
  return { next: slice.next, note, rings: slice.rings ?? [], committed: () => count(deps, slice.created) };
}

function nextSlice(
  tx: Sql,
  { queue, config }: JobDeps,
  row: BroadcastRow,
  progress: SliceProgress,
  now: number,
): Promise<SliceResult | null> | SliceResult | null {
  const slices: Record<BroadcastStatus, () => ReturnType<typeof nextSlice>> = {
    scheduled: () =>
      row.starts_at && row.starts_at.getTime() > now
        ? { row, next: row.starts_at }
        : startSlice(tx, config, row),
    preparing: () => prepareSlice(tx, row, now),
    running: () =>
      row.cursor === null ? settleSlice(queue, tx, row, progress, now) : fanOutSlice(queue, tx, row, now),
    paused: () => null,
    cancelled: () => cancelSlice(queue, tx, row, progress, now),
    done: () => null,
  };
  return slices[row.status]();
}

function count({ metrics, activity, storage }: JobDeps, created: SliceResult['created']): void {
  if (!created) return;
  for (const { environment_id, channel } of created.recipients) {
    metrics.accepted.inc({ channel });
    activity.count(environment_id, channel, 'accepted');
  }
  storage.add(created.sender, () => created.recipients.length * overheadBytes);
}
