import type { RetryContext } from '../../../../kernel/retry-schedule.ts';
import { eventEntry, type StoredTraceEntry } from '../../../notifications/notifications/index.ts';
import type { LeaseNote } from '../attempt/lease-note.ts';
import type { WaitingRound } from '../attempt/round.ts';
import type {
  DeferredSettlement,
  FailedSettlement,
  StillWaitingSettlement,
  UnsettledRound,
  WaitingSettlement,
} from './round-settlement.ts';
import { deferred, failed } from './settlement.ts';

const longestThrottleMs = 24 * 3_600_000;
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
  if (at.now - since > longestThrottleMs * at.retryScale) {
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

const firstPauseMs = 10_000;
const longestPauseMs = 600_000;
/** Attachments are kept for as long. */
const longestObjectWaitMs = 7 * 86_400_000;

/**
 * The attachments or bodies cannot be read at the moment. No round and no attempt is used up: that says nothing about the
 * message. A missing object is waited for too, because an operator can restore it. The first wait leaves a trace entry.
 */
export function waitForObjects(
  before: UnsettledRound,
  problem: string,
  at: RetryContext,
): DeferredSettlement | StillWaitingSettlement | FailedSettlement {
  const { since, times } = before.note.objects ?? { since: at.now, times: 0 };
  if (at.now - since > longestObjectWaitMs * at.retryScale)
    return failed(
      before,
      at.now,
      `content_unavailable: the object store lacked the content for a week. ${problem}`,
    );
  const pauseMs = Math.min(firstPauseMs * 2 ** times, longestPauseMs) * at.retryScale;
  const retryAt = Math.ceil(at.now + pauseMs * (0.5 + at.chance / 2));
  const note = { ...before.note, objects: { since, times: times + 1 } };
  if (times > 0 && before.attempts === 0) return { kind: 'still_waiting', retryAt, note };
  const detail = `The attachments or bodies cannot be read from the object store; this is retried for a week. ${problem}`;
  const entry = {
    at: new Date(at.now).toISOString(),
    kind: 'gate',
    name: 'object_store',
    verdict: 'defer',
    detail,
  } as const;
  return { ...deferred({ ...before, trace: [...before.trace, entry] }, retryAt), note };
}
