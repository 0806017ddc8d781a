import { type Pool, type Sql, transaction, untilDatabaseAnswers, type WithCommit } from '../db/sql.ts';
import type { Claim, Lane, PostponedWork, Wait, Work, WorkKind } from './work.ts';

/** The part of the queue that a sliced job uses. */
interface SliceQueue {
  finish(sql: Sql, kind: WorkKind, ids: string[]): Promise<string[]>;
  enqueue(sql: Sql, work: Work[]): Promise<void>;
  postpone(sql: Sql, work: PostponedWork[]): Promise<void>;
  ring(kind: WorkKind): void;
}

/** What follows a slice. */
export interface SliceEnd {
  /** When the next slice is due; null after the last one. */
  next: Date | 'now' | null;
  /** Replace those of the claim. */
  note?: unknown;
  lane?: Lane;
  wait?: Wait;
  /** Kinds of work to ring after the commit. */
  rings?: readonly WorkKind[];
  /** Called after the commit. */
  committed?: (() => void) | undefined;
}

/**
 * Runs one slice of long work. The lease ends, the slice is written, and the work for the next slice is added in one transaction, so
 * a kill at any moment repeats nothing and loses nothing. The slice locks the row that it belongs to and checks its status, so
 * that a cancellation takes effect between two slices; it returns null when there is nothing to do any more.
 */
export async function runSlice(
  { pool, queue }: { pool: Pool; queue: SliceQueue },
  claim: Claim,
  slice: (tx: Sql, withCommit: WithCommit) => Promise<SliceEnd | null>,
): Promise<void> {
  const end = await untilDatabaseAnswers(() =>
    transaction(pool, async (tx, withCommit) => {
      if ((await queue.finish(tx, claim.kind, [claim.id])).length === 0) return null;
      const ended = await slice(tx, withCommit);
      if (!ended || ended.next === null) return ended;
      const { next, note = claim.note, lane = claim.lane, wait } = ended;
      const work = { kind: claim.kind, id: claim.id, lane, environmentId: claim.environmentId, note };
      if (next === 'now') await queue.enqueue(tx, [work]);
      else await queue.postpone(tx, [{ ...work, runAt: next, wait }]);
      return ended;
    }),
  );
  if (!end) return;
  end.committed?.();
  for (const kind of end.rings ?? []) queue.ring(kind);
  if (end.next === 'now') queue.ring(claim.kind);
}

/** For jobs whose input is the note of their work. */
export async function loadNotes<Note>(claims: Claim[]): Promise<Map<string, Note>> {
  return new Map(claims.map((claim) => [claim.id, claim.note as Note]));
}
