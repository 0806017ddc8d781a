import type { Definition, Step } from './contract.ts';
import { compileExpression, type Expression } from './expression.ts';
import { createTemplates, type Templates } from './value.ts';

/** A definition with its cache of compiled expressions and templates. */
export interface Program {
  definition: Definition;
  stepIndexes: ReadonlyMap<string, number>;
  templates: Templates;
  /** Throws an ExpressionFault. */
  expressionOf(source: string): Expression;
  /** Returns whether the expression was compiled before. */
  hasRead(source: string): boolean;
}

const programs = new WeakMap<Definition, Program>();

export function programOf(definition: Definition): Program {
  const known = programs.get(definition);
  if (known) return known;
  const expressions = new Map<string, Expression>();
  const program: Program = {
    definition,
    stepIndexes: new Map(definition.steps.map((step, index) => [step.id, index])),
    templates: createTemplates(),
    hasRead: (source) => expressions.has(source),
    expressionOf(source) {
      const found = expressions.get(source) ?? compileExpression(source);
      expressions.set(source, found);
      return found;
    },
  };
  programs.set(definition, program);
  return program;
}

export function stepOf(program: Program, id: string | null): Step | null {
  const index = id === null ? undefined : program.stepIndexes.get(id);
  return index === undefined ? null : (program.definition.steps[index] ?? null);
}

/** Fields of a send step whose outputs are escaped as HTML. */
export const htmlFields: ReadonlySet<string> = new Set(['html_body']);

/** The target of a step: an id, or null for the end of the run. */
type Target = string | null;

const endTarget = 'end';

/** The default next step. */
export function nextOf(definition: Definition, index: number): Target {
  const step = definition.steps[index];
  if (!step) return null;
  return step.next === null ? (definition.steps[index + 1]?.id ?? null) : targetOf(definition, step.next);
}

/** `end` is the end of the run, unless a step has that id. */
export function targetOf(definition: Definition, named: string): Target {
  if (named === endTarget && !definition.steps.some((step) => step.id === endTarget)) return null;
  return named;
}

/** The targets that a step names, each with its pointer relative to the step. */
export function namedTargets(step: Step): { target: string; pointer: string }[] {
  const named: { target: string | null; pointer: string }[] = [{ target: step.next, pointer: '/next' }];
  if (step.kind === 'branch') {
    for (const [index, branch] of step.branches.entries())
      named.push({ target: branch.goto, pointer: `/branches/${index}/goto` });
    named.push({ target: step.otherwise, pointer: '/else' });
  }
  if (step.kind === 'wait_for_event') named.push({ target: step.onTimeout, pointer: '/on_timeout' });
  if (step.kind === 'throttle') named.push({ target: step.onLimit, pointer: '/on_limit' });
  if (step.kind === 'fetch') named.push({ target: step.onError, pointer: '/on_error' });
  return named.filter((each): each is { target: string; pointer: string } => each.target !== null);
}

interface Graph {
  /** Steps that no path leads to. */
  unreachable: number[];
  /** One step of each loop that contains no wait. */
  synchronousCycles: number[];
}

/** The first of several steps with the same id counts; targets that do not exist are ignored. */
export function analyse(definition: Definition): Graph {
  const stepIndexes = new Map<string, number>();
  for (const [index, step] of definition.steps.entries())
    if (!stepIndexes.has(step.id)) stepIndexes.set(step.id, index);
  const edges = definition.steps.map((_, index) =>
    targetsFrom(definition, index).flatMap((target) => stepIndexes.get(target) ?? []),
  );
  const reached = reachable(edges);
  return {
    unreachable: [...edges.keys()].filter((index) => !reached.has(index)),
    synchronousCycles: cyclesIn(
      edges.map((targets, index) => (reached.has(index) && !pauses(definition.steps[index]) ? targets : [])),
    ),
  };
}

function targetsFrom(definition: Definition, index: number): string[] {
  const step = definition.steps[index];
  if (!step) return [];
  const named = namedTargets(step).map(({ target }) => targetOf(definition, target));
  const goesOn =
    step.when !== null || (step.kind !== 'cancel' && !(step.kind === 'branch' && step.otherwise !== null));
  return [...named, goesOn ? nextOf(definition, index) : null].filter((target) => target !== null);
}

/**
 * A wait that may be skipped does not count: the loop around it could spin. Sends and fetches do not count, because their
 * duration is not chosen by the author.
 */
function pauses(step: Step | undefined): boolean {
  if (!step || step.when !== null) return false;
  return step.kind === 'delay' || step.kind === 'wait_for_event' || step.kind === 'digest';
}

function reachable(edges: number[][]): Set<number> {
  const reached = new Set<number>(edges.length > 0 ? [0] : []);
  for (const index of reached) for (const target of edges[index] ?? []) reached.add(target);
  return reached;
}

/** Depth-first search without recursion: an edge to a step that is still on the path closes a loop. */
function cyclesIn(edges: number[][]): number[] {
  const state = new Map<number, 'open' | 'done'>();
  const closing = new Set<number>();
  for (const start of edges.keys()) {
    if (state.has(start)) continue;
    const path: { index: number; next: number }[] = [{ index: start, next: 0 }];
    state.set(start, 'open');
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const target = edges[top.index]?.[top.next];
      top.next += 1;
      if (target === undefined) {
        state.set(top.index, 'done');
        path.pop();
      } else if (state.get(target) === 'open') {
        closing.add(target);
      } else if (!state.has(target)) {
        state.set(target, 'open');
        path.push({ index: target, next: 0 });
      }
    }
  }
  return [...closing].sort((a, b) => a - b);
}
