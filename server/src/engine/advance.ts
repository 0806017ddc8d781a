import { assertNever } from '../kernel/errors.ts';
import type { Decision, Effect, Json, Pending, Step, StepOutcome } from './contract.ts';
import { maxDurationMs } from './duration.ts';
import {
  digestKeyOf,
  durationOf,
  endOfDelay,
  evaluateCondition,
  matchKeyFor,
  newAllowance,
  notificationOf,
  requestOf,
  StepFailure,
  workOf,
} from './evaluate.ts';
import { nextOf, targetOf } from './graph.ts';
import { defaultDigestItems, limits } from './limits.ts';
import { stepOf } from './program.ts';
import { attemptOf, close, end, perform, remember, type Turn } from './turn.ts';

/** The step under way is done: remembers its output and goes on. */
export function complete(turn: Turn, outcome: StepOutcome, output: Json, target?: string | null): Decision {
  const { definition, places } = turn.program;
  const next = target === undefined ? nextOf(definition, places.get(turn.state.stepId ?? '') ?? -1) : target;
  remember(turn, outcome, output);
  close(turn, outcome, output, next);
  return goOn(turn, next);
}

/** Begins steps until one has to wait for the world, or the run ends. */
export function goOn(turn: Turn, first: string | null): Decision {
  const { state } = turn;
  for (let next = first; ; ) {
    state.stepId = next;
    if (next === null) return end(turn, 'completed');
    state.pending = { kind: 'begin' };
    if (state.seq >= limits.stepsInRun)
      throw new StepFailure(`the run has executed ${limits.stepsInRun} steps, which is the limit`);
    if (turn.began >= limits.stepsInDecision || turn.worked >= limits.workInDecision[turn.effort])
      return perform(turn, { kind: 'continue' });
    const step = stepOf(turn.program, next);
    if (!step) throw new StepFailure('this version of the workflow has no such step');
    turn.began += 1;
    state.seq += 1;
    state.startedAt = turn.now;
    turn.open = true;
    turn.allowance = newAllowance(turn.effort);
    const begun = begin(turn, step);
    if (begun.kind === 'decided') return begun.decision;
    remember(turn, begun.outcome, null);
    close(turn, begun.outcome, null, begun.next);
    turn.worked += workOf(turn.allowance);
    next = begun.next;
  }
}

type Begun =
  | { kind: 'decided'; decision: Decision }
  | { kind: 'done'; outcome: StepOutcome; next: string | null };

function begin(turn: Turn, step: Step): Begun {
  const { program, state, now } = turn;
  const next = nextOf(program.definition, program.places.get(step.id) ?? -1);
  if (step.when !== null && !evaluateCondition(turn, step.when, 'when'))
    return { kind: 'done', outcome: 'skipped', next };
  const waitFor = (pending: Pending): Begun => {
    state.pending = pending;
    return { kind: 'decided', decision: perform(turn, pendingEffect(turn, step)) };
  };
  switch (step.kind) {
    case 'noop':
      return { kind: 'done', outcome: 'noop', next };
    case 'cancel':
      close(turn, 'cancelled', null, null);
      return { kind: 'decided', decision: end(turn, 'cancelled') };
    case 'branch': {
      const taken = step.branches.find(({ when }, index) =>
        evaluateCondition(turn, when, `branches[${index}].when`),
      );
      const target = taken?.goto ?? step.otherwise;
      return {
        kind: 'done',
        outcome: 'branched',
        next: target === null ? next : targetOf(program.definition, target),
      };
    }
    case 'delay': {
      const until = endOfDelay(turn, step);
      if (until <= now) return { kind: 'done', outcome: 'delayed', next };
      return waitFor({ kind: 'sleep', until });
    }
    case 'send':
      return waitFor({ kind: 'send' });
    case 'fetch':
      return waitFor({ kind: 'fetch' });
    case 'digest':
      return waitFor({ kind: 'digest', key: digestKeyOf(turn, step) });
    case 'wait_for_event': {
      const wait = step.timeout === null ? maxDurationMs : durationOf(turn, step.timeout, 'timeout');
      return waitFor({ kind: 'event', matchKey: matchKeyFor(turn, step), until: now + wait });
    }
    case 'unknown':
      throw new StepFailure(`this version of Carillon knows no kind of step called "${step.named}"`);
    default:
      return assertNever(step);
  }
}

/** What the world is asked for while the step under way waits: a function of the state, so it can be asked again after a crash. */
export function pendingEffect(turn: Turn, step: Step): Effect {
  const { pending } = turn.state;
  const attempt = { stepId: step.id, attemptId: attemptOf(turn.state) };
  switch (pending?.kind) {
    case 'send':
      if (step.kind !== 'send') break;
      return { kind: 'send', ...attempt, request: notificationOf(turn, step), waitFor: step.waitFor };
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
      return { kind: 'fetch', ...attempt, request: requestOf(turn, step) };
    case 'digest':
      if (step.kind !== 'digest') break;
      return {
        kind: 'join_digest',
        stepId: step.id,
        key: pending.key,
        windowMs: durationOf(turn, step.window, 'window'),
        maxItems: step.maxItems ?? defaultDigestItems,
        item: turn.run.triggerData,
      };
    case 'digest_open':
      return { kind: 'await_digest', until: pending.until };
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
    case 'sleep':
      return { kind: 'sleep', until: pending.until };
    default:
      break;
  }
  throw new StepFailure('the run waits for something that its step does not ask for');
}
