import type { Channel } from '../../../channels/contract.ts';
import type { Sql } from '../../../db/sql.ts';
import type { Queue, WorkKind } from '../../../queue/index.ts';
import {
  announce,
  cancelNotifications,
  deleteAttachmentBytes,
  eventEntry,
  type StoredTraceEntry,
} from '../../notifications/notifications/index.ts';
import { wakeRunsOf } from '../../workflows/runs/index.ts';

interface CancelledSlice {
  cancelled: { id: string; channel: Channel }[];
  /** Kinds of work to ring after the commit. */
  rings: WorkKind[];
}

/** Cancels those of the notifications that no worker is sending. */
export async function cancelSlice(
  tx: Sql,
  queue: Queue,
  environmentId: string,
  ids: string[],
  now: number,
): Promise<CancelledSlice> {
  // Without its work no worker can claim the notification before the commit.
  const withdrawn = await queue.withdrawMany(tx, 'notification', ids);
  const detail = 'Cancelled by a bulk action.';
  const event = eventEntry('Suppressed', now, detail, 'cancelled');
  const entry: StoredTraceEntry = {
    at: event.occurred_at,
    kind: 'decision',
    name: 'bulk_cancel',
    verdict: 'suppress',
    detail,
  };
  const cancelled = await cancelNotifications(tx, environmentId, withdrawn, [event], [entry]);
  await deleteAttachmentBytes(
    tx,
    cancelled.filter((row) => row.has_attachments).map(({ id }) => id),
  );
  const hasWokenRuns = await wakeRunsOf(
    tx,
    queue,
    cancelled.map(({ id }) => ({ id, status: 'suppressed' as const })),
  );
  const isAnnounced = await announce(
    tx,
    queue,
    cancelled.map(({ id, channel }) => ({ id, environmentId, channel, events: [event] })),
  );
  const rings: WorkKind[] = [];
  if (isAnnounced) rings.push('webhook_delivery');
  if (hasWokenRuns) rings.push('run');
  return { cancelled, rings };
}
