import { createThreadClock } from '../../src/templating/watchdog.ts';

/** How often the loop is looked at: short turns in a row add up to at most this much. */
const intervalMs = 2;

interface EventLoopWatch {
  /** The longest turn of the event loop since this was last called, in milliseconds of processor time. */
  take(): number;
  stop(): void;
}

/**
 * Watches how long single turns of this thread's event loop hold the processor. The clock on the wall is of no use on a machine
 * with other work, and process.cpuUsage() also counts the compiler, the garbage collector and the thread pool, which do not
 * hold the loop. A timer that is due every 2 ms is late by as long as a turn takes; what the thread used of the processor between two of its
 * calls is therefore the longest turn, give or take 2 ms.
 */
export function watchEventLoop(): EventLoopWatch {
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

/** What the work below takes on the machine of the benchmarks, in milliseconds of processor time. */
const referenceMs = 11.5;

/** How many times as long as there this machine takes just now; 1 where it is faster. */
export function cpuFactor(): number {
  const now = createThreadClock();
  let least = Number.POSITIVE_INFINITY;
  for (let left = 15; left > 0; left -= 1) {
    const began = now();
    const numbers = Array.from({ length: 12_000 }, (_, n) => (n * 7919) % 12_007);
    const texts = numbers.sort((a, b) => a - b).map((n) => `<b>${n}</b>`);
    JSON.parse(JSON.stringify(texts.map((text) => ({ text: text.replace(/[<>]/g, '&') }))));
    least = Math.min(least, now() - began);
  }
  return Math.max(1, least / referenceMs);
}
