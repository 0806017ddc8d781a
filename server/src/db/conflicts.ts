import { setTimeout as delay } from 'node:timers/promises';

const tries = 5;
const firstDelayMs = 20;

/** The fields of an error of the server that say what it is; its text may be in any language. */
const fieldsOf = (error: unknown) => (error ?? {}) as { code?: unknown; routine?: unknown };

/**
 * The database ended a transaction because of others: a deadlock, a serialization failure, or a migration. It is rolled back.
 */
export function isConflict(error: unknown): boolean {
  const { code } = fieldsOf(error);
  return code === '40P01' || code === '40001' || isStalePlan(error);
}

/** A migration changed what a statement returns that this connection has prepared: it fails there from now on. */
export function isStalePlan(error: unknown): boolean {
  const { code, routine } = fieldsOf(error);
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/**
 * Repeats a transaction that conflicts with others. The delays are random, so that the same transactions do not meet again.
 * After a stale plan the statements are sent without their names, hence planned anew: behind a pooler, another connection may
 * lead to the same session.
 */
export async function repeatConflicts<Result>(work: (unnamed: boolean) => Promise<Result>): Promise<Result> {
  let unnamed = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(unnamed);
    } catch (error) {
      if (!isConflict(error) || attempt === tries) throw error;
      unnamed ||= isStalePlan(error);
      await delay(firstDelayMs * 2 ** attempt * Math.random());
    }
  }
}
