import type { Carrier, Outcome } from '../../../channels/contract.ts';
import type { Sql } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Lane } from '../../../queue/index.ts';
import { type CountedOutcome, countedAs, type Sign, signOf } from './health.ts';
import {
  claimProbe,
  deleteOldCounts,
  type HealthCount,
  insertCounts,
  listDemoted,
  markDemoted,
  markRestored,
  type ProviderKey,
} from './health-store.ts';
import { createOutages } from './outages.ts';
import { countThrottles, deleteOldThrottles } from './throttles.ts';

/** The evidence of one call about its provider, to be written to the database. */
export interface Observation extends HealthCount {
  sign: Sign;
  startedAt: number;
}

export interface ProviderCall {
  carrier: Carrier;
  outcome: Outcome;
  startedAt: number;
}

/** The order in which providers are tried, and the reason when it differs from the configured order. */
export interface ProviderOrder {
  carriers: Carrier[];
  reason: { verdict: 'probe' | 'tried_last'; detail: string } | null;
}

/** Tracks the health of providers across all processes. A failing provider is tried last. */
export interface ProviderHealthTracker {
  /** Reads the demoted providers of these environments, once per batch. */
  load(environmentIds: readonly string[]): Promise<void>;
  order(environmentId: string, carriers: readonly Carrier[], lane: Lane): Promise<ProviderOrder>;
  /** Returns the evidence of the calls for one message, and how the message counts now. */
  observe(
    environmentId: string,
    calls: readonly ProviderCall[],
    counted: Readonly<Record<string, CountedOutcome>>,
  ): { observations: Observation[]; counted: Record<string, CountedOutcome> };
  /** Runs in the transaction that writes the results of the messages. */
  record(tx: Sql, observations: readonly Observation[]): Promise<void>;
  /** Runs after that transaction has committed. */
  recorded(observations: readonly Observation[]): Promise<void>;
  /** Called about twice a second. */
  tick(): Promise<void>;
}

const probeEveryMs = 10_000;
/** A critical send is not risked on a probe until a probe has been overdue for this many probe intervals. */
const criticalPatience = 5;
const judgeEveryMs = 1_000;
const sweepEveryMs = 30_000;

export function createProviderHealthTracker(
  deps: Pick<Deps, 'pool' | 'queue' | 'clock' | 'config' | 'log' | 'metrics'>,
): ProviderHealthTracker {
  const { pool, clock, log } = deps;
  const probeMs = probeEveryMs * deps.config.CARILLON_RETRY_SCALE;
  const outages = createOutages(deps, probeMs);
  /** Environment → demoted provider → time of the next probe. */
  const demotions = new Map<string, Map<string, number>>();
  const touched = new Map<string, ProviderKey>();
  let judgedAt = 0;
  let sweptAt = 0;

  function demote({ environment_id, provider }: ProviderKey, probeAt: number): void {
    const ofEnvironment = demotions.get(environment_id) ?? new Map<string, number>();
    demotions.set(environment_id, ofEnvironment.set(provider, probeAt));
  }

  /** One message at a time in the whole cluster probes whether a provider has recovered. */
  async function takeProbe(
    environmentId: string,
    demoted: Carrier[],
    lane: Lane,
  ): Promise<Carrier | undefined> {
    const now = clock();
    const patience = lane === 'critical' ? criticalPatience * probeMs : 0;
    for (const carrier of demoted) {
      if (carrier.providerId === undefined) continue;
      const key = { environment_id: environmentId, provider: carrier.providerId };
      const probeAt = demotions.get(environmentId)?.get(key.provider);
      if (probeAt === undefined || probeAt + patience > now) continue;
      demote(key, now + probeMs);
      if (await claimProbe(pool, key, probeMs).catch(() => false)) return carrier;
    }
    return undefined;
  }

  async function judge(): Promise<void> {
    const now = clock();
    if (now - sweptAt >= sweepEveryMs) {
      // The sweep judges the providers that a crashed process left unjudged.
      sweptAt = now;
      touched.clear();
      await outages.judge('all');
      deps.metrics.activeThrottles.set(await countThrottles(pool));
      await Promise.all([deleteOldCounts(pool), deleteOldThrottles(pool)]);
    } else if (touched.size > 0 && now - judgedAt >= judgeEveryMs) {
      judgedAt = now;
      const keys = [...touched.values()];
      touched.clear();
      await outages.judge(keys);
    }
  }

  return {
    async load(environmentIds) {
      if (environmentIds.length === 0) return;
      const now = clock();
      const rows = await listDemoted(pool, [...environmentIds]);
      for (const id of environmentIds) demotions.delete(id);
      for (const { probe_in_ms, ...key } of rows) demote(key, now + probe_in_ms);
    },

    async order(environmentId, carriers, lane) {
      const fallen = demotions.get(environmentId);
      const demoted = carriers.filter(
        ({ providerId }) => providerId !== undefined && fallen?.has(providerId),
      );
      const displaced = displacedOf(carriers, demoted);
      if (displaced.length === 0) return { carriers: [...carriers], reason: null };
      return orderOf(carriers, demoted, displaced, await takeProbe(environmentId, displaced, lane));
    },

    observe: (environmentId, calls, before) => observe(clock, environmentId, calls, before),

    record: (tx, observations) => insertCounts(tx, countsOf(observations)),

    async recorded(observations) {
      const now = clock();
      for (const { environment_id, provider, sign, startedAt } of observations) {
        const key = { environment_id, provider };
        touched.set(`${environment_id} ${provider}`, key);
        const isDemoted = demotions.get(environment_id)?.has(provider) ?? false;
        try {
          if (sign === 'well' && isDemoted) {
            await markRestored(pool, key, now - startedAt);
            demotions.get(environment_id)?.delete(provider);
          }
          // A provider that rejects our credentials will reject them for the next message, too.
          if (sign === 'broken' && !isDemoted) {
            await markDemoted(pool, key, now - startedAt, probeMs);
            demote(key, now + probeMs);
          }
        } catch (error) {
          log.warn(
            { err: error, environmentId: environment_id, provider },
            'failed to write the health of a provider',
          );
        }
      }
    },

    async tick() {
      // A failure here must not stop the caller's other work: the next sweep judges what was missed.
      await judge().catch((error) =>
        log.warn({ err: error }, 'failed to evaluate the health of the providers'),
      );
    },
  };
}

