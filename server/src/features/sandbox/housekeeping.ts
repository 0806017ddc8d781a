import type { Deps } from '../../deps.ts';
import { quotaOf } from '../usage/index.ts';
import { deleteExcess } from './store.ts';

/** What the sandbox keeps of an environment: it is there to be looked at, not an archive. */
export const kept = { days: 30, messages: 100_000, bytes: 1_073_741_824 } as const;
const slice = 2_000;

/** At most half of the quota: what is only there to be looked at must not keep sends out. */
function keptBytes(config: Deps['config']): number {
  const quota = quotaOf(config, { environmentKind: 'test', plan: 'free' });
  return Math.min(kept.bytes, (quota ?? Infinity) / 2);
}

export async function tidySandbox(
  { pool, clock, config }: Pick<Deps, 'pool' | 'clock' | 'config'>,
  isStopped: () => boolean,
): Promise<void> {
  const now = clock();
  // To find out how many there are means to count them: a few times an hour is enough.
  const isTurn = Math.floor(now / 60_000) % 10 === 0;
  const bounds = {
    since: now - kept.days * 86_400_000,
    most: isTurn ? { messages: kept.messages, bytes: keptBytes(config) } : null,
  };
  while (!isStopped() && (await deleteExcess(pool, bounds, slice)) === slice) {}
}
