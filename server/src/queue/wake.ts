import { type Pool, type Sql, transaction, untilDatabaseAnswers } from '../db/sql.ts';
import type { Job } from './runner.ts';
import { wakeWaiting } from './waits-store.ts';
import { type Claim, type PostponedWork, type Work, type WorkKind, workKinds } from './work.ts';

/** The work to wake, and the progress so far. */
export interface WakeNote extends WakeOptions {
  kind: WorkKind;
  name: string;
  /** The time of the first claim: only work that was attempted before it is woken. A later attempt has already seen the change. */
  before?: string;
  isLastPass?: boolean;
}

export interface WakeOptions {
  /** Batches follow each other at once: the work waited for a person, not for something that may fail again. */
  isUnpaced?: boolean;
}

/** The part of the queue that waking uses. */
interface Waker {
  finish(sql: Sql, kind: 'wake', ids: string[]): Promise<string[]>;
  enqueue(sql: Sql, work: Work[]): Promise<void>;
  postpone(sql: Sql, work: PostponedWork[]): Promise<void>;
  ring(kind: WorkKind): void;
}

/** Batches with a second between them: a long backlog comes back as a stream that leaves room for new work. */
const sliceSize = 500;
const pauseMs = 1_000;
/** An attempt that was in flight during the change has ended by then, and its work waits too. */
const lastPassMs = 180_000;

/**
 * Wakes work that waits for something that was repaired. Each batch commits together with the work for the next one, so a crash loses and
 * repeats nothing. Work that fails again waits since a later time than `before`, so it is not woken twice.
 */
export function createWakeJob({ pool, queue }: { pool: Pool; queue: Waker }): Job<WakeNote> {
  function wakeSlice(claim: Claim, note: WakeNote): Promise<number> {
    const { environmentId } = claim;
    const { kind, name, before = claim.leasedAt.toISOString(), isLastPass = false, isUnpaced } = note;
    return transaction(pool, async (tx) => {
      if ((await queue.finish(tx, 'wake', [claim.id])).length === 0) return 0;
      const wait = { environmentId, name, kind: workKinds[kind], before: new Date(before) };
      const woken = await wakeWaiting(tx, wait, sliceSize);
      const hasMore = woken === sliceSize;
      if (hasMore || !isLastPass) {
        const next: WakeNote = { ...note, before, isLastPass: isLastPass || !hasMore };
        const runAt = new Date(claim.leasedAt.getTime() + (hasMore ? pauseMs : lastPassMs));
        if (hasMore && isUnpaced) await queue.enqueue(tx, [{ ...claim, note: next }]);
        else await queue.postpone(tx, [{ ...claim, note: next, runAt }]);
      }
      return woken;
    });
  }

  return {
    batch: 10,
    capacity: 20,
    load: async (claims) => new Map(claims.map((claim) => [claim.id, claim.note as WakeNote])),
    async run(claim, note) {
      if (!note) return;
      const woken = await untilDatabaseAnswers(() => wakeSlice(claim, note));
      if (woken > 0) queue.ring(note.kind);
      if (woken > 0 && note.isUnpaced) queue.ring('wake');
    },
  };
}
