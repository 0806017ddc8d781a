import type { Carrier, Message, Outcome, Reservation } from '../../../channels/contract.ts';
import type { Exchange } from '../../../channels/exchange.ts';
import { type EventEntry, eventEntry, type StoredTraceEntry } from '../../notifications/index.ts';
import type { ProviderCall } from '../../providers/index.ts';
import type { OpenAttempt } from './lease-note.ts';

/**
 * One round through the provider chain. A provider that refuses the message hands over to the next one; a refusal of the
 * recipient, an acceptance, or an outcome nobody knows ends the round. Every call counts as an attempt, also one that is answered
 * with "slow down". A provider that is paused is passed over, as is one that is gone: there is no call, so no attempt is counted.
 */
export interface RoundResult {
  kind: 'tried';
  /** The outcome that decides, and who gave it. */
  outcome: Outcome;
  carrier: Carrier;
  attempts: number;
  events: EventEntry[];
  trace: StoredTraceEntry[];
  calls: ProviderCall[];
}

/** A round in which every provider asked us to slow down, now or before. `attempts` is 0 when none of them was called. */
export interface WaitingRound {
  kind: 'waiting';
  attempts: number;
  events: EventEntry[];
  /** When the first of them may be asked again. */
  until: number;
  message: string;
  trace: StoredTraceEntry[];
  calls: ProviderCall[];
}

export type Throttled = Extract<Outcome, { kind: 'throttled' }>;

export interface RoundOptions {
  carriers: readonly Carrier[];
  message: (attempt: number) => Message;
  attemptsBefore: number;
  /** It passes those that wait for the same connections. */
  urgent: boolean;
  /** Records the attempt; false: the lease is gone, somebody else has the work, and nothing may be sent. */
  begin(open: OpenAttempt): Promise<boolean>;
  /** 0: it may be asked. */
  throttledUntil(carrier: Carrier): number;
  /** It asked us to slow down; resolves to the end of the pause. */
  throttle(carrier: Carrier, outcome: Throttled, callStartedAt: number): Promise<number>;
  clock: () => number;
  signal: AbortSignal;
  /** What went over the wire since it was last asked; null: nothing that can be shown. */
  takeExchange?(signal: AbortSignal): Exchange | null;
}

export async function runRound(options: RoundOptions): Promise<RoundResult | WaitingRound | 'lost'> {
  const { carriers, clock } = options;
  const events: EventEntry[] = [];
  const trace: StoredTraceEntry[] = [];
  const calls: ProviderCall[] = [];
  let decisive: { outcome: Outcome; carrier: Carrier } | null = null;
  let wait: { until: number; message: string; carrier: Carrier } | null = null;
  let refusal: string | null = null;
  let refusedAt = 0;
  let attempts = 0;

  const waitFor = (carrier: Carrier, until: number, message: string): void => {
    if (!wait || until < wait.until) wait = { carrier, until, message };
  };

  for (const carrier of carriers) {
    const until = options.throttledUntil(carrier);
    if (until > 0) {
      waitFor(carrier, until, `${carrier.name} asked us to slow down`);
      trace.push(passedOver(carrier, until, clock()));
      continue;
    }
    if (carrier.gone !== undefined) {
      trace.push(notCalled(carrier, carrier.gone, clock()));
      decisive ??= { carrier, outcome: { kind: 'broken', detail: carrier.gone, code: 'gone' } };
      continue;
    }

    const startedAt = clock();
    const outcome = await call(options, carrier, options.attemptsBefore + attempts + 1, startedAt);
    if (outcome === 'lost') return 'lost';
    if (outcome.kind === 'throttled' && outcome.heldBack) {
      const until = await options.throttle(carrier, outcome, startedAt);
      waitFor(carrier, until, `${carrier.name}: ${outcome.detail}`);
      trace.push(heldBack(carrier, outcome, until, clock()));
      continue;
    }
    if (refusal !== null)
      events.push(
        eventEntry('FailedOver', refusedAt, `${refusal.replace(/\.$/, '')}; trying ${carrier.name}`),
      );
    refusedAt = clock();
    refusal = `${carrier.name}: ${outcome.detail}`;
    calls.push({ carrier, outcome, startedAt });
    trace.push({
      ...attemptEntry(carrier, outcome, startedAt, refusedAt),
      ...exchangeWith(options, carrier),
    });

    attempts += 1;
    if (outcome.kind === 'throttled') {
      waitFor(carrier, await options.throttle(carrier, outcome, startedAt), refusal);
      continue;
    }
    if (endsRound(outcome)) return { kind: 'tried', outcome, carrier, attempts, events, trace, calls };
    // With several refusals the most hopeful one decides: if any provider may take it later, it is tried again.
    if (!decisive || (decisive.outcome.kind === 'rejected' && outcome.kind !== 'rejected'))
      decisive = { outcome, carrier };
  }

  // The compiler does not see that a function assigned it.
  const waited = wait as { until: number; message: string; carrier: Carrier } | null;
  if (refusal !== null) events.push(eventEntry('AttemptFailed', refusedAt, refusal));
  if (!decisive) {
    if (!waited) throw new Error('a round needs at least one carrier');
    return { kind: 'waiting', until: waited.until, message: waited.message, attempts, events, trace, calls };
  }
  if (decisive.outcome.kind === 'rejected' && waited)
    decisive = { carrier: waited.carrier, outcome: afterPause(waited, clock()) };
  return { kind: 'tried', ...decisive, attempts, events, trace, calls };
}

