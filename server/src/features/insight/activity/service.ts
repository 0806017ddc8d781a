import type { Sql } from '../../../db/sql.ts';
import type { ActivityOutcome, Deps } from '../../../deps.ts';
import type { Principal } from '../../../http/principal.ts';
import { notFound } from '../../../kernel/errors.ts';
import { idTime } from '../../../kernel/ids.ts';
import {
  type Backlog,
  countWaiting,
  listMissed,
  type MissedRow,
} from '../../notifications/notifications/index.ts';
import { type Connection, listConnections } from '../../providers/connections/index.ts';
import { findProviderStatuses, type ProviderStatuses } from '../../providers/provider-health/index.ts';
import { findEndpoint } from '../../webhooks/index.ts';
import {
  type ActivityCounts,
  callSpanOf,
  type EndpointHealth,
  type Overview,
  type OverviewFailure,
  type OverviewProvider,
  overviewLimits,
  rowSecondsOf,
  spanOf,
  stepsOf,
  type Window,
} from './schema.ts';
import {
  type ActivityRow,
  type CalledEndpoint,
  listActivity,
  listCalledEndpoints,
  listCalls,
} from './store.ts';
import { activityOutcomes, percentileOf } from './tally.ts';

const maxReason = 200;

/**
 * Parts of a reason that differ between notifications: without them, equal causes have equal texts, and no text identifies a
 * person.
 */
const particulars: [RegExp, string][] = [
  [/[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{N}.-]+/gu, '…'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '…'],
  [/\b\d{4}-\d{2}-\d{2}T[\d:.]+Z?/g, '…'],
  [/\+?\d{7,}/g, '…'],
];

export function reasonOf(text: string | null): string {
  const plain = particulars.reduce(
    (left, [pattern, instead]) => left.replace(pattern, instead),
    text ?? 'unknown',
  );
  return plain.length > maxReason ? `${plain.slice(0, maxReason - 1)}…` : plain;
}

/** Groups by reason, most frequent first; rows come newest first. */
export function groupByReason(rows: readonly MissedRow[]): OverviewFailure[] {
  const groups = new Map<string, OverviewFailure>();
  for (const { id, channel, status, reason: text } of rows) {
    const reason = reasonOf(text);
    const key = `${channel} ${status} ${reason}`;
    const group = groups.get(key);
    if (group) group.count += 1;
    else {
      const last_at = new Date(idTime(id)).toISOString();
      groups.set(key, { reason, status, channel, count: 1, last_at, sample_notification_id: id });
    }
  }
  return [...groups.values()].sort((a, b) => b.count - a.count).slice(0, overviewLimits.failures);
}

export interface ActivityService {
  overview(principal: Principal, window: Window): Promise<Overview>;
  endpointHealth(principal: Principal, endpointId: string, window: Window): Promise<EndpointHealth>;
}

/**
 * Recent activity for a dashboard that polls every few seconds: six statements, each of which reads a bounded number of rows
 * regardless of the size of the tables.
 */
export function createActivityService({
  pool,
  listReads,
  clock,
  config,
}: Pick<Deps, 'pool' | 'listReads' | 'clock' | 'config'>): ActivityService {
  async function providersOf(
    sql: Sql,
    { environmentId, environmentKind }: Principal,
  ): Promise<OverviewProvider[]> {
    if (environmentKind === 'test') return [];
    const [connections, states] = await Promise.all([
      listConnections(sql, environmentId, config.CARILLON_SMTP_URL !== null),
      findProviderStatuses(sql, environmentId),
    ]);
    return connections.map((connection) => providerView(connection, states));
  }

  return {
    async overview(principal, window) {
      const { environmentId } = principal;
      const span = spanOf(window, clock());
      const [{ rows, latency }, backlog, providers, called, missed] = await listReads.read(
        principal.id,
        (sql) =>
          Promise.all([
            listActivity(sql, environmentId, span, rowSecondsOf(window)),
            countWaiting(sql, environmentId),
            providersOf(sql, principal),
            listCalledEndpoints(sql, environmentId, span, overviewLimits.webhooks),
            listMissed(sql, environmentId, span.from, overviewLimits.missed),
          ]),
      );
      const totals = totalsOf(rows);
      return {
        window,
        from: span.from.toISOString(),
        to: span.to.toISOString(),
        step_seconds: span.stepSeconds,
        series: stepsOf(span, (at) => {
          const now = rows.filter((row) => row.at === at);
          return { at: new Date(at).toISOString(), ...countsOf(now), by_channel: acceptedByChannel(now) };
        }),
        totals,
        delivery_rate: deliveryRateOf(totals),
        latency: latencyOf(latency),
        queue: queueView(backlog, clock()),
        providers,
        webhooks: called.map(webhookView),
        webhooks_from: (called[0]?.since ?? span.from).toISOString(),
        failures: groupByReason(missed),
      };
    },

    async endpointHealth({ id: callerId, environmentId }, endpointId, window) {
      if (!(await findEndpoint(pool, environmentId, endpointId))) throw notFound('webhook endpoint');
      const span = callSpanOf(window, clock());
      const rows = await listReads.read(callerId, (sql) => listCalls(sql, endpointId, span));
      const succeeded = rows.reduce((sum, row) => sum + row.succeeded, 0);
      const failed = rows.reduce((sum, row) => sum + row.failed, 0);
      return {
        endpoint_id: endpointId,
        window,
        from: span.from.toISOString(),
        to: span.to.toISOString(),
        step_seconds: span.stepSeconds,
        series: stepsOf(span, (at) => {
          const row = rows.find((each) => each.at === at);
          return {
            at: new Date(at).toISOString(),
            succeeded: row?.succeeded ?? 0,
            failed: row?.failed ?? 0,
            median_latency_ms: row ? (latencyOf(row.latency)?.p50_ms ?? null) : null,
          };
        }),
        succeeded,
        failed,
        success_rate: shareOf(succeeded, succeeded + failed),
        latency: latencyOf(addedUp(rows)),
      };
    },
  };
}

