import { type Sql, statement } from '../../db/sql.ts';
import { firstId } from '../../kernel/ids.ts';
import type { Queue } from '../../queue/index.ts';
import type { Eraser } from '../users/index.ts';
import { endedStatuses } from './schema.ts';
import { lockRuns, markCancelling } from './store.ts';
import { deleteWaits, lockWaits } from './waits-store.ts';

const sliceSize = 250;

/**
 * Lists the runs that name the user, and those that name no user but one of the user's addresses. Addresses are stored as the
 * trigger spelled them; only email addresses are compared without regard to case.
 */
const listOf = statement<{ id: string }>(
  'runs_list_of_person',
  // Each address is read separately and only up to the end of this slice, as in the eraser of notifications.
  `with named as materialized (
     select id from runs
     where environment_id = $1 and external_user_id = $2 and id < $3 and id > $4 order by id limit $5
   ), addressed as (
     select r.id from (select distinct lower(theirs) as address from unnest($6::text[]) theirs) of_person
     cross join lateral (
       select id from runs
       where environment_id = $1 and lower(address) = of_person.address
         and (position('@' in address) > 0 or address = any ($6::text[]))
         and (external_user_id is null
           or lower(external_user_id) = any (array(select lower(theirs) from unnest($7::text[]) theirs)))
         and id < $3 and id > $4 and id <= coalesce((select id from named order by id offset $5 - 1), $3)
       order by id limit $5) r
   )
   select id from named union select id from addressed order by id limit $5`,
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
      const rows = await listOf(tx, [
        person.environmentId,
        person.externalUserId,
        person.before,
        after ?? firstId,
        sliceSize,
        person.addresses,
        person.aliases,
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