/** A demoted provider that is configured after all healthy ones keeps its configured position. */
function displacedOf(carriers: readonly Carrier[], demoted: readonly Carrier[]): Carrier[] {
  const spare = carriers.findLastIndex((carrier) => !demoted.includes(carrier));
  return demoted.filter((carrier) => carriers.indexOf(carrier) < spare);
}

/** The provider that is probed goes first, the other demoted ones last. */
function orderOf(
  carriers: readonly Carrier[],
  demoted: readonly Carrier[],
  displaced: readonly Carrier[],
  probe: Carrier | undefined,
): ProviderOrder {
  const well = carriers.filter((carrier) => !demoted.includes(carrier));
  const last = demoted.filter((carrier) => carrier !== probe);
  if (!probe) {
    const names = displaced.map(({ name }) => name).join(', ');
    return {
      carriers: [...well, ...last],
      reason: { verdict: 'tried_last', detail: `Failing, so tried last: ${names}.` },
    };
  }
  const detail = `${probe.name} has been failing; this message probes whether it is back.`;
  return { carriers: [probe, ...well, ...last], reason: { verdict: 'probe', detail } };
}

function observe(
  clock: Deps['clock'],
  environmentId: string,
  calls: readonly ProviderCall[],
  before: Readonly<Record<string, CountedOutcome>>,
): { observations: Observation[]; counted: Record<string, CountedOutcome> } {
  const counted = { ...before };
  const observations: Observation[] = [];
  for (const { carrier, outcome, startedAt } of calls) {
    const sign = signOf(outcome);
    if (carrier.providerId === undefined || sign === null) continue;
    const now = clock();
    const key = { environment_id: environmentId, provider: carrier.providerId };
    const count = countedAs(counted[key.provider], sign, now);
    // A counted message stays in its original bucket until the window has passed it.
    const at = count.messages > 0 ? now : (counted[key.provider]?.at ?? now);
    counted[key.provider] = { at, failed: sign !== 'well' };
    observations.push({ ...key, name: carrier.name, ...count, sign, startedAt });
  }
  return { observations, counted };
}

function countsOf(observations: readonly Observation[]): HealthCount[] {
  return observations.map(({ environment_id, provider, name, messages, failed }) => ({
    environment_id,
    provider,
    name,
    messages,
    failed,
  }));
}
