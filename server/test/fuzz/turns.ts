import { createThreadClock } from '../../src/kernel/processor-time.ts';

/** How often the loop is looked at: short turns in a row add up to at most this much. */
const intervalMs = 2;

export interface TurnWatch {
  /** The longest turn of the event loop since this was last called, in milliseconds of processor time. */
  take(): number;
  stop(): void;
}

/**
 * Watches how long single turns of this thread's event loop hold the processor. The clock on the wall is of no use on a machine
 * with other work, and process.cpuUsage() also counts the compiler, the garbage collector and the thread pool, which hold nobody
 * up. A timer that is due every 2 ms is late by as long as a turn takes; what the thread used of the processor between two of its
 * calls is therefore the longest turn, give or take 2 ms.
 */
export function watchTurns(): TurnWatch {
  const now = createThreadClock();
  let longest = 0;
  let last = now();
  function look(): void {
    const current = now();
    longest = Math.max(longest, current - last);
    last = current;
  }
  const timer = setInterval(look, intervalMs);
  return {
    take() {
      look();
      const taken = longest;
      longest = 0;
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}
