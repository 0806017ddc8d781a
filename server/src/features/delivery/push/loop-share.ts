import { setTimeout as pause } from 'node:timers/promises';
import { yieldToEventLoop } from '../../../kernel/event-loop.ts';

/** Pushes may use the process for this long. */
const sliceMs = 2;
/** Then they wait until the event loop was idle for half of the time since, but no longer than this. */
const maxUtilization = 0.5;
const longestPauseMs = 20;

/**
 * Bounds the share of the event loop that pushes use: one starts in each iteration, so that thousands of them do not delay other work.
 * Those of the claim that began first start first: claims end, and are written, one after the other.
 */
export function createLoopShare(): { acquire(claimBegan: number): Promise<void> } {
  const waiting: { claimBegan: number; start(): void }[] = [];
  let isStarting = false;
  let slice = { began: 0, before: performance.eventLoopUtilization() };

  async function startWaiting(): Promise<void> {
    isStarting = true;
    while (waiting.length > 0) {
      await letOthersGoFirst();
      const first = waiting.reduce((one, other) => (other.claimBegan < one.claimBegan ? other : one));
      waiting.splice(waiting.indexOf(first), 1);
      first.start();
    }
    isStarting = false;
  }

  async function letOthersGoFirst(): Promise<void> {
    const now = performance.now();
    if (now - slice.began < sliceMs) return yieldToEventLoop();
    do await pause(sliceMs);
    while (
      performance.eventLoopUtilization(slice.before).utilization > maxUtilization &&
      performance.now() - now < longestPauseMs
    );
    slice = { began: performance.now(), before: performance.eventLoopUtilization() };
  }

  return {
    acquire(claimBegan) {
      return new Promise((start) => {
        waiting.push({ claimBegan, start });
        if (!isStarting) void startWaiting();
      });
    },
  };
}
