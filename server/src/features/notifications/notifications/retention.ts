import { inSlices } from '../../../db/slices.ts';
import { statement, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { lowestIdAt } from '../../../kernel/ids.ts';
import { eraseInboxItems, inboxTopic } from '../../inbox/index.ts';
import { deleteWholly, type WakeRuns } from './eraser.ts';

const sliceSize = 500;

/** The age of a scheduled notification counts from its send time. Rows that another process deletes or changes are skipped. */
const lockEnded = statement<{ id: string; environment_id: string; channel: string }>(
  'notifications_lock_ended',
  `select id, environment_id, channel from notifications
   where id > $1 and id < $2 and status <> 'queued' and coalesce(send_at < $3, true)
   order by id limit $4
   for update skip locked`,
);

/**
 * Deletes, as DELETE does, notifications that were accepted or due before then and have left the queue. Each slice is one
 * transaction, regardless of how many environments its notifications belong to: one transaction per environment removed 139
 * rows/s when 1,000 environments shared a slice and a commit took 5 ms.
 */
export const forgetNotifications = (beforeMs: number, wakeRuns: WakeRuns) =>
  inSlices(async ({ pool, queue, doorbell }: Pick<Deps, 'pool' | 'queue' | 'doorbell'>, after) => {
    const { last, woken, owners } = await transaction(pool, async (tx) => {
      const rows = await lockEnded(tx, [after, lowestIdAt(beforeMs), new Date(beforeMs), sliceSize]);
      const ended = rows.map(({ id, environment_id, channel }) => ({
        environmentId: environment_id,
        id,
        channel,
      }));
      return {
        last: ended.at(-1)?.id ?? null,
        woken: ended.length > 0 && (await deleteWholly(tx, queue, wakeRuns, ended)),
        owners: await eraseInboxItems(
          tx,
          ended.filter(({ channel }) => channel === 'in_app'),
        ),
      };
    });
    if (woken) queue.ring('run');
    for (const topic of new Set(owners.map(inboxTopic))) doorbell.ring(topic);
    return last;
  });
