import { assertNever } from '../kernel/errors.ts';
import type { Effort } from '../kernel/threads/effort.ts';
import { complete, goOn, pendingEffect } from './advance.ts';
import type {
  Decision,
  Definition,
  Input,
  JsonObject,
  NotificationSettled,
  RunFacts,
  RunState,
  SendStep,
  Step,
  StepOutcome,
} from './contract.ts';
import { durationOf, StepFailure } from './evaluate.ts';
import { targetOf } from './graph.ts';
import { stepOf } from './program.ts';
import { cancel, close, end, fail, newTurn, perform, type Turn } from './turn.ts';

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
 * What a run does next, given what happened. Pure and total: the same arguments give the same decision, and what goes wrong in a
 * run is a decision that fails it with a reason. With a light effort it throws HeavyWork where that is not enough.
 */
export function decide(
  definition: Definition,
  run: RunFacts,
  state: RunState,
  input: Input,
  now: number,
  effort: Effort = 'full',
): Decision {
  const turn = newTurn(definition, run, state, now, effort);
  try {
    return answer(turn, input) ?? ignored(state);
  } catch (error) {
    if (error instanceof StepFailure) return fail(turn, error.message);
    throw error;
  }
}

/** The decision that fails the run with this reason. */
export function failed(
  definition: Definition,
  run: RunFacts,
  state: RunState,
  now: number,
  reason: string,
): Decision {
  return fail(newTurn(definition, run, state, now, 'full'), reason);
}

function ignored(state: RunState): Decision {
  return { ignored: true, status: 'running', failureReason: null, state, entries: [], effect: null };
}

/** null: the input does not fit what the run is waiting for. */
function answer(turn: Turn, input: Input): Decision | null {
  const { pending, stepId } = turn.state;
  if (pending === null) return null;
  if (input.kind === 'cancel') return cancel(turn);
  if (pending.kind === 'begin') {
    if (input.kind !== 'start' && input.kind !== 'resume') return null;
    return goOn(turn, stepId ?? turn.program.definition.steps[0]?.id ?? null);
  }
  const step = stepOf(turn.program, stepId);
  if (!step) throw new StepFailure('this version of the workflow has no such step');
  if (input.kind === 'resume') return perform(turn, pendingEffect(turn, step));
  if (input.kind === 'timer') return timerFired(turn, step);
  switch (step.kind) {
    case 'send':
      return answerSend(turn, step, input);
    case 'fetch':
      return answerFetch(turn, step.onError, input);
    case 'digest':
      return answerDigest(turn, input);
    case 'wait_for_event': {
      const fits =
        input.kind === 'event' &&
        pending.kind === 'event' &&
        input.eventName === step.event &&
        input.matchKey === pending.matchKey;
      if (!fits) return null;
      turn.state.eventStep = step.id;
      return complete(turn, 'event_received', input.data);
    }
    default:
      return null;
  }
}

function answerSend(turn: Turn, step: SendStep, input: Input): Decision | null {
  const { pending } = turn.state;
  if (input.kind === 'notification_settled') {
    if (pending?.kind === 'notification' && input.notificationId !== pending.notificationId) return null;
    const outcome = sendOutcome(step, input.status);
    if (outcome === null) return null;
    const output: JsonObject = { notification_id: input.notificationId, status: input.status };
    if (input.reason !== null) output.reason = input.reason;
    return complete(turn, outcome, output);
  }
  if (pending?.kind !== 'send') return null;
  if (input.kind === 'send_refused') return fail(turn, input.reason);
  if (input.kind !== 'send_accepted') return null;
  const { notificationId } = input;
  if (step.waitFor === 'accepted' || notificationId === null)
    return complete(turn, 'sent', { notification_id: notificationId, status: 'accepted' });
  const wait = step.timeout === null ? defaultNotificationWaitMs : durationOf(turn, step.timeout, 'timeout');
  turn.state.pending = { kind: 'notification', notificationId, until: turn.now + wait };
  return perform(turn, pendingEffect(turn, step));
}

/** null: not there yet. Whoever complains about a message has received it. */
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

function answerFetch(turn: Turn, onError: string | null, input: Input): Decision | null {
  if (input.kind === 'fetched') return complete(turn, 'fetched', input.body);
  if (input.kind !== 'fetch_failed') return null;
  if (onError === null) return fail(turn, input.reason);
  return complete(turn, 'failed', { error: input.reason }, targetOf(turn.program.definition, onError));
}

function answerDigest(turn: Turn, input: Input): Decision | null {
  const { pending } = turn.state;
  if (input.kind === 'digest_opened' && pending?.kind === 'digest') {
    turn.state.pending = { kind: 'digest_open', key: pending.key, until: input.until };
    return perform(turn, { kind: 'await_digest', until: input.until });
  }
  if (input.kind === 'digest_joined' && pending?.kind === 'digest') {
    close(turn, 'digested', { key: pending.key, surviving_run_id: input.survivingRunId }, null);
    return end(turn, 'completed');
  }
  if (input.kind !== 'digest_closed') return null;
  if (pending?.kind !== 'digest' && pending?.kind !== 'digest_open') return null;
  const { items } = input;
  turn.state.digest = { key: pending.key, count: items.length, items };
  return complete(turn, 'digested', { key: pending.key, count: items.length });
}

function timerFired(turn: Turn, step: Step): Decision | null {
  const { pending } = turn.state;
  if (!pending || !('until' in pending)) return null;
  // Too early, or not the engine's to end: the runtime closes a digest, and says what it collected.
  if (turn.now < pending.until || pending.kind === 'digest_open')
    return perform(turn, pendingEffect(turn, step));
  if (pending.kind === 'sleep') return complete(turn, 'delayed', null);
  if (pending.kind === 'notification')
    return complete(turn, 'timed_out', { notification_id: pending.notificationId, status: 'timed_out' });
  // Else a later step would take what an earlier wait received for what this one did not.
  turn.state.eventStep = null;
  const target = step.kind === 'wait_for_event' ? step.onTimeout : null;
  return target === null
    ? complete(turn, 'timed_out', null)
    : complete(turn, 'timed_out', null, targetOf(turn.program.definition, target));
}
