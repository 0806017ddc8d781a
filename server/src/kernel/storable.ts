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
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [text(key), cleaned(entry)]));
}

const text = (given: string): string => given.replaceAll('\0', '\ufffd').toWellFormed();
