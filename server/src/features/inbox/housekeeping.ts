import { deleteInSlices } from '../../db/slices.ts';
import type { Deps } from '../../deps.ts';
import { deleteEventsBefore } from './events-store.ts';
import { deleteRetiredKeys } from './keys-store.ts';
import { deleteExpiredTickets } from './tickets-store.ts';

/** The maximum age of an event that a stream can resume from. */
const replayMs = 3_600_000;

const tidyEvents = deleteInSlices(5_000, ({ pool, clock }, limit) =>
  deleteEventsBefore(pool, new Date(clock() - replayMs), limit),
);

/** Deletes events too old to resume from, and expired tickets and keys. */
export async function tidyInbox(deps: Pick<Deps, 'pool' | 'clock'>, isStopped: () => boolean): Promise<void> {
  await tidyEvents(deps, isStopped);
  const now = new Date(deps.clock());
  await deleteExpiredTickets(deps.pool, now);
  await deleteRetiredKeys(deps.pool, now);
}
