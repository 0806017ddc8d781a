import { type AfterCommit, createOutcomeWriter } from '../../../../db/batched-writer.ts';
import { type Sql, untilDatabaseAnswers, type WithCommit } from '../../../../db/sql.ts';
import type { Activity, Deps } from '../../../../deps.ts';
import { createBatcher } from '../../../../kernel/batcher.ts';
import { assertNever } from '../../../../kernel/errors.ts';
import { idTime } from '../../../../kernel/ids.ts';
import { type Claim, finishLeased, type PostponedWork } from '../../../../queue/index.ts';
import { type Brake, waitName } from '../../../control/brake/index.ts';
import type { SpendRecorder } from '../../../control/spend/index.ts';
import { inboxTopic, insertItems } from '../../../inbox/index.ts';
import {
  type Addition,
  announce,
  deleteAttachmentBytes,
} from '../../../notifications/notifications/index.ts';
import { type Refusal, suppressRefused } from '../../../people/suppressions/index.ts';
import { releaseBodies } from '../../../platform/objects/index.ts';
import { connectionName } from '../../../providers/connections/index.ts';
import type { ProviderHealthTracker } from '../../../providers/provider-health/index.ts';
import { wakeRunsOf } from '../../../workflows/runs/index.ts';
import { planRings } from '../../push/index.ts';
import { countMoved, receiptWork } from '../../receipts/index.ts';
import { type LeaseNote, noteOf } from '../attempt/lease-note.ts';
import { type DispatchRow, lockedStatuses, markRendered, settleNotifications } from '../store.ts';
import {
  type FailedSettlement,
  type KeptSettlement,
  type RetrySettlement,
  type RoundSettlement,
  rowOf,
  type SentSettlement,
  statusOf,
} from './round-settlement.ts';
import { settledByReport } from './settlement.ts';

/** A settlement to write; null when only the lease is to be ended. */
type DispatchResult = SettledDispatch | { claim: Claim; settled: null };

interface SettledDispatch {
  claim: Claim;
  row: DispatchRow;
  settled: RoundSettlement;
}

/** Writes the results of dispatching in micro-batches: attempts before the call, settlements after it. */
export interface DispatchWriter {
  /** Resolves to false when the lease is lost: another worker has the job, and nothing may be sent. */
  begin(claim: Claim, note: LeaseNote): Promise<boolean>;
  end(result: DispatchResult): Promise<void>;
}

export function createDispatchWriter(
  deps: Pick<Deps, 'pool' | 'queue' | 'clock' | 'doorbell' | 'activity' | 'log' | 'metrics'> & {
    spend: SpendRecorder;
    brake: Pick<Brake, 'charge'>;
  },
  providerHealth: Pick<ProviderHealthTracker, 'record' | 'recorded'>,
): DispatchWriter {
  const { pool, queue, clock, doorbell } = deps;

  const begins = createBatcher<{ id: string; note: LeaseNote }, boolean>(
    async (notes) => {
      // The write is retried: if only the answer was lost the note is there, and an attempt never made would pass for an open
      // one.
      const leased = new Set(await untilDatabaseAnswers(() => queue.begin(pool, 'notification', notes)));
      return notes.map(({ id }) => leased.has(id));
    },
    { concurrency: 2, maxItems: 200 },
  );

  /** One transaction: the leases, the statuses with their events, and all their consequences. */
  async function writeResults(
    tx: Sql,
    results: DispatchResult[],
    withCommit: WithCommit,
  ): Promise<AfterCommit> {
    const leased = await finishLeased(tx, queue, 'notification', results);
    const mine = await withReports(tx, leased.filter(isSettled));
    const settlements = mine.flatMap(({ settled }) => (settled.kind === 'still_waiting' ? [] : settled));
    const observations = settlements.flatMap((settled) => settled.observations);
    const rows = settlements.map(rowOf);
    await settleNotifications(tx, rows);
    // The objects of rendered content replace those of its source.
    await releaseBodies(
      tx,
      mine.flatMap(({ row, settled }) =>
        row.body_object !== null && settled.kind !== 'still_waiting' && settled.rendered ? row.id : [],
      ),
    );
    await markRendered(
      tx,
      settlements.flatMap(({ id, rendered }) => (rendered ? [{ id, ...rendered }] : [])),
    );
    await suppressRefused(tx, mine.flatMap(refusalOf), clock());
    await deleteAttachmentBytes(
      tx,
      mine.filter(isDoneWithAttachments).map(({ claim }) => claim.id),
    );
    const arrived = settlements.flatMap((settled) => (settled.kind === 'sent' ? (settled.item ?? []) : []));
    await insertItems(tx, arrived, clock());
    await queue.postpone(tx, mine.flatMap(nextWork));
    const woken = await wakeRunsOf(tx, queue, rows);
    // After runs and before events: everyone takes fairness tags in this order.
    const rings = await planRings(tx, queue, mine.flatMap(ringingItem), clock());
    const announced = await announce(tx, queue, mine.flatMap(additionOf));
    withCommit(providerHealth.record(tx, observations)); // health rows are contended, so they are locked last
    return async () => {
      const sends: Parameters<Brake['charge']>[0] = [];
      for (const { row, settled } of mine) {
        countSettled(deps.activity, row, settled);
        if (settled.kind !== 'sent') continue;
        const { text_body: text } = settled.rendered ?? row;
        sends.push({ input: row, text });
        if (row.environment_kind === 'live')
          deps.spend.sent(row, { providerKind: providerOf(settled), text });
      }
      for (const item of arrived) doorbell.ring(inboxTopic(item));
      if (announced) queue.ring('webhook_delivery');
      if (woken) queue.ring('run');
      if (rings) queue.ring('push');
      await Promise.all([providerHealth.recorded(observations), deps.brake.charge(sends)]);
    };
  }

  /** A report may have arrived while the outcome was unknown: a provider whose answer is lost can still call us. */
  async function withReports(tx: Sql, results: SettledDispatch[]): Promise<SettledDispatch[]> {
    const unknown = results.filter(({ settled }) => isUnknown(settled)).map(({ claim }) => claim.id);
    const statuses = await lockedStatuses(tx, unknown);
    return results.map((result) => {
      const { settled } = result;
      const status = statuses.get(result.claim.id) ?? 'queued';
      if (!isUnknown(settled) || status === 'queued') return result;
      return { ...result, settled: settledByReport(settled, status, clock()) };
    });
  }

  function nextWork({ claim, row, settled }: SettledDispatch): PostponedWork[] {
    if (settled.kind === 'sent') return receiptWork(claim, settled.laterReceipts, clock());
    if (!('retryAt' in settled)) return [];
    const { id, lane, environmentId } = claim;
    const note = noteOf(settled.note);
    const wait = holdWaitOf(settled) ?? waitOf(claim, row, settled);
    return [{ kind: 'notification', id, lane, environmentId, note, runAt: new Date(settled.retryAt), wait }];
  }

  return {
    begin: (claim, note) => begins.add({ id: claim.id, note }),
    end: createOutcomeWriter(deps, writeResults, {
      kind: 'notification',
      idOf: ({ claim }) => claim.id,
      async keep({ claim, settled }) {
        const note: KeptSettlement = { ...(settled && { settled }) };
        await queue.addToNotes(pool, 'notification', [{ id: claim.id, note }]);
      },
      concurrency: 2,
      maxItems: 200,
    }),
  };
}

