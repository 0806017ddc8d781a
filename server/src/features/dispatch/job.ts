import type { Carrier } from '../../channels/contract.ts';
import { untilDatabaseAnswers } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { idTime } from '../../kernel/ids.ts';
import type { Span } from '../../kernel/tracing.ts';
import type { Claim, Job } from '../../queue/index.ts';
import type { EmailConnections } from '../connections/index.ts';
import { eventEntry, type StoredTraceEntry } from '../notifications/index.ts';
import { createPauses, createProviderWatch, type Order } from '../providers/index.ts';
import { createTemplateRenderer, RenderFailure } from '../templates/index.ts';
import { createUnsubscribeLinks, unsubscribeHeaders } from '../unsubscribe/index.ts';
import { addConsent, type ConsentFact, unsubscribeUrlOf, withUnsubscribeUrl } from './consent.ts';
import { judge } from './gates.ts';
import { type Memory, memoryAt, readMemory } from './memory.ts';
import {
  forgottenBy,
  repeatedAttempt,
  repeatingCarrier,
  repeatOf,
  resolveForgotten,
  resolveOpenAttempt,
} from './open-attempt.ts';
import { pausesOn } from './paces.ts';
import { findTemplates, renderWords, type TemplateFact, traceRendering } from './render.ts';
import { prepareRoads, type Road, type RoadFinder } from './road.ts';
import { allRoads } from './roads.ts';
import { runRound, wasAnswered } from './round.ts';
import { failed, type Settled, settlementOf, unsettled } from './settle.ts';
import { listFacts, markFaulty } from './store.ts';
import { resumedEntry, settleWaiting } from './waiting.ts';
import { createDispatchWriter } from './writer.ts';

type DispatchDeps = Pick<
  Deps,
  | 'pool'
  | 'queue'
  | 'clock'
  | 'config'
  | 'metrics'
  | 'activity'
  | 'tracer'
  | 'log'
  | 'keyring'
  | 'outbound'
  | 'publicUrl'
  | 'doorbell'
  | 'tasks'
>;

interface Fact extends ConsentFact, TemplateFact {
  findRoad: RoadFinder;
}

/** What a notification says and who carries it; without a road it has failed. */
interface Composed {
  road: Road | null;
  settled: Settled;
}

/** A round through the carriers, with what it began with. */
interface Tried {
  result: Awaited<ReturnType<typeof runRound>>;
  order: Order;
  span: Span;
  startedAt: number;
}

const roundTimeoutMs = 120_000;
/** From so many on, sends of an environment wait outside of the process until its threads have caught up. */
const crowdedTasks = 50;
const capacity = 800;

