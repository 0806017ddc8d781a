import { deleteInSlices } from '../../../db/slices.ts';
import type { Deps } from '../../../deps.ts';
import { quotaOf } from '../../control/usage/index.ts';
import { deleteExcess } from './store.ts';

/** Retention of sandbox messages per environment: they are for inspection, not an archive. */
export const kept = { days: 30, messages: 100_000, bytes: 1_073_741_824 } as const;

/** At most half of the quota: sandbox messages must not cause sends to be refused. */
function keptBytes(config: Deps['config']): number {
  const quota = quotaOf(config, { environmentKind: 'test', plan: 'free' });
  return Math.min(kept.bytes, (quota ?? Infinity) / 2);
}

export async function tidySandbox(
  deps: Pick<Deps, 'pool' | 'clock' | 'config'>,
  isStopped: () => boolean,
): Promise<void> {
  const now = deps.clock();
  // Finding the excess requires a count: a few times an hour is enough.
  const isDue = Math.floor(now / 60_000) % 10 === 0;
  const bounds = {
    since: now - kept.days * 86_400_000,
    most: isDue ? { messages: kept.messages, bytes: keptBytes(deps.config) } : null,
  };
  await deleteInSlices(2_000, ({ pool }, limit) => deleteExcess(pool, bounds, limit))(deps, isStopped);
}
