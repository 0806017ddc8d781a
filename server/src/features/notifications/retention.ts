import { inSlices } from '../../db/slices.ts';
import { statement, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { lowestIdAt } from '../../kernel/ids.ts';
import { eraseInboxItem, inboxTopic } from '../inbox/index.ts';
import { deleteWholly, type WakeRuns } from './eraser.ts';

const sliceSize = 500;

/** The age of a scheduled notification counts from its send time. */
const listEnded = statement<{ id: string; environment_id: string; channel: string }>(
  'notifications_list_ended',
  `select id, environment_id, channel from notifications
   where id > $1 and id < $2 and status <> 'queued' and coalesce(send_at < $3, true)
   order by id limit $4`,
);

/** Deletes, as DELETE does, notifications that were accepted or due before then and have left the queue. */
export async function forgetNotifications(
  { pool, queue, doorbell }: Pick<Deps, 'pool' | 'queue' | 'doorbell'>,
  wakeRuns: WakeRuns,
  beforeMs: number,
  isStopped: () => boolean,
): Promise<void> {
  const forget = async (environmentId: string, ids: string[], itemId?: string): Promise<void> => {
    const { woken, inbox } = await transaction(pool, async (tx) => ({
      woken: await deleteWholly(tx, queue, wakeRuns, environmentId, ids),
      inbox: itemId ? await eraseInboxItem(tx, environmentId, itemId) : null,
    }));
    if (woken) queue.ring('run');
    if (inbox) doorbell.ring(inboxTopic(inbox));
  };

  return inSlices(isStopped, async (after) => {
    const bounds = [after, lowestIdAt(beforeMs), new Date(beforeMs), sliceSize];
    const rows = await listEnded(pool, bounds);
    const environments = new Map<string, string[]>();
    for (const { id, environment_id, channel } of rows) {
      // Each transaction changes one inbox: two that change several could deadlock.
      if (channel === 'in_app') await forget(environment_id, [id], id);
      else environments.set(environment_id, [...(environments.get(environment_id) ?? []), id]);
    }
    for (const [environmentId, ids] of environments) await forget(environmentId, ids);
    return rows.at(-1)?.id ?? null;
  });
}
