import type { Channel } from '../../channels/contract.ts';
import type { Catalogue, TranslatedMessage, Translation } from '../../templating/translation.ts';
import { resolveUses } from './graph.ts';
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
  const { parts } = resolveUses(current, uses);
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

export function pinnedIds({ layouts, partials, translations }: PartPins): string[] {
  return [layouts, partials, translations].flatMap((versions) => Object.values(versions));
}

/** The sources of a layout, as they are rendered: MJML is compiled. */
export interface LayoutSources {
  key: string;
  html: string;
  text: string;
}

/** The contents of pinned versions. Plain data, which threads receive, too. */
export interface TemplateParts {
  /** Equal for equal contents. */
  id: string;
  layouts: Record<string, LayoutSources>;
  default_layouts: PartPins['default_layouts'];
  partials: Record<string, string>;
  catalogues: Record<string, Record<string, TranslatedMessage>>;
  default_locale: string | null;
}

/** Shared by all environments that use none, so it must not change. */
export const noParts: TemplateParts = Object.freeze({
  id: '',
  layouts: Object.freeze({}),
  default_layouts: Object.freeze({}),
  partials: Object.freeze({}),
  catalogues: Object.freeze({}),
  default_locale: null,
});

/** Shows translations without any: the default locale with accents and longer texts. Only previews accept it. */
export const pseudoLocale = 'en-XA';

/** `de-AT` takes messages from de-AT, then de, then the default. `locale` is canonical. */
export function translationFor(
  { catalogues, default_locale: last }: TemplateParts,
  locale: string | null,
): Translation {
  const chain: Catalogue[] = [];
  const add = (name: string): void => {
    const messages = Object.hasOwn(catalogues, name) ? catalogues[name] : undefined;
    if (messages) chain.push({ locale: name, messages });
  };
  for (let wanted = locale; wanted; wanted = wanted.replace(/-?[^-]*$/, '')) add(wanted);
  const hasDefault = chain.some((each) => each.locale === last);
  if (last !== null && !hasDefault) add(last);
  const fallback = locale === null || hasDefault ? null : (chain.at(-1) ?? null);
  return { locale: chain[0]?.locale ?? null, catalogues: chain, fallback };
}

/** The pseudo-locale of the default messages. */
export function pseudoTranslation(parts: TemplateParts): Translation {
  return { ...translationFor(parts, null), isPseudo: true };
}