/** The work of sending notifications: load a batch, pass the gates, go through the provider chain, write what happened. */
export function createDispatchJob(deps: DispatchDeps, connections: EmailConnections): Job<Fact> {
  const { pool, clock } = deps;
  const pauses = createPauses(deps);
  const watch = createProviderWatch(deps);
  const writer = createDispatchWriter(deps, watch);
  const links = createUnsubscribeLinks(deps);
  // Claims are few enough to wait for their turn; only requests are refused.
  const roads = allRoads({ ...deps, tasks: deps.tasks.patient }, connections);
  const places = deps.queue.places('notification', { room: capacity / 2, atOnce: 50, atOnceWhenSilent: 10 });
  const renderer = createTemplateRenderer(pool, deps.tasks.patient);

  async function load(claims: Claim[]): Promise<Map<string, Fact>> {
    const facts = await listFacts(
      pool,
      claims.map((claim) => claim.id),
    );
    const live = [
      ...new Set(facts.flatMap((fact) => (fact.environment_kind === 'live' ? fact.environment_id : []))),
    ];
    const [withConsent, templateOf, findRoad] = await Promise.all([
      addConsent(pool, links, facts),
      findTemplates(renderer, facts),
      prepareRoads(roads, facts),
      pauses.load(live),
      watch.load(live),
    ]);
    return new Map(
      withConsent.map((fact) => [fact.id, Object.assign(fact, { template: templateOf(fact), findRoad })]),
    );
  }

  async function run(claim: Claim, fact: Fact | undefined): Promise<void> {
    const settled = fact ? await send(claim, fact) : null;
    if (settled === 'lost') return;
    if (fact && settled && settled.status !== 'queued')
      deps.metrics.settled.inc({ channel: fact.channel, status: settled.status });
    await writer.end({ claim, fact: fact ?? null, settled });
  }

  async function send(claim: Claim, fact: Fact): Promise<Settled | 'lost' | null> {
    const now = clock();
    const { open, ...remembered } = memoryAt(readMemory(claim.note), claim.leasedAt.getTime());
    if (open && !open.idempotent) return resolveOpenAttempt(fact, open, remembered, circumstances());
    const memory: Memory = open ? { ...remembered, repeat: remembered.repeat ?? repeatOf(open) } : remembered;

    // Work is due by the clock of the database. Where ours is slow it would find the same work too early, over and over.
    const { verdict, trace: judged } = judge(fact, Math.max(now, claim.leasedAt.getTime()));
    const base: Settled = {
      ...unsettled(fact),
      memory,
      attempts: open ? 1 : 0,
      trace: [...wokenEntry(memory, now), ...(open ? repeatedAttempt(open, now) : []), ...judged],
    };
    switch (verdict.kind) {
      case 'drop':
        return null;
      case 'defer':
        return { ...base, retryAt: verdict.until };
      case 'suppress':
        return {
          ...base,
          status: 'suppressed',
          suppression_reason: verdict.reason,
          events: [eventEntry('Suppressed', now, verdict.detail, verdict.reason)],
        };
      case 'pass':
        break;
    }

    const composed = await composeInTurn(claim, fact, base, now);
    if (composed === 'lost') return 'lost';
    const { road, settled } = composed;
    return road ? travel(claim, fact, road, settled) : settled;
  }

  /**
   * Composes at once, unless many computations of the environment already wait for a thread. Then only some of its sends wait here
   * and the others are parked: held claims take room in the process that the sends of other tenants need.
   */
  async function composeInTurn(
    claim: Claim,
    fact: Fact,
    base: Settled,
    now: number,
  ): Promise<Composed | 'lost'> {
    const crowd = `compose:${fact.environment_id}`;
    const isCrowded = claim.unparkedFrom === crowd || deps.tasks.waiting(fact.environment_id) >= crowdedTasks;
    if (!isCrowded) return compose(fact, base, now);
    const room = await places.enter(claim, crowd);
    if (!room) return 'lost';
    try {
      return await compose(fact, base, now);
    } finally {
      room.leave(true);
    }
  }

  async function compose(fact: Fact, base: Settled, now: number): Promise<Composed> {
    const unsubscribeUrl = unsubscribeUrlOf(links, fact);
    const words = await renderWords(renderer, withUnsubscribeUrl(fact, unsubscribeUrl));
    const rendered = { ...base, trace: traceRendering(base.trace, now, words) };
    if (words instanceof RenderFailure)
      return { road: null, settled: failed(rendered, now, `template_render_failed: ${words.message}`) };
    const worded = { ...rendered, rendered: words };

    const headers = unsubscribeUrl === null ? {} : unsubscribeHeaders(unsubscribeUrl);
    const wordedFact = words ? { ...fact, ...words } : fact;
    const road = await untilDatabaseAnswers(async () => fact.findRoad(wordedFact, headers));
    return 'problem' in road
      ? { road: null, settled: failed(worded, now, `${road.reason}: ${road.problem}`) }
      : { road, settled: worded };
  }

  /** Goes down the road, once there is room on it. */
  async function travel(claim: Claim, fact: Fact, road: Road, base: Settled): Promise<Settled | 'lost'> {
    const { environment_id: environmentId, channel } = fact;
    const { memory } = base;
    const forgotten = memory.repeat ? forgottenBy(memory.repeat, road.carriers, clock()) : null;
    if (forgotten !== null) return resolveForgotten(base, fact, forgotten, circumstances());
    const repeat = memory.repeat && repeatingCarrier(memory.repeat, road.carriers);

    const room = road.place === undefined ? null : await places.enter(claim, road.place);
    if (road.place !== undefined && !room) return 'lost';
    // The room is given back however the round ends: one that is not is missing for as long as the process lives.
    let answered = true;
    let tried: Tried;
    try {
      tried = await tryCarriers(claim, fact, road, base, repeat);
      answered = tried.result !== 'lost' && wasAnswered(tried.result);
    } finally {
      room?.leave(answered);
    }
    const { result, order, span, startedAt } = tried;
    if (result === 'lost') return 'lost';

    const sending = eventEntry('Sending', claim.leasedAt.getTime());
    const paces = pausesOn(pauses, environmentId, channel);
    for (const { carrier, outcome } of result.calls) {
      deps.metrics.attempts.inc({ channel, provider_kind: carrier.kind, outcome: outcome.kind });
      if (outcome.kind !== 'throttled') paces.eased(carrier);
    }
    if (result.kind === 'waiting') {
      span.end({ 'carillon.notification_id': fact.id, 'carillon.outcome': 'waiting' }, false);
      const events = [sending, ...result.events];
      return settleWaiting(base, { ...result, events }, memory, circumstances());
    }
    span.end(
      {
        'carillon.notification_id': fact.id,
        'carillon.provider': result.carrier.name,
        'carillon.outcome': result.outcome.kind,
      },
      result.outcome.kind === 'accepted',
    );
    const { observations, counted } = watch.observe(environmentId, result.calls, memory.counted ?? {});
    const remembered = observations.length > 0 ? { ...memory, counted } : memory;
    const settled = settlementOf(fact, result, circumstances(), remembered);
    return {
      ...settled,
      observations,
      attempts: base.attempts + settled.attempts,
      rendered: base.rendered,
      item: settled.status === 'delivered' ? (road.item ?? null) : null,
      events: [sending, ...settled.events],
      trace: [
        ...base.trace,
        ...resumedEntry(memory, startedAt),
        ...orderEntry(order.reason, startedAt),
        ...settled.trace,
      ],
    };
  }

  async function tryCarriers(
    claim: Claim,
    fact: Fact,
    road: Road,
    { memory, attempts }: Settled,
    repeat: Carrier | undefined,
  ): Promise<Tried> {
    const startedAt = clock();
    if (fact.attempt_count === 0 && !memory.waiting) {
      deps.metrics.acceptToAttempt.observe(
        { lane: claim.lane },
        (startedAt - (fact.send_at?.getTime() ?? idTime(fact.id))) / 1000,
      );
    }
    const paces = pausesOn(pauses, fact.environment_id, fact.channel);
    const order: Order = repeat
      ? { carriers: [repeat], reason: null }
      : await watch.order(fact.environment_id, road.carriers, claim.lane);
    const span = deps.tracer.start('dispatch', 'client');
    const result = await runRound({
      message: road.message,
      carriers: order.carriers,
      attemptsBefore: fact.attempt_count + attempts,
      urgent: claim.lane === 'critical',
      begin: (open) => writer.begin(claim, { ...memory, open }),
      pausedUntil: paces.until,
      pause: paces.pause,
      clock,
      signal: AbortSignal.timeout(roundTimeoutMs),
      takeExchange: deps.outbound.takeExchange,
    });
    return { result, order, span, startedAt };
  }

  function circumstances() {
    return { now: clock(), retryScale: deps.config.CARILLON_RETRY_SCALE, chance: Math.random() };
  }

  return {
    batch: 100,
    capacity,
    load: (claims) => untilDatabaseAnswers(() => load(claims)),
    run,
    onFailed: (ids) => markFaulty(pool, ids, clock()),
    tick: () => watch.tick(),
  };
}

function wokenEntry({ due }: Memory, now: number): StoredTraceEntry[] {
  if (due === undefined) return [];
  const detail = `Tried before its next round at ${new Date(due).toISOString()}: its connection, or the notification itself, was changed.`;
  return [
    { at: new Date(now).toISOString(), kind: 'decision', name: 'connection', verdict: 'woken', detail },
  ];
}

function orderEntry(reason: { verdict: string; detail: string } | null, now: number): StoredTraceEntry[] {
  if (!reason) return [];
  return [{ at: new Date(now).toISOString(), kind: 'decision', name: 'provider_order', ...reason }];
}
