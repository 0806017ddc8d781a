import { type Pool, type Sql, untilDatabaseAnswers, type WithCommit } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { ObjectStoreError } from '../../../kernel/object-store.ts';
import { type Claim, type Job, runSlice, type SliceEnd, type WorkKind } from '../../../queue/index.ts';
import {
  announce,
  cancelNotifications,
  type Drafts,
  deleteAttachmentBytes,
  eventEntry,
  type Sender,
  type StoredTraceEntry,
} from '../../notifications/notifications/index.ts';
import { findSender } from '../../platform/accounts/index.ts';
import { wakeRunsOf } from '../../workflows/runs/index.ts';
import { composeRedrive, fittingOriginals, type RedriveSlice, writeRedrive } from './redrive.ts';
import {
  type BulkActionRow,
  findBulkAction,
  listMatches,
  lockBulkAction,
  updateBulkAction,
} from './store.ts';

/** A slice a second: a redrive of a million must leave room for the sends of the moment. */
const sliceSize = 200;
const pauseMs = 1_000;
const storeRetryMs = 10_000;

interface PreparedSlice {
  /** The position of the action for which the slice was prepared. */
  from: string;
  ids: string[];
  redrive: RedriveSlice;
  next: string | null;
}

/** What a slice has changed. */
interface SliceEffect {
  done: number;
  rings: readonly WorkKind[];
  committed(): void;
}

type JobDeps = Pick<Deps, 'pool' | 'queue' | 'clock' | 'activity' | 'metrics'> & { drafts: Drafts };

export function createBulkActionJob(deps: JobDeps): Job<BulkActionRow> {
  const { pool, clock } = deps;
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
      let slice: PreparedSlice | null = null;
      try {
        if (row?.status === 'running') slice = await untilDatabaseAnswers(() => prepareSlice(deps, row));
      } catch (error) {
        // Contents that are in the object store are needed, and it does not answer.
        if (!(error instanceof ObjectStoreError)) throw error;
        return runSlice(deps, claim, async () => ({ next: new Date(clock() + storeRetryMs) }));
      }
      await runSlice(deps, claim, (tx, withCommit) => writeSlice(tx, withCommit, deps, claim, slice));
    },
  };
}

/** Matches and composes outside of the transaction, which must not wait for the object store. */
async function prepareSlice({ pool, drafts }: JobDeps, row: BulkActionRow): Promise<PreparedSlice> {
  const { environment_id: environmentId, action, filter, before } = row;
  const page = { before, limit: sliceSize };
  const { rows, next } = await listMatches(pool, environmentId, action, filter, page);
  const matched = rows.map(({ id }) => id);
  if (action === 'cancel' || matched.length === 0) return { from: before, ids: matched, redrive: [], next };
  const ids = await fittingOriginals(pool, matched);
  const sender = await senderOf(pool, row);
  return {
    from: before,
    ids,
    redrive: sender ? await composeRedrive(pool, drafts, sender, ids) : [],
    next: ids.length < matched.length ? (ids.at(-1) ?? null) : next,
  };
}

/** A resend counts as one of the key that started the action, for the rules of the brake. */
async function senderOf(
  pool: Pool,
  { environment_id: environmentId, source_id: keyId }: BulkActionRow,
): Promise<Sender | null> {
  const sender = await findSender(pool, environmentId);
  return sender && { ...(keyId === null ? { kind: 'job' } : { kind: 'key', id: keyId }), ...sender };
}

async function writeSlice(
  tx: Sql,
  withCommit: WithCommit,
  deps: JobDeps,
  claim: Claim,
  slice: PreparedSlice | null,
): Promise<SliceEnd | null> {
  const row = await lockBulkAction(tx, claim.environmentId, claim.id);
  if (row?.status !== 'running') return null;
  const afterPause = new Date(deps.clock() + pauseMs);
  // The lease was lost meanwhile and taken again: another worker has done this slice.
  if (slice?.from !== row.before) return { next: afterPause };
  const { done, ...effect } =
    row.action === 'redrive'
      ? await redrive(tx, withCommit, deps, row, slice)
      : await cancel(tx, deps, row, slice);
  await updateBulkAction(tx, {
    id: row.id,
    status: slice.next === null ? 'completed' : 'running',
    before: slice.next ?? row.before,
    done: row.done + done,
    skipped: row.skipped + slice.ids.length - done,
  });
  if (slice.next === null) return { next: null, ...effect };
  // A part of the history without a match costs nothing but the scan, so the next part follows at once.
  return { next: slice.ids.length === 0 ? 'now' : afterPause, ...effect };
}

async function redrive(
  tx: Sql,
  withCommit: WithCommit,
  { drafts, clock }: JobDeps,
  { environment_id: environmentId }: BulkActionRow,
  slice: PreparedSlice,
): Promise<SliceEffect> {
  const written = await writeRedrive(tx, withCommit, drafts, environmentId, slice.redrive, clock());
  return { done: written.length, rings: ['notification'], committed: () => drafts.written(written) };
}

/** Cancels those of the notifications that no worker is sending. */
async function cancel(
  tx: Sql,
  { queue, clock, metrics, activity }: JobDeps,
  { environment_id: environmentId }: BulkActionRow,
  { ids }: PreparedSlice,
): Promise<SliceEffect> {
  // Without its work no worker can claim the notification before the commit.
  const withdrawn = await queue.withdrawMany(tx, 'notification', ids);
  const detail = 'Cancelled by a bulk action.';
  const event = eventEntry('Suppressed', clock(), detail, 'cancelled');
  const entry: StoredTraceEntry = {
    at: event.occurred_at,
    kind: 'decision',
    name: 'bulk_cancel',
    verdict: 'suppress',
    detail,
  };
  const cancelled = await cancelNotifications(tx, environmentId, withdrawn, {
    events: [event],
    trace: [entry],
  });
  await deleteAttachmentBytes(
    tx,
    cancelled.filter((row) => row.has_attachments).map(({ id }) => id),
  );
  const hasWokenRuns = await wakeRunsOf(
    tx,
    queue,
    cancelled.map(({ id }) => ({ id, status: 'suppressed' as const })),
  );
  const isAnnounced = await announce(
    tx,
    queue,
    cancelled.map(({ id, channel }) => ({ id, environmentId, channel, events: [event] })),
  );
  const rings: WorkKind[] = [];
  if (isAnnounced) rings.push('webhook_delivery');
  if (hasWokenRuns) rings.push('run');
  return {
    done: cancelled.length,
    rings,
    committed() {
      for (const { channel } of cancelled) {
        metrics.settled.inc({ channel, status: 'suppressed' });
        activity.count(environmentId, channel, 'suppressed');
      }
    },
  };
}
