import { type Sql, statement } from '../../db/sql.ts';
import type { Queue } from '../../queue/index.ts';
import type { Eraser } from '../users/index.ts';
import { endedStatuses } from './schema.ts';
import { lockRuns, markCancelling } from './store.ts';
import { deleteWaits, lockWaits } from './waits-store.ts';

const sliceSize = 250;
const firstId = '00000000-0000-0000-0000-000000000000';

const listOf = statement<{ id: string }>(
  'runs_list_of_person',
  `select id from runs
   where environment_id = $1 and external_user_id = $2 and id < $3 and id > $4 order by id limit $5`,
);

/** What happened, and when, stays; what was said goes. */
const redact = statement(
  'runs_redact',
  `with steps as (update run_steps set output = null where run_id = any ($1::uuid[]) and output is not null),
   items as (update digest_items set item = '{}' where source_run_id = any ($1::uuid[]))
   update runs set trigger_data = '{}', external_user_id = null, failure_reason = null where id = any ($1::uuid[])`,
);

/** Runs of the person that have not ended are cancelled; what is left of them is erased in a later round. */
export function runEraser(queue: Pick<Queue, 'hasten'>): Eraser {
  async function cancelAll(tx: Sql, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    await markCancelling(tx, ids);
    await lockWaits(tx, ids);
    await deleteWaits(tx, ids);
    await queue.hasten(tx, 'run', ids);
  }

  return {
    async erase(tx, person, after) {
      const rows = await listOf(tx, [
        person.environmentId,
        person.externalUserId,
        person.before,
        after ?? firstId,
        sliceSize,
      ]);
      const ids = rows.map(({ id }) => id);
      const statuses = await lockRuns(tx, ids);
      const live = ids.filter((id) => !endedStatuses.has(statuses.get(id) ?? 'cancelled'));
      await cancelAll(tx, live);
      await redact(tx, [ids.filter((id) => !live.includes(id))]);
      return { next: rows.length === sliceSize ? (ids.at(-1) ?? null) : null, skipped: live.length > 0 };
    },
  };
}
