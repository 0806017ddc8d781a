import type { Carrier } from '../../../../channels/contract.ts';
import type { RetryContext } from '../../../../kernel/retry-schedule.ts';
import { eventEntry, type StoredTraceEntry } from '../../../notifications/notifications/index.ts';
import {
  type FailedSettlement,
  type RetrySettlement,
  type UnsettledRound,
  unsettled,
} from '../settle/round-settlement.ts';
import { openOutcome, unknownOutcome } from '../settle/settlement.ts';
import type { DispatchRow } from '../store.ts';
import type { LeaseNote, OpenAttempt, Repeat } from './lease-note.ts';

/** Settles an attempt whose worker died before recording the outcome, when the carrier would not recognise a repeat. */
export function resolveOpenAttempt(
  row: DispatchRow,
  open: OpenAttempt,
  note: LeaseNote,
  at: RetryContext,
): FailedSettlement | RetrySettlement {
  const message = `${open.carrier}: the worker stopped during the call, so its outcome is unknown`;
  const round: UnsettledRound = {
    ...unsettled(row),
    note,
    attempts: 1,
    round: row.round + 1,
    events: [eventEntry('Sending', open.started_at), eventEntry('AttemptFailed', at.now, message)],
    trace: [attemptEntryOf(open)],
  };
  return openOutcome(round, row, null, message, at);
}

/** Returns the trace entries for an open attempt at an idempotent carrier, which is called again. */
export function repeatedAttempt(open: OpenAttempt, now: number): StoredTraceEntry[] {
  const detail = `${open.carrier} deduplicates repeated messages, so the message is sent again.`;
  return [attemptEntryOf(open), unknownOutcome('retry', detail, now)];
}

export function repeatOf({ carrier, account, started_at }: OpenAttempt): Repeat {
  return { carrier, ...(account === undefined ? {} : { account }), since: Date.parse(started_at) };
}

/** Returns the carrier that recognises the repeat, if it still exists. */
export function repeatingCarrier(
  { carrier, account }: Repeat,
  carriers: readonly Carrier[],
): Carrier | undefined {
  return carriers.find(
    ({ name, rateLimitKey, idempotent }) =>
      idempotent && name === carrier && (account === undefined || rateLimitKey === account),
  );
}

/** Providers recognise a repeat for 24 hours; the hour less is a margin. */
const rememberedMs = 23 * 3_600_000;

/** Returns why the carrier that may have the message no longer recognises a repeat; null when it still does. */
export function forgottenBy(repeat: Repeat, carriers: readonly Carrier[], now: number): string | null {
  if (!repeatingCarrier(repeat, carriers)) return 'its settings have changed';
  return now - repeat.since > rememberedMs ? 'it would no longer deduplicate a repeat' : null;
}

export function resolveForgotten(
  before: UnsettledRound,
  row: DispatchRow,
  why: string,
  at: RetryContext,
): FailedSettlement | RetrySettlement {
  const { repeat, ...note } = before.note;
  const message = `${repeat?.carrier} may have accepted the message, and ${why}`;
  const events = [...before.events, eventEntry('AttemptFailed', at.now, message)];
  return openOutcome({ ...before, note, events, round: row.round + 1 }, row, null, message, at);
}

function attemptEntryOf(open: OpenAttempt): StoredTraceEntry {
  return {
    at: open.started_at,
    kind: 'attempt',
    name: open.carrier,
    provider_kind: open.carrier_kind,
    verdict: 'ambiguous',
    detail: 'The worker stopped during the call.',
    code: null,
    provider_message_id: null,
    latency_ms: 0,
  };
}
