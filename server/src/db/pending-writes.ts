import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { steadyClock } from '../kernel/clock.ts';

/**
 * The age of the oldest write that the database has not done yet. A failed write counts until another one succeeds: callers and
 * writers repeat it, and each repetition on its own would look young.
 */
export class UnfinishedWrites {
  readonly #started = new Set<{ at: number }>();
  #failingSince: number | null = null;
  #succeededAt = Number.NEGATIVE_INFINITY;
  /**
   * A write found the disk full. Small writes may go on succeeding, in the room that old rows left, while most fail: only a write
   * that needs new room shows that there is some.
   */
  lacksRoom = false;

  /** Writes, and counts failures of the kind that only the database can end. */
  async track<Result>(
    write: () => Promise<Result>,
    isUnavailable: (error: unknown) => boolean,
    isFull: (error: unknown) => boolean,
  ): Promise<Result> {
    const started = { at: steadyClock() };
    this.#started.add(started);
    try {
      const result = await write();
      this.#failingSince = null;
      this.#succeededAt = steadyClock();
      return result;
    } catch (error) {
      if (isUnavailable(error)) this.#failingSince ??= started.at;
      if (isFull(error)) this.lacksRoom = true;
      throw error;
    } finally {
      this.#started.delete(started);
    }
  }

  /** Whether the last write succeeded, not long ago. */
  haveSucceededWithin(ms: number): boolean {
    return this.#failingSince === null && steadyClock() - this.#succeededAt < ms;
  }

  oldestMs(): number {
    const [oldest] = this.#started; // a set keeps the order in which its elements were added
    const since = Math.min(
      oldest?.at ?? Number.POSITIVE_INFINITY,
      this.#failingSince ?? Number.POSITIVE_INFINITY,
    );
    return Math.max(0, steadyClock() - since);
  }
}

const askAgainMs = 500;

/** The code of PostgreSQL for too many connections. */
class TooManyAbandoned extends Error {
  readonly code = '53300';
}

/**
 * Commits that wait for a synchronous standby, and whose connections were destroyed at their deadline. The server goes on
 * waiting for the standby: it applies no `statement_timeout` to a commit, and does not notice that its client is gone. Without a
 * limit, each new connection would add one more until the server has none left. They are not cancelled: a cancelled commit
 * becomes visible without being on the standby, a repeated request would be answered with it, and a failover would then lose
 * what was acknowledged. Behind a pooler its pool is the limit.
 */
export class AbandonedCommits {
  readonly #max: number;
  readonly #processIds = new Set<number>();

  constructor(max: number) {
    this.#max = max;
  }

  add(processId: number | null): void {
    if (processId !== null) this.#processIds.add(processId);
  }

  /** Waits on a new connection while as many commits are abandoned as the pool may have connections. Another server has none. */
  async waitForRoom(client: pg.Client, withinMs: number): Promise<void> {
    const end = steadyClock() + withinMs;
    for (; this.#processIds.size >= this.#max; await delay(askAgainMs)) {
      const asked = [...this.#processIds];
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_activity where pid = any ($1) and wait_event = 'SyncRep'`,
        [asked],
      );
      const waiting = new Set(rows.map(({ pid }) => pid));
      for (const each of asked) if (!waiting.has(each)) this.#processIds.delete(each);
      if (this.#processIds.size < this.#max) return;
      if (steadyClock() > end) throw new TooManyAbandoned('Too many commits wait for a standby.');
    }
  }
}
