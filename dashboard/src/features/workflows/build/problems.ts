import { workflows } from '../../../strings/workflows.ts';
import type { Step } from '../definition.ts';
import { missingTargets, unreachableSteps } from '../graph/paths.ts';

const { editor } = workflows;

export interface Problem {
  /** JSON Pointer into the body. */
  pointer: string;
  message: string;
}

/** Finds the common mistakes of edits without a request. */
export function problemsIn(steps: readonly Step[]): Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const [index, { id, kind }] of steps.entries()) {
    const at = `/steps/${index}`;
    if (id === '') problems.push({ pointer: `${at}/id`, message: editor.missingId });
    else if (seen.has(id)) problems.push({ pointer: `${at}/id`, message: editor.duplicateId(id) });
    if (kind === '') problems.push({ pointer: `${at}/kind`, message: editor.missingKind });
    seen.add(id);
  }
  for (const { pointer, target } of missingTargets(steps)) {
    problems.push({ pointer, message: editor.missingTarget(target) });
  }
  for (const index of unreachableSteps(steps)) {
    problems.push({ pointer: `/steps/${index}`, message: editor.unreachable });
  }
  return problems;
}

/** A problem that the service found in a saved version. It holds until its step changes. */
export interface FoundProblem extends Problem {
  stepId: string | null;
  stepText: string;
}

export function keepProblems(problems: readonly Problem[], steps: readonly Step[]): FoundProblem[] {
  return problems.map((problem) => {
    const step = steps[stepIndexOf(problem.pointer) ?? -1];
    return { ...problem, stepId: step?.id ?? null, stepText: JSON.stringify(step ?? null) };
  });
}

/** Moves the pointers along with later edits; problems of changed steps are dropped until the next check. */
export function standingProblems(found: readonly FoundProblem[], steps: readonly Step[]): Problem[] {
  return found.flatMap(({ pointer, message, stepId, stepText }) => {
    if (stepId === null) return [{ pointer, message }];
    const index = steps.findIndex((step) => step.id === stepId);
    if (index === -1 || JSON.stringify(steps[index]) !== stepText) return [];
    return [{ pointer: pointer.replace(/^\/steps\/\d+/, `/steps/${index}`), message }];
  });
}

/** Keeps one problem per position: the service repeats those found here. */
export function joinProblems(...lists: Problem[][]): Problem[] {
  const byPlace = new Map<string, Problem>();
  for (const problem of lists.flat()) {
    if (!byPlace.has(problem.pointer)) byPlace.set(problem.pointer, problem);
  }
  return [...byPlace.values()];
}

export function stepIndexOf(pointer: string): number | null {
  const index = /^\/steps\/(\d+)/.exec(pointer)?.[1];
  return index === undefined ? null : Number(index);
}

/** The field of a pointer within its step: `branches/0/goto`. */
export function fieldOf(pointer: string): string {
  return pointer.replace(/^\/steps\/\d+\/?/, '');
}
