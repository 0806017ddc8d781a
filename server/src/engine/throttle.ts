/** The limit of a throttle step: at most `limit` runs pass in any `windowMs`. */
interface ThrottleLimit {
  limit: number;
  windowMs: number;
  waits: boolean;
}

/**
 * Decides when a run passes, given the times of the last passes; null when it skips. A run that waits takes its place at once,
 * so runs pass in the order in which they came, and none has to ask again.
 */
export function takePlace(
  passes: readonly number[],
  now: number,
  { limit, windowMs, waits }: ThrottleLimit,
): { at: number | null; passes: number[] } {
  const last = passes.slice(-limit);
  const oldest = last.length < limit ? null : (last[0] ?? null);
  const at = oldest === null ? now : Math.max(now, oldest + windowMs);
  if (at > now && !waits) return { at: null, passes: [...passes] };
  return { at, passes: [...last, at].sort((a, b) => a - b).slice(-limit) };
}
