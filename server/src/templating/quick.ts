import {
  type Context,
  type Emitter,
  type Filter,
  LiquidError,
  Output,
  RenderError,
  type Template,
  TokenKind,
  TypeGuards,
  toValue,
  toValueSync,
  Value,
} from 'liquidjs';
import { budgetOf } from './budget.ts';
import { walk } from './parsed-template.ts';
import { createTextEmitter } from './text.ts';

/**
 * liquidjs runs everything as generators, so that anything may be asynchronous, and driving them takes most of the time of a
 * rendering. Nothing here is asynchronous. The most common parts of templates (text, outputs, conditions on plain variables)
 * get plain functions in place of the generators, 3 times as fast; the rest stays with the generators. The strict engine does
 * not use these functions, and a test compares the two.
 */
export function quicken(templates: Template[]): void {
  for (const template of walk(templates)) {
    for (const argument of template.arguments?.() ?? []) {
      if (argument instanceof Value) quickenValue(argument);
    }
    if (TypeGuards.isHTMLToken(template.token)) {
      const { str } = template as Template & { str: string };
      template.render = (_context, emitter) => emitter.write(str);
    } else if (template instanceof Output) {
      const { value } = template;
      const output: Template = template;
      output.render = (context, emitter) =>
        emitter.write(toValue(toValueSync(value.value(context) as never)));
    }
  }
}

type Evaluate = (context: Context) => unknown;

/** Internal parts of a liquidjs context. */
interface ContextParts {
  findScope(name: unknown): object;
  /** Defined in compile.ts. */
  readQuickly(object: unknown, key: string): object;
}

/** Internal parts of a liquidjs filter. */
interface FilterParts {
  handler(this: object, value: unknown, ...args: unknown[]): unknown;
  token: unknown;
  liquid: unknown;
}

function quickenValue(value: Value): void {
  const initial = quickExpression(value.initial.postfix);
  const filters = value.filters.map(quickFilter);
  if (!initial || filters.includes(null)) return;
  const evaluate: Evaluate = (context) => {
    let result = initial(context);
    for (const filter of filters) result = filter?.(context, result);
    return result;
  };
  value.value = evaluate as Value['value'];
}

function quickFilter(filter: Filter): ((context: Context, value: unknown) => unknown) | null {
  const args: Evaluate[] = [];
  for (const argument of filter.args) {
    const evaluate = quickToken(Array.isArray(argument) ? argument[1] : argument);
    if (!evaluate) return null;
    args.push(Array.isArray(argument) ? (context) => [argument[0], evaluate(context)] : evaluate);
  }
  const { handler, token, liquid } = filter as unknown as FilterParts;
  return (context, value) =>
    toValueSync(
      handler.call({ context, token, liquid }, value, ...args.map((evaluate) => evaluate(context))) as never,
    );
}

/** Operands and operators are in postfix order, as in liquidjs. */
function quickExpression(postfix: Value['initial']['postfix']): Evaluate | null {
  const [only] = postfix;
  if (postfix.length === 1) return quickToken(only);
  const steps: ((context: Context, operands: unknown[]) => unknown)[] = [];
  for (const token of postfix) {
    if (TypeGuards.isOperatorToken(token)) {
      const { operator } = token;
      steps.push((context, operands) => {
        const right = operands.pop();
        const operate = context.opts.operators[operator] as (...args: unknown[]) => never;
        return toValueSync(
          operator === 'not' ? operate(right, context) : operate(operands.pop(), right, context),
        );
      });
    } else {
      const evaluate = quickToken(token);
      if (!evaluate) return null;
      steps.push(evaluate);
    }
  }
  return (context) => {
    const operands: unknown[] = [];
    for (const step of steps) operands.push(step(context, operands));
    return operands[0];
  };
}

/** A path may have thousands of steps. */
const stepUnits = 5;

/** Evaluates literals, and variables whose path is written out. */
function quickToken(token: unknown): Evaluate | null {
  if (typeof token !== 'object' || token === null) return null;
  if ('content' in token) return () => token.content;
  if (!TypeGuards.isPropertyAccessToken(token) || token.variable) return null;
  const path: string[] = [];
  for (const property of token.props) {
    if (!('content' in property)) return null;
    path.push(property.content as string);
  }
  return (context) => {
    budgetOf(context).use(stepUnits * path.length);
    const parts = context as unknown as ContextParts;
    let value = parts.findScope(path[0]);
    for (const name of path) value = parts.readQuickly(value, name);
    return value;
  };
}

/** A piece of text costs far less than a tag, and there is one for each tag. */
const textUnits = 20;

/** The renderer of liquidjs as a plain function. */
export function renderTemplates(
  templates: Template[],
  context: Context,
  emitter: Emitter = createTextEmitter(Number.POSITIVE_INFINITY),
): string {
  const budget = budgetOf(context);
  budget.check();
  for (const template of templates) {
    if (template.token.kind === TokenKind.HTML) budget.use(textUnits);
    else budget.check();
    try {
      const text = toValueSync(template.render(context, emitter));
      if (text) emitter.write(text);
    } catch (error) {
      throw LiquidError.is(error) ? error : new RenderError(error as Error, template);
    }
    if (context.breakCalled || context.continueCalled) break;
  }
  return emitter.buffer;
}
