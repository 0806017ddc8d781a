/** What JSON.stringify writes for NUL and for halves of surrogate pairs, neither of which PostgreSQL takes as text. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

/** JSON for the database. Values come out of templates, expressions and strangers' answers, so they may hold anything. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return suspicious.test(text) ? JSON.stringify(cleaned(value)) : text;
}

/** The value with every character in it that can be stored; the others become U+FFFD. */
export function storable<Value>(value: Value): Value {
  return suspicious.test(JSON.stringify(value)) ? (cleaned(value) as Value) : value;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [text(key), cleaned(entry)]));
}

const text = (given: string): string => given.replaceAll('\0', '\ufffd').toWellFormed();
