import type { JsonRecord } from './json.ts';

/** The field names that an object can have. */
export interface KnownNames {
  /** Returns the known name that an unknown one is close to; no typos means another case style (`sendAt`, `send-at`). */
  nearest(given: string): NearName | null;
  /** For objects that may have other names too: returns the first that must be a mistake, with the intended name. */
  findMisspelt(object: JsonRecord, budget: NameBudget): Misspelt | null;
}

interface NearName {
  name: string;
  typos: number;
}

interface Misspelt {
  given: string;
  meant: string;
}

/**
 * The number of unknown names that may still be checked: the caller chooses how many there are, and each takes microseconds.
 */
interface NameBudget {
  names: number;
}

/** A person does not send more unknown fields than this: the others are ignored. 100 of the most expensive take 2 ms. */
export const newNameBudget = (): NameBudget => ({ names: 100 });

export function createKnownNames(names: Iterable<string>): KnownNames {
  const known = new Set(names);
  const folded = [...known].map((name) => ({ name, text: foldName(name) }));
  const longest = Math.max(0, ...[...known].map((name) => name.length));

  /** Finds another case style (`sendAt`, `send-at`), a typo (`adress`), or both: compared without case and punctuation. */
  function nearest(given: string): NearName | null {
    // The length is checked first: the caller chooses it, and everything below grows with it.
    if (given.length > 2 * longest) return null;
    const text = foldName(given);
    let best: NearName | null = null;
    for (const candidate of folded) {
      const allowed = Math.min(typosAllowed(candidate.text.length), best ? best.typos - 1 : maxTypos);
      const typos = distance(text, candidate.text, allowed);
      if (typos !== null) best = { name: candidate.name, typos };
    }
    return best;
  }

  return {
    nearest,

    findMisspelt(object, budget) {
      for (const given in object) {
        if (known.has(given)) continue;
        if (budget.names === 0) return null;
        budget.names -= 1;
        // Some clients send null for every field that they do not set; that is no mistake.
        const near = object[given] === null ? null : nearest(given);
        if (near !== null) return { given, meant: near.name };
      }
      return null;
    },
  };
}

/** The same for all spellings of a name: without case and punctuation. */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

const maxTypos = 2;

/** Short names are close to too many others: `key`, `url` and `at` must differ in style alone. */
function typosAllowed(length: number): number {
  if (length < 4) return 0;
  return length < 8 ? 1 : maxTypos;
}

/**
 * The number of letters that were added, left out, replaced, or swapped with their neighbour (optimal string alignment
 * distance); null when there are more than `max`. Only cells within `max` of the diagonal are computed, so the work is linear
 * in the length.
 */
function distance(one: string, other: string, max: number): number | null {
  if (max < 0 || Math.abs(one.length - other.length) > max) return null;
  if (one === other) return 0;
  if (max === 0) return null;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current: number[] = new Array(other.length + 1).fill(max + 1);
    if (row <= max) current[0] = row;
    const from = Math.max(1, row - max);
    const to = Math.min(other.length, row + max);
    let least = row <= max ? row : max + 1;
    for (let column = from; column <= to; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let cost = Math.min(
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
      );
      const isSwap =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwap) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current[column] = cost;
      least = Math.min(least, cost);
    }
    if (least > max) return null;
    beforeLast = last;
    last = current;
  }
  const typos = last[other.length] ?? max + 1;
  return typos <= max ? typos : null;
}
