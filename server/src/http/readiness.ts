import { setTimeout as delay } from 'node:timers/promises';
import { pendingMigrations } from '../db/migrate.ts';
import { isDiskFull, query, trackWrite, transaction } from '../db/sql.ts';
import { isReadOnlyServer } from '../db/standby.ts';
import type { Deps } from '../deps.ts';

/** A part of this process that must work before the process receives requests. */
export interface Component {
  name: 'process' | 'database' | 'migrations' | 'queue';
  ok: boolean;
  detail: string;
}

type Readiness = () => Promise<Component[]>;

export const answerWithinMs = 2000;
/** A write that takes longer holds callers up: their load balancer should use another process, if one is better off. */
const writeWithinMs = 5000;
/** Long enough for a failure to be seen at once. */
const probeWithinMs = 1000;
/** A disk with less room than this is as good as full: a batch of sends is as large. */
const roomBytes = 4_000_000;

export function createReadiness(deps: Pick<Deps, 'pool' | 'queue'>, draining: () => boolean): Readiness {
  const { pool } = deps;
  let migrated = false;
  let asking: Promise<string[]> | null = null;
  let probing: Promise<unknown> | null = null;

  async function pending(): Promise<string[]> {
    await checkWritable();
    if (migrated) return [];
    const names = await pendingMigrations(pool);
    migrated = names.length === 0; // migrations only go forward: once done they stay done
    return names;
  }

  /**
   * A commit of this process's own, which writes no row: without it a process without writes would not learn that commits wait for
   * a standby that is gone, and one that gets no requests because it is not ready would not learn that they succeed again.
   */
  function probe(): Promise<unknown> {
    probing ??= trackWrite(pool, () =>
      query(pool, `select pg_logical_emit_message(true, 'carillon', 'Can writes be committed?')`),
    ).finally(() => {
      probing = null;
    });
    probing.catch(() => {}); // a failure after the wait below shows in the age of the oldest write
    return probing;
  }

  /** Throws while the disk has no room. A temporary table grows in the files of the database, and leaves nothing behind. */
  async function findRoom(): Promise<void> {
    await transaction(pool, async (tx) => {
      await query(tx, 'create temp table room (content text) on commit drop');
      await query(
        tx,
        `insert into room select repeat('x', 1000) from generate_series(1, ${roomBytes / 1_000})`,
      );
    });
    pool.writes.lacksRoom = false;
  }

  /** Reads succeed on a standby, and on a primary whose commits wait for a standby that is gone. */
  async function checkWritable(): Promise<void> {
    if (await isReadOnlyServer(pool)) throw new ReadOnly();
    if (!pool.writes.haveSucceededWithin(writeWithinMs))
      await Promise.race([probe(), delay(probeWithinMs, null, { ref: false })]);
    if (pool.writes.lacksRoom) await findRoom();
    if (pool.writes.oldestMs() > writeWithinMs) throw new WritesWait();
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
class ReadOnly extends Error {}
class WritesWait extends Error {}

/** The answer is public, so it does not contain the text of the database error. */
function whyNot(error: unknown): string {
  if (error instanceof NoAnswer) return `does not respond within ${answerWithinMs / 1000} s`;
  if (error instanceof ReadOnly) return 'is read-only: a standby, or a failover is under way';
  if (error instanceof WritesWait) return `has not finished a write for more than ${writeWithinMs / 1000} s`;
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
