import type { Carrier, Channel } from '../../../../channels/contract.ts';
import type { DeliveryPlan } from '../../../../channels/delivery-plan.ts';
import type { Deps } from '../../../../deps.ts';
import { idTime } from '../../../../kernel/ids.ts';
import type { Span } from '../../../../kernel/tracing.ts';
import type { Claim, ConcurrencyLimits } from '../../../../queue/index.ts';
import type { Brake } from '../../../control/brake/index.ts';
import { eventEntry, type StoredTraceEntry } from '../../../notifications/notifications/index.ts';
import {
  allEnvironments,
  type ProviderHealthTracker,
  type ProviderOrder,
  type Throttles,
} from '../../../providers/provider-health/index.ts';
import type { RoundSettlement, UnsettledRound } from '../settle/round-settlement.ts';
import { held, retryContextOf, settlementOf } from '../settle/settlement.ts';
import { resumedEntry, settleWaiting } from '../settle/waiting.ts';
import type { DispatchWriter } from '../settle/writer.ts';
import type { DispatchRow } from '../store.ts';
import { brakeRequest } from './lease-note.ts';
import { forgottenBy, repeatingCarrier, resolveForgotten } from './open-attempt.ts';
import { type FrozenRound, type RoundOptions, runRound, type Throttled, wasAnswered } from './round.ts';

export interface AttemptDeps extends Pick<Deps, 'clock' | 'config' | 'metrics' | 'tracer' | 'outbound'> {
  throttles: Throttles;
  providerHealth: ProviderHealthTracker;
  brake: Brake;
  writer: DispatchWriter;
  concurrency: ConcurrencyLimits;
}

/** A round through the carriers, with its start time, its span and the provider order it used. */
interface CompletedRound {
  result: Exclude<Awaited<ReturnType<typeof runRound>>, 'lost'>;
  order: ProviderOrder;
  span: Span;
  startedAt: number;
}

const roundTimeoutMs = 120_000;

/** A notification that passed the gates, its delivery plan and the round so far. */
interface PlannedSend {
  claim: Claim;
  row: DispatchRow;
  plan: DeliveryPlan;
  base: UnsettledRound;
}

/** Runs the delivery plan, once its concurrency limit allows. */
export async function attemptDelivery(
  deps: AttemptDeps,
  send: PlannedSend,
): Promise<RoundSettlement | 'lost'> {
  const { claim, row, plan, base } = send;
  const { repeat } = base.note;
  const forgotten = repeat ? forgottenBy(repeat, plan.carriers, deps.clock()) : null;
  if (forgotten !== null) return resolveForgotten(base, row, forgotten, retryContextOf(deps));

  const limit = plan.carriers.every(({ isLocal }) => isLocal) ? undefined : plan.concurrencyKey;
  const permit = limit === undefined ? null : await deps.concurrency.acquire(claim, limit);
  if (limit !== undefined && !permit) return 'lost';
  // The permit is released however the round ends: a leaked permit is lost for the lifetime of the process.
  let answered = true;
  let completed: CompletedRound | 'lost';
  try {
    completed = await tryCarriers(deps, send, repeat && repeatingCarrier(repeat, plan.carriers));
    answered = completed !== 'lost' && wasAnswered(completed.result);
  } finally {
    permit?.release(answered);
  }
  return completed === 'lost' ? 'lost' : settleRound(deps, send, completed);
}

async function tryCarriers(
  deps: AttemptDeps,
  send: PlannedSend,
  repeat: Carrier | undefined,
): Promise<CompletedRound | 'lost'> {
  const { claim, row, plan, base } = send;
  const { note, attempts } = base;
  const { clock, providerHealth, throttles } = deps;
  const startedAt = clock();
  if (row.attempt_count === 0 && !note.waiting) {
    deps.metrics.acceptToAttempt.observe(
      { lane: claim.lane },
      (startedAt - (row.send_at?.getTime() ?? idTime(row.id))) / 1000,
    );
  }
  const channelThrottles = throttlesOn(throttles, row.environment_id, row.channel);
  const order: ProviderOrder = repeat
    ? { carriers: [repeat], reason: null }
    : await providerHealth.order(row.environment_id, plan.carriers, claim.lane);
  const span = deps.tracer.startFor(row.id, 'dispatch', 'client');
  const result = await runRound({
    message: messageOf(send),
    carriers: order.carriers,
    attemptsBefore: row.attempt_count + attempts,
    urgent: claim.lane === 'critical',
    begin: (open) => deps.writer.begin(claim, { ...note, open }),
    // A message that a provider may already have is completed.
    judgeFreeze: () => (note.repeat ? null : deps.brake.judgeFreeze(brakeRequest(claim, row, note))),
    throttledUntil: channelThrottles.until,
    throttle: channelThrottles.throttle,
    clock,
    signal: AbortSignal.timeout(roundTimeoutMs),
    takeExchange: deps.outbound.takeExchange,
  });
  return result === 'lost' ? 'lost' : { result, order, span, startedAt };
}

