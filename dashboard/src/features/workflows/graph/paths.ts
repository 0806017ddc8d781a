import { branchesOf, endTarget, type Step, targetsOf, textOf } from '../definition.ts';

/** An edge from a step: `to` is the index of a step, or null for the end of the run. */
export interface StepPath {
  from: number;
  to: number | null;
  /** The conditions of the edge; several when they have the same target. */
  reasons: Reason[];
}

export type Reason =
  | { kind: 'always' }
  | { kind: 'when'; expression: string }
  | { kind: 'otherwise' }
  | { kind: 'skipped' }
  | { kind: 'event' }
  | { kind: 'timeout'; after: string }
  | { kind: 'error' }
  | { kind: 'limit' };

export function pathsOf(steps: readonly Step[]): StepPath[] {
  return steps.flatMap((step, from) => merge(from, roadsFrom(steps, step, from)));
}

type Way = [to: number | null | undefined, reason: Reason];

function roadsFrom(steps: readonly Step[], step: Step, from: number): Way[] {
  const find = (name: string) => resolve(steps, name);
  const following = from + 1 < steps.length ? from + 1 : null;
  const next = textOf(step.next) === '' ? following : find(textOf(step.next));
  const skipped: Way[] = step.when === undefined ? [] : [[next, { kind: 'skipped' }]];
  switch (step.kind) {
    case 'cancel':
      return skipped;
    case 'branch': {
      const otherwise = textOf(step.else);
      return [
        ...branchesOf(step).map(({ when, goto }): Way => [find(goto), { kind: 'when', expression: when }]),
        [otherwise === '' ? next : find(otherwise), { kind: 'otherwise' }],
        ...skipped,
      ];
    }
    case 'wait_for_event': {
      const late = textOf(step.on_timeout);
      const after = textOf(step.timeout);
      const timeout: Way = [late === '' ? next : find(late), { kind: 'timeout', after }];
      return [[next, { kind: 'event' }], ...(late === '' && after === '' ? [] : [timeout]), ...skipped];
    }
    case 'fetch': {
      const failed = textOf(step.on_error);
      return [
        [next, { kind: 'always' }],
        ...(failed === '' ? [] : [[find(failed), { kind: 'error' }] as Way]),
      ];
    }
    case 'throttle': {
      if (step.mode === 'wait') return [[next, { kind: 'always' }]];
      const over = textOf(step.on_limit) || endTarget;
      return [
        [next, { kind: 'always' }],
        [find(over), { kind: 'limit' }],
      ];
    }
    default:
      return [[next, { kind: 'always' }]];
  }
}

/** Returns null for the end and undefined for an unknown step. */
function resolve(steps: readonly Step[], name: string): number | null | undefined {
  const index = steps.findIndex((step) => step.id === name);
  if (index !== -1) return index;
  return name === endTarget ? null : undefined;
}

/** Merges edges to the same target and keeps all their reasons. */
function merge(from: number, ways: Way[]): StepPath[] {
  const paths = new Map<number | null, StepPath>();
  for (const [to, reason] of ways) {
    if (to === undefined) continue;
    const path = paths.get(to) ?? { from, to, reasons: [] };
    path.reasons.push(reason);
    paths.set(to, path);
  }
  return [...paths.values()];
}

/** Returns the steps that no edge leads to. */
export function unreachableSteps(steps: readonly Step[]): number[] {
  const paths = pathsOf(steps);
  const reached = new Set<number>(steps.length > 0 ? [0] : []);
  for (const index of reached) {
    for (const { from, to } of paths) if (from === index && to !== null) reached.add(to);
  }
  return [...steps.keys()].filter((index) => !reached.has(index));
}

export function missingTargets(steps: readonly Step[]): { pointer: string; target: string }[] {
  return steps.flatMap((step, index) =>
    targetsOf(step)
      .filter(({ target }) => resolve(steps, target) === undefined)
      .map(({ pointer, target }) => ({ pointer: `/steps/${index}${pointer}`, target })),
  );
}
