import { assertNever } from '../kernel/errors.ts';
import type { Effort } from '../threads/effort.ts';
import { complete, pendingEffect, runSteps } from './advance.ts';
import type {
  Decision,
  Definition,
  Input,
  JsonObject,
  NotificationSettled,
  RunInput,
  RunState,
  SendStep,
  Step,
  StepOutcome,
} from './contract.ts';
import { cancel, close, type DecisionDraft, end, fail, newDecisionDraft, perform } from './decision-draft.ts';
import { durationOf, StepFailure } from './evaluate.ts';
import { stepOf, targetOf } from './program.ts';
import { maxDurationMs } from './time.ts';

const defaultNotificationWaitMs = 86_400_000;

export function initialState(): RunState {
  return {
    seq: 0,
    stepId: null,
    startedAt: 0,
    pending: { kind: 'begin' },
    results: {},
    resultsSize: 0,
    eventStep: null,
    digest: null,
  };
}

/**
 * Decides what a run does next, given an input. Pure and total: the same arguments give the same decision, and an error in a
 * run is a decision that fails it with a reason. With a light effort, throws HeavyWork when the work exceeds that effort.
 */
export function decide(
  definition: Definition,
  run: RunInput,
  state: RunState,
  input: Input,
  now: number,
  effort: Effort = 'full',
): Decision {
  const draft = newDecisionDraft(definition, run, state, now, effort);
  try {
    return answer(draft, input) ?? ignored(state);
  } catch (error) {
    if (error instanceof StepFailure) return fail(draft, error.message);
    throw error;
  }
}

/** The decision that fails the run with this reason. */
export function failed(
  definition: Definition,
  run: RunInput,
  state: RunState,
  now: number,
  reason: string,
): Decision {
  return fail(newDecisionDraft(definition, run, state, now, 'full'), reason);
}

function ignored(state: RunState): Decision {
  return { ignored: true, status: 'running', failureReason: null, state, entries: [], effect: null };
}

/** Returns null when the input does not fit what the run waits for. */
function answer(draft: DecisionDraft, input: Input): Decision | null {
  const { pending, stepId } = draft.state;
  if (pending === null) return null;
  if (input.kind === 'cancel') return cancel(draft);
  if (pending.kind === 'begin') {
    if (input.kind !== 'start' && input.kind !== 'resume') return null;
    return runSteps(draft, stepId ?? draft.program.definition.steps[0]?.id ?? null);
  }
  const step = stepOf(draft.program, stepId);
  if (!step) throw new StepFailure('this version of the workflow has no such step');
  if (input.kind === 'resume') return perform(draft, pendingEffect(draft, step));
  if (input.kind === 'timer') return timerFired(draft, step);
  switch (step.kind) {
    case 'send':
      return answerSend(draft, step, input);
    case 'fetch':
      return answerFetch(draft, step.onError, input);
    case 'digest':
      return answerDigest(draft, input);
    case 'throttle':
      return answerThrottle(draft, input);
    case 'wait_for_event': {
      const fits =
        input.kind === 'event' &&
        pending.kind === 'event' &&
        input.eventName === step.event &&
        input.matchKey === pending.matchKey;
      if (!fits) return null;
      draft.state.eventStep = step.id;
      return complete(draft, 'event_received', input.data);
    }
    default:
      return null;
  }
}

function answerSend(draft: DecisionDraft, step: SendStep, input: Input): Decision | null {
  const { pending } = draft.state;
  if (input.kind === 'notification_settled') {
    if (pending?.kind === 'notification' && input.notificationId !== pending.notificationId) return null;
    const outcome = sendOutcome(step, input.status);
    if (outcome === null) return null;
    const output: JsonObject = { notification_id: input.notificationId, status: input.status };
    if (input.reason !== null) output.reason = input.reason;
    return complete(draft, outcome, output);
  }
  if (pending?.kind !== 'send') return null;
  if (input.kind === 'send_refused') return fail(draft, input.reason);
  if (input.kind !== 'send_accepted') return null;
  const { notificationId } = input;
  if (step.waitFor === 'accepted' || notificationId === null)
    return complete(draft, 'sent', { notification_id: notificationId, status: 'accepted' });
  const wait = step.timeout === null ? defaultNotificationWaitMs : durationOf(draft, step.timeout, 'timeout');
  draft.state.pending = { kind: 'notification', notificationId, until: draft.now + wait };
  return perform(draft, pendingEffect(draft, step));
}

