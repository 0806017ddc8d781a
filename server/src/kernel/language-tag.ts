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
