/**
 * A histogram of durations, so that any number of them can be added up and still give percentiles. Classes are a factor of 1.3
 * to 2 wide, which is precise enough for a chart.
 */
const bounds = [
  5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 30_000,
  60_000, 300_000, 3_600_000,
] as const;

/** One more than the number of bounds: the last class has no upper bound. */
export const latencyClasses = bounds.length + 1;

export function latencyClassOf(ms: number): number {
  const index = bounds.findIndex((bound) => ms < bound);
  return index === -1 ? bounds.length : index;
}

/**
 * The duration below which this share of all durations lies, interpolated within its class; null when there are none. Beyond
 * the last bound the bound itself is returned.
 */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let below = 0;
  for (const [index, count] of counts.entries()) {
    if (count === 0 || below + count < share * total) {
      below += count;
      continue;
    }
    const low = bounds[index - 1] ?? 0;
    const high = bounds[index] ?? low;
    return Math.round(low + ((share * total - below) / count) * (high - low));
  }
  return bounds.at(-1) ?? null;
}