/** Returns null while the awaited status is not reached. A complaint implies that the message was received. */
function sendOutcome(step: SendStep, status: NotificationSettled): StepOutcome | null {
  switch (status) {
    case 'sent':
      return step.waitFor === 'delivered' ? null : 'sent';
    case 'delivered':
    case 'complained':
      return 'sent';
    case 'suppressed':
      return 'suppressed';
    case 'failed':
    case 'bounced':
      return 'failed';
    default:
      return assertNever(status);
  }
}

function answerFetch(draft: DecisionDraft, onError: string | null, input: Input): Decision | null {
  if (input.kind === 'fetched') return complete(draft, 'fetched', input.body);
  if (input.kind !== 'fetch_failed') return null;
  if (onError === null) return fail(draft, input.reason);
  return complete(draft, 'failed', { error: input.reason }, targetOf(draft.program.definition, onError));
}

function answerDigest(draft: DecisionDraft, input: Input): Decision | null {
  const { pending } = draft.state;
  if (input.kind === 'digest_opened' && pending?.kind === 'digest') {
    draft.state.pending = { kind: 'digest_open', key: pending.key, until: input.until };
    return perform(draft, { kind: 'await_digest', until: input.until });
  }
  if (input.kind === 'digest_joined' && pending?.kind === 'digest') {
    close(draft, 'digested', { key: pending.key, surviving_run_id: input.survivingRunId }, null);
    return end(draft, 'completed');
  }
  if (input.kind !== 'digest_closed') return null;
  if (pending?.kind !== 'digest' && pending?.kind !== 'digest_open') return null;
  const { items } = input;
  draft.state.digest = { key: pending.key, count: items.length, items };
  return complete(draft, 'digested', { key: pending.key, count: items.length });
}

/** The run goes on in its next advance, at once or when it has its pass: the answer comes while an advance is written. */
function answerThrottle(draft: DecisionDraft, input: Input): Decision | null {
  if (input.kind !== 'throttle_answered' || draft.state.pending?.kind !== 'throttle') return null;
  const { at } = input;
  if (at !== null && at - draft.now > maxDurationMs)
    return fail(draft, 'so many runs wait for this throttle that it would take more than a year');
  const until = at ?? draft.now;
  draft.state.pending = { kind: 'throttled', passes: at !== null, until };
  return perform(draft, { kind: 'sleep', until });
}

function timerFired(draft: DecisionDraft, step: Step): Decision | null {
  const { pending } = draft.state;
  if (!pending || !('until' in pending)) return null;
  // Either the timer is early, or the wait is a digest, which only the runtime closes, with the collected items.
  if (draft.now < pending.until || pending.kind === 'digest_open')
    return perform(draft, pendingEffect(draft, step));
  if (pending.kind === 'throttled') {
    if (pending.passes) return complete(draft, 'passed', null);
    const target = step.kind === 'throttle' ? step.onLimit : null;
    return complete(
      draft,
      'throttled',
      null,
      target === null ? null : targetOf(draft.program.definition, target),
    );
  }
  if (pending.kind === 'sleep') return complete(draft, 'delayed', null);
  if (pending.kind === 'notification')
    return complete(draft, 'timed_out', { notification_id: pending.notificationId, status: 'timed_out' });
  // Otherwise a later step would read the event of an earlier wait as the event of this one.
  draft.state.eventStep = null;
  const target = step.kind === 'wait_for_event' ? step.onTimeout : null;
  return target === null
    ? complete(draft, 'timed_out', null)
    : complete(draft, 'timed_out', null, targetOf(draft.program.definition, target));
}

/** The limit of a throttle step: at most `limit` runs pass in any `windowMs`. */
interface ThrottleLimit {
  limit: number;
  windowMs: number;
  waits: boolean;
}

/**
 * Decides when a run passes, given the times of the last passes; null when it skips. A run that waits takes its pass at once,
 * so runs pass in the order in which they came, and none has to ask again.
 */
export function takePass(
  passes: readonly number[],
  now: number,
  { limit, windowMs, waits }: ThrottleLimit,
): { at: number | null; passes: number[] } {
  const last = passes.slice(-limit);
  const oldest = last.length < limit ? null : (last[0] ?? null);
  const at = oldest === null ? now : Math.max(now, oldest + windowMs);
  if (at > now && !waits) return { at: null, passes: [...passes] };
  return { at, passes: [...last, at].sort((a, b) => a - b).slice(-limit) };
}
