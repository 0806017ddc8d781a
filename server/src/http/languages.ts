/** The languages of the hosted pages. */
export const pageLanguages = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'ar'] as const;
export type PageLanguage = (typeof pageLanguages)[number];

/** Returns the first supported language of `Accept-Language`, by preference, or English. */
export function preferredLanguage(accepted: string | undefined): PageLanguage {
  const wanted = (accepted ?? '')
    .slice(0, 1_000)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
      return { tag: tag.split('-')[0] ?? '', weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight);
  for (const { tag } of wanted) {
    const language = pageLanguages.find((each) => each === tag);
    if (language) return language;
  }
  return 'en';
}

export const directionOf = (language: PageLanguage): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');
