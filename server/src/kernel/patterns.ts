/** What texts in requests must look like: for machines a pattern, and for whoever sent something else the words. */
const meanings = new Map<string, string>();

/** The words go on from “must be”. */
export function pattern(source: string, meaning: string): string {
  meanings.set(source, meaning);
  return source;
}

/** In words if they are known: “must be HH:MM”. */
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
