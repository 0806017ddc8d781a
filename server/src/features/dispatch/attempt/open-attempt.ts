import type { Carrier } from '../../../channels/contract.ts';
import { eventEntry, type StoredTraceEntry } from '../../notifications/index.ts';
import {
  openOutcome,
  type RetryContext,
  type RoundSettlement,
  unknownOutcome,
  unsettled,
} from '../settle/settlement.ts';
import type { DispatchFact } from '../store.ts';
import type { LeaseNote, OpenAttempt, Repeat } from './lease-note.ts';

/** The worker that made this attempt died before it could record the outcome, and a repeat would not be recognised. */
export function resolveOpenAttempt(
  fact: DispatchFact,
  open: OpenAttempt,
  note: LeaseNote,
  at: RetryContext,
): RoundSettlement {
  const message = `${open.carrier}: the worker stopped during the call, so its outcome is unknown`;
  const base: RoundSettlement = {
    ...unsettled(fact),
    note,
    attempts: 1,
    round: fact.round + 1,
    events: [eventEntry('Sending', open.started_at), eventEntry('AttemptFailed', at.now, message)],
    trace: [attemptEntryOf(open)],
  };
  return openOutcome(base, fact, null, message, at);
}

/** The same where the carrier recognises a repeat: it is simply asked again. What that adds to the trace. */
export function repeatedAttempt(open: OpenAttempt, now: number): StoredTraceEntry[] {
  const detail = `${open.carrier} recognises a repeated message, so it is handed over to it again.`;
  return [attemptEntryOf(open), unknownOutcome('retry', detail, now)];
}

export function repeatOf({ carrier, account, started_at }: OpenAttempt): Repeat {
  return { carrier, ...(account === undefined ? {} : { account }), since: Date.parse(started_at) };
}

/** The carrier that recognises it, if it is still there. */
export function repeatingCarrier(
  { carrier, account }: Repeat,
  carriers: readonly Carrier[],
): Carrier | undefined {
  return carriers.find(
    ({ name, rateLimitKey, idempotent }) =>
      idempotent && name === carrier && (account === undefined || rateLimitKey === account),
  );
}

/** Providers that recognise a repeat do so for a day. */
const rememberedMs = 23 * 3_600_000;

/** Why the carrier that may have the message would not recognise a repeat any more; null: it would. */
export function forgottenBy(repeat: Repeat, carriers: readonly Carrier[], now: number): string | null {
  if (!repeatingCarrier(repeat, carriers)) return 'it is no longer in the settings as it was';
  return now - repeat.since > rememberedMs ? 'it would no longer recognise a repeat' : null;
}

export function resolveForgotten(
  base: RoundSettlement,
  fact: DispatchFact,
  why: string,
  at: RetryContext,
): RoundSettlement {
  const { repeat, ...note } = base.note;
  const message = `${repeat?.carrier}: it may have the message, and ${why}`;
  const events = [...base.events, eventEntry('AttemptFailed', at.now, message)];
  return openOutcome({ ...base, note, events, round: fact.round + 1 }, fact, null, message, at);
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
