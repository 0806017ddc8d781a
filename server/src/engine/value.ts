import { isTooDeep } from '../kernel/json.ts';
import type { Budget } from '../templating/budget.ts';
import { compile, compileOutput } from '../templating/compile.ts';
import { withinEffort } from '../templating/watchdog.ts';
import { HeavyWork } from '../threads/effort.ts';
import type { Json, JsonObject } from './contract.ts';
import { engineLimits } from './limits.ts';

/** An invalid value and the location of the fault in it (a JSON Pointer). */
export class ValueFault extends Error {
  override readonly name = 'ValueFault';
  readonly pointer: string;
  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

/** One text that may contain Liquid. Throws a TemplateFault. */
type Text = (scope: object, budget: Budget) => Json;

type TemplateFlavour = 'text' | 'html';

/** A cache of compiled templates: one for each definition. */
export interface Templates {
  /** `budget` is that of the step that waits for the compilation. */
  textOf(source: string, flavour: TemplateFlavour, budget?: Budget): Text;
}

/** Returns whether a text contains Liquid. */
export const isTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%');

/** Returns whether any text in the value contains Liquid. */
export const isTemplated = (value: Json): boolean => holds(value, isTemplate);

export function createTemplates(): Templates {
  const known: Record<TemplateFlavour, Map<string, Text>> = { text: new Map(), html: new Map() };
  return {
    textOf(source, flavour, budget) {
      const found = known[flavour].get(source);
      if (found) return found;
      budget?.useForReading(source);
      const compiled = compileText(source, flavour);
      known[flavour].set(source, compiled);
      return compiled;
    },
  };
}

function compileText(source: string, flavour: TemplateFlavour): Text {
  const output = flavour === 'html' ? null : compileOutput(source);
  if (output) return (scope, budget) => toJson(output(scope, budget));
  const template = compile(source, flavour, { locale: null });
  return (scope, budget) => template.render(scope, budget, engineLimits.text);
}

/** Copies a value as plain JSON: undefined becomes null. */
function toJson(value: unknown): Json {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  const text = value === undefined ? undefined : JSON.stringify(value);
  return text === undefined ? null : (JSON.parse(text) as Json);
}

/** The cost of writing and hashing a character of the results of a step's templates. */
const resultUnits = 2;

/** Texts are templates at any depth; keys are not. `htmlFields` are top-level fields whose outputs are escaped. */
export function evaluateValue(
  templates: Templates,
  value: Json,
  scope: object,
  budget: Budget,
  htmlFields: ReadonlySet<string> = new Set(),
): Json {
  const render = () => visit(value, '');
  const result = holds(value, isWork) ? guarded('', () => withinEffort(budget.effort, render)) : render();
  if (isTooDeep(result)) throw new ValueFault('', 'it is nested too deeply');
  const size = JSON.stringify(result).length;
  if (size > engineLimits.values)
    throw new ValueFault('', `it is larger than ${engineLimits.values} characters`);
  guarded('', () => budget.use(resultUnits * size));
  return result;

  function visit(part: Json, pointer: string): Json {
    if (typeof part === 'string') {
      if (!isTemplate(part)) return part;
      const flavour = htmlFields.has(pointer.slice(1)) ? 'html' : 'text';
      return guarded(pointer, () => templates.textOf(part, flavour, budget)(scope, budget));
    }
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map((item, index) => visit(item, `${pointer}/${index}`));
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => [key, visit(item, `${pointer}/${escapePointer(key)}`)]),
    );
  }
}

/**
 * A timer stops what counting cannot, such as a pathological regular expression in a filter. Setting the timer takes longer
 * than rendering plain outputs, so only filters and tags get one.
 */
const isWork = (text: string): boolean => text.includes('|') || text.includes('{%');

function holds(value: Json, what: (text: string) => boolean): boolean {
  if (typeof value === 'string') return what(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((part) => holds(part, what));
}

/** Returns every mistake that can be detected without data. */
export function templateFaults(
  templates: Templates,
  value: JsonObject,
  htmlFields: ReadonlySet<string> = new Set(),
): ValueFault[] {
  const faults: ValueFault[] = [];
  visit(value, '');
  return faults;

  function visit(part: Json, pointer: string): void {
    if (typeof part === 'string') {
      if (!isTemplate(part)) return;
      try {
        guarded(pointer, () => templates.textOf(part, htmlFields.has(pointer.slice(1)) ? 'html' : 'text'));
      } catch (error) {
        if (!(error instanceof ValueFault)) throw error;
        faults.push(error);
      }
    } else if (typeof part === 'object' && part !== null) {
      for (const [key, item] of Object.entries(part)) visit(item, `${pointer}/${escapePointer(key)}`);
    }
  }
}

function guarded<Result>(pointer: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof ValueFault || error instanceof HeavyWork) throw error;
    if (error instanceof RangeError) throw new ValueFault(pointer, 'it is nested too deeply');
    throw new ValueFault(pointer, error instanceof Error ? error.message : 'it cannot be rendered');
  }
}

export const escapePointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
