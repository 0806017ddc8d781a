import type { ActivityOutcome } from '../../../deps.ts';
import { percentileOf } from './latency.ts';
import type { ActivityCounts, Overview } from './schema.ts';
import type { ActivityRow } from './store.ts';
import { activityOutcomes } from './tally.ts';

/** Pure functions that turn counters into the figures of the API. */

type Counts = Record<ActivityOutcome, number>;

export function countsOf(rows: readonly Counts[]): ActivityCounts {
  const sums = activityOutcomes.map((outcome) => [outcome, rows.reduce((sum, row) => sum + row[outcome], 0)]);
  return Object.fromEntries(sums) as ActivityCounts;
}

export function acceptedByChannel(rows: readonly ActivityRow[]): Record<string, number> {
  return Object.fromEntries(
    rows.flatMap(({ channel, accepted }) => (accepted > 0 ? [[channel, accepted]] : [])),
  );
}

export function totalsOf(rows: readonly ActivityRow[]): Overview['totals'] {
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
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

export function addedUp(rows: readonly { latency: readonly number[] }[]): number[] {
  const counts: number[] = [];
  for (const { latency } of rows)
    for (const [index, count] of latency.entries()) counts[index] = (counts[index] ?? 0) + count;
  return counts;
}

/** Latency percentiles from the counts of each latency class. */
export function latencyOf(
  counts: readonly number[],
): { p50_ms: number; p95_ms: number; p99_ms: number } | null {
  const [p50_ms, p95_ms, p99_ms] = [0.5, 0.95, 0.99].map((share) => percentileOf(counts, share));
  return p50_ms == null || p95_ms == null || p99_ms == null ? null : { p50_ms, p95_ms, p99_ms };
}
