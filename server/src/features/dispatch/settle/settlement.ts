import type { Carrier, Outcome, Receipt } from '../../../channels/contract.ts';
import { assertNever } from '../../../kernel/errors.ts';
import type { NewItem } from '../../inbox/index.ts';
import { eventEntry, type NotificationRow, type StoredTraceEntry } from '../../notifications/index.ts';
import type { Observation } from '../../provider-health/index.ts';
import { type AddressRefusal, receiptUpdate, refusalIn } from '../../receipts/index.ts';
import type { Rendered } from '../../templates/index.ts';
import type { LeaseNote } from '../attempt/lease-note.ts';
import { accountOf, type RoundResult } from '../attempt/round.ts';
import type { DispatchFact, Settlement } from '../store.ts';
import { askedDelayMs, maxRounds, retryDelayMs } from './retry-delay.ts';

/** A settlement with its consequences; all of it is written in one transaction. */
export interface RoundSettlement extends Settlement {
  retryAt: number | null;
  laterReceipts: Receipt[];
  /** Set when the address is refused for good. */
  refusal: AddressRefusal | null;
  /** The rendered template, when this round rendered it. */
  rendered: Rendered | null;
  /** The inbox item to write with the settlement. */
  item: NewItem | null;
  /** The note that the job keeps until the next round. */
  note: LeaseNote;
  /** Observations of the calls about the health of their providers. */
  observations: Observation[];
  /** Nothing about the notification changes: only its job moves. */
  silent: boolean;
  /** The outcome of the message is unknown; a report from the provider would settle it. */
  outcomeUnknown: boolean;
}

export interface RetryContext {
  now: number;
  retryScale: number;
  /** 0..1, for jitter. */
  chance: number;
}

/** Decides what a finished round means for the notification. Pure: the whole life cycle is in this file. */
export function settlementOf(
  fact: DispatchFact,
  result: RoundResult,
  at: RetryContext,
  note: LeaseNote = {},
): RoundSettlement {
  const { outcome, carrier } = result;
  const message = `${carrier.name}: ${outcome.detail}`;
  const { waiting: _over, ...kept } = note;
  const base = {
    ...unsettled(fact),
    note: kept,
    attempts: result.attempts,
    round: fact.round + 1,
    events: [...result.events],
    trace: [...result.trace],
  };
  switch (outcome.kind) {
    case 'accepted': {
      base.events.push(eventEntry('Sent', at.now, message));
      const receipts = outcome.receipts ?? [];
      const known = receipts.filter((receipt) => !receipt.afterMs);
      const update = receiptUpdate(fact.id, known, at.now);
      return {
        ...base,
        status: update.status ?? 'sent',
        events: [...base.events, ...update.events],
        sent_at: new Date(at.now).toISOString(),
        last_error: update.last_error,
        laterReceipts: receipts.filter((receipt) => receipt.afterMs),
        refusal: refusalIn(known),
      };
    }
    case 'suppress':
      base.events.push(eventEntry('Bounced', at.now, message));
      return {
        ...base,
        status: 'bounced',
        last_error: message,
        refusal: { reason: outcome.reason, detail: message },
      };
    case 'rejected':
      return failed(base, at.now, message);
    case 'retry': {
      const { retryAfterMs, atLeastMs = 0 } = outcome;
      return retried(base, message, at, Math.max(retryAfterMs ?? 0, atLeastMs * at.retryScale));
    }
    case 'throttled':
      return retried(base, message, at, outcome.retryAfterMs);
    case 'broken':
      // The connection may be repaired within the day; until then nothing is lost.
      return retried(base, message, at, null);
    case 'ambiguous':
      return openOutcome(base, fact, recogniserOf(outcome, carrier), message, at);
    default:
      return assertNever(outcome);
  }
}

/** Returns the carrier if it would recognise a repeat of this message. */
function recogniserOf(
  { unrepeatable }: Extract<Outcome, { kind: 'ambiguous' }>,
  carrier: Carrier,
): Carrier | null {
  return carrier.idempotent && !unrepeatable ? carrier : null;
}

/** The trace entry for a decision about an attempt with an unknown outcome. */
export function unknownOutcome(verdict: string, detail: string, now: number): StoredTraceEntry {
  return { at: new Date(now).toISOString(), kind: 'decision', name: 'outcome_unknown', verdict, detail };
}

