/** A seeded source of chance: the same seed gives the same inputs. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number;
  /** True this often. */
  chance(share: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
  /** Small numbers as often as large ones: 1 to `most`, even on a logarithmic scale. */
  size(most: number): number;
}

/** mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const random: Random = {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
    below: (below) => Math.floor(random.next() * below),
    chance: (share) => random.next() < share,
    pick(values) {
      if (values.length === 0) throw new Error('nothing to pick from');
      return values[random.below(values.length)] as (typeof values)[number];
    },
    size: (most) => Math.max(1, Math.round(Math.exp(random.next() * Math.log(most)))),
  };
  return random;
}
