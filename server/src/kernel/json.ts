/** No real value is nested deeper, and code that walks a value must finish before the stack overflows. */
export const maxDepth = 100;

export const isTooDeep = (value: unknown): boolean => faultIn(value) === 'depth';

/** Returns why a parsed value cannot be used: it has too many levels (`depth`, found first), or a number too large for JavaScript (`range`). */
export function faultIn(value: unknown, levels = maxDepth): 'depth' | 'range' | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'range';
  if (typeof value !== 'object' || value === null) return null;
  if (levels === 0) return 'depth';
  let found: 'range' | null = null;
  for (const key in value) {
    const fault = faultIn((value as Record<string, unknown>)[key], levels - 1);
    if (fault === 'depth') return fault;
    found ??= fault;
  }
  return found;
}

/**
 * Returns whether a value is larger than this many characters, each of its values counted as 10. Stops as soon as the answer is
 * known.
 */
export function isLargerThan(value: unknown, limit: number): boolean {
  return roomAfter(value, limit) < 0;
}

function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length - 10;
  if (typeof value !== 'object' || value === null) return room - 10;
  let left = room - 10;
  for (const key in value) {
    if (left < 0) return left;
    left = roomAfter((value as Record<string, unknown>)[key], left - key.length);
  }
  return left;
}

/** A name without characters to escape. */
const plainName = /^\w*$/;

/**
 * JSON with sorted keys: equal values have equal text, regardless of key order, so 1 is 1.0 and is not "1". Throws a RangeError
 * when the value is too deep.
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth === maxDepth) throw new RangeError('nested too deeply');
  if (Array.isArray(value)) return `[${value.map((part) => canonicalJson(part, depth + 1)).join(',')}]`;
  const record = value as Record<string, unknown>;
  let text = '';
  for (const key of Object.keys(record).sort()) {
    if (record[key] === undefined) continue;
    const name = plainName.test(key) ? `"${key}"` : JSON.stringify(key);
    text += `${text === '' ? '{' : ','}${name}:${canonicalJson(record[key], depth + 1)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** Returns the position of the quote that closes a string of a JSON text; the length of the text when none does. */
export function endOfString(text: string, start: number): number {
  for (let at = start; ; ) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    let escapes = 0;
    while (text[at - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return at;
  }
}

export type JsonRecord = Record<string, unknown>;

/** A JSON object: neither a list nor null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The escapes that JSON.stringify writes for NUL and lone surrogates, neither of which PostgreSQL accepts as text. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

/** JSON for the database. Values come from templates, expressions and foreign servers, so they may contain any character. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return suspicious.test(text) ? JSON.stringify(cleaned(value)) : text;
}

/** Replaces every character that cannot be stored with U+FFFD. */
export function storable<Value>(value: Value): Value {
  return suspicious.test(JSON.stringify(value)) ? (cleaned(value) as Value) : value;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [storableText(key), cleaned(entry)]));
}

const storableText = (given: string): string => given.replaceAll('\0', '\ufffd').toWellFormed();
