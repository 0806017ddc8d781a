import type { Sql } from '../../../db/sql.ts';
import { deleteEventsBefore } from './reported-events-store.ts';

/** Longer than the maximum age of a signature (25 hours), so that a replay of a deleted event is refused for its age. */
const keptMs = 3 * 86_400_000;
const slice = 5_000;

export async function tidyCallbacks(sql: Sql, now: number, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && (await deleteEventsBefore(sql, now - keptMs, slice)) === slice) {}
}
