import type { Sql } from '../db/sql.ts';
import type { Job } from './runner.ts';
import { loadNotes, runSlice, type SliceEnd } from './sliced-job.ts';
import { wakeWaiting } from './waits-store.ts';
import { type Claim, type WorkKind, workKinds } from './work.ts';

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
