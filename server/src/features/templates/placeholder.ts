import { Drop } from 'liquidjs';

/**
 * Stands for whatever data a structured body will get, when it is checked: it has every property, is a list of one, and reads as
 * 1, which will do as text, as a number and as a truth.
 */
export class Placeholder extends Drop {
  readonly 0 = this;
  readonly length = 1;
  override liquidMethodMissing(key: string | number): unknown {
    return key === 'size' ? 1 : this;
  }
  override toString(): string {
    return '1';
  }
  toJSON(): number {
    return 1;
  }
  *[Symbol.iterator](): Generator<Placeholder> {
    yield this;
  }
}
