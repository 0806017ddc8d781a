import { isRecord, isTooDeep, type JsonRecord } from '../kernel/json.ts';

/** Readers of JSON that a provider sent: a value of another type counts as absent. */

/**
 * Returns the JSON in a text; undefined when there is none: an error page, an empty body, half an answer. A value that is nested
 * too deeply counts as none, because writing it again would exhaust the stack.
 */
export function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Returns the JSON object in a text; null when there is none. */
export function jsonObject(text: string): JsonRecord | null {
  const value = jsonIn(text);
  return isRecord(value) ? value : null;
}

export function recordIn(json: JsonRecord | null, name: string): JsonRecord | null {
  const value = json?.[name];
  return isRecord(value) ? value : null;
}

/** Returns the objects of a list; everything else in the list is left out. */
export function recordsIn(json: JsonRecord | null, name: string): JsonRecord[] {
  const value = json?.[name];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textIn(json: JsonRecord | null, name: string): string | null {
  const value = json?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
