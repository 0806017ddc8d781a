import type { Channel, Report } from '../../../channels/contract.ts';
import { type AfterCommit, createBatchedWriter } from '../../../db/batched-writer.ts';
import { deleteInSlices } from '../../../db/slices.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { isUuid } from '../../../kernel/ids.ts';
import { applyOptOuts, type OptOutChange } from '../../people/suppressions/index.ts';
import { type AppliedReceipts, applyReceipts, notifyApplied, type ReceiptFor } from './apply.ts';

/** The reports of one call by a provider, or of one visit to a tracked link. */
interface CallbackBatch {
  environmentId: string;
  providerId: string;
  channel: Channel;
  reports: readonly Report[];
  /** A nonce that was seen before makes the whole batch a duplicate. */
  nonce?: string;
}

/** The number of reports by outcome. */
interface BatchResult {
  applied: number;
  duplicate: number;
  /** Reports about messages that are not ours, or not of this environment and channel. */
  unknown: number;
}

export interface ReportWriter {
  /** Resolves when the reports and all their effects are in the database. */
  record(batch: CallbackBatch): Promise<BatchResult>;
}

const maxDetail = 500;

export function createReportWriter(deps: Pick<Deps, 'pool' | 'queue' | 'clock' | 'activity'>): ReportWriter {
  const { pool, queue, clock } = deps;

  /** One transaction: the new event ids and all their effects. A repetition changes nothing, and no report is applied in part. */
  async function write(tx: Sql, batches: CallbackBatch[]): Promise<AfterCommit<BatchResult>> {
    const now = clock();
    const fresh = await keepNewReports(tx, batches, now);
    const receipts = fresh.flatMap(({ batch, reports }) => receiptsIn(batch, reports));
    const applied = await applyReceipts(tx, { queue, now }, receipts);
    await applyOptOuts(
      tx,
      fresh.flatMap(({ batch, reports }) => optOutsIn(batch, reports)),
      now,
    );
    return () => {
      notifyApplied(deps, applied);
      return fresh.map((reports) => resultOf(reports, applied));
    };
  }

  return {
    record: createBatchedWriter(pool, write, {
      concurrency: 2,
      maxItems: 100,
      weigh: ({ reports }) => reports.length,
      maxWeight: 1_000,
      whenUnavailable: 'fail',
    }),
  };
}

function resultOf({ batch, reports }: NewReports, { known }: AppliedReceipts): BatchResult {
  const applied = reports.filter(
    (report) => report.about === 'recipient' || known.has(report.notificationId.toLowerCase()),
  );
  return {
    applied: applied.length,
    duplicate: batch.reports.length - reports.length,
    unknown: reports.length - applied.length,
  };
}

interface NewReports {
  batch: CallbackBatch;
  reports: Report[];
}

async function keepNewReports(tx: Sql, batches: CallbackBatch[], now: number): Promise<NewReports[]> {
  const nonces = await claim(
    tx,
    batches.flatMap((batch) => (batch.nonce === undefined ? [] : [eventOf(batch, `nonce ${batch.nonce}`)])),
    now,
  );
  const accepted = batches.map((batch) => {
    const isRepeated = batch.nonce !== undefined && !nonces.take(eventOf(batch, `nonce ${batch.nonce}`));
    return { batch, reports: isRepeated ? [] : batch.reports };
  });
  const fresh = await claim(
    tx,
    accepted.flatMap(({ batch, reports }) =>
      reports.map(({ eventId }) => eventOf(batch, `event ${eventId}`)),
    ),
    now,
  );
  return accepted.map(({ batch, reports }) => ({
    batch,
    reports: reports.filter(({ eventId }) => fresh.take(eventOf(batch, `event ${eventId}`))),
  }));
}

/** Stores the ids; `take` returns true for new ones, once each. */
async function claim(
  tx: Sql,
  events: SeenEvent[],
  now: number,
): Promise<{ take(event: SeenEvent): boolean }> {
  const fresh = new Set((await insertEvents(tx, events, now)).map(keyOf));
  return { take: (event) => fresh.delete(keyOf(event)) };
}

function eventOf({ environmentId, providerId }: CallbackBatch, id: string): SeenEvent {
  return { environmentId, providerId, hash: sha256(id).subarray(0, 16) };
}

function keyOf({ environmentId, providerId, hash }: SeenEvent): string {
  return `${environmentId} ${providerId} ${hash.toString('hex')}`;
}

function receiptsIn({ environmentId, channel }: CallbackBatch, reports: Report[]): ReceiptFor[] {
  return reports.flatMap((report) => {
    // The id went out with the message and came back through third parties: it may be anything.
    if (report.about !== 'notification' || !isUuid(report.notificationId)) return [];
    const { receipt } = report;
    const detail = receipt.detail === null ? null : cleaned(receipt.detail);
    const notificationId = report.notificationId.toLowerCase();
    return [{ notificationId, environmentId, channel, receipt: { ...receipt, detail } }];
  });
}

function optOutsIn({ environmentId }: CallbackBatch, reports: Report[]): OptOutChange[] {
  return reports.flatMap((report) =>
    report.about === 'recipient'
      ? [{ environmentId, address: report.address, wants: report.wants, detail: cleaned(report.detail) }]
      : [],
  );
}

/** Third-party text, made fit to be stored (PostgreSQL refuses NUL) and shown in one line. */
function cleaned(text: string): string {
  return text
    .slice(0, maxDetail)
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}

interface SeenEvent {
  environmentId: string;
  providerId: string;
  /** The hash of the provider's own event id. */
  hash: Buffer;
}

const insert = statement<{ environment_id: string; provider_id: string; event_hash: Buffer }>(
  'receipts_insert_events',
  `insert into callback_events (environment_id, provider_id, event_hash, seen_at)
   select environment_id, provider_id, event_hash, $4
   from unnest($1::uuid[], $2::uuid[], $3::bytea[]) as reported (environment_id, provider_id, event_hash)
   order by environment_id, provider_id, event_hash -- all transactions lock in this order, so there are no deadlocks
   on conflict do nothing
   returning environment_id, provider_id, event_hash`,
);

/** Returns the events that were not stored before, each once. */
async function insertEvents(tx: Sql, events: SeenEvent[], now: number): Promise<SeenEvent[]> {
  if (events.length === 0) return [];
  const rows = await insert(tx, [
    events.map(({ environmentId }) => environmentId),
    events.map(({ providerId }) => providerId),
    events.map(({ hash }) => hash),
    new Date(now),
  ]);
  return rows.map((row) => ({
    environmentId: row.environment_id,
    providerId: row.provider_id,
    hash: row.event_hash,
  }));
}

const deleteOld = statement<{ deleted: number }>(
  'receipts_delete_events',
  `with gone as (
     delete from callback_events where ctid = any (array(
       select ctid from callback_events where seen_at < $1 order by seen_at limit $2 for update skip locked))
     returning 1)
   select count(*)::int as deleted from gone`,
);

/** Longer than the maximum age of a signature (25 hours), so that a replay of a deleted event is refused for its age. */
const keptMs = 3 * 86_400_000;

export const tidyCallbacks = deleteInSlices(5_000, async ({ pool, clock }, limit) => {
  return (await deleteOld(pool, [new Date(clock() - keptMs), limit]))[0]?.deleted ?? 0;
});
