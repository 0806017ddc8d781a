import { Environment } from '@marcbachmann/cel-js';
import { within } from '../kernel/liquid/watchdog.ts';
import { limits } from './limits.ts';

/**
 * CEL has no loops, but its macros run over lists and nest, and what they make can grow. The library limits the size of an
 * expression, not its work, so the work is counted here: every node that is evaluated, and what reading, joining and comparing
 * large values takes. Counted, not timed: the same expression over the same data always gets the same verdict.
 */
const maxWork = 500_000;
/** An error costs a stack and a message, and quantifiers go on after one. */
const errorWork = 100;
/** A regular expression is one step that counting cannot interrupt. */
const regexLimitMs = 250;

/** What is left to spend. One for all expressions of a step. */
export interface Meter {
  left: number;
}
export const newMeter = (): Meter => ({ left: maxWork });
export const spentOf = (meter: Meter): number => maxWork - meter.left;

/** A sentence for whoever wrote the expression. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';
}

/** What expressions and templates can name. */
export const scopeNames = ['trigger', 'steps', 'event', 'digest', 'run'] as const;
export type Scope = Record<(typeof scopeNames)[number], unknown>;

export interface Expression {
  /** The static type: `bool`, `dyn`, `string`, … */
  type: string;
  /** Throws an ExpressionFault. Whole numbers come as bigint, timestamps as Date. */
  evaluate(scope: Scope, meter: Meter): unknown;
}

/** Parts of the library's tree and evaluator that its types keep to themselves. */
interface Node {
  op: string;
  args: unknown[];
  /** Of a method call that is no macro. */
  receiverWithArgs?: Node[];
  left: Node;
  right: Node;
  /** Of an operator. */
  handle(left: unknown, right: unknown, node: Node, evaluator: Evaluator): unknown;
  /** Of a method. */
  handle(values: unknown[], evaluator: Evaluator, node: Node): unknown;
  evaluate(evaluator: Evaluator, node: Node, context: unknown): unknown;
}
interface Evaluator {
  run(node: Node, context: unknown): unknown;
  /** Gives the error back as a value. */
  tryEval(node: Node, context: unknown): unknown;
}

// JSON has one kind of number: all of the data's are doubles here, and literals such as 2 are ints. CEL does not mix them.
const arithmetic: [string, (a: number, b: number) => number][] = [
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
  ['%', (a, b) => a % b],
];

const environment = createEnvironment();
/** Of the evaluation that is going on: the library has no place for it. */
let current: Meter = { left: 0 };

/** Throws an ExpressionFault. */
export function compileExpression(source: string): Expression {
  if (source.length > limits.expressionLength)
    throw new ExpressionFault(`it is longer than ${limits.expressionLength} characters`);
  const parsed = guarded(() => environment.parse(source));
  const checked = guarded(() => parsed.check());
  if (!checked.valid) throw new ExpressionFault(sentence(checked.error));
  countRoot(parsed.ast as unknown as Node);
  const run = (scope: Scope, meter: Meter): unknown => {
    current = meter;
    return parsed(Object.fromEntries(scopeNames.map((name) => [name, readable(scope[name])])));
  };
  const usesRegex = /\bmatches\b/.test(source);
  return {
    type: checked.type ?? 'dyn',
    evaluate: (scope, meter) =>
      guarded(() => (usesRegex ? within(regexLimitMs, () => run(scope, meter)) : run(scope, meter))),
  };
}

/**
 * The library takes what stands under `constructor` for the type of an object, so data with a field of that name would be of
 * none: the field is left out, as templates do.
 */
function readable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = readableForms.get(value);
  if (known) return known;
  const form = withoutConstructor(value);
  readableForms.set(value, form);
  return form;
}

/** A run asks for the same data again and again. */
const readableForms = new WeakMap<object, unknown>();

/** The value itself when there is nothing to leave out. */
function withoutConstructor(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
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
    super('it needs more work than a step may do');
  }
}

function spend(cost: number): void {
  current.left -= cost;
  if (current.left < 0) throw new WorkExceeded();
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

/** All evaluation goes through `run` of the environment's one evaluator, which hands itself to whatever node it evaluates. */
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
  // The assignment within the function is not seen by the compiler.
  const found = evaluator as Evaluator | null;
  if (typeof found?.run !== 'function' || typeof found.tryEval !== 'function')
    throw new Error('This version of the CEL library evaluates differently.');
  found.run = (node, context) => runCounted(found, node, context);
  found.tryEval = (node, context) => {
    try {
      return found.run(node, context);
    } catch (error) {
      if (error instanceof WorkExceeded) throw error;
      spend(errorWork);
      return error;
    }
  };
}

/** The library evaluates the root by itself, not through `run`; and when a node is first evaluated, it gets a faster function. */
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
      return node.handle(left, right, node, evaluator);
    }
    case 'rcall':
      if (searches.has(node.args[0]) && node.receiverWithArgs)
        return charged(runSearch(evaluator, node, node.receiverWithArgs, context), 16, 1);
      return charged(evaluate.call(node, evaluator, node, context), 16, 1);
    case '+':
    case 'call':
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

/** Looking for one text in another is a step that nothing can interrupt; for hostile texts it takes the product of their lengths. */
const searches: ReadonlySet<unknown> = new Set(['contains', 'indexOf', 'lastIndexOf', 'split']);

function runSearch(evaluator: Evaluator, node: Node, operands: Node[], context: unknown): unknown {
  const values = operands.map((each) => evaluator.run(each, context));
  const [text, wanted] = values;
  if (typeof text === 'string' && typeof wanted === 'string')
    spend((text.length * (10 + wanted.length)) / 1_000);
  return node.handle(values, evaluator, node);
}

function charged(value: unknown, charactersPerUnit: number, elementsPerUnit: number): unknown {
  if (typeof value === 'string') spend(value.length / charactersPerUnit);
  else if (value instanceof Uint8Array) spend(value.length / charactersPerUnit);
  else if (Array.isArray(value)) spend(value.length / elementsPerUnit);
  return value;
}

/** How many values can be reached, up to what is left to spend. */
function weigh(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let weight = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && weight <= current.left) {
    const next = waiting.pop();
    weight += 1;
    if (typeof next !== 'object' || next === null) continue;
    for (const entry of Array.isArray(next) ? next : Object.values(next)) waiting.push(entry);
  }
  return weight;
}

/** The library's errors, those of JavaScript beneath it and our own limits: all are faults of the expression. */
function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new ExpressionFault(sentence(error));
  }
}

function sentence(error: unknown): string {
  const { summary, message } = error as { summary?: string; message?: string };
  if (error instanceof RangeError && /call stack/i.test(error.message)) return 'it is nested too deeply';
  const text = (summary ?? message ?? 'it cannot be evaluated').replace(/dyn<([^<>]*)>/g, '$1');
  const beyond = /^No such key: index out of bounds, index (\d+)/.exec(text);
  if (beyond) return `the list has no element ${beyond[1]} (use size() to ask how many there are)`;
  const missing = /^No such key: (.*)$/s.exec(text);
  if (missing) return `there is no "${missing[1]}" here (use has() to ask whether something is there)`;
  return text.slice(0, 300);
}
