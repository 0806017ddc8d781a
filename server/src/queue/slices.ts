import { type Pool, type Sql, transaction, untilDatabaseAnswers, type WithCommit } from '../db/sql.ts';
import { wakeWaiting } from './later-store.ts';
import {
  type Claim,
  type Job,
  type Lane,
  type PostponedWork,
  type Wait,
  type Work,
  type WorkKind,
  workKinds,
} from './work.ts';

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

/** Batches with a second between them: a long backlog comes back as a stream that leaves room for new work. */
const sliceSize = 500;
const pauseMs = 1_000;
/** An attempt that was in flight during the change has ended by then, and its work waits too. */
const lastPassMs = 180_000;

/** Wakes work that waits for something that was repaired. Work that fails again waits since a later time than `before`. */
async function wakeSlice(tx: Sql, { environmentId, leasedAt }: Claim, note: WakeNote): Promise<SliceEnd> {
  const { kind, name, before = leasedAt.toISOString(), isLastPass = false, isUnpaced } = note;
  const wait = { environmentId, name, kind: workKinds[kind], before: new Date(before) };
  const woken = await wakeWaiting(tx, wait, sliceSize);
  const rings = woken > 0 ? [kind] : [];
  const hasMore = woken === sliceSize;
  if (!hasMore && isLastPass) return { next: null, rings };
  const next: WakeNote = { ...note, before, isLastPass: isLastPass || !hasMore };
  const runAt = new Date(leasedAt.getTime() + (hasMore ? pauseMs : lastPassMs));
  return { next: hasMore && isUnpaced ? 'now' : runAt, note: next, rings };
}

export function createWakeJob(deps: Parameters<typeof runSlice>[0]): Job<WakeNote> {
  return {
    batch: 10,
    capacity: 20,
    load: loadNotes,
    async run(claim, note) {
      if (note) await runSlice(deps, claim, (tx) => wakeSlice(tx, claim, note));
    },
  };
}
