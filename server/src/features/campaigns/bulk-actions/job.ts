import { type Sql, transaction, untilDatabaseAnswers, type WithCommit } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { ObjectStoreError } from '../../../kernel/object-store.ts';
import type { Claim, Job } from '../../../queue/index.ts';
import type { Drafts } from '../../notifications/notifications/index.ts';
import { cancelSlice } from './cancel.ts';
import { listMatches } from './match.ts';
import { composeRedrive, fittingOriginals, type RedriveSlice, writeRedrive } from './redrive.ts';
import { type BulkActionRow, findBulkAction, findSender, lockBulkAction, updateBulkAction } from './store.ts';

/** A slice a second: a redrive of a million must leave room for the sends of the moment. */
const sliceSize = 200;
const pauseMs = 1_000;
const storeRetryMs = 10_000;

interface SliceOfWork {
  /** The position of the action for which the slice was composed. */
  from: string;
  ids: string[];
  redrive: RedriveSlice;
  next: string | null;
}

/**
 * Works off bulk actions, a slice per claim. The slice, its progress and the work for the next one commit together, so a kill at
 * any moment neither repeats nor skips a notification.
 */
export function createBulkActionJob(
  deps: Pick<Deps, 'pool' | 'queue' | 'clock' | 'activity' | 'metrics'> & { drafts: Drafts },
): Job<BulkActionRow> {
  const { pool, queue, clock, drafts } = deps;

  async function compose(row: BulkActionRow): Promise<SliceOfWork> {
    const { environment_id: environmentId, action, filter, before } = row;
    const page = { before, limit: sliceSize };
    const { rows, next } = await listMatches(pool, environmentId, action, filter, page);
    const matched = rows.map(({ id }) => id);
    if (action === 'cancel' || matched.length === 0) return { from: before, ids: matched, redrive: [], next };
    const ids = await fittingOriginals(pool, matched);
    const sender = await findSender(pool, row);
    return {
      from: before,
      ids,
      redrive: sender ? await composeRedrive(pool, drafts, sender, ids) : [],
      next: ids.length < matched.length ? (ids.at(-1) ?? null) : next,
    };
  }

  /** Returns what follows from the slice once it is committed. */
  async function work(
    tx: Sql,
    withCommit: WithCommit,
    claim: Claim,
    slice: SliceOfWork | null,
  ): Promise<() => void> {
    const nothing = () => {};
    if ((await queue.finish(tx, 'bulk_action', [claim.id])).length === 0) return nothing;
    const row = await lockBulkAction(tx, claim.environmentId, claim.id);
    if (row?.status !== 'running') return nothing;
    if (slice?.from !== row.before) {
      // The lease was lost meanwhile and is held again: another worker has done this slice.
      await goOn(tx, claim, pauseMs);
      return nothing;
    }
    const { done, afterCommit } = await perform(tx, withCommit, row, slice);
    await updateBulkAction(tx, {
      id: row.id,
      status: slice.next === null ? 'completed' : 'running',
      before: slice.next ?? row.before,
      done: row.done + done,
      skipped: row.skipped + slice.ids.length - done,
    });
    if (slice.next === null) return afterCommit;
    // A part of the history without a match costs nothing but the look, so the next part follows at once.
    await goOn(tx, claim, slice.ids.length === 0 ? 0 : pauseMs);
    return () => {
      afterCommit();
      if (slice.ids.length === 0) queue.ring('bulk_action');
    };
  }

  function goOn(tx: Sql, { kind, id, lane, environmentId }: Claim, delayMs: number): Promise<void> {
    const work = { kind, id, lane, environmentId };
    if (delayMs === 0) return queue.enqueue(tx, [work]);
    return queue.postpone(tx, [{ ...work, runAt: new Date(clock() + delayMs) }]);
  }

  async function perform(
    tx: Sql,
    withCommit: WithCommit,
    { action, environment_id: environmentId }: BulkActionRow,
    { ids, redrive }: SliceOfWork,
  ): Promise<{ done: number; afterCommit: () => void }> {
    if (action === 'redrive') {
      const written = await writeRedrive(tx, withCommit, drafts, environmentId, redrive, clock());
      const afterCommit = () => {
        drafts.written(written);
        queue.ring('notification');
      };
      return { done: written.length, afterCommit };
    }
    const { cancelled, isAnnounced, hasWokenRuns } = await cancelSlice(
      tx,
      queue,
      environmentId,
      ids,
      clock(),
    );
    const afterCommit = () => {
      for (const { channel } of cancelled) {
        deps.metrics.settled.inc({ channel, status: 'suppressed' });
        deps.activity.count(environmentId, channel, 'suppressed');
      }
      if (isAnnounced) queue.ring('webhook_delivery');
      if (hasWokenRuns) queue.ring('run');
    };
    return { done: cancelled.length, afterCommit };
  }

  /** Contents that are in the object store are needed, and it does not answer. */
  async function postponeSlice(claim: Claim): Promise<void> {
    await transaction(pool, async (tx) => {
      if ((await queue.finish(tx, 'bulk_action', [claim.id])).length > 0) await goOn(tx, claim, storeRetryMs);
    });
  }

  return {
    batch: 4,
    capacity: 8,
    async load(claims) {
      const found = await Promise.all(
        claims.map(({ id, environmentId }) =>
          untilDatabaseAnswers(() => findBulkAction(pool, environmentId, id)),
        ),
      );
      return new Map(found.flatMap((row) => (row ? [[row.id, row]] : [])));
    },
    async run(claim, row) {
      let slice: SliceOfWork | null = null;
      try {
        if (row?.status === 'running') slice = await untilDatabaseAnswers(() => compose(row));
      } catch (error) {
        if (!(error instanceof ObjectStoreError)) throw error;
        return untilDatabaseAnswers(() => postponeSlice(claim));
      }
      const afterCommit = await untilDatabaseAnswers(() =>
        transaction(pool, (tx, withCommit) => work(tx, withCommit, claim, slice)),
      );
      afterCommit();
    },
  };
}
