import { type Pool, type Sql, transaction, untilDatabaseAnswers } from '../db/sql.ts';
import type { Job } from './runner.ts';
import { wakeWaiting } from './store.ts';
import { type Claim, type PostponedWork, type WorkKind, workKinds } from './work.ts';

/** What is to be woken, and how far that has come. */
export interface WakeNote {
  kind: WorkKind;
  name: string;
  /** Only what was tried before this: the moment of the first claim. What is tried after it has met the change. */
  before?: string;
  isLastPass?: boolean;
}

/** What it needs of the queue. */
interface Waker {
  finish(sql: Sql, kind: 'wake', ids: string[]): Promise<string[]>;
  postpone(sql: Sql, work: PostponedWork[]): Promise<void>;
  ring(kind: WorkKind): void;
}

/** So many at a time, and a second between: a long backlog comes back as a stream that leaves room for what is new. */
const sliceSize = 500;
const pauseMs = 1_000;
/** A try that was under way during the change has ended by then, and its work waits as well. */
const lastPassMs = 180_000;

/**
 * Wakes what waits for something that was mended: each slice in one transaction with the work for the next, so a crash loses and
 * repeats nothing. What fails again waits since a later time than `before`, so it is not woken twice.
 */
export function createWakeJob({ pool, queue }: { pool: Pool; queue: Waker }): Job<WakeNote> {
  function wakeSlice(claim: Claim, note: WakeNote): Promise<number> {
    const { environmentId } = claim;
    const { kind, name, before = claim.leasedAt.toISOString(), isLastPass = false } = note;
    return transaction(pool, async (tx) => {
      if ((await queue.finish(tx, 'wake', [claim.id])).length === 0) return 0;
      const wait = { environmentId, name, kind: workKinds[kind], before: new Date(before) };
      const woken = await wakeWaiting(tx, wait, sliceSize);
      const hasMore = woken === sliceSize;
      if (hasMore || !isLastPass) {
        const next: WakeNote = { kind, name, before, isLastPass: isLastPass || !hasMore };
        const runAt = new Date(claim.leasedAt.getTime() + (hasMore ? pauseMs : lastPassMs));
        await queue.postpone(tx, [{ ...claim, note: next, runAt }]);
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
    },
  };
}
