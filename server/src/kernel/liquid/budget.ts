import { Drop } from 'liquidjs';

/**
 * How much one rendering may do and hold. It is counted, not timed: the same template with the same data always gets the same
 * verdict, and a machine that is busy with something else never fails a notification. A unit is about a character; the whole
 * budget is some tenths of a second at the worst, and ordinary renderings use a thousandth of it.
 */
const units = 10_000_000;
/** A tag or an output is about as much work as this many characters; so is a value that a filter looks at. */
const tagUnits = 100;
const valueUnits = 20;

export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
  constructor() {
    super('it needs more work or memory than a template may use');
  }
}

/** Speaks the two limiter interfaces of liquidjs, which asks `check` before every tag and `use` before it makes something large. */
export interface Budget {
  use(count: number): void;
  check(): void;
  /** Charges for all that can be reached from a value, before something is made of it. */
  useFor(value: unknown): void;
  /**
   * Charges for looking for one text within another. JavaScript does that in one step that nothing can interrupt, and for hostile
   * texts it takes their product.
   */
  useForSearch(text: string, wanted: string): void;
}

export function createBudget(): Budget {
  let left = units;
  const budget: Budget = {
    use(count) {
      if (!(count > 0)) return;
      left -= count;
      if (left < 0) throw new BudgetExceeded();
    },
    check: () => budget.use(tagUnits),
    useFor(value) {
      budget.use(weigh(value, left));
    },
    useForSearch(text, wanted) {
      if (wanted.length <= text.length) budget.use((text.length * wanted.length) / 32);
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
