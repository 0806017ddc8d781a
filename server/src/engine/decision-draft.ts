import { isTooDeep } from '../kernel/json.ts';
import type { Effort } from '../threads/effort.ts';
import type {
  DecidedStatus,
  Decision,
  Definition,
  Effect,
  Json,
  RunInput,
  RunState,
  StepEntry,
  StepOutcome,
} from './contract.ts';
import { newAllowance, resultOf, type Setting, StepFailure } from './evaluate.ts';
import { engineLimits } from './limits.ts';
import { programOf, stepOf } from './program.ts';

/** One call of decide: `state` is a draft of the next state. */
export interface DecisionDraft extends Setting {
  effort: Effort;
  entries: StepEntry[];
  /** Steps begun in this call, and the work of the completed ones. */
  began: number;
  worked: number;
  /** True when the current step has a timeline entry that is not closed yet. */
  open: boolean;
}

export function newDecisionDraft(
  definition: Definition,
  run: RunInput,
  state: RunState,
  now: number,
  effort: Effort,
): DecisionDraft {
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

export function remember(draft: DecisionDraft, outcome: StepOutcome, output: Json): void {
  const { state } = draft;
  const step = stepOf(draft.program, state.stepId);
  if (!step || !leavesOutput(step.kind)) return;
  if (isTooDeep(output)) throw new StepFailure('its output is nested too deeply');
  const size = sizeOf(output);
  if (size > engineLimits.output)
    throw new StepFailure(`its output is larger than ${engineLimits.output / 1_024} KB`);
  const before = resultOf(state, step.id);
  state.resultsSize += size - (before ? sizeOf(before.output) : 0);
  if (state.resultsSize > engineLimits.outputs)
    throw new StepFailure(
      `the outputs of the run are larger than ${engineLimits.outputs / 1_024} KB in total`,
    );
  state.results = { ...state.results, [step.id]: { outcome, output } };
}

const sizeOf = (value: Json): number => JSON.stringify(value).length;

/** True for steps whose result later ones may read; other results would only make the state larger. */
function leavesOutput(kind: string): boolean {
  return kind === 'send' || kind === 'fetch' || kind === 'wait_for_event' || kind === 'digest';
}

export const attemptOf = (state: RunState): string => `${state.stepId}-${state.seq}`;

function entryOf({ state, program }: DecisionDraft): StepEntry {
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

function record(draft: DecisionDraft, entry: StepEntry): void {
  draft.entries = mergeEntries(draft.entries, [entry]);
}

/** Closes the timeline entry of the current step. */
export function close(draft: DecisionDraft, outcome: StepOutcome, output: Json, next: string | null): void {
  const status = outcome === 'failed' || outcome === 'cancelled' ? outcome : 'completed';
  const entry = entryOf(draft);
  const made =
    typeof output === 'object' && output !== null && !Array.isArray(output) ? output.notification_id : null;
  draft.open = false;
  record(draft, {
    ...entry,
    status,
    outcome,
    output,
    notificationId: entry.kind === 'send' && typeof made === 'string' ? made : entry.notificationId,
    nextStepId: next,
    completedAt: draft.now,
  });
}

const waitingEffects: ReadonlySet<Effect['kind']> = new Set([
  'await_notification',
  'await_digest',
  'wait_for_event',
  'sleep',
]);

/** Hands the run to the runtime, which performs the effect. */
export function perform(draft: DecisionDraft, effect: Effect): Decision {
  const status = waitingEffects.has(effect.kind) ? 'waiting' : 'running';
  if (effect.kind !== 'continue') record(draft, { ...entryOf(draft), status });
  return {
    ignored: false,
    status,
    failureReason: null,
    state: draft.state,
    entries: draft.entries,
    effect,
  };
}

export function end(
  draft: DecisionDraft,
  status: DecidedStatus,
  failureReason: string | null = null,
): Decision {
  draft.state.pending = null;
  draft.state.stepId = null;
  return { ignored: false, status, failureReason, state: draft.state, entries: draft.entries, effect: null };
}

export function fail(draft: DecisionDraft, reason: string): Decision {
  const { stepId } = draft.state;
  if (draft.open) close(draft, 'failed', { error: reason }, null);
  return end(
    draft,
    'failed',
    stepId === null ? `${reason}.` : `Step "${stepId}": ${reason.replace(/\.$/, '')}.`,
  );
}

export function cancel(draft: DecisionDraft): Decision {
  if (draft.open) close(draft, 'cancelled', null, null);
  return end(draft, 'cancelled');
}

/** Merges the entries of two decisions in order: of the same seq, the later one stays. */
export function mergeEntries(earlier: readonly StepEntry[], later: readonly StepEntry[]): StepEntry[] {
  const merged = new Map(earlier.map((entry) => [entry.seq, entry]));
  for (const entry of later) merged.set(entry.seq, entry);
  return [...merged.values()].sort((a, b) => a.seq - b.seq);
}
