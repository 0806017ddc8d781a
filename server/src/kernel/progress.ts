/** Long work that is done in slices: a broadcast, a bulk action, the release of a hold. */
interface WorkProgress<Status, Total> {
  status: Status;
  /** Null when it was not counted. */
  total: Total;
  done: number;
  completed_at: Date | null;
}

/** The progress of long work as answers show it. `endMs` is the estimated end; null while there is no estimate. */
export function progressView<Status extends string, Total extends number | null>(
  { status, total, done, completed_at }: WorkProgress<Status, Total>,
  endMs: number | null,
) {
  return {
    ...{ status, total, done },
    estimated_end_at: endMs === null ? null : new Date(endMs).toISOString(),
    completed_at: completed_at?.toISOString() ?? null,
  };
}

/** When work ends that goes on at the rate of so far; null while there is no rate. */
export function endAtRate(
  progress: { done: number; left: number; elapsedMs: number },
  now: number,
): number | null {
  const { done, left, elapsedMs } = progress;
  return done <= 0 || elapsedMs <= 0 ? null : now + (left * elapsedMs) / done;
}
