import { assertNever } from '../kernel/errors.ts';
import type { Decision, Effect, Json, Pending, Step, StepOutcome } from './contract.ts';
import { attemptOf, close, type DecisionDraft, end, perform, remember } from './decision-draft.ts';
import {
  durationOf,
  endOfDelay,
  evaluateCondition,
  keyOf,
  matchKeyFor,
  newAllowance,
  notificationOf,
  requestOf,
  StepFailure,
  workOf,
} from './evaluate.ts';
import { defaultDigestItems, engineLimits } from './limits.ts';
import { nextOf, stepOf, targetOf } from './program.ts';
import { maxDurationMs } from './time.ts';

/** Completes the current step: stores its output and continues. */
export function complete(
  draft: DecisionDraft,
  outcome: StepOutcome,
  output: Json,
  target?: string | null,
): Decision {
  const { definition, stepIndexes } = draft.program;
  const next =
    target === undefined ? nextOf(definition, stepIndexes.get(draft.state.stepId ?? '') ?? -1) : target;
  remember(draft, outcome, output);
  close(draft, outcome, output, next);
  return runSteps(draft, next);
}

/** Begins steps until one has to wait for an input, or the run ends. */
export function runSteps(draft: DecisionDraft, first: string | null): Decision {
  const { state } = draft;
  for (let next = first; ; ) {
    state.stepId = next;
    if (next === null) return end(draft, 'completed');
    state.pending = { kind: 'begin' };
    if (state.seq >= engineLimits.stepsInRun)
      throw new StepFailure(`the run has executed ${engineLimits.stepsInRun} steps, which is the limit`);
    if (
      draft.began >= engineLimits.stepsInDecision ||
      draft.worked >= engineLimits.workInDecision[draft.effort]
    )
      return perform(draft, { kind: 'continue' });
    const step = stepOf(draft.program, next);
    if (!step) throw new StepFailure('this version of the workflow has no such step');
    draft.began += 1;
    state.seq += 1;
    state.startedAt = draft.now;
    draft.open = true;
    draft.allowance = newAllowance(draft.effort);
    const begun = begin(draft, step);
    if (begun.kind === 'decided') return begun.decision;
    remember(draft, begun.outcome, null);
    close(draft, begun.outcome, null, begun.next);
    draft.worked += workOf(draft.allowance);
    next = begun.next;
  }
}

type Begun =
  | { kind: 'decided'; decision: Decision }
  | { kind: 'done'; outcome: StepOutcome; next: string | null };

function begin(draft: DecisionDraft, step: Step): Begun {
  const { program, state, now } = draft;
  const next = nextOf(program.definition, program.stepIndexes.get(step.id) ?? -1);
  if (step.when !== null && !evaluateCondition(draft, step.when, 'when'))
    return { kind: 'done', outcome: 'skipped', next };
  const waitFor = (pending: Pending): Begun => {
    state.pending = pending;
    return { kind: 'decided', decision: perform(draft, pendingEffect(draft, step)) };
  };
  switch (step.kind) {
    case 'noop':
      return { kind: 'done', outcome: 'noop', next };
    case 'cancel':
      close(draft, 'cancelled', null, null);
      return { kind: 'decided', decision: end(draft, 'cancelled') };
    case 'branch': {
      const taken = step.branches.find(({ when }, index) =>
        evaluateCondition(draft, when, `branches[${index}].when`),
      );
      const target = taken?.goto ?? step.otherwise;
      return {
        kind: 'done',
        outcome: 'branched',
        next: target === null ? next : targetOf(program.definition, target),
      };
    }
    case 'delay': {
      const until = endOfDelay(draft, step);
      if (until <= now) return { kind: 'done', outcome: 'delayed', next };
      return waitFor({ kind: 'sleep', until });
    }
    case 'send':
      return waitFor({ kind: 'send' });
    case 'fetch':
      return waitFor({ kind: 'fetch' });
    case 'digest':
      return waitFor({ kind: 'digest', key: keyOf(draft, step) });
    case 'throttle':
      return waitFor({ kind: 'throttle', key: keyOf(draft, step) });
    case 'wait_for_event': {
      const wait = step.timeout === null ? maxDurationMs : durationOf(draft, step.timeout, 'timeout');
      return waitFor({ kind: 'event', matchKey: matchKeyFor(draft, step), until: now + wait });
    }
    case 'unknown':
      throw new StepFailure(`this version of Carillon does not support the step kind "${step.named}"`);
    default:
      return assertNever(step);
  }
}

/** The effect that the current step waits for: a function of the state, so that it can be requested again after a crash. */
export function pendingEffect(draft: DecisionDraft, step: Step): Effect {
  const { pending } = draft.state;
  const attempt = { stepId: step.id, attemptId: attemptOf(draft.state) };
  switch (pending?.kind) {
    case 'send':
      if (step.kind !== 'send') break;
      return { kind: 'send', ...attempt, request: notificationOf(draft, step), waitFor: step.waitFor };
    case 'notification':
      if (step.kind !== 'send') break;
      return {
        kind: 'await_notification',
        notificationId: pending.notificationId,
        waitFor: step.waitFor,
        until: pending.until,
      };
    case 'fetch':
      if (step.kind !== 'fetch') break;
      return { kind: 'fetch', ...attempt, request: requestOf(draft, step) };
    case 'digest':
      if (step.kind !== 'digest') break;
      return {
        kind: 'join_digest',
        stepId: step.id,
        key: pending.key,
        windowMs: durationOf(draft, step.window, 'window'),
        maxItems: step.maxItems ?? defaultDigestItems,
        item: draft.run.triggerData,
      };
    case 'digest_open':
      return { kind: 'await_digest', until: pending.until };
    case 'throttle':
      if (step.kind !== 'throttle') break;
      return {
        kind: 'take_throttle',
        stepId: step.id,
        key: pending.key,
        limit: step.limit,
        windowMs: durationOf(draft, step.window, 'window'),
        waits: step.mode === 'wait',
      };
    case 'event':
      if (step.kind !== 'wait_for_event') break;
      return {
        kind: 'wait_for_event',
        stepId: step.id,
        eventName: step.event ?? '',
        matchKey: pending.matchKey,
        until: pending.until,
        lookback: step.lookback,
      };
    case 'throttled':
    case 'sleep':
      return { kind: 'sleep', until: pending.until };
    default:
      break;
  }
  throw new StepFailure('the run does not wait for what its step requires');
}
