import type { Sql } from '../../../db/sql.ts';
import type { WorkKind } from '../../../queue/index.ts';
import type { RunProgress } from './store.ts';

/** A part of what a slot starts: checked before the transaction that writes it. */
export interface SlotSlice {
  write(tx: Sql): Promise<RunProgress>;
  /** Kinds of work to ring after the commit. */
  rings?: readonly WorkKind[];
  /** Called after the commit. */
  committed?(): void;
}

/** The progress of a slice, which is the last one unless `isDone` is false. */
export function sliceProgress(id: string, result: Partial<Omit<RunProgress, 'id'>>): RunProgress {
  return {
    id,
    lastUser: null,
    runId: null,
    broadcastId: null,
    started: 0,
    skipped: 0,
    isDone: true,
    failureReason: null,
    ...result,
  };
}