function queueView({ waiting, later, isCapped, oldestDueAt }: Backlog, now: number): Overview['queue'] {
  return {
    waiting,
    waiting_is_capped: isCapped,
    oldest_due_seconds: oldestDueAt === null ? null : Math.max(0, Math.floor((now - oldestDueAt) / 1000)),
    scheduled: later,
  };
}

function webhookView({ id, url, description, status, succeeded, failed }: CalledEndpoint) {
  const success_rate = shareOf(succeeded, succeeded + failed) ?? 1;
  return { endpoint_id: id, url, description, status, succeeded, failed, success_rate };
}

function providerView(connection: Connection, states: ProviderStatuses): OverviewProvider {
  const { id, name, kind, channel, problem } = connection;
  const { status, ...health } = states.healthOf(id);
  const throttledUntil = states.throttledUntil(channel, id);
  return {
    id,
    name,
    kind,
    channel,
    status: statusOf(connection, status, throttledUntil),
    ...health,
    paused_until: throttledUntil?.toISOString() ?? null,
    problem,
    last_success_at: connection.lastSuccessAt?.toISOString() ?? null,
    last_failure_at: connection.lastFailureAt?.toISOString() ?? null,
  };
}

/** The most important status wins: an outage outranks a throttle, which ends without intervention. */
function statusOf(
  { enabled, problem }: Connection,
  health: 'healthy' | 'degraded' | 'outage',
  throttledUntil: Date | null,
): OverviewProvider['status'] {
  if (!enabled) return 'disabled';
  if (problem !== null) return 'broken';
  if (health === 'outage') return 'outage';
  return throttledUntil === null ? health : 'paused';
}

/** Pure functions that turn counters into the figures of the API. */

type Counts = Record<ActivityOutcome, number>;

function countsOf(rows: readonly Counts[]): ActivityCounts {
  const sums = activityOutcomes.map((outcome) => [outcome, rows.reduce((sum, row) => sum + row[outcome], 0)]);
  return Object.fromEntries(sums) as ActivityCounts;
}

function acceptedByChannel(rows: readonly ActivityRow[]): Record<string, number> {
  return Object.fromEntries(
    rows.flatMap(({ channel, accepted }) => (accepted > 0 ? [[channel, accepted]] : [])),
  );
}

function totalsOf(rows: readonly ActivityRow[]): Overview['totals'] {
  const channels = [...new Set(rows.map(({ channel }) => channel))].sort();
  const ofChannel = (wanted: string) => countsOf(rows.filter(({ channel }) => channel === wanted));
  return {
    ...countsOf(rows),
    by_channel: Object.fromEntries(channels.map((channel) => [channel, ofChannel(channel)])),
  };
}

/**
 * Many providers never report a delivery, so a sent notification counts as delivered until it bounces. A refusal of the
 * recipient is a bounce that was never sent, which is why there may be more bounces than sends.
 */
export function deliveryRateOf({ sent, bounced, failed }: Counts): number | null {
  const handedOver = Math.max(sent, bounced);
  return shareOf(handedOver - bounced, handedOver + failed);
}

/** The share to four digits; null when the whole is 0. */
function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

function addedUp(rows: readonly { latency: readonly number[] }[]): number[] {
  const counts: number[] = [];
  for (const { latency } of rows)
    for (const [index, count] of latency.entries()) counts[index] = (counts[index] ?? 0) + count;
  return counts;
}

/** Latency percentiles from the counts of each latency class. */
function latencyOf(counts: readonly number[]): { p50_ms: number; p95_ms: number; p99_ms: number } | null {
  const [p50_ms, p95_ms, p99_ms] = [0.5, 0.95, 0.99].map((share) => percentileOf(counts, share));
  return p50_ms == null || p95_ms == null || p99_ms == null ? null : { p50_ms, p95_ms, p99_ms };
}
