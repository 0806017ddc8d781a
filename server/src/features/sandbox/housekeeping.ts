import type { Pool } from '../../db/sql.ts';
import { deleteExcess } from './store.ts';

/** What the sandbox keeps of an environment: it is there to be looked at, not an archive. */
export const kept = { days: 30, messages: 100_000 } as const;
const slice = 2_000;

export async function tidySandbox(pool: Pool, now: number, isStopped: () => boolean): Promise<void> {
  // To find out how many there are means to count them: a few times an hour is enough.
  const isTurn = Math.floor(now / 60_000) % 10 === 0;
  const bounds = { since: now - kept.days * 86_400_000, messages: isTurn ? kept.messages : null };
  while (!isStopped() && (await deleteExcess(pool, bounds, slice)) === slice) {}
}
