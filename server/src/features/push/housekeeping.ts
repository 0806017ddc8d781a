import type { Sql } from '../../db/sql.ts';
import { deleteExpiredPresences } from './store.ts';

const slice = 5_000;

/** Forgets pages that are no longer visible. */
export async function tidyPresences(sql: Sql, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && (await deleteExpiredPresences(sql, slice)) === slice) {}
}
