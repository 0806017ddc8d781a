/** What a worker process tells its parent when it is done. */
export interface Drained {
  perSecond: number;
  count: number;
}

/**
 * Counts finished work. The first of it (BENCH_WARM_UP) is for the compiler; then the time of the next BENCH_COUNT is taken, or
 * what is done within BENCH_MS, and told to the parent. What follows is counted in the same way, and told again.
 */
export function createStopwatch() {
  const warmUp = Number(process.env.BENCH_WARM_UP);
  const count = Number(process.env.BENCH_COUNT ?? Number.POSITIVE_INFINITY);
  const durationMs = Number(process.env.BENCH_MS ?? Number.POSITIVE_INFINITY);
  let done = 0;
  let began = 0;

  function tick(): void {
    done += 1;
    if (done === warmUp) began = performance.now();
    if (done <= warmUp) return;
    const tookMs = performance.now() - began;
    const counted = done - warmUp;
    if (counted !== count && tookMs < durationMs) return;
    done = 0;
    if (process.connected)
      process.send?.({ perSecond: (counted / tookMs) * 1000, count: counted } satisfies Drained);
  }

  return {
    around<Args extends unknown[]>(run: (...args: Args) => Promise<void>) {
      return async (...args: Args): Promise<void> => {
        await run(...args);
        tick();
      };
    },
  };
}
