import type { Channel, Report } from '../../channels/contract.ts';
import { isDatabaseUnavailable, type Sql, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import { sha256 } from '../../kernel/crypto.ts';
import { isUuid } from '../../kernel/ids.ts';
import { applyReceipts, countMoved, type ReceiptFor } from '../dispatch/index.ts';
import { applyWishes, type Wish } from '../suppressions/index.ts';
import { insertEvents, type SeenEvent } from './store.ts';

/** What one call of a provider said. */
export interface Telling {
  environmentId: string;
  providerId: string;
  channel: Channel;
  reports: readonly Report[];
  /** If it was there before, nothing of this counts. */
  nonce?: string;
}

/** What became of its reports. */
export interface Told {
  applied: number;
  duplicate: number;
  /** About messages that are not ours, or not of this environment and channel. */
  unknown: number;
}

export interface ReportWriter {
  /** Resolves when it is in the database, with everything that follows from it. */
  record(telling: Telling): Promise<Told>;
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
  async function write(tellings: Telling[]): Promise<Told[]> {
    const now = clock();
    const { results, announced, woken, moved } = await transaction(pool, async (tx) => {
      const news = await keepNews(tx, tellings, now);
      const receipts = news.flatMap(({ telling, reports }) => receiptsIn(telling, reports));
      const applied = await applyReceipts(tx, { queue, now }, receipts);
      await applyWishes(
        tx,
        news.flatMap(({ telling, reports }) => wishesIn(telling, reports)),
        now,
      );
      return {
        announced: applied.announced,
        woken: applied.woken,
        moved: applied.moved,
        results: news.map(({ telling, reports }) => {
          const known = reports.filter(
            (report) =>
              report.about === 'recipient' || applied.known.has(report.notificationId.toLowerCase()),
          );
          return {
            applied: known.length,
            duplicate: telling.reports.length - reports.length,
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

  const batcher = createBatcher<Telling, Told>(write, {
    concurrency: 2,
    maxItems: 100,
    weigh: ({ reports }) => reports.length,
    maxWeight: 1_000,
    splitOn: (error) => !isDatabaseUnavailable(error),
  });
  return { record: (telling) => batcher.add(telling) };
}

interface News {
  telling: Telling;
  reports: Report[];
}

async function keepNews(tx: Sql, tellings: Telling[], now: number): Promise<News[]> {
  const nonces = await claim(
    tx,
    tellings.flatMap((telling) =>
      telling.nonce === undefined ? [] : [eventOf(telling, `nonce ${telling.nonce}`)],
    ),
    now,
  );
  const accepted = tellings.map((telling) => {
    const isRepeated =
      telling.nonce !== undefined && !nonces.take(eventOf(telling, `nonce ${telling.nonce}`));
    return { telling, reports: isRepeated ? [] : telling.reports };
  });
  const fresh = await claim(
    tx,
    accepted.flatMap(({ telling, reports }) =>
      reports.map(({ eventId }) => eventOf(telling, `event ${eventId}`)),
    ),
    now,
  );
  return accepted.map(({ telling, reports }) => ({
    telling,
    reports: reports.filter(({ eventId }) => fresh.take(eventOf(telling, `event ${eventId}`))),
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

function eventOf({ environmentId, providerId }: Telling, id: string): SeenEvent {
  return { environmentId, providerId, hash: sha256(id).subarray(0, 16) };
}

function keyOf({ environmentId, providerId, hash }: SeenEvent): string {
  return `${environmentId} ${providerId} ${hash.toString('hex')}`;
}

function receiptsIn({ environmentId, channel }: Telling, reports: Report[]): ReceiptFor[] {
  return reports.flatMap((report) => {
    // The id went out with the message and came back through strangers: it may be anything by now.
    if (report.about !== 'notification' || !isUuid(report.notificationId)) return [];
    const { receipt } = report;
    const detail = receipt.detail === null ? null : cleaned(receipt.detail);
    const notificationId = report.notificationId.toLowerCase();
    return [{ notificationId, environmentId, channel, receipt: { ...receipt, detail } }];
  });
}

function wishesIn({ environmentId }: Telling, reports: Report[]): Wish[] {
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
