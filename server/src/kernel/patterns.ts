/** Tags have some dozen characters, but private subtags (`de-x-…`) may go on without end, and callers take them off one by one. */
const maxLength = 255;

/** Returns the tag in its usual spelling (`en-GB`); null when the text is no language tag. */
export function languageTag(text: string): string | null {
  if (text.length > maxLength) return null;
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}

/** The formats of texts in requests: a pattern for validation, and its meaning in words for the error message. */
const meanings = new Map<string, string>();

/** The meaning completes the sentence “must be …”. */
export function pattern(source: string, meaning: string): string {
  meanings.set(source, meaning);
  return source;
}

/** Uses the meaning when it is known: “must be HH:MM”. */
export function mustMatch(source: string): string {
  const meaning = meanings.get(source);
  return meaning === undefined ? `must match ${source}` : `must be ${meaning}`;
}

/** PostgreSQL refuses NUL in text, and no name or address needs the other control characters. */
export const oneLine = pattern(
  '^[^\\u0000-\\u001f\\u007f]*$',
  'one line of text, without control characters',
);
export const dottedKey = pattern(
  '^[a-z0-9][a-z0-9_.-]{0,99}$',
  '1 to 100 of a–z, 0–9, “_”, “.” and “-”, the first a letter or a digit',
);
