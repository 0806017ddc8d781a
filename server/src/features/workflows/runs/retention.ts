import { inSlices } from '../../../db/slices.ts';
import { type Pool, statement } from '../../../db/sql.ts';
import { lowestIdAt } from '../../../kernel/ids.ts';

const sliceSize = 500;

/** Runs that have not ended are skipped. */
const deleteSlice = statement<{ last: string | null }>(
  'runs_forget',
  `with old as (
     select id from runs where id > $1 and id < $2 and completed_at < $3 order by id limit $4
   ), steps as (
     delete from run_steps where run_id in (select id from old)
   ), items as (
     delete from digest_items where run_id in (select id from old)
   ), gone as (
     delete from runs where id in (select id from old)
   )
   select max(id::text) as last from old`,
);

/** Deletes the runs that ended before the given time, with their steps. */
export function forgetRuns(pool: Pool, beforeMs: number, isStopped: () => boolean): Promise<void> {
  return inSlices(isStopped, async (after) => {
    const bounds = [after, lowestIdAt(beforeMs), new Date(beforeMs), sliceSize];
    return (await deleteSlice(pool, bounds))[0]?.last ?? null;
  });
}
