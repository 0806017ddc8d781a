import { isTooDeep } from '../kernel/json.ts';
import type { Effort } from '../kernel/threads/effort.ts';
import type {
  DecidedStatus,
  Decision,
  Definition,
  Effect,
  Json,
  RunFacts,
  RunState,
  StepEntry,
  StepOutcome,
} from './contract.ts';
import { newAllowance, resultOf, type Setting, StepFailure } from './evaluate.ts';
import { limits } from './limits.ts';
import { programOf, stepOf } from './program.ts';

/** One call of decide: `state` is a draft of the next state. */
export interface Turn extends Setting {
  effort: Effort;
  entries: StepEntry[];
  /** Steps begun in this call, and the work of those that are done. */
  began: number;
  worked: number;
  /** The step under way has a line in the timeline that is not closed yet. */
  open: boolean;
}

export function newTurn(
  definition: Definition,
  run: RunFacts,
  state: RunState,
  now: number,
  effort: Effort,
): Turn {
  return {
    effort,
    program: programOf(definition),
    run,
    state: { ...state },
    now,
    entries: [],
    began: 0,
    worked: 0,
    allowance: newAllowance(effort),
    open: state.pending !== null && state.pending.kind !== 'begin',
  };
}

export function remember(turn: Turn, outcome: StepOutcome, output: Json): void {
  const { state } = turn;
  const step = stepOf(turn.program, state.stepId);
  if (!step || !leavesOutput(step.kind)) return;
  if (isTooDeep(output)) throw new StepFailure('its output is nested too deeply');
  const size = sizeOf(output);
  if (size > limits.output) throw new StepFailure(`its output is larger than ${limits.output / 1_024} KB`);
  const before = resultOf(state, step.id);
  state.resultsSize += size - (before ? sizeOf(before.output) : 0);
  if (state.resultsSize > limits.outputs)
    throw new StepFailure(`the outputs of the run are larger than ${limits.outputs / 1_024} KB together`);
  state.results = { ...state.results, [step.id]: { outcome, output } };
}

const sizeOf = (value: Json): number => JSON.stringify(value).length;

/** Steps whose result later ones may ask for; the others would only make the state larger. */
function leavesOutput(kind: string): boolean {
  return kind === 'send' || kind === 'fetch' || kind === 'wait_for_event' || kind === 'digest';
}

export const attemptOf = (state: RunState): string => `${state.stepId}-${state.seq}`;

function entryOf({ state, program }: Turn): StepEntry {
  const step = stepOf(program, state.stepId);
  const { pending } = state;
  return {
    seq: state.seq,
    stepId: state.stepId ?? '',
    kind: step?.kind === 'unknown' ? step.named : (step?.kind ?? ''),
    attemptId: attemptOf(state),
    status: 'running',
    outcome: null,
    notificationId: pending?.kind === 'notification' ? pending.notificationId : null,
    output: null,
    nextStepId: null,
    nextScheduledAt: pending && 'until' in pending && pending.until > state.startedAt ? pending.until : null,
    startedAt: state.startedAt,
    completedAt: null,
  };
}

function record(turn: Turn, entry: StepEntry): void {
  turn.entries = mergeEntries(turn.entries, [entry]);
}

/** Ends the step under way. */
export function close(turn: Turn, outcome: StepOutcome, output: Json, next: string | null): void {
  const status = outcome === 'failed' || outcome === 'cancelled' ? outcome : 'completed';
  const entry = entryOf(turn);
  const made =
    typeof output === 'object' && output !== null && !Array.isArray(output) ? output.notification_id : null;
  turn.open = false;
  record(turn, {
    ...entry,
    status,
    outcome,
    output,
    notificationId: entry.kind === 'send' && typeof made === 'string' ? made : entry.notificationId,
    nextStepId: next,
    completedAt: turn.now,
  });
}

const waitingEffects: ReadonlySet<Effect['kind']> = new Set([
  'await_notification',
  'await_digest',
  'wait_for_event',
  'sleep',
]);

/** Leaves the run to the runtime, which performs the effect. */
export function perform(turn: Turn, effect: Effect): Decision {
  const status = waitingEffects.has(effect.kind) ? 'waiting' : 'running';
  if (effect.kind !== 'continue') record(turn, { ...entryOf(turn), status });
  return {
    ignored: false,
    status,
    failureReason: null,
    state: turn.state,
    entries: turn.entries,
    effect,
  };
}

export function end(turn: Turn, status: DecidedStatus, failureReason: string | null = null): Decision {
  turn.state.pending = null;
  turn.state.stepId = null;
  return { ignored: false, status, failureReason, state: turn.state, entries: turn.entries, effect: null };
}

export function fail(turn: Turn, reason: string): Decision {
  const { stepId } = turn.state;
  if (turn.open) close(turn, 'failed', { error: reason }, null);
  return end(
    turn,
    'failed',
    stepId === null ? `${reason}.` : `Step "${stepId}": ${reason.replace(/\.$/, '')}.`,
  );
}

export function cancel(turn: Turn): Decision {
  if (turn.open) close(turn, 'cancelled', null, null);
  return end(turn, 'cancelled');
}

/** Entries of two decisions in order: of the same seq, the later one stays. */
export function mergeEntries(earlier: readonly StepEntry[], later: readonly StepEntry[]): StepEntry[] {
  const merged = new Map(earlier.map((entry) => [entry.seq, entry]));
  for (const entry of later) merged.set(entry.seq, entry);
  return [...merged.values()].sort((a, b) => a.seq - b.seq);
}
