import { setTimeout as delay } from 'node:timers/promises';
import { isReadOnlySql } from './hosts.ts';
import { isDatabaseUnavailable, isReadOnly, type Pool, query, type Sql } from './sql.ts';

/** Reads succeed on a standby, so the server is asked. */
export async function isReadOnlyServer(sql: Sql): Promise<boolean> {
  const [server] = await query<{ is_read_only: boolean }>(sql, `select ${isReadOnlySql} as is_read_only`);
  return server?.is_read_only === true;
}

const askAgainMs = 500;

/**
 * Waits while the database is a standby, with a new connection each time: the server is promoted, or another one is found. All
 * ways to the database are tried, because a pooler may lead to another server than the direct one. Says so once. A database that
 * cannot be reached at all fails the start, unless a standby was found before.
 */
export async function waitUntilWritable(
  pools: readonly Pool[],
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  let isWaiting = false;
  const mustWait = async (pool: Pool): Promise<boolean> => {
    try {
      return await isReadOnlyServer(pool);
    } catch (error) {
      if (isReadOnly(error) || (isWaiting && isDatabaseUnavailable(error))) return true;
      throw error;
    }
  };
  for (const pool of pools) {
    while (await mustWait(pool)) {
      if (!isWaiting)
        say('The database is a standby or read-only. Waiting until it is promoted or a primary is found.');
      isWaiting = true;
      pool.dropIdle();
      await delay(askAgainMs, null, { signal });
    }
  }
}
