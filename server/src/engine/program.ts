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
  const place = id === null ? undefined : program.stepIndexes.get(id);
  return place === undefined ? null : (program.definition.steps[place] ?? null);
}

/** Fields of a send step whose outputs are escaped as HTML. */
export const htmlFields: ReadonlySet<string> = new Set(['html_body']);
