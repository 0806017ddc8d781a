import { deleteInSlices, inSlices } from '../../../db/slices.ts';
import { statement } from '../../../db/sql.ts';
import { lowestIdAt } from '../../../kernel/ids.ts';
import { deleteExpiredThrottles } from './throttles.ts';
import { deleteEventsBefore, lookbackDays, spareDays } from './waits-store.ts';

const keptMs = (lookbackDays + spareDays) * 86_400_000;

/** Deletes events that no run can wait for any more, and expired throttles. */
export const tidyRuns = deleteInSlices(
  5_000,
  ({ pool, clock }, limit) => deleteEventsBefore(pool, lowestIdAt(clock() - keptMs), limit),
  ({ pool }, limit) => deleteExpiredThrottles(pool, limit),
);

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
export const forgetRuns = (beforeMs: number) =>
  inSlices(async ({ pool }, after) => {
    const bounds = [after, lowestIdAt(beforeMs), new Date(beforeMs), sliceSize];
    return (await deleteSlice(pool, bounds))[0]?.last ?? null;
  });
