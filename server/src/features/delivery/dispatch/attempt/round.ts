import type { Carrier, Message, Outcome, Reservation } from '../../../../channels/contract.ts';
import type { Exchange } from '../../../../channels/exchange.ts';
import { storable } from '../../../../kernel/json.ts';
import type { HoldVerdict } from '../../../control/brake/index.ts';
import {
  type EventEntry,
  eventEntry,
  type StoredTraceEntry,
} from '../../../notifications/notifications/index.ts';
import type { ProviderCall } from '../../../providers/provider-health/index.ts';
import type { OpenAttempt } from './lease-note.ts';

/**
 * One round through the provider chain. A provider that refuses the message hands over to the next one; a refusal of the
 * recipient, an acceptance, or an unknown outcome ends the round. Every call counts as an attempt, also one that is answered
 * with "slow down". A throttled provider is skipped, as is one that is gone: without a call, no attempt is counted.
 */
export interface RoundResult {
  kind: 'tried';
  /** The outcome that decides the round, and the carrier that gave it. */
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
  /** The earliest time at which one of the providers may be called again. */
  until: number;
  message: string;
  trace: StoredTraceEntry[];
  calls: ProviderCall[];
}

/** A round that a freeze ended before its next call. */
export interface FrozenRound {
  kind: 'frozen';
  verdict: HoldVerdict;
  attempts: number;
  events: EventEntry[];
  trace: StoredTraceEntry[];
  calls: ProviderCall[];
}

export type Throttled = Extract<Outcome, { kind: 'throttled' }>;

export interface RoundOptions {
  carriers: readonly Carrier[];
  message: (attempt: number, carrier: Carrier) => Message;
  attemptsBefore: number;
  /** Critical sends jump the queue for a pooled connection. */
  urgent: boolean;
  /** Records the attempt. Resolves to false when the lease is lost: another worker has the job, and nothing may be sent. */
  begin(open: OpenAttempt): Promise<boolean>;
  /** The verdict of a freeze that has begun meanwhile; null when there is none. Asked right before each call. */
  judgeFreeze(): HoldVerdict | null;
  /** Returns 0 when the carrier is not throttled. */
  throttledUntil(carrier: Carrier): number;
  /** Records that the carrier asked us to slow down; resolves to the end of the throttle. */
  throttle(carrier: Carrier, outcome: Throttled, callStartedAt: number): Promise<number>;
  clock: () => number;
  signal: AbortSignal;
  /** Returns the HTTP exchange since the previous call; null when there is none that can be shown. */
  takeExchange?(signal: AbortSignal): Exchange | null;
}

export async function runRound(
  options: RoundOptions,
): Promise<RoundResult | WaitingRound | FrozenRound | 'lost'> {
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
      trace.push(skippedEntry(carrier, until, clock()));
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
    if (outcome.kind === 'hold') {
      // The outcomes of the calls so far are known: an unknown one would have ended the round.
      if (refusal !== null) events.push(eventEntry('AttemptFailed', refusedAt, refusal));
      return { kind: 'frozen', verdict: outcome, attempts, events, trace, calls };
    }
    if (outcome.kind === 'throttled' && outcome.notCalled) {
      const until = await options.throttle(carrier, outcome, startedAt);
      waitFor(carrier, until, `${carrier.name}: ${outcome.detail}`);
      trace.push(delayedEntry(carrier, outcome, until, clock()));
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
    // With several refusals the most hopeful one decides: if any provider may accept the message later, it is retried.
    if (!decisive || (decisive.outcome.kind === 'rejected' && outcome.kind !== 'rejected'))
      decisive = { outcome, carrier };
  }

  // The compiler does not see that a function assigned `wait`.
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

/** Makes one call. The call is recorded beforehand unless its repetition is harmless. */
async function call(
  options: RoundOptions,
  carrier: Carrier,
  attempt: number,
  startedAt: number,
): Promise<Outcome | HoldVerdict | 'lost'> {
  const { signal } = options;
  let reservation: Reservation | null = null;
  if (carrier.reserve) {
    const reserved = await carrier.reserve(signal, options.urgent);
    if ('kind' in reserved) return storable(reserved);
    reservation = reserved;
  }
  const frozen = options.judgeFreeze();
  if (frozen) {
    reservation?.release();
    return frozen;
  }
  // An idempotent carrier recognises only its own repeats: with several carriers, the one that was called must be recorded.
  if (!carrier.idempotent || options.carriers.length > 1) {
    const open = {
      carrier: carrier.name,
      carrier_kind: carrier.kind,
      started_at: new Date(startedAt).toISOString(),
      ...(carrier.idempotent ? { idempotent: true, ...accountOf(carrier) } : {}),
    };
    const isLeased = await options.begin(open).catch((error: unknown) => {
      reservation?.release();
      throw error;
    });
    if (!isLeased) {
      reservation?.release();
      return 'lost';
    }
  }
  // Carriers repeat what servers answer, and cut it: an outcome that cannot be stored would be sent again without end.
  return storable(await (reservation ?? carrier).send(options.message(attempt, carrier), signal));
}

/** The account under which the provider recognises a repeat: a carrier may get other credentials and keep its name. */
export function accountOf({ rateLimitKey }: Pick<Carrier, 'rateLimitKey'>): { account?: string } {
  return rateLimitKey === undefined ? {} : { account: rateLimitKey };
}

/** The outcome when others refused the message for good, but a throttled provider may still accept it. */
function afterPause({ until, message }: { until: number; message: string }, now: number): Outcome {
  return { kind: 'retry', detail: message, code: 'paused', retryAfterMs: Math.max(0, until - now) };
}

/** Codes of calls that got no answer; a webhook has no code then. */
const silences: ReadonlySet<string | null> = new Set([null, 'timeout', 'connect', 'dns', 'lost']);

/** Whether the provider answered: one that does not answer gets fewer concurrent calls. */
export function wasAnswered(
  result: Pick<RoundResult, 'kind' | 'outcome'> | WaitingRound | FrozenRound,
): boolean {
  if (result.kind !== 'tried') return true;
  const { kind, code = null } = result.outcome;
  return !((kind === 'retry' || kind === 'ambiguous') && silences.has(code));
}

/** Answers to the operator's own (shared) account are not shown to tenants. */
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

function skippedEntry({ name }: Carrier, until: number, now: number): StoredTraceEntry {
  const end = new Date(until).toISOString();
  return decision('pace', 'passed_over', `${name} asked us to slow down and is throttled until ${end}.`, now);
}

function delayedEntry(
  { name }: Carrier,
  { detail }: Throttled,
  until: number,
  now: number,
): StoredTraceEntry {
  const end = new Date(until).toISOString();
  return decision('pace', 'held_back', `${name} is not called before ${end}. ${detail}`, now);
}

function notCalled({ name }: Carrier, why: string, now: number): StoredTraceEntry {
  const detail = `${name} is gone and is not called until it gets new credentials: ${why}`;
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
