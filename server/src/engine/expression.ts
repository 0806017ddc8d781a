import { Environment } from '@marcbachmann/cel-js';
import { LRUCache } from 'lru-cache';
import { type LinearRegExp, linearRegExp, UnsupportedPattern } from '../kernel/linear-regexp.ts';
import { within } from '../templating/watchdog.ts';
import { type Effort, HeavyWork } from '../threads/effort.ts';
import { engineLimits } from './limits.ts';

/**
 * CEL has no loops, but its macros iterate over lists and nest, and their results can grow. The library limits the size of an
 * expression, not its work, so the work is counted here: every evaluated node, and the reading, joining and comparing of large
 * values, in units of about 100 ns. Work is counted, not timed: the same expression over the same data always gets the same
 * verdict.
 */
const maxWork: Record<Effort, number> = { light: 50_000, full: 500_000 };
/** An error costs a stack and a message, and quantifiers continue after one. */
const errorWork = 200;
/** The cost of parsing a character of an expression. */
const readWork = 5;
/** The cost of the time of day in a zone: the library creates a date format for it, at some 140 µs. */
const zoneWork = 1_500;
/** A native regular expression is one step that counting cannot interrupt. */
const regexLimitMs = 250;

/** The remaining work. One meter for all expressions of a step. */
export interface Meter {
  effort: Effort;
  left: number;
}
export const newMeter = (effort: Effort = 'full'): Meter => ({ effort, left: maxWork[effort] });
export const spentOf = ({ effort, left }: Meter): number => maxWork[effort] - left;

/** The message addresses the author of the expression. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';
}

/** The names that expressions and templates can use. */
const scopeNames = ['trigger', 'steps', 'event', 'digest', 'run'] as const;
export type ExpressionScope = Record<(typeof scopeNames)[number], unknown>;

export interface Expression {
  /** The static type: `bool`, `dyn`, `string`, … */
  type: string;
  /** Returns why a literal regular expression in it cannot be saved now; null when all can. */
  patternProblem(): string | null;
  /** Throws an ExpressionFault, or HeavyWork. Integers are returned as bigint, timestamps as Date. */
  evaluate(scope: ExpressionScope, meter: Meter): unknown;
}

/** Parts of the library's tree and evaluator that its types do not export. */
interface Node {
  op: string;
  args: unknown;
  /** Set for a method call that is no macro. */
  receiverWithArgs?: Node[];
  /** Set for a function call that is no macro. */
  candidates?: unknown;
  left: Node;
  right: Node;
  /** For an operator. */
  handle(left: unknown, right: unknown, node: Node, evaluator: Evaluator): unknown;
  /** For a method. */
  handle(values: unknown[], evaluator: Evaluator, node: Node): unknown;
  /** For a function. */
  handle(values: unknown[], node: Node, evaluator: Evaluator): unknown;
  evaluate(evaluator: Evaluator, node: Node, context: unknown): unknown;
}
interface Evaluator {
  run(node: Node, context: unknown): unknown;
  /** Returns an error as a value. */
  tryEval(node: Node, context: unknown): unknown;
}

// JSON has one kind of number: all numbers of the data are doubles, and literals such as 2 are ints. CEL does not mix them.
const arithmetic: [string, (a: number, b: number) => number][] = [
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
  ['%', (a, b) => a % b],
];

const environment = createEnvironment();
/** The meter of the current evaluation: the library has no parameter for it. */
let current: Meter = { effort: 'full', left: 0 };

/** Throws an ExpressionFault. */
export function compileExpression(source: string): Expression {
  if (source.length > engineLimits.expressionLength)
    throw new ExpressionFault(`it is longer than ${engineLimits.expressionLength} characters`);
  const parsed = guarded(() => environment.parse(source));
  const checked = guarded(() => parsed.check());
  if (!checked.valid) throw new ExpressionFault(sentence(checked.error));
  countRoot(parsed.ast as unknown as Node);
  const run = (scope: ExpressionScope, meter: Meter): unknown => {
    current = meter;
    return parsed(Object.fromEntries(scopeNames.map((name) => [name, readable(scope[name])])));
  };
  const usesRegex = /\bmatches\b/.test(source);
  return {
    type: checked.type ?? 'dyn',
    patternProblem: () => (usesRegex ? patternProblemIn(parsed.ast) : null),
    evaluate: (scope, meter) =>
      guarded(() =>
        usesRegex && meter.effort === 'full'
          ? within(regexLimitMs, () => run(scope, meter))
          : run(scope, meter),
      ),
  };
}

/** Charges for an expression that is parsed during a run. Throws an ExpressionFault, or HeavyWork. */
export function useForReading(meter: Meter, source: string): void {
  current = meter;
  guarded(() => spend(readWork * source.length));
}

/**
 * The library treats the value of `constructor` as the type of an object, so data with a field of that name would have no known
 * type: the field is left out, as in templates.
 */
function readable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = readableForms.get(value);
  if (known) return known;
  const form = withoutConstructor(value);
  readableForms.set(value, form);
  return form;
}

