import { setTimeout as delay } from 'node:timers/promises';

const tries = 5;
const firstDelayMs = 20;

/** The database ended a transaction because of others: a deadlock, or a serialization failure. It is rolled back. */
export function isConflict(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === '40P01' || code === '40001';
}

/** Repeats a transaction that conflicts with others. The delays are random, so that the same transactions do not meet again. */
export async function repeatConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || attempt === tries) throw error;
      await delay(firstDelayMs * 2 ** attempt * Math.random());
    }
  }
}
