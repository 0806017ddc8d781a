import type { Carrier, Outcome } from '../../../../channels/contract.ts';
import type { Deps } from '../../../../deps.ts';
import { assertNever } from '../../../../kernel/errors.ts';
import {
  askedDelayMs,
  hour,
  maxAttemptsOf,
  minute,
  type RetryContext,
  type RetrySchedule,
  retryDelayMs,
  second,
} from '../../../../kernel/retry-schedule.ts';
import type { HoldVerdict } from '../../../control/brake/index.ts';
import { eventEntry, type StoredTraceEntry } from '../../../notifications/notifications/index.ts';
import { receiptUpdate, refusalIn } from '../../receipts/index.ts';
import type { LeaseNote } from '../attempt/lease-note.ts';
import { accountOf, type RoundResult } from '../attempt/round.ts';
import type { DispatchRow } from '../store.ts';
import {
  type BouncedSettlement,
  type DeferredSettlement,
  type FailedSettlement,
  type HeldSettlement,
  type ReportedSettlement,
  type RetrySettlement,
  recordOf,
  type SentSettlement,
  type StillWaitingSettlement,
  type SuppressedSettlement,
  type UnsettledRound,
  unsettled,
} from './round-settlement.ts';

/** The delays between the rounds through the provider chain: 8 rounds over about 24 hours. */
export const roundSchedule: RetrySchedule = {
  delaysMs: [10 * second, minute, 5 * minute, 20 * minute, hour, 4 * hour, 18 * hour],
  jitter: 0.2,
  longestAskedMs: 24 * hour,
};

export const maxRounds = maxAttemptsOf(roundSchedule);

export function retryContextOf({ clock, config }: Pick<Deps, 'clock' | 'config'>): RetryContext {
  return { now: clock(), retryScale: config.CARILLON_RETRY_SCALE, chance: Math.random() };
}

/** Decides what a finished round means for the notification. Pure: the whole life cycle is in this file. */
export function settlementOf(
  row: DispatchRow,
  result: RoundResult,
  at: RetryContext,
  before: UnsettledRound = unsettled(row),
): SentSettlement | BouncedSettlement | FailedSettlement | RetrySettlement {
  const { outcome, carrier } = result;
  const message = `${carrier.name}: ${outcome.detail}`;
  const { waiting: _over, ...note } = before.note;
  const round: UnsettledRound = {
    ...before,
    note,
    attempts: before.attempts + result.attempts,
    round: before.round + 1,
    events: [...before.events, ...result.events],
    trace: [...before.trace, ...result.trace],
  };
  switch (outcome.kind) {
    case 'accepted': {
      const receipts = outcome.receipts ?? [];
      const known = receipts.filter((receipt) => !receipt.afterMs);
      const update = receiptUpdate(row.id, known, at.now);
      // Field by field: a spread that adds these many fields took a twentieth of the processor time of a send.
      return {
        id: round.id,
        attempts: round.attempts,
        round: round.round,
        trace: round.trace,
        rendered: round.rendered,
        observations: round.observations,
        kind: 'sent',
        status: update.status ?? 'sent',
        sentAt: new Date(at.now).toISOString(),
        lastError: update.last_error,
        events: [...round.events, eventEntry('Sent', at.now, message), ...update.events],
        laterReceipts: receipts.filter((receipt) => receipt.afterMs),
        refusal: refusalIn(known),
        item: null,
      };
    }
    case 'suppress':
      return {
        ...recordOf(round),
        kind: 'bounced',
        lastError: message,
        events: [...round.events, eventEntry('Bounced', at.now, message)],
        refusal: { reason: outcome.reason, detail: message },
      };
    case 'rejected':
      return failed(round, at.now, message);
    case 'retry': {
      const { retryAfterMs, atLeastMs = 0 } = outcome;
      return retried(round, message, at, Math.max(retryAfterMs ?? 0, atLeastMs * at.retryScale));
    }
    case 'throttled':
      return retried(round, message, at, outcome.retryAfterMs);
    case 'broken':
      // The connection may be repaired within the day; until then nothing is lost.
      return retried(round, message, at, null);
    case 'ambiguous':
      return openOutcome(round, row, reportKeyOf(outcome, carrier), message, at);
    default:
      return assertNever(outcome);
  }
}

/** Returns the carrier if it would recognise a repeat of this message. */
function reportKeyOf(
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
  round: UnsettledRound,
  row: DispatchRow,
  recogniser: Pick<Carrier, 'name' | 'rateLimitKey'> | null,
  message: string,
  at: RetryContext,
): FailedSettlement | RetrySettlement {
  const decided = (verdict: string, detail: string): UnsettledRound => ({
    ...round,
    trace: [...round.trace, unknownOutcome(verdict, detail, at.now)],
  });
  if (recogniser !== null) {
    const detail = `${recogniser.name} deduplicates repeated messages, so the message is sent again.`;
    const repeat = round.note.repeat ?? { carrier: recogniser.name, ...accountOf(recogniser), since: at.now };
    const repeated = { ...decided('retry', detail), note: { ...round.note, repeat } };
    return { ...retried(repeated, message, at, null), outcomeUnknown: true };
  }
  const { sentAgain } = round.note;
  if (row.priority === 'critical' && !sentAgain) {
    const detail =
      'The notification is critical, so it is sent once more: a duplicate is better than a loss. If the outcome is unknown again, the notification fails.';
    const duplicate = decided('prefer_duplicate', detail);
    const again = { ...duplicate, note: { ...duplicate.note, sentAgain: true as const } };
    const what = `The outcome of round ${round.round} is unknown; the critical notification is sent once more`;
    return { ...retried(again, message, at, null, what), outcomeUnknown: true };
  }
  const detail = sentAgain
    ? 'The notification was already sent a second time after an unknown outcome, and is not sent a third time. Resend it if it did not arrive.'
    : 'The provider may have accepted the notification, and a retry could duplicate it. Resend it if it did not arrive.';
  const reason = sentAgain ? `${message} (sent twice, both outcomes unknown)` : message;
  const lost = failed(decided('prefer_loss', detail), at.now, `outcome_unknown: ${reason}`);
  return { ...lost, outcomeUnknown: true };
}

