import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { steadyClock } from '../kernel/clock.ts';

const checkMs = 2_600;
const idleUtilization = 0.1;
const worthwhileBytes = 8 * 1_048_576;
/** V8 averages what was allocated over this long, or since the last collection if that was earlier. */
const quietMs = 5_000;

/**
 * Gives back the room of V8's young generation once the process is idle: 20 MB after a start, and 200 MB after 10,000 sends. V8
 * shrinks it at a collection before which little was allocated, but an idle process does not allocate enough for a collection. So
 * an idle process collects the young generation twice, which takes some milliseconds each: the second collection finds a quiet time
 * before it. The old generation is left to V8, which then collects it bit by bit.
 */
export function shrinkWhenIdle(everyMs = checkMs): { stop(): void } {
  let last = performance.eventLoopUtilization();
  /** The time of the first collection; null when none of the two was made. */
  let quietSince: number | null = null;
  /** The size of the heap after the last shrinking. */
  let settledBytes = 0;

  function check(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    const { heapTotal } = process.memoryUsage();
    if (utilization >= idleUtilization || heapTotal < settledBytes + worthwhileBytes) {
      quietSince = null;
    } else if (quietSince === null) {
      collectYoung();
      quietSince = steadyClock();
    } else if (steadyClock() - quietSince >= quietMs) {
      collectYoung();
      quietSince = null;
      settledBytes = process.memoryUsage().heapTotal;
    }
  }
  const timer = setInterval(check, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}

type Collector = (options: { type: 'minor' }) => void;
let collector: Collector | null = null;

/** Node has no call for this. A context that is made while the flag is set has one. */
function collectYoung(): void {
  if (!collector) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as Collector;
    setFlagsFromString('--no-expose-gc');
  }
  collector({ type: 'minor' });
}
