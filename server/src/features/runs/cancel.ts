import { transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import type { Principal } from '../../http/principal.ts';
import { notFound, Problem } from '../../kernel/errors.ts';
import type { Cancellation } from './schema.ts';
import { findRun, lockRuns, markCancelling } from './store.ts';
import { deleteWaits, lockWaits } from './waits-store.ts';

/**
 * Cancelling marks the run, and the next advance ends it; an advance in progress finds the mark before it writes. A marked run
 * is not woken by events. Cancelling twice has the effect of cancelling once.
 */
export async function cancelRun(
  { pool, queue }: Pick<Deps, 'pool' | 'queue'>,
  { environmentId }: Principal,
  runId: string,
): Promise<Cancellation['status']> {
  const status = await transaction(pool, async (tx): Promise<Cancellation['status']> => {
    if (!(await findRun(tx, environmentId, runId))) throw notFound('run');
    const current = (await lockRuns(tx, [runId])).get(runId);
    switch (current) {
      case undefined:
        throw notFound('run');
      case 'cancelled':
      case 'cancelling':
        return current;
      case 'completed':
      case 'failed':
        throw new Problem('run_not_cancellable', `The run has already ${current}.`);
      default:
        await markCancelling(tx, [runId]);
        await lockWaits(tx, [runId]);
        await deleteWaits(tx, [runId]);
        await queue.runNow(tx, 'run', [runId]);
        return 'cancelling';
    }
  });
  if (status === 'cancelling') queue.ring('run');
  return status;
}
