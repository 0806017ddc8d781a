import { untilDatabaseAnswers } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { idTime } from '../../kernel/ids.ts';
import type { Claim, Job } from '../../queue/index.ts';
import type { EmailConnections } from '../connections/index.ts';
import { eventEntry } from '../notifications/index.ts';
import { createTemplateRenderer, RenderFailure } from '../templates/index.ts';
import { createUnsubscribeLinks, unsubscribeHeaders } from '../unsubscribe/index.ts';
import { addConsent, type ConsentFact, unsubscribeUrlOf, withUnsubscribeUrl } from './consent.ts';
import { judge } from './gates.ts';
import { findTemplates, renderWords, type TemplateFact, traceRendering } from './render.ts';
import { prepareRoads, type RoadFinder } from './road.ts';
import { allRoads } from './roads.ts';
import { type OpenAttempt, runRound } from './round.ts';
import { failed, openOutcome, type Settled, settlementOf, unsettled } from './settle.ts';
import { listFacts } from './store.ts';
import { createDispatchWriter } from './writer.ts';

type DispatchDeps = Pick<
  Deps,
  | 'pool'
  | 'queue'
  | 'clock'
  | 'config'
  | 'metrics'
  | 'tracer'
  | 'log'
  | 'keyring'
  | 'outbound'
  | 'publicUrl'
  | 'doorbell'
>;

interface Fact extends ConsentFact, TemplateFact {
  findRoad: RoadFinder;
}

const roundTimeoutMs = 120_000;
const capacity = 800;

/** The work of sending notifications: load a batch, pass the gates, go through the provider chain, write what happened. */
export function createDispatchJob(deps: DispatchDeps, connections: EmailConnections): Job<Fact> {
  const { pool, clock } = deps;
  const writer = createDispatchWriter(deps);
  const links = createUnsubscribeLinks(deps);
  const roads = allRoads(deps, connections);
  const places = deps.queue.places('notification', { room: capacity / 2, atOnce: 50, atOnceWhenSilent: 10 });
  const renderer = createTemplateRenderer(pool);

  async function load(claims: Claim[]): Promise<Map<string, Fact>> {
    const facts = await listFacts(
      pool,
      claims.map((claim) => claim.id),
    );
    const [withConsent, templateOf, findRoad] = await Promise.all([
      addConsent(pool, links, facts),
      findTemplates(renderer, facts),
      prepareRoads(roads, facts),
    ]);
    return new Map(withConsent.map((fact) => [fact.id, { ...fact, template: templateOf(fact), findRoad }]));
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
    const sending = eventEntry('Sending', claim.leasedAt.getTime());
    if (claim.note) return resolveOpenAttempt(fact, claim.note as OpenAttempt, now);

    const { verdict, trace: judged } = judge(fact, now);
    const base = { ...unsettled(fact), trace: judged };
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

    const unsubscribeUrl = unsubscribeUrlOf(links, fact);
    const words = await renderWords(renderer, withUnsubscribeUrl(fact, unsubscribeUrl));
    const trace = traceRendering(judged, now, words);
    if (words instanceof RenderFailure)
      return failed({ ...base, trace }, now, `template_render_failed: ${words.message}`);

    const headers = unsubscribeUrl === null ? {} : unsubscribeHeaders(unsubscribeUrl);
    const worded = { ...fact, ...words };
    const road = await untilDatabaseAnswers(async () => fact.findRoad(worded, headers));
    if ('problem' in road)
      return failed({ ...base, trace, rendered: words }, now, `${road.reason}: ${road.problem}`);
    const room = road.place === undefined ? null : await places.enter(claim, road.place);
    if (road.place !== undefined && !room) return 'lost';
    if (fact.attempt_count === 0) {
      deps.metrics.acceptToAttempt.observe(
        { lane: claim.lane },
        (now - (fact.send_at?.getTime() ?? idTime(fact.id))) / 1000,
      );
    }
    const span = deps.tracer.start('dispatch', 'client');
    const result = await runRound({
      ...road,
      attemptsBefore: fact.attempt_count,
      begin: (open) => writer.begin(claim, open),
      clock,
      signal: AbortSignal.timeout(roundTimeoutMs),
    }).catch((error) => {
      room?.leave(true);
      throw error;
    });
    room?.leave(result !== 'lost' && (result.outcome.kind !== 'retry' || result.outcome.code !== null));
    if (result === 'lost') return 'lost';
    span.end(
      {
        'carillon.notification_id': fact.id,
        'carillon.provider': result.carrier.name,
        'carillon.outcome': result.outcome.kind,
      },
      result.outcome.kind === 'accepted',
    );
    deps.metrics.attempts.inc({
      channel: fact.channel,
      provider_kind: result.carrier.kind,
      outcome: result.outcome.kind,
    });
    const settled = settlementOf(fact, result, circumstances());
    return {
      ...settled,
      rendered: words,
      item: settled.status === 'delivered' ? (road.item ?? null) : null,
      events: [sending, ...settled.events],
      trace: [...trace, ...settled.trace],
    };
  }

  /** The worker that made this attempt died before it could record the outcome. */
  function resolveOpenAttempt(fact: Fact, open: OpenAttempt, now: number): Settled {
    const said = `${open.carrier}: the worker stopped during the call, so its outcome is unknown`;
    const base: Settled = {
      ...unsettled(fact),
      attempts: 1,
      round: fact.round + 1,
      events: [eventEntry('Sending', open.started_at), eventEntry('AttemptFailed', now, said)],
      trace: [
        {
          at: open.started_at,
          kind: 'attempt',
          name: open.carrier,
          provider_kind: open.carrier_kind,
          verdict: 'ambiguous',
          detail: 'The worker stopped during the call.',
          code: null,
          provider_message_id: null,
          latency_ms: 0,
        },
      ],
    };
    return openOutcome(base, fact, false, said, circumstances());
  }

  function circumstances() {
    return { now: clock(), retryScale: deps.config.CARILLON_RETRY_SCALE, chance: Math.random() };
  }

  return {
    batch: 100,
    capacity,
    load: (claims) => untilDatabaseAnswers(() => load(claims)),
    run,
    tick: () => places.tick(),
  };
}
