import type { Pool } from '../../db/sql.ts';
import { lowestIdAt } from '../../kernel/ids.ts';
import { deleteRunsBefore } from './store.ts';

const slice = 5_000;
/** The history of a schedule goes back this far. */
const historyDays = 90;

export async function tidySchedules(pool: Pool, now: number, isStopped: () => boolean): Promise<void> {
  const lowest = lowestIdAt(now - historyDays * 86_400_000);
  while (!isStopped() && (await deleteRunsBefore(pool, lowest, slice)) === slice) {}
}
