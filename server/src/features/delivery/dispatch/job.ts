import type { Carrier } from '../../../channels/contract.ts';
import type { DeliveryPlan } from '../../../channels/delivery-plan.ts';
import { untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { Problem } from '../../../kernel/errors.ts';
import { idTime } from '../../../kernel/ids.ts';
import { ObjectStoreError } from '../../../kernel/object-store.ts';
import type { Span } from '../../../kernel/tracing.ts';
import type { Claim, Job } from '../../../queue/index.ts';
import {
  createTemplateRenderer,
  type RenderedContent,
  RenderFailure,
} from '../../content/templates/index.ts';
import type { Brake } from '../../control/brake/index.ts';
import type { SpendRecorder } from '../../control/spend/index.ts';
import { eventEntry, type StoredTraceEntry } from '../../notifications/notifications/index.ts';
import { type UnsubscribeLinks, unsubscribeHeaders } from '../../people/unsubscribe/index.ts';
import type {
  ProviderHealthTracker,
  ProviderOrder,
  Throttles,
} from '../../providers/provider-health/index.ts';
import { type LeaseNote, leaseNoteAt, readLeaseNote } from './attempt/lease-note.ts';
import {
  forgottenBy,
  repeatedAttempt,
  repeatingCarrier,
  repeatOf,
  resolveForgotten,
  resolveOpenAttempt,
} from './attempt/open-attempt.ts';
import { runRound, wasAnswered } from './attempt/round.ts';
import { throttlesOn } from './attempt/throttles.ts';
import { addConsent, type ConsentFact, unsubscribeUrlOf, withLinks } from './load/consent.ts';
import { findTemplates, type PinnedTemplateFact, renderContent, traceRendering } from './load/render.ts';
import {
  channelPlanners,
  type PlannerDeps,
  type PreparedPlans,
  preparePlans,
} from './plan/channel-planners.ts';
import { type GateFact, judge } from './plan/gates.ts';
import { brakeRequest, frozenRound, passedNote, releaseDetail, releasedEntry } from './plan/hold.ts';
import {
  keptSettlement,
  type RoundSettlement,
  statusOf,
  type UnsettledRound,
  unsettled,
} from './settle/round-settlement.ts';
import { deferred, failed, held, settlementOf, suppressed, unconfigured } from './settle/settlement.ts';
import { resumedEntry, settleWaiting, waitForObjects } from './settle/waiting.ts';
import { createDispatchWriter } from './settle/writer.ts';
import {
  type DispatchFact,
  listBroadcastStatuses,
  listFacts,
  markFaulty,
  type StoredRendering,
} from './store.ts';

type DispatchDeps = Pick<
  Deps,
  'queue' | 'config' | 'metrics' | 'activity' | 'tracer' | 'doorbell' | 'tasks' | 'log'
> &
  Omit<PlannerDeps, 'tasks'> & {
    unsubscribeLinks: UnsubscribeLinks;
    throttles: Throttles;
    providerHealth: ProviderHealthTracker;
    brake: Brake;
    spend: SpendRecorder;
  };

interface DispatchInput extends ConsentFact, GateFact, PinnedTemplateFact {
  planFor: PreparedPlans;
}

/** The delivery plan of a notification, with the round so far; without a plan the notification has failed, or waits. */
type ComposedDelivery =
  | { plan: DeliveryPlan; round: UnsettledRound }
  | { plan: null; settled: RoundSettlement };

/** A round through the carriers, with its start time, its span and the provider order it used. */
interface CompletedRound {
  result: Awaited<ReturnType<typeof runRound>>;
  order: ProviderOrder;
  span: Span;
  startedAt: number;
}

const roundTimeoutMs = 120_000;
/**
 * From this number of waiting tasks on, sends of an environment are parked in the database until the threads have caught up.
 */
const maxWaitingTasks = 50;
const capacity = 800;

/** The job that sends notifications: load a batch, pass the gates, go through the provider chain, write the outcome. */
export function createDispatchJob(deps: DispatchDeps): Job<DispatchInput> {
  const { pool, clock, unsubscribeLinks: links, throttles, providerHealth, objects, brake } = deps;
  throttles.listen();
  brake.listen();
  const writer = createDispatchWriter(deps, providerHealth);
  // Claims are few enough to wait for a thread; only requests are refused.
  const plannerOf = channelPlanners({ ...deps, tasks: deps.tasks.unlimited });
  const concurrency = deps.queue.concurrencyLimits('notification', {
    total: capacity / 2,
    maxConcurrent: 50,
    maxConcurrentWhenFailing: 10,
  });
  const renderer = createTemplateRenderer(pool, deps.tasks.unlimited);

  async function load(claims: Claim[]): Promise<Map<string, DispatchInput>> {
    const facts = await listFacts(
      pool,
      claims.map((claim) => claim.id),
    );
    const live = [
      ...new Set(facts.flatMap((fact) => (fact.environment_kind === 'live' ? fact.environment_id : []))),
    ];
    const [withConsent, broadcasts, templateOf, planFor] = await Promise.all([
      addConsent(pool, links, facts),
      listBroadcastStatuses(pool, facts),
      findTemplates(renderer, facts),
      preparePlans(plannerOf, facts),
      throttles.load(live),
      providerHealth.load(live),
      brake.load(new Map(facts.map((fact) => [fact.environment_id, fact.environment_kind]))),
    ]);
    return new Map(
      withConsent.map((fact) => {
        const broadcast = broadcastOf(fact, broadcasts);
        return [fact.id, Object.assign(fact, { broadcast, template: templateOf(fact), planFor })];
      }),
    );
  }

  /** Asks the brake about everything that the other gates let pass: what is not sent must not be counted. */
  async function addBrake(claims: Claim[], facts: Map<string, DispatchInput>): Promise<void> {
    const requests = claims.flatMap((claim) => {
      const fact = facts.get(claim.id);
      if (!fact) return [];
      const note = readLeaseNote(claim.note);
      fact.held = note.held;
      fact.decided = note.decided;
      // A provider may already have the message: the attempt is completed before it forgets.
      if (note.open || note.repeat || keptSettlement(claim)) return [];
      return judge(fact, nowFor(claim)).verdict.kind === 'pass' ? [brakeRequest(claim, fact, note)] : [];
    });
    for (const [id, verdict] of await brake.judge(requests)) {
      const fact = facts.get(id);
      if (fact) fact.brake = verdict;
    }
  }

  // Jobs are due by the clock of the database. With a slow local clock alone, the same job would be claimed too early
  // repeatedly.
  const nowFor = (claim: Claim): number => Math.max(clock(), claim.leasedAt.getTime());

  async function run(claim: Claim, fact: DispatchInput | undefined): Promise<void> {
    const settled = fact ? (keptSettlement(claim) ?? (await send(claim, fact))) : null;
    if (settled === 'lost') return;
    if (!fact || !settled) return writer.end({ claim, settled: null });
    const status = statusOf(settled);
    if (status !== 'queued') deps.metrics.settled.inc({ channel: fact.channel, status });
    await writer.end({ claim, fact, settled });
  }

  async function send(claim: Claim, fact: DispatchInput): Promise<RoundSettlement | 'lost' | null> {
    const now = clock();
    const { open, ...rest } = leaseNoteAt(readLeaseNote(claim.note), claim.leasedAt.getTime());
    if (open && !open.idempotent) return resolveOpenAttempt(fact, open, rest, retryContext());
    const note: LeaseNote = {
      ...rest,
      ...(open && { repeat: rest.repeat ?? repeatOf(open) }),
      ...((fact.brake?.kind === 'pass' || claim.unparkedFrom !== null) && { braked: true }),
    };

    const { verdict, trace: judged } = judge(fact, nowFor(claim));
    const released = releaseDetail(note, verdict.kind === 'pass');
    const base: UnsettledRound = {
      ...unsettled(fact),
      note: released && note.held ? { ...note, held: { ...note.held, released: true } } : note,
      attempts: open ? 1 : 0,
      events: released ? [eventEntry('Released', now, released)] : [],
      trace: [
        ...(released ? [releasedEntry(released, now)] : []),
        ...wokenEntry(note, now),
        ...(open ? repeatedAttempt(open, now) : []),
        ...judged,
      ],
    };
    switch (verdict.kind) {
      case 'drop':
        return null;
      case 'defer':
        return deferred(base, verdict.until, verdict.waitsFor);
      case 'suppress':
        return suppressed(base, now, verdict.reason, verdict.detail);
      case 'hold':
        return held(base, now, verdict);
      case 'pass':
        break;
    }

    const passed = { ...base, note: passedNote(base.note) };
    const composed = await composeWithinLimit(claim, fact, passed, now);
    if (composed === 'lost') return 'lost';
    return composed.plan ? attemptDelivery(claim, fact, composed.plan, composed.round) : composed.settled;
  }

  /**
   * Composes immediately, unless many tasks of the environment already wait for a thread. Then only some of its sends wait here
   * and the others are parked: held claims take capacity in the process that the sends of other tenants need.
   */
  async function composeWithinLimit(
    claim: Claim,
    fact: DispatchInput,
    base: UnsettledRound,
    now: number,
  ): Promise<ComposedDelivery | 'lost'> {
    const concurrencyKey = `compose:${fact.environment_id}`;
    const isCrowded =
      claim.unparkedFrom === concurrencyKey || deps.tasks.waiting(fact.environment_id) >= maxWaitingTasks;
    if (!isCrowded) return compose(fact, base, now);
    const permit = await concurrency.acquire(claim, concurrencyKey);
    if (!permit) return 'lost';
    try {
      return await compose(fact, base, now);
    } finally {
      permit.release(true);
    }
  }

  async function compose(fact: DispatchInput, base: UnsettledRound, now: number): Promise<ComposedDelivery> {
    try {
      return await composeWhole(await withBodies(fact), base, now);
    } catch (error) {
      if (!(error instanceof ObjectStoreError)) throw error;
      return { plan: null, settled: waitForObjects(base, error.message, retryContext()) };
    }
  }

  async function withBodies(fact: DispatchInput): Promise<DispatchInput> {
    if (fact.body_object === null) return fact;
    const [whole] = await untilDatabaseAnswers(() => objects.withBodies([fact]));
    return whole ?? fact;
  }

  /** Large rendered bodies go to the object store, or to the database while that is unavailable: the send does not wait. */
  async function storedRendering(fact: DispatchInput, content: RenderedContent): Promise<StoredRendering> {
    if (!objects.takesBodies(content)) return content;
    try {
      const { bodyId } = await untilDatabaseAnswers(() =>
        objects.upload(fact.environment_id, fact.id, { attachments: [], bodies: content }),
      );
      return { ...content, html_body: null, text_body: null, body_object: bodyId };
    } catch (error) {
      if (error instanceof ObjectStoreError || error instanceof Problem) return content;
      throw error;
    }
  }

  async function composeWhole(
    fact: DispatchInput,
    base: UnsettledRound,
    now: number,
  ): Promise<ComposedDelivery> {
    const unsubscribeUrl = unsubscribeUrlOf(links, fact);
    const content = await renderContent(renderer, withLinks(links, fact, fact, unsubscribeUrl));
    const traced = { ...base, trace: traceRendering(base.trace, now, content) };
    if (content instanceof RenderFailure)
      return { plan: null, settled: failed(traced, now, `template_render_failed: ${content.message}`) };
    const { objects: _over, ...note } = traced.note;
    const composed = { ...traced, note, rendered: content && (await storedRendering(fact, content)) };

    const headers = unsubscribeUrl === null ? {} : unsubscribeHeaders(unsubscribeUrl);
    const factWithContent = content ? { ...fact, ...content } : fact;
    const plan = await untilDatabaseAnswers(async () => fact.planFor(factWithContent, headers));
    if (!('problem' in plan)) return { plan, round: composed };
    const reason = `${plan.reason}: ${plan.problem}`;
    const settled =
      plan.reason === 'provider_not_configured'
        ? unconfigured(composed, reason, retryContext())
        : failed(composed, now, reason);
    return { plan: null, settled };
  }

  /** Runs the delivery plan, once its concurrency limit allows. */
  async function attemptDelivery(
    claim: Claim,
    fact: DispatchInput,
    plan: DeliveryPlan,
    base: UnsettledRound,
  ): Promise<RoundSettlement | 'lost'> {
    const { environment_id: environmentId, channel } = fact;
    const { note } = base;
    const forgotten = note.repeat ? forgottenBy(note.repeat, plan.carriers, clock()) : null;
    if (forgotten !== null) return resolveForgotten(base, fact, forgotten, retryContext());
    const repeat = note.repeat && repeatingCarrier(note.repeat, plan.carriers);

    const permit =
      plan.concurrencyKey === undefined ? null : await concurrency.acquire(claim, plan.concurrencyKey);
    if (plan.concurrencyKey !== undefined && !permit) return 'lost';
    // The permit is released however the round ends: a leaked permit is lost for the lifetime of the process.
    let answered = true;
    let tried: CompletedRound;
    try {
      tried = await tryCarriers(claim, fact, plan, base, repeat);
      answered = tried.result !== 'lost' && wasAnswered(tried.result);
    } finally {
      permit?.release(answered);
    }
    const { result, order, span, startedAt } = tried;
    if (result === 'lost') return 'lost';

    const sending = eventEntry('Sending', claim.leasedAt.getTime());
    const channelThrottles = throttlesOn(throttles, environmentId, channel);
    for (const { carrier, outcome } of result.calls) {
      deps.metrics.attempts.inc({ channel, provider_kind: carrier.kind, outcome: outcome.kind });
      if (outcome.kind !== 'throttled') channelThrottles.throttleLifted(carrier);
    }
    if (result.kind === 'waiting') {
      span.end({ 'carillon.notification_id': fact.id, 'carillon.outcome': 'waiting' }, false);
      const events = [sending, ...result.events];
      return settleWaiting(base, { ...result, events }, retryContext());
    }
    const { observations, counted } = providerHealth.observe(environmentId, result.calls, note.counted ?? {});
    const round: UnsettledRound = {
      ...base,
      note: observations.length > 0 ? { ...note, counted } : note,
      observations,
      events: [...base.events, sending],
      trace: [...base.trace, ...resumedEntry(note, startedAt), ...orderEntry(order.reason, startedAt)],
    };
    if (result.kind === 'frozen') {
      span.end({ 'carillon.notification_id': fact.id, 'carillon.outcome': 'frozen' }, false);
      return held(frozenRound(round, base, result, clock()), clock(), result.verdict);
    }
    span.end(
      {
        'carillon.notification_id': fact.id,
        'carillon.provider': result.carrier.name,
        'carillon.outcome': result.outcome.kind,
      },
      result.outcome.kind === 'accepted',
    );
    const settled = settlementOf(fact, result, retryContext(), round);
    const isDelivered = settled.kind === 'sent' && settled.status === 'delivered';
    return isDelivered ? { ...settled, item: plan.item ?? null } : settled;
  }

  async function tryCarriers(
    claim: Claim,
    fact: DispatchInput,
    plan: DeliveryPlan,
    { note, attempts }: UnsettledRound,
    repeat: Carrier | undefined,
  ): Promise<CompletedRound> {
    const startedAt = clock();
    if (fact.attempt_count === 0 && !note.waiting) {
      deps.metrics.acceptToAttempt.observe(
        { lane: claim.lane },
        (startedAt - (fact.send_at?.getTime() ?? idTime(fact.id))) / 1000,
      );
    }
    const channelThrottles = throttlesOn(throttles, fact.environment_id, fact.channel);
    const order: ProviderOrder = repeat
      ? { carriers: [repeat], reason: null }
      : await providerHealth.order(fact.environment_id, plan.carriers, claim.lane);
    const span = deps.tracer.startFor(fact.id, 'dispatch', 'client');
    const result = await runRound({
      message: plan.message,
      carriers: order.carriers,
      attemptsBefore: fact.attempt_count + attempts,
      urgent: claim.lane === 'critical',
      begin: (open) => writer.begin(claim, { ...note, open }),
      // A message that a provider may already have is completed.
      judgeFreeze: () => (note.repeat ? null : brake.judgeFreeze(brakeRequest(claim, fact, note))),
      throttledUntil: channelThrottles.until,
      throttle: channelThrottles.throttle,
      clock,
      signal: AbortSignal.timeout(roundTimeoutMs),
      takeExchange: deps.outbound.takeExchange,
    });
    return { result, order, span, startedAt };
  }

  function retryContext() {
    return { now: clock(), retryScale: deps.config.CARILLON_RETRY_SCALE, chance: Math.random() };
  }

  return {
    batch: 100,
    capacity,
    async load(claims) {
      const facts = await untilDatabaseAnswers(() => load(claims));
      await addBrake(claims, facts);
      return facts;
    },
    run,
    onFailed: (ids) => markFaulty(pool, ids, clock()),
    tick: () => providerHealth.tick(),
  };
}

function broadcastOf(
  { broadcast_id: id }: DispatchFact,
  statuses: ReadonlyMap<string, string>,
): GateFact['broadcast'] {
  const status = id === null ? undefined : statuses.get(id);
  return id === null || status === undefined ? null : { id, status };
}

function wokenEntry({ due }: LeaseNote, now: number): StoredTraceEntry[] {
  if (due === undefined) return [];
  const detail = `Retried before the next round at ${new Date(due).toISOString()}: the connection or the notification was changed.`;
  return [
    { at: new Date(now).toISOString(), kind: 'decision', name: 'connection', verdict: 'woken', detail },
  ];
}

function orderEntry(reason: { verdict: string; detail: string } | null, now: number): StoredTraceEntry[] {
  if (!reason) return [];
  return [{ at: new Date(now).toISOString(), kind: 'decision', name: 'provider_order', ...reason }];
}
