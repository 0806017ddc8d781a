import { Drop } from 'liquidjs';
import { anything } from '../../channels/shape.ts';
import { isRecord } from '../../kernel/record.ts';

/** A Unicode noncharacter, which does not occur in text. */
const mark = '\ufdd3';

/**
 * Stands for the unknown data when a structured body is checked: a placeholder has every property, is a list of one element,
 * and reads as 1, which is valid as text, as a number and as a boolean. A placeholder that is a whole value matches any type.
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

/** Throws the errors of JSON.parse. */
export function parseWithPlaceholders(json: string): unknown {
  return JSON.parse(json, (_key, value) => (isRecord(value) && mark in value ? anything : value));
}
