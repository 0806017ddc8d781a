import type { Sql } from '../../db/sql.ts';
import { deleteEventsBefore } from './events-store.ts';
import { deleteRetiredKeys } from './keys-store.ts';
import { deleteExpiredTickets } from './tickets-store.ts';

/** The maximum age of an event that a stream can resume from. */
const replayMs = 3_600_000;
const slice = 5_000;

/** Deletes events too old to resume from, and expired tickets and keys. */
export async function tidyInbox(sql: Sql, nowMs: number, isStopped: () => boolean): Promise<void> {
  const oldest = new Date(nowMs - replayMs);
  while (!isStopped() && (await deleteEventsBefore(sql, oldest, slice)) === slice) {}
  await deleteExpiredTickets(sql, new Date(nowMs));
  await deleteRetiredKeys(sql, new Date(nowMs));
}
