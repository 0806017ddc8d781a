import { deleteInSlices } from '../../../db/slices.ts';
import { transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { addChanges, listChangedBroadcasts, takeChanges } from './counts-store.ts';
import { deleteBroadcastsBefore, lockBroadcast, updateBroadcast } from './store.ts';

const slice = 100;
const changesAtOnce = 50_000;

/** Adds up changes of broadcasts that have ended: a delivery or a bounce may be reported days later. */
export async function tidyBroadcasts({ pool }: Pick<Deps, 'pool'>, isStopped: () => boolean): Promise<void> {
  for (const { id, environment_id } of await listChangedBroadcasts(pool, slice)) {
    if (isStopped()) return;
    await transaction(pool, async (tx) => {
      const row = await lockBroadcast(tx, environment_id, id);
      if (!row) return;
      const changes = await takeChanges(tx, id, changesAtOnce);
      await updateBroadcast(tx, { ...row, counts: addChanges(row.counts, changes) });
    });
  }
}

/** Deletes broadcasts that ended before the retention period, as their notifications are. */
export const forgetBroadcasts = (beforeMs: number) =>
  deleteInSlices(slice, ({ pool }, limit) => deleteBroadcastsBefore(pool, new Date(beforeMs), limit));
