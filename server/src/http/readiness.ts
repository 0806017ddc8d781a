import { pendingMigrations } from '../db/migrate.ts';
import { isDiskFull, query } from '../db/sql.ts';
import type { Deps } from '../deps.ts';

/** A part of this process that must work before the process receives requests. */
export interface Component {
  name: 'process' | 'database' | 'migrations' | 'queue';
  ok: boolean;
  detail: string;
}

export type Readiness = () => Promise<Component[]>;

export const answerWithinMs = 2000;

export function createReadiness(deps: Pick<Deps, 'pool' | 'queue'>, draining: () => boolean): Readiness {
  let migrated = false;
  let asking: Promise<string[]> | null = null;

  async function pending(): Promise<string[]> {
    if (!migrated) {
      const names = await pendingMigrations(deps.pool);
      migrated = names.length === 0; // migrations only go forward: once done they stay done
      return names;
    }
    await query(deps.pool, 'select 1');
    return [];
  }

  /**
   * One query runs at a time, however often readiness is requested: when the database hangs, probes must not use up the pool.
   */
  function ask(): Promise<string[]> {
    asking ??= pending().finally(() => {
      asking = null;
    });
    return asking;
  }

  return async () => {
    const database = await within(answerWithinMs, ask()).then(
      (names): Component[] => [
        { name: 'database', ok: true, detail: 'answers' },
        {
          name: 'migrations',
          ok: names.length === 0,
          detail: names.length === 0 ? 'done' : `pending: ${names.join(', ')}`,
        },
      ],
      (error: unknown): Component[] => [{ name: 'database', ok: false, detail: whyNot(error) }],
    );
    const stopping = draining();
    return [
      { name: 'process', ok: !stopping, detail: stopping ? 'is shutting down' : 'runs' },
      ...database,
      { name: 'queue', ...deps.queue.health() },
    ];
  };
}

class NoAnswer extends Error {}

/** The answer is public, so it does not contain the text of the database error. */
function whyNot(error: unknown): string {
  if (error instanceof NoAnswer) return `does not respond within ${answerWithinMs / 1000} s`;
  return isDiskFull(error) ? 'has no space left on its disk' : 'cannot be reached';
}

/** Rejects when the answer takes longer; the underlying operation is not cancelled. */
export async function within<Value>(ms: number, answer: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no response within ${ms} ms`)), ms);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
