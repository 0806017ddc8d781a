import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

export { yieldToEventLoop };

/** The limit for consecutive computations that block everything else in the process. */
const sliceMs = 20;

/** The start of the computations in this iteration of the event loop. The process has one loop, so this is a global. */
let began: number | null = null;

/**
 * True when computations of untrusted length (each of them bounded) have blocked the event loop long enough, so that other work
 * goes first. Call `while (shouldYield()) await yieldToEventLoop();` directly before the computation: an await in between would
 * let all callers that start together find the loop free. At least one computation runs in every iteration.
 */
export function shouldYield(): boolean {
  const now = performance.now();
  if (began !== null) return now - began > sliceMs;
  began = now;
  setImmediate(() => {
    began = null;
  });
  return false;
}
