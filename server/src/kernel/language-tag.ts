/** Returns the tag in its usual spelling (`en-GB`); null when the text is no language tag. */
export function languageTag(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}
