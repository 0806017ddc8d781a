import { Drop } from 'liquidjs';
import { anything } from '../../channels/shape.ts';
import { isRecord } from '../../kernel/record.ts';

/** A noncharacter of Unicode, which no text has. */
const mark = '\ufdd3';

/**
 * Stands for whatever data a structured body will get, when it is checked: it has every property, is a list of one, and reads as
 * 1, which will do as text, as a number and as a truth. As a value of its own it may become anything.
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
  toJSON(): object {
    return { [mark]: 1 };
  }
  *[Symbol.iterator](): Generator<Placeholder> {
    yield this;
  }
}

/** Throws what JSON.parse throws. */
export function parseWithPlaceholders(json: string): unknown {
  return JSON.parse(json, (_key, value) => (isRecord(value) && mark in value ? anything : value));
}
