import type { WorkflowStep } from '@carillon/sdk';
import type { Tone } from '../../../ui/index.ts';

/** The state of a step in the graph. */
export interface StepState {
  phase: 'running' | 'waiting' | 'done' | 'missed' | 'failed' | 'skipped' | 'cancelled';
  outcome: string | null;
  /** How often the step was started. */
  times: number;
}

type States = Map<string, StepState>;

/** The edges taken, as `from>to` pairs of step ids; `to` is empty for the end. */
export interface Progress {
  states: States;
  taken: Set<string>;
  currentStepId: string | null;
}

export const pathKey = (from: string, to: string | null): string => `${from}>${to ?? ''}`;

export function progressOf(entries: readonly WorkflowStep[]): Progress {
  const states: States = new Map();
  const taken = new Set<string>();
  let currentStepId: string | null = null;
  for (const [index, entry] of entries.entries()) {
    const times = (states.get(entry.step_id)?.times ?? 0) + 1;
    states.set(entry.step_id, { phase: phaseOf(entry), outcome: entry.outcome, times });
    const next = entries[index + 1];
    if (next) taken.add(pathKey(entry.step_id, next.step_id));
    else if (entry.status === 'completed' && entry.next_step_id === null)
      taken.add(pathKey(entry.step_id, null));
    if (entry.status === 'running' || entry.status === 'waiting') currentStepId = entry.step_id;
  }
  return { states, taken, currentStepId };
}

function phaseOf({ status, outcome }: WorkflowStep): StepState['phase'] {
  if (outcome === 'skipped') return 'skipped';
  if (status !== 'completed') return status;
  if (outcome === 'failed') return 'failed';
  // The run continued, but not with the intended result.
  return outcome === 'timed_out' || outcome === 'suppressed' ? 'missed' : 'done';
}

export const toneOf: Record<StepState['phase'], Tone> = {
  running: 'blue',
  waiting: 'violet',
  done: 'green',
  missed: 'amber',
  failed: 'red',
  skipped: 'grey',
  cancelled: 'grey',
};

/** A moment of a simulation that the player stops at. */
export interface Moment {
  at: string;
  /** The index of the entry that starts or ends; -1 is the trigger. */
  entry: number;
  phase: 'triggered' | 'begins' | 'ends';
}

/** An instant step is one moment, a waiting step is two. */
export function momentsOf(entries: readonly WorkflowStep[], startedAt: string): Moment[] {
  const moments: Moment[] = [{ at: startedAt, entry: -1, phase: 'triggered' }];
  for (const [entry, { started_at, completed_at }] of entries.entries()) {
    if (completed_at !== started_at) moments.push({ at: started_at, entry, phase: 'begins' });
    if (completed_at !== null) moments.push({ at: completed_at, entry, phase: 'ends' });
  }
  return moments;
}

/** The entries as they were at a moment. */
export function entriesAt(entries: readonly WorkflowStep[], moment: Moment): WorkflowStep[] {
  return entries.slice(0, moment.entry + 1).map((entry, index) => {
    if (index < moment.entry || moment.phase === 'ends') return entry;
    return { ...entry, status: 'waiting', outcome: null, completed_at: null, output_json: null };
  });
}

/** The JSON output of a step; a text that is not JSON is shown as it is. */
export function outputOf({ output_json }: WorkflowStep): unknown {
  if (output_json === null) return undefined;
  try {
    return JSON.parse(output_json);
  } catch {
    return output_json;
  }
}
