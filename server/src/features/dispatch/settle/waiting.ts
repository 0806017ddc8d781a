import { eventEntry, type StoredTraceEntry } from '../../notifications/index.ts';
import type { LeaseNote } from '../attempt/lease-note.ts';
import type { WaitingRound } from '../attempt/round.ts';
import { failed, type RetryContext, type RoundSettlement } from './settlement.ts';

const longestWaitMs = 24 * 3_600_000;
const firstSpreadMs = 250;
const widestSpreadMs = 120_000;
/** Only this many calls answered with "slow down" leave events and a trace; all of them are counted. */
const maxToldCalls = 20;

/**
 * The notification goes back to the queue and no round is used up: how long a provider throttles says nothing about the
 * message. The calls that were made are attempts, with their events. Notifications that wait together would come back together,
 * so each time the providers are still throttled the spread doubles, up to two minutes. A wait without a call leaves one trace
 * entry.
 */
export function settleWaiting(
  base: RoundSettlement,
  waiting: WaitingRound,
  note: LeaseNote,
  at: RetryContext,
): RoundSettlement {
  const { since, times, calls = 0 } = note.waiting ?? { since: at.now, times: 0 };
  const isCalled = waiting.attempts > 0;
  const isTold = isCalled ? calls < maxToldCalls : times === 0 || base.attempts > 0;
  const counted: RoundSettlement = {
    ...base,
    attempts: base.attempts + waiting.attempts,
    events: isTold && isCalled ? waiting.events : [],
    trace: isTold ? [...base.trace, ...waiting.trace] : [],
    silent: !isTold && !isCalled,
    last_error: waiting.message,
  };
  if (at.now - since > longestWaitMs * at.retryScale) {
    return failed(
      { ...counted, silent: false },
      at.now,
      `throttled: gave up after a day of being asked to slow down; last: ${waiting.message}`,
    );
  }
  const spreadMs = Math.min(firstSpreadMs * 2 ** times, widestSpreadMs) * at.retryScale;
  const retryAt = Math.ceil(waiting.until + spreadMs * at.chance);
  const retrying = eventEntry(
    'Retrying',
    at.now,
    `Asked to slow down; the next try is at ${new Date(retryAt).toISOString()}`,
  );
  const deferral: StoredTraceEntry = {
    at: new Date(at.now).toISOString(),
    kind: 'gate',
    name: 'pace',
    verdict: 'defer',
    detail: `Waiting until a provider may be asked again: ${waiting.message}`,
  };
  return {
    ...counted,
    retryAt,
    note: { ...note, waiting: { since, times: times + 1, calls: calls + waiting.attempts } },
    events: isTold && isCalled ? [...counted.events, retrying] : counted.events,
    trace: isTold ? [...counted.trace, deferral] : [],
  };
}

/** The trace entry of a notification that waited for throttled providers. */
export function resumedEntry({ waiting }: LeaseNote, now: number): StoredTraceEntry[] {
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
