import type { RetryContext } from '../../../../kernel/retry-schedule.ts';
import { eventEntry, type StoredTraceEntry } from '../../../notifications/notifications/index.ts';
import type { LeaseNote } from '../attempt/lease-note.ts';
import type { WaitingRound } from '../attempt/round.ts';
import type {
  FailedSettlement,
  StillWaitingSettlement,
  UnsettledRound,
  WaitingSettlement,
} from './round-settlement.ts';
import { failed } from './settlement.ts';

const longestWaitMs = 24 * 3_600_000;
const firstSpreadMs = 250;
const widestSpreadMs = 120_000;
/** Only this many calls answered with "slow down" leave events and a trace; all of them are counted. */
const maxRecordedCalls = 20;

/**
 * The notification goes back to the queue and no round is used up: how long a provider throttles says nothing about the
 * message. The calls that were made are attempts, with their events. Notifications that wait together would come back together,
 * so each time the providers are still throttled the spread doubles, up to two minutes. A wait without a call leaves one trace
 * entry.
 */
export function settleWaiting(
  before: UnsettledRound,
  waiting: WaitingRound,
  at: RetryContext,
): WaitingSettlement | StillWaitingSettlement | FailedSettlement {
  const { note } = before;
  const { since, times, calls = 0 } = note.waiting ?? { since: at.now, times: 0 };
  const isCalled = waiting.attempts > 0;
  const isRecorded = isCalled ? calls < maxRecordedCalls : times === 0 || before.attempts > 0;
  const round: UnsettledRound = {
    ...before,
    attempts: before.attempts + waiting.attempts,
    events: isRecorded && isCalled ? [...before.events, ...waiting.events] : before.events,
    trace: isRecorded ? [...before.trace, ...waiting.trace] : [],
    note: { ...note, waiting: { since, times: times + 1, calls: calls + waiting.attempts } },
  };
  if (at.now - since > longestWaitMs * at.retryScale) {
    return failed(round, at.now, `throttled: gave up after a day of throttling; last: ${waiting.message}`);
  }
  const spreadMs = Math.min(firstSpreadMs * 2 ** times, widestSpreadMs) * at.retryScale;
  const retryAt = Math.ceil(waiting.until + spreadMs * at.chance);
  if (!isRecorded && !isCalled) return { kind: 'still_waiting', retryAt, note: round.note };

  const retrying = eventEntry(
    'Retrying',
    at.now,
    `Throttled; the next attempt is at ${new Date(retryAt).toISOString()}`,
  );
  const deferral: StoredTraceEntry = {
    at: new Date(at.now).toISOString(),
    kind: 'gate',
    name: 'pace',
    verdict: 'defer',
    detail: `Waiting for a throttled provider: ${waiting.message}`,
  };
  return {
    ...round,
    kind: 'waiting',
    retryAt,
    lastError: waiting.message,
    events: isRecorded && isCalled ? [...round.events, retrying] : round.events,
    trace: isRecorded ? [...round.trace, deferral] : [],
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
      detail: `Waited ${seconds} s for throttled providers; checked ${waiting.times} times.`,
    },
  ];
}
