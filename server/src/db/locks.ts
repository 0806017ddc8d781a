import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { query, type Sql, statement } from './sql.ts';

/**
 * A statement that waits for an exclusive lock stops every later statement on the table. So it waits this long at most, and the
 * work of others gets at least `pauseMs` before the next try.
 */
const lockTimeoutMs = 250;
const pauseMs = 500;
/** The number of tries between two calls of `onWait`. */
const triesPerReport = 20;

interface LockRetryOptions {
  /** Called now and then while a lock is not to be had. */
  onWait?: () => void;
  /** Then the error of the last try is thrown. */
  tries?: number;
  /** How transactions of the pool begin. */
  begin?: string;
}

/** Runs work that takes exclusive locks in a transaction, and repeats it until it gets all of them. */
export async function withLockRetries<Result>(
  client: pg.PoolClient,
  { onWait, tries = Number.POSITIVE_INFINITY, begin = 'begin' }: LockRetryOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query(begin);
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      const result = await work();
      await client.query('commit');
      return result;
    } catch (error) {
      // A connection that is lost has nothing to roll back; the error that lost it is the one to tell.
      await client.query('rollback').catch(() => {});
      if (!isLockTimeout(error) || attempt >= tries) throw error;
      if (attempt % triesPerReport === 1) onWait?.();
      await stopVacuums(client);
      await delay(pauseMs + Math.random() * pauseMs);
    }
  }
}

export function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === '55P03';
}

/**
 * Autovacuum gives a table up only after someone has waited for it for a second (`deadlock_timeout`). This lock waits, and stops
 * neither reads nor writes.
 */
async function stopVacuums(client: pg.PoolClient): Promise<void> {
  const tables = await query<{ name: string }>(
    client,
    `select distinct relation::regclass::text as name
     from pg_locks l join pg_class c on c.oid = l.relation and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
     where l.mode = 'ShareUpdateExclusiveLock' and l.granted and l.pid <> pg_backend_pid()
       and l.database = (select oid from pg_database where datname = current_database())`,
  );
  for (const { name } of tables)
    await client.query(`begin; lock table ${name} in share update exclusive mode; commit`);
}

const lock = statement('environment_lock', 'select from environments where id = $1 for no key update');

/** Locks an environment until the transaction ends: of two changes at the same time, the second sees the first, so limits hold. */
export async function lockEnvironment(tx: Sql, environmentId: string): Promise<void> {
  await lock(tx, [environmentId]);
}
