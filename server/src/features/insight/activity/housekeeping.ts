import type { Pool } from '../../../db/sql.ts';
import { deleteActivityBefore, deleteCallsBefore, deleteTriggersBefore } from './store.ts';

const hourMs = 3_600_000;
/** The retention equals the longest window that reads each kind of row. */
const kept = {
  60: 6 * hourMs,
  600: 7 * 24 * hourMs,
  calls: 7 * 24 * hourMs,
  triggers: 8 * 24 * hourMs,
} as const;
const slice = 5_000;

export async function tidyActivity(pool: Pool, now: number, isStopped: () => boolean): Promise<void> {
  const before = (age: number): Date => new Date(now - age);
  while (!isStopped() && (await deleteActivityBefore(pool, 60, before(kept[60]), slice)) === slice) {}
  while (!isStopped() && (await deleteActivityBefore(pool, 600, before(kept[600]), slice)) === slice) {}
  while (!isStopped() && (await deleteCallsBefore(pool, before(kept.calls), slice)) === slice) {}
  while (!isStopped() && (await deleteTriggersBefore(pool, before(kept.triggers), slice)) === slice) {}
}