/**
 * The sandbox gets the stored content with the message, so that it does not store a second copy. Content that this round rendered is
 * stored when the round is settled: until then, and if the worker dies before, only the sandbox has it.
 */
function messageOf({ row, plan, base }: PlannedSend): RoundOptions['message'] {
  if (base.rendered) return plan.message;
  return (attempt, carrier) => {
    const message = plan.message(attempt, carrier);
    return carrier.kind === 'sandbox' ? Object.assign(message, { storedContent: row }) : message;
  };
}

function settleRound(
  deps: AttemptDeps,
  { claim, row, plan, base }: PlannedSend,
  { result, order, span, startedAt }: CompletedRound,
): RoundSettlement {
  const { environment_id: environmentId, channel } = row;
  const { note } = base;
  const sending = eventEntry('Sending', claim.leasedAt.getTime());
  const channelThrottles = throttlesOn(deps.throttles, environmentId, channel);
  for (const { carrier, outcome } of result.calls) {
    deps.metrics.attempts.inc({ channel, provider_kind: carrier.kind, outcome: outcome.kind });
    if (outcome.kind !== 'throttled') channelThrottles.throttleLifted(carrier);
  }
  if (result.kind === 'waiting') {
    span.end({ 'carillon.notification_id': row.id, 'carillon.outcome': 'waiting' }, false);
    const events = [sending, ...result.events];
    return settleWaiting(base, { ...result, events }, retryContextOf(deps));
  }
  const { observations, counted } = deps.providerHealth.observe(
    environmentId,
    result.calls,
    note.counted ?? {},
  );
  const round: UnsettledRound = {
    ...base,
    note: observations.length > 0 ? { ...note, counted } : note,
    observations,
    events: [...base.events, sending],
    trace: [...base.trace, ...resumedEntry(note, startedAt), ...orderEntry(order.reason, startedAt)],
  };
  if (result.kind === 'frozen') {
    span.end({ 'carillon.notification_id': row.id, 'carillon.outcome': 'frozen' }, false);
    return held(frozenRound(round, base, result, deps.clock()), deps.clock(), result.verdict);
  }
  span.end(
    {
      'carillon.notification_id': row.id,
      'carillon.provider': result.carrier.name,
      'carillon.outcome': result.outcome.kind,
    },
    result.outcome.kind === 'accepted',
  );
  const settled = settlementOf(row, result, retryContextOf(deps), round);
  const isDelivered = settled.kind === 'sent' && settled.status === 'delivered';
  return isDelivered && plan.item ? { ...settled, item: plan.item } : settled;
}

/** The round with the calls that were made before a freeze ended it. */
function frozenRound(
  round: UnsettledRound,
  { events: before }: UnsettledRound,
  { attempts, events, trace, verdict: { detail } }: FrozenRound,
  now: number,
): UnsettledRound {
  const at = new Date(now).toISOString();
  return {
    ...round,
    attempts: round.attempts + attempts,
    events: attempts > 0 ? [...round.events, ...events] : before,
    trace: [...round.trace, ...trace, { at, kind: 'gate', name: 'brake', verdict: 'hold', detail }],
  };
}

function orderEntry(reason: { verdict: string; detail: string } | null, now: number): StoredTraceEntry[] {
  if (!reason) return [];
  return [{ at: new Date(now).toISOString(), kind: 'decision', name: 'provider_order', ...reason }];
}

/** The key of a throttle: the environment that waits, or all of them, and the name of the rate limit. */
interface ThrottleKey {
  owner: string;
  name: string;
}

/** The throttles that apply to the carriers of one channel of an environment. */
interface ChannelThrottles {
  /** Returns 0 when the carrier is not throttled. */
  until(carrier: Carrier): number;
  /** Resolves to the end of the throttle. */
  throttle(carrier: Carrier, outcome: Throttled, callStartedAt: number): Promise<number>;
  /** Ends the throttle, because a call succeeded. */
  throttleLifted(carrier: Carrier): void;
}

export function throttlesOn(throttles: Throttles, environmentId: string, channel: Channel): ChannelThrottles {
  const throttleKeyOf = ({ rateLimitKey, providerId, name, isShared }: Carrier): ThrottleKey => ({
    owner: isShared ? allEnvironments : environmentId,
    name: `${channel}:${rateLimitKey ?? providerId ?? name}`,
  });
  const ofAll = ({ host }: Carrier): ThrottleKey => ({
    owner: allEnvironments,
    name: host ? `${channel} ${host}` : channel,
  });
  return {
    until(carrier) {
      return Math.max(
        ...[throttleKeyOf(carrier), ofAll(carrier)].map(({ owner, name }) => throttles.until(owner, name)),
      );
    },
    throttle(carrier, { retryAfterMs, isForAll }, callStartedAt) {
      const { owner, name } = isForAll ? ofAll(carrier) : throttleKeyOf(carrier);
      return throttles.throttle(owner, name, retryAfterMs, callStartedAt, carrier.providerId);
    },
    throttleLifted(carrier) {
      for (const { owner, name } of [throttleKeyOf(carrier), ofAll(carrier)]) throttles.lift(owner, name);
    },
  };
}
