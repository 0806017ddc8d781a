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
