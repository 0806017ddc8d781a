import type { Pool } from '../../../db/sql.ts';
import { lowestIdAt } from '../../../kernel/ids.ts';
import { deleteExpiredThrottles } from './throttles.ts';
import { deleteEventsBefore, lookbackDays, spareDays } from './waits-store.ts';

const slice = 5_000;

export async function tidyRuns(pool: Pool, now: number, isStopped: () => boolean): Promise<void> {
  const lowest = lowestIdAt(now - (lookbackDays + spareDays) * 86_400_000);
  while (!isStopped() && (await deleteEventsBefore(pool, lowest, slice)) === slice) {}
  while (!isStopped() && (await deleteExpiredThrottles(pool, slice)) === slice) {}
}
