import type { Channel } from '../../../channels/contract.ts';
import { partIndex, resolveUses } from './graph.ts';
import type { CurrentPart } from './store.ts';

/** The versions of parts that a template uses, by the names that it uses them by. Stored with versions of templates in Live. */
export interface PartPins {
  layouts: Record<string, string>;
  default_layouts: { [Each in Channel]?: string };
  partials: Record<string, string>;
  translations: Record<string, string>;
  default_locale: string | null;
}

/**
 * Chooses the versions that a template with these uses needs from those that are current: what it names, and what that uses in
 * turn. Names of parts that do not exist are left out. Returns null when nothing is needed.
 */
export function pinsFor(current: readonly CurrentPart[], uses: readonly string[]): PartPins | null {
  const pins: PartPins = {
    layouts: {},
    default_layouts: {},
    partials: {},
    translations: {},
    default_locale: null,
  };
  const { parts } = resolveUses(partIndex(current), uses);
  for (const part of parts) pin(pins, part);
  return parts.length === 0 ? null : pins;
}

function pin(pins: PartPins, { kind, key, channel, is_default, version_id }: CurrentPart): void {
  if (kind === 'partial') pins.partials[key] = version_id;
  else if (kind === 'translation') {
    pins.translations[key] = version_id;
    if (is_default) pins.default_locale = key;
  } else {
    pins.layouts[key] = version_id;
    if (is_default && channel) pins.default_layouts[channel] = key;
  }
}

/** A text that is equal for equal pins. */
export function pinsKey(pins: PartPins | null): string {
  if (pins === null) return '';
  const sorted = Object.entries(pins).map(([name, value]) => [
    name,
    value !== null && typeof value === 'object' ? Object.entries(value).sort() : value,
  ]);
  return JSON.stringify(sorted.sort());
}

/** The sources of a layout, as they are rendered: MJML is compiled. */
export interface LayoutSources {
  key: string;
  html: string;
  text: string;
}

/** The contents of pinned versions. Messages are read for each rendering: a template may have 50 locales, and needs two. */
export interface TemplateParts {
  /** Equal for equal contents. */
  id: string;
  layouts: Record<string, LayoutSources>;
  default_layouts: PartPins['default_layouts'];
  partials: Record<string, string>;
  /** Locale → version. */
  translations: PartPins['translations'];
  default_locale: string | null;
}

/** Shared by all environments that use none, so it must not change. */
export const noParts: TemplateParts = Object.freeze({
  id: '',
  layouts: Object.freeze({}),
  default_layouts: Object.freeze({}),
  partials: Object.freeze({}),
  translations: Object.freeze({}),
  default_locale: null,
});

/** Shows translations without any: the default locale with accents and longer texts. Only previews accept it. */
export const pseudoLocale = 'en-XA';

/** The locales whose messages a rendering may show, the first that has a key first. */
interface LocaleChain {
  locales: string[];
  /** The last of them, when it is there only for what the wanted language lacks. */
  fallback: string | null;
}

/** `de-AT` takes messages from de-AT, then de, then the default. `locale` is canonical. */
export function localesFor(
  { translations, default_locale: last }: Pick<TemplateParts, 'translations' | 'default_locale'>,
  locale: string | null,
): LocaleChain {
  const has = (name: string): boolean => Object.hasOwn(translations, name);
  const locales: string[] = [];
  for (let wanted = locale; wanted; wanted = wanted.replace(/-?[^-]*$/, ''))
    if (has(wanted)) locales.push(wanted);
  if (last === null || !has(last) || locales.includes(last)) return { locales, fallback: null };
  return { locales: [...locales, last], fallback: locale === null ? null : last };
}