/** One call, noted before it is made unless its repetition can do no harm. */
async function call(
  options: RoundOptions,
  carrier: Carrier,
  attempt: number,
  startedAt: number,
): Promise<Outcome | 'lost'> {
  const { signal } = options;
  let reservation: Reservation | null = null;
  if (carrier.reserve) {
    const reserved = await carrier.reserve(signal, options.urgent);
    if ('kind' in reserved) return reserved;
    reservation = reserved;
  }
  // A carrier that recognises a repeat does so only for itself: with others to choose from it must be known who was asked.
  if (!carrier.idempotent || options.carriers.length > 1) {
    const open = {
      carrier: carrier.name,
      carrier_kind: carrier.kind,
      started_at: new Date(startedAt).toISOString(),
      ...(carrier.idempotent ? { idempotent: true, ...accountOf(carrier) } : {}),
    };
    const held = await options.begin(open).catch((error: unknown) => {
      reservation?.release();
      throw error;
    });
    if (!held) {
      reservation?.release();
      return 'lost';
    }
  }
  return (reservation ?? carrier).send(options.message(attempt), signal);
}

/** Under which the provider recognises a repeat: a carrier may get the credentials of another, and keep its name. */
export function accountOf({ rateLimitKey }: Pick<Carrier, 'rateLimitKey'>): { account?: string } {
  return rateLimitKey === undefined ? {} : { account: rateLimitKey };
}

/** Others refused the message for good, but one that is paused may yet take it. */
function afterPause({ until, message }: { until: number; message: string }, now: number): Outcome {
  return { kind: 'retry', detail: message, code: 'paused', retryAfterMs: Math.max(0, until - now) };
}

/** How calls end that nobody answered; a webhook has no code then. */
const silences: ReadonlySet<string | null> = new Set([null, 'timeout', 'connect', 'dns', 'lost']);

/** Whether somebody is there: who does not answer gets fewer calls at once. */
export function wasAnswered(result: Pick<RoundResult, 'kind' | 'outcome'> | WaitingRound): boolean {
  if (result.kind === 'waiting') return true;
  const { kind, code = null } = result.outcome;
  return !((kind === 'retry' || kind === 'ambiguous') && silences.has(code));
}

/** What the operator's own account says is the operator's business. */
function exchangeWith(
  { signal, takeExchange }: RoundOptions,
  { isShared }: Carrier,
): { exchange?: Exchange } {
  const exchange = takeExchange?.(signal);
  return exchange && !isShared ? { exchange } : {};
}

function endsRound(outcome: Outcome): boolean {
  return outcome.kind === 'accepted' || outcome.kind === 'suppress' || outcome.kind === 'ambiguous';
}

function passedOver({ name }: Carrier, until: number, now: number): StoredTraceEntry {
  const end = new Date(until).toISOString();
  return decision(
    'pace',
    'passed_over',
    `${name} asked us to slow down, and is left alone until ${end}.`,
    now,
  );
}

function heldBack({ name }: Carrier, { detail }: Throttled, until: number, now: number): StoredTraceEntry {
  const end = new Date(until).toISOString();
  return decision('pace', 'held_back', `${name} is not called before ${end}. ${detail}`, now);
}

function notCalled({ name }: Carrier, why: string, now: number): StoredTraceEntry {
  const detail = `${name} is gone, and is not called until it gets new credentials: ${why}`;
  return decision('connection', 'not_called', detail, now);
}

function decision(name: string, verdict: string, detail: string, now: number): StoredTraceEntry {
  return { at: new Date(now).toISOString(), kind: 'decision', name, verdict, detail };
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
