import { type Sql, statement } from '../../../db/sql.ts';
import type { Queue } from '../../../queue/index.ts';
import { type Eraser, isAliasSql, personSliceSql, readPersonSlice } from '../../people/users/index.ts';
import { endedStatuses } from './schema.ts';
import { lockRuns, markCancelling } from './store.ts';
import { deleteWaits, lockWaits } from './waits-store.ts';

/**
 * Lists the runs that name the user, and those that name no user but one of the user's addresses. Only email addresses are
 * compared without regard to case.
 */
const listOf = statement<{ id: string }>(
  'runs_list_of_person',
  `${personSliceSql(
    'runs',
    `(position('@' in address) > 0 or address = any ($3::text[]))
         and (external_user_id is null or ${isAliasSql('external_user_id', '$4')})`,
  )}
   select id from slice order by id`,
);

/** Redaction keeps steps, outcomes and times, and removes the content. */
const redact = statement(
  'runs_redact',
  `with steps as (update run_steps set output = null where run_id = any ($1::uuid[]) and output is not null),
   items as (update digest_items set item = '{}' where source_run_id = any ($1::uuid[]))
   update runs set trigger_data = '{}', external_user_id = null, address = null, failure_reason = null
   where id = any ($1::uuid[])`,
);

/** Runs of the person that have not ended are cancelled; their remains are erased in a later round. */
export function runEraser(queue: Pick<Queue, 'runNow'>): Eraser {
  async function cancelAll(tx: Sql, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    await markCancelling(tx, ids);
    await lockWaits(tx, ids);
    await deleteWaits(tx, ids);
    await queue.runNow(tx, 'run', ids);
  }

  return {
    async erase(tx, person, after) {
      const { rows, next } = await readPersonSlice(tx, listOf, person, after);
      const ids = rows.map(({ id }) => id);
      const statuses = await lockRuns(tx, ids);
      const live = ids.filter((id) => !endedStatuses.has(statuses.get(id) ?? 'cancelled'));
      await cancelAll(tx, live);
      await redact(tx, [ids.filter((id) => !live.includes(id))]);
      return { next, skipped: live.length > 0 };
    },
  };
}
