import type { StoredTraceEntry } from '../notifications/index.ts';
import type { Memory } from './memory.ts';
import type { WaitingRound } from './round.ts';
import { type Circumstances, failed, type Settled } from './settle.ts';

const longestWaitMs = 24 * 3_600_000;
const firstSpreadMs = 250;
const widestSpreadMs = 120_000;

/**
 * The notification goes back to the queue with nothing counted against it. What waits together would come back together, so
 * each time it finds its providers paused again it takes its next turn within twice the time, up to two minutes. The trace says
 * it once.
 */
export function settleWaiting(
  base: Settled,
  waiting: WaitingRound,
  memory: Memory,
  at: Circumstances,
): Settled {
  const { since, times } = memory.waiting ?? { since: at.now, times: 0 };
  if (at.now - since > longestWaitMs * at.retryScale) {
    return failed(
      base,
      at.now,
      `throttled: gave up after a day of being asked to slow down; last: ${waiting.said}`,
    );
  }
  const spreadMs = Math.min(firstSpreadMs * 2 ** times, widestSpreadMs) * at.retryScale;
  const tells = times === 0 || base.attempts > 0;
  const deferral: StoredTraceEntry = {
    at: new Date(at.now).toISOString(),
    kind: 'gate',
    name: 'pace',
    verdict: 'defer',
    detail: `Waiting until a provider may be asked again: ${waiting.said}`,
  };
  return {
    ...base,
    last_error: waiting.said,
    retryAt: Math.ceil(waiting.until + spreadMs * at.chance),
    memory: { ...memory, waiting: { since, times: times + 1 } },
    trace: tells ? [...base.trace, ...waiting.trace, deferral] : [],
    untold: !tells,
  };
}

/** For the trace of a notification that waited. */
export function resumedEntry({ waiting }: Memory, now: number): StoredTraceEntry[] {
  if (!waiting) return [];
  const seconds = Math.max(1, Math.round((now - waiting.since) / 1000));
  return [
    {
      at: new Date(now).toISOString(),
      kind: 'decision',
      name: 'pace',
      verdict: 'resume',
      detail: `Waited ${seconds} s for providers that asked us to slow down; looked ${waiting.times} times.`,
    },
  ];
}
