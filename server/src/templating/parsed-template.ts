import {
  type Context,
  evalTokenValue,
  type RangeToken,
  type Template,
  Token,
  TokenKind,
  TypeGuards,
  toValueSync,
  Value,
  type ValueToken,
} from 'liquidjs';

/**
 * liquidjs makes `(a..b)` by counting up from a. Beyond 2^53 adding one changes nothing, so such a range never ends and takes
 * all memory before any limit is checked. Every range of a parsed template gets bounds that cannot leave this span; within it
 * the budget can compute the length.
 */
const furthest = 2 ** 31;

export function boundRanges(templates: Template[]): void {
  for (const template of walk(templates)) {
    for (const argument of template.arguments?.() ?? []) visit(argument);
  }
}

function visit(value: unknown): void {
  if (value instanceof Value || TypeGuards.isFilteredValueToken(value)) {
    value.initial.postfix.forEach(visit);
    for (const filter of value.filters) {
      for (const argument of filter.args) visit(Array.isArray(argument) ? argument[1] : argument);
    }
  } else if (TypeGuards.isPropertyAccessToken(value)) {
    visit(value.variable);
    value.props.forEach(visit);
  } else if (TypeGuards.isRangeToken(value)) {
    visit(value.lhs);
    visit(value.rhs);
    bound(value);
  }
}

function bound(range: RangeToken): void {
  range.lhs = bounded(range.lhs);
  range.rhs = bounded(range.rhs);
}

/** A token that liquidjs reads like any value of the template; it gives a whole number within the span. */
function bounded(token: ValueToken): ValueToken {
  const within = {
    kind: TokenKind.FilteredValue,
    filters: [],
    initial: {
      postfix: [token], // the analysis finds the variable of the token here
      *evaluate(context: Context): Generator<unknown, number, unknown> {
        const number = Math.trunc(Number(yield evalTokenValue(token, context)));
        return Math.max(-furthest, Math.min(furthest, number || 0));
      },
    },
  };
  return within as unknown as ValueToken;
}

/**
 * liquidjs counts lines from the beginning of the template for every position of a token: listing the variables of 2,000
 * outputs took 2 s. Here the line starts are found once for a template.
 */
export function quickenPositions(): void {
  let input = '';
  let lineBegins = [0];
  Token.prototype.getPosition = function (): [number, number] {
    if (this.input !== input) {
      input = this.input;
      lineBegins = beginningsOf(input);
    }
    const line = lineAt(lineBegins, this.begin);
    return [line + 1, this.begin - (lineBegins[line] ?? 0) + 1];
  };
}

function beginningsOf(text: string): number[] {
  const begins = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) begins.push(at + 1);
  return begins;
}

/** The last line that begins at the offset or before. */
function lineAt(begins: number[], offset: number): number {
  let [low, high] = [0, begins.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((begins[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Yields every tag, output and piece of text of a parsed template, at any depth. Not recursive: nested generators take the
 * square of the depth.
 */
export function* walk(templates: Template[]): Generator<Template> {
  const waiting = [...templates].reverse();
  for (let template = waiting.pop(); template; template = waiting.pop()) {
    yield template;
    const children = template.children?.(false, true);
    if (children) waiting.push(...[...(toValueSync(children) as Template[])].reverse());
  }
}
