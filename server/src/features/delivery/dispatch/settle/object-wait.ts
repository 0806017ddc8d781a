import type { RetryContext } from '../../../../kernel/retry-schedule.ts';
import type {
  DeferredSettlement,
  FailedSettlement,
  StillWaitingSettlement,
  UnsettledRound,
} from './round-settlement.ts';
import { deferred, failed } from './settlement.ts';

const firstPauseMs = 10_000;
const longestPauseMs = 600_000;
/** Attachments are kept for as long. */
const longestWaitMs = 7 * 86_400_000;

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
  if (at.now - since > longestWaitMs * at.retryScale)
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
