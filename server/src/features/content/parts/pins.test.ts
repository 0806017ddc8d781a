import { expect, test } from 'vitest';
import { localesFor } from './pins.ts';

test('a locale takes messages from its parents, then from the default, which is a fallback for other languages only', () => {
  const parts = { translations: { de: '1', 'de-AT': '2', en: '3' }, default_locale: 'en' };
  expect(localesFor(parts, 'de-AT')).toEqual({ locales: ['de-AT', 'de', 'en'], fallback: 'en' });
  expect(localesFor(parts, 'en-GB')).toEqual({ locales: ['en'], fallback: null });
  expect(localesFor(parts, 'fr')).toEqual({ locales: ['en'], fallback: 'en' });
  expect(localesFor(parts, null)).toEqual({ locales: ['en'], fallback: null });
  for (const default_locale of [null, 'gone'])
    expect(localesFor({ ...parts, default_locale }, 'de')).toEqual({ locales: ['de'], fallback: null });
});
