import { type Pool, statement } from '../../db/sql.ts';
import { lowestIdAt } from '../../kernel/ids.ts';

const slice = 500;

/** `last`: where the next slice begins; those that have not ended are passed over. */
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

/** Runs that ended before then, with their steps. */
export async function forgetRuns(pool: Pool, beforeMs: number, isStopped: () => boolean): Promise<void> {
  let last: string | null = lowestIdAt(0);
  while (last !== null && !isStopped()) {
    const [row]: { last: string | null }[] = await deleteSlice(pool, [
      last,
      lowestIdAt(beforeMs),
      new Date(beforeMs),
      slice,
    ]);
    last = row?.last ?? null;
  }
}
