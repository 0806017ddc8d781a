import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Problem } from '../../../kernel/errors.ts';
import { hasLimit, lockPlans, refuseBeyondPlan } from '../../control/usage/index.ts';
import { listKnownKeys, nameOfKey } from '../../platform/idempotency/index.ts';
import type { Acceptance } from './accept.ts';
import { createInsert, insertAcceptances, insertLargeContent } from './insert.ts';

/** True when written, false when the Idempotency-Key was seen before, a Problem when the plan has no room for it. */
export type WrittenNotification = boolean | Problem;

/**
 * Writes a batch: the notifications, their jobs, the usage of the plan and new addresses of users. All of it or nothing, and
 * the number of statements does not depend on the size of the batch.
 */
export function createWrite({
  pool,
  queue,
}: Pick<Deps, 'pool' | 'queue'>): (acceptances: Acceptance[]) => Promise<WrittenNotification[]> {
  const insert = createInsert(queue);

  return async (acceptances) => {
    const firsts = firstOfSameKey(acceptances);
    const { refused, left } = await write(firsts === acceptances ? acceptances : [...new Set(firsts)]);
    queue.ring('notification');
    if (firsts === acceptances && refused.size + left.size === 0) return acceptances.map(() => true);
    return firsts.map((first, index) => {
      const { id } = first.row;
      return refused.get(id) ?? (first === acceptances[index] && !left.has(id));
    });
  };

  async function write(acceptances: Acceptance[]): Promise<Result> {
    const limited = acceptances.filter(({ meter }) => meter && hasLimit(meter));
    const hasLargeContent = acceptances.some(({ bytes, uploaded }) => bytes.length > 0 || uploaded);
    if (limited.length === 0 && !hasLargeContent)
      return { refused: new Map(), left: await insert(pool, acceptances) };

    return transaction(pool, async (tx) => {
      const refused = await refuse(tx, limited);
      const taken = acceptances.filter(({ row }) => !refused.has(row.id));
      const left = await insertAcceptances(tx, queue, taken);
      await insertLargeContent(
        tx,
        taken.filter(({ row }) => !left.has(row.id)),
      );
      return { refused, left };
    });
  }
}

interface Result {
  refused: Map<string, Problem>;
  /** Notifications that were skipped because of their Idempotency-Key. */
  left: Set<string>;
}

/** A replay gets its first answer even when the plan is used up, so the keys are checked under the lock. */
async function refuse(tx: Sql, limited: Acceptance[]): Promise<Map<string, Problem>> {
  if (limited.length === 0) return new Map();
  await lockPlans(
    tx,
    limited.flatMap(({ meter }) => meter ?? []),
  );
  const known = await listKnownKeys(
    tx,
    limited.flatMap(({ keyClaim }) => keyClaim ?? []),
  );
  return refuseBeyondPlan(
    tx,
    limited.flatMap(({ meter, keyClaim }) =>
      meter && !(keyClaim && known.has(nameOfKey(keyClaim))) ? meter : [],
    ),
  );
}

/** Maps each acceptance to the first one with the same key, whose outcome it shares. */
function firstOfSameKey(acceptances: Acceptance[]): Acceptance[] {
  const keys = new Set(acceptances.map(({ row, keyClaim }) => keyClaim?.key ?? row.id));
  if (keys.size === acceptances.length) return acceptances; // nearly always the case, and cheap to check

  const firsts = new Map<string, Acceptance>();
  return acceptances.map((acceptance) => {
    const name = acceptance.keyClaim ? nameOfKey(acceptance.keyClaim) : acceptance.row.id;
    const first = firsts.get(name) ?? acceptance;
    firsts.set(name, first);
    return first;
  });
}
