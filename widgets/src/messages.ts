import { languages } from './languages.ts';
import { english, type MessageName, type Messages } from './texts.ts';

export type { MessageName, Messages, Plural } from './texts.ts';

const registered = new Map<string, Partial<Messages>>();

/** Sets texts of a language for all elements of the page, e.g. `registerMessages('it', { archive: 'Archivia' })`. */
export function registerMessages(language: string, messages: Partial<Messages>): void {
  registered.set(language.toLowerCase(), messages);
}

export type Say = (name: MessageName, values?: Record<string, string | number>) => string;

export function createSay(language: string, own: Partial<Messages> | null): Say {
  const tag = language.toLowerCase();
  const texts: Messages = {
    ...english,
    ...languages[tag.split('-')[0] ?? ''],
    ...registered.get(tag.split('-')[0] ?? ''),
    ...registered.get(tag),
    ...own,
  };
  return (name, values = {}) => {
    const text = texts[name];
    const form =
      typeof text === 'string' ? text : (text[pluralOf(language, Number(values.count))] ?? text.other);
    return form.replace(/\{(\w+)\}/g, (whole, key: string) => {
      const value = values[key];
      return typeof value === 'number' ? value.toLocaleString(language) : (value ?? whole);
    });
  };
}

function pluralOf(language: string, count: number): Intl.LDMLPluralRule {
  return new Intl.PluralRules(language).select(count);
}

/** Returns the first valid language tag; `lang` of a page can be any text. */
export function validLanguage(...candidates: (string | null | undefined)[]): string {
  for (const candidate of candidates) {
    try {
      const [tag] = Intl.getCanonicalLocales(candidate || []);
      if (tag) return tag;
    } catch {
      // Not a language tag.
    }
  }
  return 'en';
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** "now", "5 min. ago", "yesterday", "3 Mar": never in the future, even with a wrong clock. */
export function timeAgo(at: number, now: number, language: string, nowText: string): string {
  const age = Math.max(0, now - at);
  if (age < minute) return nowText;
  if (age < 7 * day) {
    const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' });
    if (age < hour) return relative.format(-Math.floor(age / minute), 'minute');
    if (age < day) return relative.format(-Math.floor(age / hour), 'hour');
    return relative.format(-Math.floor(age / day), 'day');
  }
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Date(at).toLocaleDateString(language, {
    day: 'numeric',
    month: 'short',
    ...(sameYear ? {} : { year: 'numeric' }),
  });
}