const assumedOutcomes: ReadonlySet<string> = new Set(['AttemptFailed', 'Failed', 'Retrying']);

/** The answer was lost, but the provider has since reported the status: nothing is left to decide. */
export function settledByReport(
  { id, attempts, round, rendered, observations, ...settled }: FailedSettlement | RetrySettlement,
  status: ReportedSettlement['status'],
  now: number,
): ReportedSettlement {
  const detail = `The provider has reported its status: ${status}.`;
  const events = settled.events.filter(({ type }) => !assumedOutcomes.has(type));
  const trace = [
    ...settled.trace.filter((entry) => entry.kind !== 'decision' || entry.name !== 'outcome_unknown'),
    unknownOutcome('reported', detail, now),
  ];
  return { kind: 'reported', status, id, attempts, round, rendered, observations, events, trace };
}

export function deferred(round: UnsettledRound, until: number, waitsFor?: string): DeferredSettlement {
  const note = withoutWaits(round.note);
  return { ...round, note, kind: 'deferred', retryAt: until, waitsFor: waitsFor ?? null };
}

/** Another wait begins: its time is not the providers' or the object store's, after which a notification is given up. */
function withoutWaits({ waiting: _throttled, objects: _unavailable, ...note }: LeaseNote): LeaseNote {
  return note;
}

/** The trace and the timeline say once that the brake holds the notification. */
export function held(
  round: UnsettledRound,
  now: number,
  { note: hold, until, detail, isRepeated }: HoldVerdict,
): HeldSettlement | StillWaitingSettlement {
  const { decided: _over, ...rest } = withoutWaits(round.note);
  const note = { ...rest, held: hold };
  return isRepeated
    ? { kind: 'still_waiting', retryAt: until, note }
    : {
        ...round,
        events: [...round.events, eventEntry('Held', now, detail)],
        kind: 'held',
        retryAt: until,
        note,
      };
}

export function suppressed(
  round: UnsettledRound,
  now: number,
  reason: string,
  detail: string,
): SuppressedSettlement {
  const events = [...round.events, eventEntry('Suppressed', now, detail, reason)];
  return { ...recordOf(round), kind: 'suppressed', reason, events };
}

export function failed(round: UnsettledRound, now: number, reason: string): FailedSettlement {
  const events = [...round.events, eventEntry('Failed', now, reason)];
  return { ...recordOf(round), kind: 'failed', lastError: reason, outcomeUnknown: false, events };
}

/** The provider was removed after the acceptance. As in an outage: a round without an attempt, and another one follows. */
export function unconfigured(
  before: UnsettledRound,
  message: string,
  at: RetryContext,
): FailedSettlement | RetrySettlement {
  const entry: StoredTraceEntry = {
    at: new Date(at.now).toISOString(),
    kind: 'decision',
    name: 'connection',
    verdict: 'missing',
    detail: message,
  };
  const round = { ...before, round: before.round + 1, trace: [...before.trace, entry] };
  return retried(round, message, at, null);
}

function retried(
  round: UnsettledRound,
  message: string,
  at: RetryContext,
  retryAfterMs: number | null,
  what?: string,
): FailedSettlement | RetrySettlement {
  const { due } = round.note;
  // A round ahead of schedule does not use up a scheduled round, or saving settings eight times would fail waiting
  // notifications.
  if (due !== undefined && due > at.now) {
    const retryAt = Math.max(due, at.now + askedDelayMs(roundSchedule, retryAfterMs));
    return next({ ...round, round: round.round - 1 }, message, at, retryAt, what ?? 'Retried early');
  }
  const delay = retryDelayMs(roundSchedule, round.round, at, retryAfterMs);
  if (delay === null) {
    const mayHaveArrived = round.note.repeat || round.note.sentAgain;
    const known = mayHaveArrived ? 'outcome_unknown: gave up' : 'Gave up';
    return failed(round, at.now, `${known} after ${maxRounds} rounds; last: ${message}`);
  }
  const failure = what ?? `Round ${round.round} of ${maxRounds} failed`;
  return next(round, message, at, at.now + delay, failure);
}

function next(
  round: UnsettledRound,
  message: string,
  at: RetryContext,
  retryAt: number,
  what: string,
): RetrySettlement {
  const detail = `${what}; the next is at ${new Date(retryAt).toISOString()}`;
  return {
    ...round,
    kind: 'retry',
    lastError: message,
    outcomeUnknown: false,
    retryAt,
    note: { ...round.note, due: retryAt },
    events: [...round.events, eventEntry('Retrying', at.now, detail)],
  };
}
