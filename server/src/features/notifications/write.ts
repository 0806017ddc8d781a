import { transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { claimIdempotencyKeys, type KeyClaim, releaseIdempotencyKeys } from '../../http/idempotency.ts';
import type { Problem } from '../../kernel/errors.ts';
import { countSends, refuseBeyondPlan } from '../usage/index.ts';
import { rememberAddresses } from '../users/index.ts';
import type { Acceptance } from './accept.ts';
import { insertNotifications } from './store.ts';

/** True: written. False: its Idempotency-Key was seen before. A Problem: it does not fit into the plan. */
export type Written = boolean | Problem;

/**
 * Writes what arrived together in one transaction: the notifications, the work they make necessary, what the plan counts and
 * what was learned about users. The number of statements does not depend on how many there are.
 */
export async function writeAcceptances(
  { pool, queue }: Pick<Deps, 'pool' | 'queue'>,
  acceptances: Acceptance[],
): Promise<Written[]> {
  const { written, refused } = await transaction(pool, async (tx, lastly) => {
    const freshKeys = await claimIdempotencyKeys(
      tx,
      acceptances.flatMap(({ keyClaim }) => keyClaim ?? []),
    );
    const fresh = acceptances.filter(({ row, keyClaim }) => !keyClaim || freshKeys.has(row.id));
    const beyondPlan = await refuseBeyondPlan(
      tx,
      fresh.flatMap(({ meter }) => meter ?? []),
    );
    // A refused request must not burn its key.
    await releaseIdempotencyKeys(
      tx,
      fresh.flatMap(({ row, keyClaim }) => (keyClaim && beyondPlan.has(row.id) ? keyClaim : [])),
    );
    const taken = fresh.filter(({ row }) => !beyondPlan.has(row.id));
    if (taken.length > 0) {
      const work = taken.map(({ row }) => ({
        kind: 'notification' as const,
        id: row.id,
        lane: row.priority,
        environmentId: row.environment_id,
        runAt: row.send_at,
      }));
      lastly(insertNotifications(tx, taken));
      lastly(
        rememberAddresses(
          tx,
          taken.flatMap(({ pair }) => pair ?? []),
        ),
      );
      // The counters and the turns of the queue are rows that batches share: they are locked last.
      lastly(
        countSends(
          tx,
          taken.flatMap(({ meter }) => meter ?? []),
        ),
      );
      lastly(
        queue.postpone(
          tx,
          work.flatMap((item) => (item.runAt ? { ...item, runAt: item.runAt } : [])),
        ),
      );
      lastly(
        queue.enqueue(
          tx,
          work.filter(({ runAt }) => !runAt),
        ),
      );
    }
    return {
      written: new Set(taken.map(({ row }) => row.id)),
      refused: byKey(fresh, beyondPlan),
    };
  });
  queue.ring('notification');
  return acceptances.map(
    ({ row, keyClaim }) => written.has(row.id) || refused.get(nameOf(row.id, keyClaim)) || false,
  );
}

/** Requests with the same key share the verdict on the first of them. */
function byKey(acceptances: Acceptance[], problems: Map<string, Problem>): Map<string, Problem> {
  return new Map(
    acceptances.flatMap(({ row, keyClaim }) => {
      const problem = problems.get(row.id);
      return problem ? [[nameOf(row.id, keyClaim), problem]] : [];
    }),
  );
}

function nameOf(id: string, claim: KeyClaim | null): string {
  return claim ? `${claim.environmentId} ${claim.operation} ${claim.key}` : id;
}