/** Values visited per unit. */
const valuesPerUnit = 4;

/** A run reads the same data repeatedly. */
const readableForms = new WeakMap<object, unknown>();

/** Returns the value itself when there is nothing to leave out. */
function withoutConstructor(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  spend((1 + Object.keys(value).length) / valuesPerUnit);
  if (Array.isArray(value)) {
    const items = value.map(withoutConstructor);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const entries = Object.entries(value);
  const kept = entries
    .filter(([key]) => key !== 'constructor')
    .map(([key, entry]) => [key, withoutConstructor(entry)] as const);
  const isSame =
    kept.length === entries.length && kept.every(([, entry], index) => entry === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(kept);
}

class WorkExceeded extends Error {
  constructor() {
    super('it exceeds the work limit of a step');
  }
}

function spend(cost: number): void {
  current.left -= cost;
  if (current.left < 0) throw current.effort === 'light' ? new HeavyWork() : new WorkExceeded();
}

function createEnvironment(): Environment {
  const made = new Environment({
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: {
      maxAstNodes: 500,
      maxDepth: 40,
      maxListElements: 100,
      maxMapEntries: 100,
      maxCallArguments: 16,
    },
  });
  for (const name of scopeNames) made.registerVariable(name, 'dyn');
  for (const [operator, calculate] of arithmetic) {
    made.registerOperator(`double ${operator} int`, (a: number, b: bigint) => calculate(a, Number(b)));
    made.registerOperator(`int ${operator} double`, (a: bigint, b: number) => calculate(Number(a), b));
  }
  made.registerOperator('double % double', (a: number, b: number) => a % b);
  countWork(made);
  return made;
}

/**
 * All evaluation goes through `run` of the environment's only evaluator, which passes itself to every node that it evaluates.
 */
function countWork(made: Environment): void {
  const probe = made.parse('true');
  let evaluator: Evaluator | null = null;
  Object.defineProperty(probe.ast, 'evaluate', {
    value: (given: Evaluator) => {
      evaluator = given;
      return true;
    },
  });
  probe({});
  // The compiler does not see the assignment within the function.
  const found = evaluator as Evaluator | null;
  if (typeof found?.run !== 'function' || typeof found.tryEval !== 'function')
    throw new Error('this version of the CEL library is not supported: its evaluator has changed');
  found.run = (node, context) => runCounted(found, node, context);
  found.tryEval = (node, context) => {
    try {
      return found.run(node, context);
    } catch (error) {
      if (error instanceof WorkExceeded || error instanceof HeavyWork) throw error;
      spend(errorWork);
      return error;
    }
  };
}

/**
 * The library evaluates the root directly, not through `run`; and it assigns a faster function to a node at its first
 * evaluation.
 */
function countRoot(root: Node): void {
  let evaluate = root.evaluate;
  const counted: Node['evaluate'] = (evaluator, node, context) =>
    runCounted(evaluator, node, context, evaluate);
  Object.defineProperty(root, 'evaluate', {
    get: () => counted,
    set(faster: Node['evaluate']) {
      evaluate = faster;
    },
  });
}

function runCounted(
  evaluator: Evaluator,
  node: Node,
  context: unknown,
  evaluate: Node['evaluate'] = node.evaluate,
): unknown {
  spend(1);
  switch (node.op) {
    case '==':
    case '!=':
    case 'in': {
      const left = evaluator.run(node.left, context);
      const right = evaluator.run(node.right, context);
      if (node.op !== 'in') spend(Math.min(weigh(left), weigh(right)));
      else if (Array.isArray(right)) spend(weigh(right));
      else if (typeof right === 'object' && right !== null) spend(2 * Object.keys(right).length);
      return node.handle(left, right, node, evaluator);
    }
    case 'rcall':
      if (!node.receiverWithArgs) return charged(evaluate.call(node, evaluator, node, context), 16, 1);
      return charged(runMethod(evaluator, node, node.receiverWithArgs, context), 16, 1);
    case 'call': {
      if (!node.candidates) return charged(evaluate.call(node, evaluator, node, context), 16, 1);
      const [, operands] = node.args as [unknown, Node[]];
      const values = operands.map((each) => evaluator.run(each, context));
      values.forEach(useForOperand);
      return charged(node.handle(values, node, evaluator), 16, 1);
    }
    case '+':
      return charged(evaluate.call(node, evaluator, node, context), 16, 1);
    case 'id':
    case '.':
    case '[]':
    case '.?':
    case '[?]':
      return charged(evaluate.call(node, evaluator, node, context), 256, 64);
    default:
      return evaluate.call(node, evaluator, node, context);
  }
}

/** Searching for one text in another cannot be interrupted; for hostile texts it takes the product of their lengths. */
const searches: ReadonlySet<unknown> = new Set(['contains', 'indexOf', 'lastIndexOf', 'split']);

function runMethod(evaluator: Evaluator, node: Node, operands: Node[], context: unknown): unknown {
  const values = operands.map((each) => evaluator.run(each, context));
  const [name] = node.args as unknown[];
  const [receiver, first] = values;
  values.forEach(useForOperand);
  if (typeof first === 'string') {
    if (receiver instanceof Date) spend(zoneWork);
    if (typeof receiver === 'string') {
      if (name === 'matches') return matches(receiver, first);
      if (searches.has(name)) spend((receiver.length * (10 + first.length)) / 1_000);
    }
  }
  return node.handle(values, evaluator, node);
}

/** A function may read its operand as a whole, character by character: `size` of a text, `trim`, `double`. */
function useForOperand(value: unknown): void {
  if (typeof value === 'string' || value instanceof Uint8Array) spend(value.length / 16);
  else if (Array.isArray(value)) spend(value.length / 8);
  else if (typeof value === 'object' && value !== null) spend(Object.keys(value).length / 4);
}

/**
 * The maximum characters of a pattern that is compiled in the main thread, at 4 µs each; and the maximum of that length times
 * the length of the text, at up to 40 ns.
 */
const lightPattern = 500;
const lightMatch = 200_000;

/**
 * The author of the expression chooses the pattern, and the caller the text, so an engine with linear time is used. Patterns
 * that it does not support (look-ahead, back-references) are refused when an expression is saved; those saved earlier keep
 * working, in a thread and with a time limit.
 */
function matches(text: string, pattern: string): boolean {
  spend(10 + pattern.length + (text.length * pattern.length) / 10);
  const length = expandedLength(pattern);
  if (current.effort === 'light' && (length > lightPattern || length * text.length > lightMatch))
    throw new HeavyWork();
  const linear = linearOf(pattern);
  if (linear) return linear.test(text);
  if (current.effort === 'light') throw new HeavyWork();
  return new RegExp(pattern, 'u').test(text);
}

/** Counted repetitions make a pattern longer than it is written, and nested ones multiply; the result is an upper bound. */
function expandedLength(pattern: string): number {
  let length = pattern.length;
  for (const [, least, most] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    length *= 1 + Number(most || least);
  return length;
}

function patternProblemIn(part: unknown): string | null {
  if (Array.isArray(part))
    return part.reduce<string | null>((found, each) => found ?? patternProblemIn(each), null);
  if (typeof part !== 'object' || part === null) return null;
  if (!('op' in part)) return patternProblemIn(Object.values(part)); // part of a macro
  const { op, args } = part as Node;
  const [name, , operands] = (Array.isArray(args) ? args : []) as [unknown, unknown, Node[] | undefined];
  const pattern =
    op === 'rcall' && name === 'matches' && operands?.[0]?.op === 'value' ? operands[0].args : null;
  if (typeof pattern === 'string') {
    try {
      linearRegExp(pattern);
    } catch (error) {
      return `the pattern ${JSON.stringify(pattern.slice(0, 100))}: ${(error as Error).message}`;
    }
  }
  return patternProblemIn(args);
}

/** `linear` is null when the linear engine does not support the pattern. */
const patterns = new LRUCache<string, { linear: LinearRegExp | null }>({ maxSize: 100_000 });

function linearOf(pattern: string): LinearRegExp | null {
  const { linear } = patterns.get(pattern) ?? { linear: linearOrNull(pattern) };
  patterns.set(pattern, { linear }, { size: 1 + pattern.length });
  return linear;
}

function linearOrNull(pattern: string): LinearRegExp | null {
  try {
    return linearRegExp(pattern);
  } catch (error) {
    if (error instanceof UnsupportedPattern) return null;
    throw error; // not a valid pattern
  }
}

function charged(value: unknown, charactersPerUnit: number, elementsPerUnit: number): unknown {
  if (typeof value === 'string') spend(value.length / charactersPerUnit);
  else if (value instanceof Uint8Array) spend(value.length / charactersPerUnit);
  else if (Array.isArray(value)) spend(value.length / elementsPerUnit);
  return value;
}

/** The cost of comparing the keys of an object. */
const objectWork = 8;

/** Returns the number of nested values, up to the remaining work. */
function weigh(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let weight = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && weight <= current.left) {
    const next = waiting.pop();
    weight += 1;
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) weight += objectWork;
    for (const entry of Array.isArray(next) ? next : Object.values(next)) waiting.push(entry);
  }
  return weight;
}

/** Errors of the library, of JavaScript beneath it and of our own limits are all faults of the expression. */
function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof HeavyWork ? error : new ExpressionFault(sentence(error));
  }
}

function sentence(error: unknown): string {
  const { summary, message } = error as { summary?: string; message?: string };
  if (error instanceof RangeError && /call stack/i.test(error.message)) return 'it is nested too deeply';
  const text = (summary ?? message ?? 'it cannot be evaluated').replace(/dyn<([^<>]*)>/g, '$1');
  const beyond = /^No such key: index out of bounds, index (\d+)/.exec(text);
  if (beyond) return `the list has no element ${beyond[1]} (check with size() first)`;
  const missing = /^No such key: (.*)$/s.exec(text);
  if (missing) return `there is no "${missing[1]}" (check with has() first)`;
  return text.slice(0, 300);
}
