import type { Channel, Report } from '../../channels/contract.ts';
import { isDatabaseUnavailable, type Sql, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import { sha256 } from '../../kernel/crypto.ts';
import { isUuid } from '../../kernel/ids.ts';
import { applyReceipts, countMoved, type ReceiptFor } from '../dispatch/index.ts';
import { applyOptOuts, type OptOutChange } from '../suppressions/index.ts';
import { insertEvents, type SeenEvent } from './store.ts';

/** What one call of a provider said. */
export interface CallbackBatch {
  environmentId: string;
  providerId: string;
  channel: Channel;
  reports: readonly Report[];
  /** If it was there before, nothing of this counts. */
  nonce?: string;
}

/** What became of its reports. */
export interface BatchResult {
  applied: number;
  duplicate: number;
  /** About messages that are not ours, or not of this environment and channel. */
  unknown: number;
}

export interface ReportWriter {
  /** Resolves when it is in the database, with everything that follows from it. */
  record(batch: CallbackBatch): Promise<BatchResult>;
}

const maxDetail = 500;

/** Whatever arrives while the previous batch is written shares the next transaction. */
export function createReportWriter({
  pool,
  queue,
  clock,
  activity,
}: Pick<Deps, 'pool' | 'queue' | 'clock' | 'activity'>): ReportWriter {
  /** One transaction: which of it is news, and all its effects. So a repetition changes nothing, and nothing is half told. */
  async function write(batches: CallbackBatch[]): Promise<BatchResult[]> {
    const now = clock();
    const { results, announced, woken, moved } = await transaction(pool, async (tx) => {
      const fresh = await keepNewReports(tx, batches, now);
      const receipts = fresh.flatMap(({ telling: batch, reports }) => receiptsIn(batch, reports));
      const applied = await applyReceipts(tx, { queue, now }, receipts);
      await applyOptOuts(
        tx,
        fresh.flatMap(({ telling: batch, reports }) => optOutsIn(batch, reports)),
        now,
      );
      return {
        announced: applied.announced,
        woken: applied.woken,
        moved: applied.moved,
        results: fresh.map(({ telling: batch, reports }) => {
          const known = reports.filter(
            (report) =>
              report.about === 'recipient' || applied.known.has(report.notificationId.toLowerCase()),
          );
          return {
            applied: known.length,
            duplicate: batch.reports.length - reports.length,
            unknown: reports.length - known.length,
          };
        }),
      };
    });
    countMoved(activity, moved);
    if (announced) queue.ring('webhook_delivery');
    if (woken) queue.ring('run');
    return results;
  }

  const batcher = createBatcher<CallbackBatch, BatchResult>(write, {
    concurrency: 2,
    maxItems: 100,
    weigh: ({ reports }) => reports.length,
    maxWeight: 1_000,
    splitOn: (error) => !isDatabaseUnavailable(error),
  });
  return { record: (batch) => batcher.add(batch) };
}

interface NewReports {
  telling: CallbackBatch;
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
    return { telling: batch, reports: isRepeated ? [] : batch.reports };
  });
  const fresh = await claim(
    tx,
    accepted.flatMap(({ telling: batch, reports }) =>
      reports.map(({ eventId }) => eventOf(batch, `event ${eventId}`)),
    ),
    now,
  );
  return accepted.map(({ telling: batch, reports }) => ({
    telling: batch,
    reports: reports.filter(({ eventId }) => fresh.take(eventOf(batch, `event ${eventId}`))),
  }));
}

/** Writes the ids down; `take` is true for those that are new, once each. */
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
    // The id went out with the message and came back through strangers: it may be anything by now.
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

/** Words of strangers, fit to be stored (PostgreSQL takes no NUL) and shown in a line. */
function cleaned(text: string): string {
  return text
    .slice(0, maxDetail)
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}