/**
 * The rule for an attempt with an unknown outcome: the answer was lost, or the worker died before recording it. `recogniser` is
 * the carrier that was called, if it recognises a repeat; no other carrier does.
 */
export function openOutcome(
  base: RoundSettlement,
  fact: DispatchFact,
  recogniser: Pick<Carrier, 'name' | 'rateLimitKey'> | null,
  message: string,
  at: RetryContext,
): RoundSettlement {
  const decided = (verdict: string, detail: string): RoundSettlement => ({
    ...base,
    outcomeUnknown: true,
    trace: [...base.trace, unknownOutcome(verdict, detail, at.now)],
  });
  if (recogniser !== null) {
    const repeated = decided(
      'retry',
      `${recogniser.name} recognises a repeated message, so it is handed over to it again.`,
    );
    const repeat = base.note.repeat ?? {
      carrier: recogniser.name,
      ...accountOf(recogniser),
      since: at.now,
    };
    return retried({ ...repeated, note: { ...base.note, repeat } }, message, at, null);
  }
  if (fact.priority === 'critical') {
    const detail = 'Critical: a possible duplicate is better than a loss, so it is sent again.';
    return retried(decided('prefer_duplicate', detail), message, at, null);
  }
  const detail =
    'The provider may have accepted it; sending again could duplicate it. Resend it if it did not arrive.';
  return failed(decided('prefer_loss', detail), at.now, `outcome_unknown: ${message}`);
}

const guesses: ReadonlySet<string> = new Set(['AttemptFailed', 'Failed', 'Retrying']);

/** The answer was lost, but the provider has since reported the status: nothing is left to decide. */
export function settledByReport(
  settled: RoundSettlement,
  status: NotificationRow['status'],
  now: number,
): RoundSettlement {
  const detail = `The provider has reported what became of it: ${status}.`;
  return {
    ...settled,
    status,
    retryAt: null,
    last_error: null,
    events: settled.events.filter(({ type }) => !guesses.has(type)),
    trace: [
      ...settled.trace.filter((entry) => entry.kind !== 'decision' || entry.name !== 'outcome_unknown'),
      unknownOutcome('reported', detail, now),
    ],
  };
}

export function unsettled(fact: DispatchFact): RoundSettlement {
  return {
    id: fact.id,
    status: 'queued',
    events: [],
    trace: [],
    attempts: 0,
    round: fact.round,
    sent_at: null,
    last_error: null,
    suppression_reason: null,
    retryAt: null,
    laterReceipts: [],
    refusal: null,
    rendered: null,
    item: null,
    note: {},
    observations: [],
    silent: false,
    outcomeUnknown: false,
  };
}

export function failed(base: RoundSettlement, now: number, reason: string): RoundSettlement {
  return {
    ...base,
    status: 'failed',
    last_error: reason,
    events: [...base.events, eventEntry('Failed', now, reason)],
  };
}

function retried(
  base: RoundSettlement,
  message: string,
  at: RetryContext,
  retryAfterMs: number | null,
): RoundSettlement {
  const { due } = base.note;
  // A round ahead of schedule does not use up a scheduled round, or saving settings eight times would fail waiting
  // notifications.
  if (due !== undefined && due > at.now) {
    const retryAt = Math.max(due, at.now + askedDelayMs(retryAfterMs));
    return next({ ...base, round: base.round - 1 }, message, at, retryAt, 'Tried once more in between');
  }
  const delay = retryDelayMs(base.round, at.retryScale, at.chance, retryAfterMs);
  if (delay === null) {
    const known = base.note.repeat ? 'outcome_unknown: gave up' : 'Gave up';
    return failed(base, at.now, `${known} after ${maxRounds} rounds; last: ${message}`);
  }
  return next(base, message, at, at.now + delay, `Round ${base.round} of ${maxRounds} failed`);
}

function next(
  base: RoundSettlement,
  message: string,
  at: RetryContext,
  retryAt: number,
  what: string,
): RoundSettlement {
  const detail = `${what}; the next is at ${new Date(retryAt).toISOString()}`;
  return {
    ...base,
    status: 'queued',
    last_error: message,
    retryAt,
    note: { ...base.note, due: retryAt },
    events: [...base.events, eventEntry('Retrying', at.now, detail)],
  };
}
