import {
  type Context,
  evalTokenValue,
  type RangeToken,
  type Template,
  TokenKind,
  TypeGuards,
  Value,
  type ValueToken,
} from 'liquidjs';
import { walk } from './walk.ts';

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
