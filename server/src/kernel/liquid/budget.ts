import { type Context, Drop } from 'liquidjs';
import { type Effort, HeavyWork } from '../threads/effort.ts';
import { weightOf } from './weight.ts';

/**
 * How much one rendering may do and hold. It is counted, not timed: the same template with the same data always gets the same
 * verdict, and a machine that is busy with something else does not change it. A unit is about a character, or 10 ns (35 at the
 * worst, in the strict engine); the whole budget is about a tenth of a second, and ordinary renderings use a thousandth of it.
 */
const units: Record<Effort, number> = { light: 500_000, full: 10_000_000 };
/** How much of templates may be read in place, by weight.ts: 0.7 µs each, and 1.2 µs for listing the variables. */
const lightReading = 15_000;
/** A tag or an output is about as much work as this many characters; so is a value that a filter looks at. */
const tagUnits = 100;
const valueUnits = 20;
/** liquidjs compares lists with generators, which is this many times the work of looking at them. */
const comparisonFactor = 2;

export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
  constructor() {
    super('it needs more work or memory than a template may use');
  }
}

/** Speaks the two limiter interfaces of liquidjs, which asks `check` before every tag and `use` before it makes something large. */
export interface Budget {
  effort: Effort;
  use(count: number): void;
  spent(): number;
  check(): void;
  /** Charges for all that can be reached from a value, before something is made of it that takes `factor` times that. */
  useFor(value: unknown, factor?: number): void;
  /**
   * Charges for looking for one text within another. JavaScript does that in one step that nothing can interrupt, and for hostile
   * texts it takes their product.
   */
  useForSearch(text: string, wanted: string): void;
  /** Charges for `==`, which goes through lists of one length element by element. */
  useForEquality(one: unknown, other: unknown): void;
  /** Charges for `<` and the like, which make text of lists and objects. */
  useForOrder(one: unknown, other: unknown): void;
  /** Before a template is read. In a thread there is time for any that can be saved. */
  useForReading(source: string): void;
  /** Charges for what is made once and then kept for the rest of the rendering. */
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
      reading -= weightOf(source);
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
 * Values are trees in which a branch may hang many times: two lists that contain a third one a million times each are small in
 * memory and enormous as text. What counts is the text. Stops once it is beyond the limit.
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

const weighOne = (value: unknown): number => valueUnits + (typeof value === 'string' ? value.length : 0);

/** `empty` and `blank` read texts, and count the properties of objects. */
function weighForDrop(value: unknown): number {
  if (typeof value === 'string') return value.length / 4;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? valueUnits * Object.keys(value).length : 0;
}

export interface FilterThis {
  context: Context;
}

/** compile.ts hands liquidjs our budget in place of its own limits. */
export const budgetOf = (context: Context): Budget => context.memoryLimit as unknown as Budget;
