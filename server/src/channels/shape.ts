import { isRecord } from '../kernel/json.ts';
/**
 * Checks a payload against the rules of a chat service. A check is a generator of problems, so it reads like a list of rules.
 * Only the first problem is ever requested: a rule may rely on those before it.
 */
export type Problems = Generator<string, void, undefined>;

export type Rule = (at: string, value: unknown) => Problems;

export function firstProblem(problems: Problems): string | null {
  const { value, done } = problems.next();
  return done ? null : value;
}

/** Services count characters as people do, not UTF-16 units, and most of them without the surrounding white space. */
export function lengthOf(text: string): number {
  return [...text.trim()].length;
}

/**
 * A stand-in for a value that is not known yet: every rule accepts it. A list, so that later iteration over the value finds
 * nothing.
 */
export const anything: readonly unknown[] = [];

export function text(max: number, min = 1): Rule {
  return function* (at, value) {
    if (typeof value !== 'string') yield `${at} must be text`;
    else if (lengthOf(value) < min) yield `${at} must not be empty`;
    else if (lengthOf(value) > max) yield `${at} must have at most ${max} characters`;
  };
}

export function optional(rule: Rule): Rule {
  return function* (at, value) {
    if (value !== undefined && value !== null) yield* rule(at, value);
  };
}

export function list(rule: Rule, max: number, min = 1): Rule {
  return function* (at, value) {
    if (value === anything) return;
    if (!Array.isArray(value)) return yield `${at} must be a list`;
    if (value.length < min) yield `${at} must not be empty`;
    if (value.length > max) yield `${at} must have at most ${max} elements`;
    for (const [index, entry] of value.entries()) {
      if (entry !== anything) yield* rule(`${at}[${index}]`, entry);
    }
  };
}

/** Checks an object field by field; fields without a rule are ignored. */
export function fields(rules: Record<string, Rule>): Rule {
  return function* (at, value) {
    if (!isRecord(value)) return yield `${at} must be an object`;
    for (const [name, rule] of Object.entries(rules)) {
      if (value[name] !== anything) yield* rule(at ? `${at}.${name}` : name, value[name]);
    }
  };
}
