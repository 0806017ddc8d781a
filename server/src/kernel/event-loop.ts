import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

export { yieldToEventLoop };

/** How long computations in a row may keep everything else in the process waiting. */
const sliceMs = 20;

/** When those of this turn of the event loop began. The loop is the process's own, so this is too. */
let began: number | null = null;

/**
 * For computations that a stranger can make long (and that are bounded each for itself): others of their kind have held the
 * event loop for a while, so everybody else comes first. `while (isLoopHeld()) await yieldToEventLoop();` right before it: an await in
 * between would let all that begin together find the loop free. One at least gets through in every turn.
 */
export function isLoopHeld(): boolean {
  const now = performance.now();
  if (began !== null) return now - began > sliceMs;
  began = now;
  setImmediate(() => {
    began = null;
  });
  return false;
}