/** A notification that was tried also waits for its connection, and one deferred by a gate for what the gate names. */
function waitOf(
  claim: Claim,
  row: DispatchRow,
  settled: { note: LeaseNote; waitsFor?: string | null },
): PostponedWork['wait'] {
  const { due, waiting } = settled.note;
  const name = settled.waitsFor ?? (due === undefined && !waiting ? null : connectionName(row));
  return name === null ? null : { name, since: claim.leasedAt };
}

/** Held notifications wait for their release. */
function holdWaitOf(settled: RoundSettlement): PostponedWork['wait'] {
  if (settled.kind !== 'held' && settled.kind !== 'still_waiting') return null;
  const { held } = settled.note;
  return held ? { name: waitName(held.hold), since: new Date(held.since) } : null;
}

function isSettled(result: DispatchResult): result is SettledDispatch {
  return result.settled !== null;
}

function isUnknown(settled: RoundSettlement): settled is FailedSettlement | RetrySettlement {
  return (settled.kind === 'failed' || settled.kind === 'retry') && settled.outcomeUnknown;
}

function additionOf({ row, settled }: SettledDispatch): Addition[] {
  if (settled.kind === 'still_waiting') return [];
  const { id, environment_id: environmentId, channel } = row;
  return [{ id, environmentId, channel, events: settled.events }];
}

/** An item that may ring devices: its environment has push settings. */
function ringingItem({ claim, row, settled }: SettledDispatch) {
  const item = settled.kind === 'sent' ? settled.item : null;
  if (!item || row.settings_version === null) return [];
  const { category, template_version_id } = row;
  const { id, environmentId: environment_id, externalUserId: external_user_id } = item;
  return [{ id, environment_id, external_user_id, category, template_version_id, lane: claim.lane }];
}

function refusalOf({ row, settled }: SettledDispatch): Refusal[] {
  const refusal = 'refusal' in settled ? settled.refusal : null;
  if (!refusal) return [];
  const { id, environment_id, channel, address } = row;
  return [{ id, environment_id, channel, address, ...refusal }];
}

/** The kind of the provider that accepted the message. */
function providerOf({ trace }: SentSettlement): string | null {
  const attempt = trace.findLast((entry) => entry.kind === 'attempt');
  return attempt?.provider_kind ?? null;
}

function isDoneWithAttachments({ row, settled }: SettledDispatch): boolean {
  return Boolean(row.attachments) && statusOf(settled) !== 'queued';
}

/** Counts a settlement once it is written. */
function countSettled(activity: Activity, row: DispatchRow, settled: RoundSettlement): void {
  const { id, environment_id: environmentId, channel } = row;
  const count = (outcome: Parameters<Activity['count']>[2]): void =>
    activity.count(environmentId, channel, outcome);
  switch (settled.kind) {
    case 'sent': {
      const due = row.send_at?.getTime() ?? idTime(id);
      count('sent');
      activity.took(environmentId, channel, Math.max(0, Date.parse(settled.sentAt) - due));
      const { status } = settled;
      if (status !== 'sent') countMoved(activity, [{ environmentId, channel, before: 'sent', status }]);
      break;
    }
    case 'reported':
      // Everything but the send was counted with the report.
      count('sent');
      break;
    case 'bounced':
    case 'failed':
    case 'suppressed':
      count(settled.kind);
      break;
    case 'retry':
      count('retried');
      break;
    case 'waiting':
      if (settled.events.some(({ type }) => type === 'Retrying')) count('retried');
      break;
    case 'deferred':
    case 'held':
    case 'still_waiting':
      break;
    default:
      assertNever(settled);
  }
}
