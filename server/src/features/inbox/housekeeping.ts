import type { Sql } from '../../db/sql.ts';
import { deleteEventsBefore } from './events-store.ts';
import { deleteRetiredKeys } from './keys-store.ts';
import { deleteExpiredTickets } from './tickets-store.ts';

/** How far back a stream can be resumed. */
const replayMs = 3_600_000;
const slice = 5_000;

/** What time alone makes superfluous: events nobody will come back for, tickets and keys past their end. */
export async function tidyInbox(sql: Sql, nowMs: number, isStopped: () => boolean): Promise<void> {
  const oldest = new Date(nowMs - replayMs);
  while (!isStopped() && (await deleteEventsBefore(sql, oldest, slice)) === slice) {}
  await deleteExpiredTickets(sql, new Date(nowMs));
  await deleteRetiredKeys(sql, new Date(nowMs));
}
