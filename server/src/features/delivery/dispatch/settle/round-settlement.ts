import type { Receipt } from '../../../../channels/contract.ts';
import type { InboxItem } from '../../../../channels/delivery-plan.ts';
import { assertNever } from '../../../../kernel/errors.ts';
import type { Claim } from '../../../../queue/index.ts';
import type {
  EventEntry,
  NotificationRow,
  StoredTraceEntry,
} from '../../../notifications/notifications/index.ts';
import type { Observation } from '../../../providers/provider-health/index.ts';
import type { AddressRefusal, ReceiptStatus } from '../../receipts/index.ts';
import type { LeaseNote } from '../attempt/lease-note.ts';
import type { DispatchRow, SettlementRow, StoredRendering } from '../store.ts';

/** The part of a settlement that does not depend on what happened. */
interface RoundRecord {
  id: string;
  attempts: number;
  round: number;
  events: EventEntry[];
  trace: StoredTraceEntry[];
  /** The rendered template, when this round rendered it. */
  rendered: StoredRendering | null;
  /** Observations of the calls about the health of their providers. */
  observations: Observation[];
}

/** A round before it is settled, with the note of the job. */
export interface UnsettledRound extends RoundRecord {
  note: LeaseNote;
}

/** What happened to a notification in one claim, with its consequences; all of it is written in one transaction. */
export type RoundSettlement =
  | SentSettlement
  | BouncedSettlement
  | FailedSettlement
  | SuppressedSettlement
  | DeferredSettlement
  | HeldSettlement
  | RetrySettlement
  | WaitingSettlement
  | StillWaitingSettlement
  | ReportedSettlement;

/** A provider accepted the message; receipts that came with the answer may have moved the status on. */
export interface SentSettlement extends RoundRecord {
  kind: 'sent';
  status: 'sent' | ReceiptStatus;
  sentAt: string;
  lastError: string | null;
  laterReceipts: Receipt[];
  refusal: AddressRefusal | null;
  /** The inbox item of a delivered in-app notification. */
  item: InboxItem | null;
}

/** A provider refused the address for good. */
export interface BouncedSettlement extends RoundRecord {
  kind: 'bounced';
  lastError: string;
  refusal: AddressRefusal;
}

export interface FailedSettlement extends RoundRecord {
  kind: 'failed';
  lastError: string;
  /** A provider may have the message; its report would replace this settlement. */
  outcomeUnknown: boolean;
}

/** A gate stopped the notification. */
export interface SuppressedSettlement extends RoundRecord {
  kind: 'suppressed';
  reason: string;
}

/** A gate put the notification off. */
export interface DeferredSettlement extends RoundRecord {
  kind: 'deferred';
  retryAt: number;
  /** What ends the wait before its time; null for the time alone. */
  waitsFor: string | null;
  note: LeaseNote;
}

/** The brake holds the notification. */
export interface HeldSettlement extends RoundRecord {
  kind: 'held';
  retryAt: number;
  note: LeaseNote;
}

/** The round failed, and another follows. */
export interface RetrySettlement extends RoundRecord {
  kind: 'retry';
  retryAt: number;
  note: LeaseNote;
  lastError: string;
  /** A provider may have the message; its report would replace this settlement. */
  outcomeUnknown: boolean;
}

/** All providers asked us to slow down. */
export interface WaitingSettlement extends RoundRecord {
  kind: 'waiting';
  retryAt: number;
  note: LeaseNote;
  lastError: string;
}

/** The providers still ask us to slow down, the object store is still unavailable, or the brake still holds the notification: the job moves, and nothing is written about the notification. */
export interface StillWaitingSettlement {
  kind: 'still_waiting';
  retryAt: number;
  note: LeaseNote;
}

/** The outcome was unknown, and meanwhile a provider reported the status. */
export interface ReportedSettlement extends RoundRecord {
  kind: 'reported';
  status: Exclude<NotificationRow['status'], 'queued'>;
}

/** Part of the note of a lease while its settlement cannot be written: the next claim writes it and sends nothing. */
export interface KeptSettlement {
  settled?: RoundSettlement;
}

export function keptSettlement({ note }: Pick<Claim, 'note'>): RoundSettlement | undefined {
  return (note as KeptSettlement | null)?.settled;
}

export function unsettled({ id, round }: DispatchRow): UnsettledRound {
  return { id, round, attempts: 0, events: [], trace: [], rendered: null, observations: [], note: {} };
}

export function recordOf({ note: _note, ...record }: UnsettledRound): RoundRecord {
  return record;
}

/** The status that the settlement gives a queued notification. */
export function statusOf(settled: RoundSettlement): NotificationRow['status'] {
  switch (settled.kind) {
    case 'sent':
    case 'reported':
      return settled.status;
    case 'bounced':
    case 'failed':
    case 'suppressed':
      return settled.kind;
    case 'deferred':
    case 'held':
    case 'retry':
    case 'waiting':
    case 'still_waiting':
      return 'queued';
    default:
      return assertNever(settled);
  }
}

export function rowOf(settled: Exclude<RoundSettlement, StillWaitingSettlement>): SettlementRow {
  const { id, events, trace, attempts, round } = settled;
  return {
    id,
    status: statusOf(settled),
    events,
    trace,
    attempts,
    round,
    sent_at: settled.kind === 'sent' ? settled.sentAt : null,
    last_error: 'lastError' in settled ? settled.lastError : null,
    suppression_reason: settled.kind === 'suppressed' ? settled.reason : null,
  };
}
