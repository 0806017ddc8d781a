import { type Context, Drop } from 'liquidjs';
import { type Effort, HeavyWork } from '../threads/effort.ts';
import { SafeHtml } from './text.ts';

const openings = /\{[{%]/g;
/** A tag costs about as much as this many characters within it. */
const tagWeight = 10;

/** The cost of parsing a template: the characters of its tags and outputs count, the text between them does not. */
export function weightOf(source: string): number {
  let weight = 0;
  openings.lastIndex = 0;
  for (let found = openings.exec(source); found; found = openings.exec(source)) {
    const closing = source.indexOf(found[0] === '{{' ? '}}' : '%}', found.index);
    if (closing === -1) return weight + source.length - found.index;
    weight += tagWeight + closing - found.index;
    openings.lastIndex = closing;
  }
  return weight;
}

/**
 * The limit for the work and memory of one rendering. Work is counted, not timed: the same template with the same data always
 * gets the same verdict, independent of the load of the machine. A unit is about a character, or 10 ns (at most 35, in the
 * strict engine); the whole budget is about a tenth of a second, and ordinary renderings use a thousandth of it.
 */
const units: Record<Effort, number> = { light: 500_000, full: 10_000_000 };
/**
 * The weight of templates (weight.ts) that may be parsed on the calling thread: 0.7 µs each, and 1.2 µs for listing the
 * variables.
 */
const lightReading = 15_000;
/** This many characters between the tags take as long as a unit of weight: they are searched several times. */
const textPerWeight = 50;
/** A tag or an output costs about as much as this many characters; so does a value that a filter reads. */
const tagUnits = 100;
const valueUnits = 20;
/** A named argument is evaluated and kept, even when nothing reads it. */
export const argumentUnits = 50;
/** liquidjs compares lists with generators, which costs this many times as much as reading them. */
const comparisonFactor = 2;

export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
  constructor() {
    super('it exceeds the work or memory limit of a template');
  }
}

/**
 * Implements the two limiter interfaces of liquidjs, which calls `check` before every tag and `use` before it makes something
 * large.
 */
export interface Budget {
  effort: Effort;
  use(count: number): void;
  spent(): number;
  check(): void;
  /** Charges for everything reachable from a value, before an operation that takes `factor` times that. */
  useFor(value: unknown, factor?: number): void;
  /**
   * Charges for a search of one text within another. JavaScript does that in one step that cannot be interrupted, and for
   * hostile texts it takes the product of their lengths.
   */
  useForSearch(text: string, wanted: string): void;
  /** Charges for `==`, which compares lists of equal length element by element. */
  useForEquality(one: unknown, other: unknown): void;
  /** Charges for `<` and the like, which convert lists and objects to text. */
  useForOrder(one: unknown, other: unknown): void;
  /** Charges for parsing, before a template is parsed. A thread has time for every template that can be saved. */
  useForReading(source: string): void;
  /** Charges for a value that is made once and then kept for the rest of the rendering. */
  useOnce(name: string, count: number): void;
}

export function createBudget(effort: Effort = 'full'): Budget {
  let left = units[effort];
  let reading = lightReading;
  const made = new Set<string>();
  const budget: Budget = {
    effort,
    use(count) {
      if (!(count > 0)) return;
      left -= count;
      if (left < 0) throw effort === 'light' ? new HeavyWork() : new BudgetExceeded();
    },
    spent: () => units[effort] - left,
    check: () => budget.use(tagUnits),
    useFor(value, factor = 1) {
      budget.use(factor * weigh(value, left));
    },
    useForSearch(text, wanted) {
      if (wanted.length <= text.length) budget.use((text.length * wanted.length) / 32);
    },
    useForEquality(one, other) {
      if (one instanceof Drop) budget.use(weighForDrop(other));
      else if (other instanceof Drop) budget.use(weighForDrop(one));
      else if (Array.isArray(one) && Array.isArray(other)) {
        if (one.length === other.length)
          budget.use(comparisonFactor * (weigh(one, left) + weigh(other, left)));
      } else if (typeof one === 'string' && typeof other === 'string') {
        if (one.length === other.length) budget.use(one.length / 32);
      }
    },
    useForOrder(one, other) {
      for (const side of [one, other]) {
        if (typeof side === 'string') budget.use(side.length / 32);
        else if (typeof side === 'object' && side !== null) budget.useFor(side);
      }
    },
    useForReading(source) {
      if (effort === 'full') return;
      reading -= source.length / textPerWeight;
      if (reading >= 0) reading -= weightOf(source);
      if (reading < 0) throw new HeavyWork();
    },
    useOnce(name, count) {
      if (made.has(name)) return;
      made.add(name);
      budget.use(count);
    },
  };
  return budget;
}

/**
 * A value may contain the same branch many times: two lists that contain a third one a million times each are small in memory
 * and enormous as text. The size as text is counted. Stops once it is beyond the limit.
 */
function weigh(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return weighOne(value);
  let weight = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && weight <= limit) {
    const next = waiting.pop();
    weight += weighOne(next);
    if (typeof next !== 'object' || next === null || next instanceof Drop) continue;
    for (const entry of Array.isArray(next) ? next : Object.values(next)) waiting.push(entry);
  }
  return weight;
}

const weighOne = (value: unknown): number =>
  valueUnits + (typeof value === 'string' || value instanceof SafeHtml ? value.length : 0);

/** `empty` and `blank` read texts, and count the properties of objects. */
function weighForDrop(value: unknown): number {
  if (typeof value === 'string') return value.length / 4;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? valueUnits * Object.keys(value).length : 0;
}

export interface FilterThis {
  context: Context;
}

/** compile.ts passes this budget to liquidjs in place of its own limits. */
export const budgetOf = (context: Context): Budget => context.memoryLimit as unknown as Budget;
