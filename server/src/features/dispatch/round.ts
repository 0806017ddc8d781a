import type { Carrier, Message, Outcome } from '../../channels/contract.ts';
import { type EventEntry, eventEntry, type StoredTraceEntry } from '../notifications/index.ts';

/**
 * One round through the provider chain. A provider that refuses the message hands over to the next one; a refusal of the
 * recipient, an acceptance, or an outcome nobody knows ends the round.
 */
export interface RoundResult {
  /** The outcome that decides, and who gave it. */
  outcome: Outcome;
  carrier: Carrier;
  attempts: number;
  events: EventEntry[];
  trace: StoredTraceEntry[];
}

/** What is written on the lease before a call that must not be repeated blindly. */
export interface OpenAttempt {
  carrier: string;
  carrier_kind: string;
  started_at: string;
}

export interface RoundOptions {
  carriers: [Carrier, ...Carrier[]];
  message: (attempt: number) => Message;
  attemptsBefore: number;
  /** Records the attempt; false: the lease is gone, somebody else has the work, and nothing may be sent. */
  begin(open: OpenAttempt): Promise<boolean>;
  clock: () => number;
  signal: AbortSignal;
}

export async function runRound(options: RoundOptions): Promise<RoundResult | 'lost'> {
  const { carriers, clock } = options;
  const events: EventEntry[] = [];
  const trace: StoredTraceEntry[] = [];
  let decisive: { outcome: Outcome; carrier: Carrier } | null = null;
  let attempts = 0;

  for (const [index, carrier] of carriers.entries()) {
    const startedAt = clock();
    if (!carrier.idempotent) {
      const open = {
        carrier: carrier.name,
        carrier_kind: carrier.kind,
        started_at: new Date(startedAt).toISOString(),
      };
      if (!(await options.begin(open))) return 'lost';
    }
    attempts += 1;
    const outcome = await carrier.send(options.message(options.attemptsBefore + attempts), options.signal);
    const finishedAt = clock();
    trace.push(attemptEntry(carrier, outcome, startedAt, finishedAt));

    if (endsRound(outcome)) return { outcome, carrier, attempts, events, trace };
    const next = carriers[index + 1];
    const detail = `${carrier.name}: ${outcome.detail}`;
    events.push(
      next
        ? eventEntry('FailedOver', finishedAt, `${detail}; trying ${next.name}`)
        : eventEntry('AttemptFailed', finishedAt, detail),
    );
    // With several refusals the most hopeful one decides: if any provider may take it later, it is tried again.
    if (!decisive || (decisive.outcome.kind === 'rejected' && outcome.kind !== 'rejected'))
      decisive = { outcome, carrier };
  }
  if (!decisive) throw new Error('a round needs at least one carrier');
  return { ...decisive, attempts, events, trace };
}

function endsRound(outcome: Outcome): boolean {
  return outcome.kind === 'accepted' || outcome.kind === 'suppress' || outcome.kind === 'ambiguous';
}

function attemptEntry(
  carrier: Carrier,
  outcome: Outcome,
  startedAt: number,
  finishedAt: number,
): StoredTraceEntry {
  return {
    at: new Date(startedAt).toISOString(),
    kind: 'attempt',
    name: carrier.name,
    provider_kind: carrier.kind,
    verdict: outcome.kind,
    detail: outcome.detail,
    code: outcome.code ?? null,
    provider_message_id: outcome.kind === 'accepted' ? outcome.providerMessageId : null,
    latency_ms: Math.round(finishedAt - startedAt),
  };
}
