import { type Context, type Template, TypeGuards, toValue, Value } from 'liquidjs';
import { createCache } from '../kernel/cache.ts';
import { argumentUnits, budgetOf, type FilterThis } from './budget.ts';
import { walk } from './parsed-template.ts';
import { escapeHtml, SafeHtml, toText } from './text.ts';

const pluralCategories: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other'];
type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };
export type TranslatedMessage = string | PluralForms;

/** Characters of a dotted key, and names in it. */
export const maxKey = 200;
export const maxKeyDepth = 10;
const messageKey = /^[\w-]+(?:\.[\w-]+)*$/;

/** Whether a catalogue could have this key. */
function isMessageKey(key: string): boolean {
  return key.length <= maxKey && messageKey.test(key) && key.split('.').length <= maxKeyDepth;
}

/** The messages of one locale by their dotted keys. */
export interface Catalogue {
  locale: string;
  messages: Readonly<Record<string, TranslatedMessage>>;
}

/** What the filter `t` needs of a rendering. */
export interface Translation {
  /** The locale of names of months and the like; null leaves that of the body. */
  locale: string | null;
  /** The first catalogue that has a key wins: `de-AT`, `de`, then the default. */
  catalogues: readonly Catalogue[];
  /** The catalogue of another language, which is used only for what the wanted one lacks. */
  fallback?: Catalogue | null;
  /** Collects the keys that no catalogue has, or only a fallback. */
  missing?: Set<string>;
  /** Shows which texts come from catalogues, and whether longer ones fit. */
  isPseudo?: true;
}

export const noTranslation: Translation = { locale: null, catalogues: [] };

/** An object is a set of plural forms when its keys are plural categories, with the one that every language has. */
export function isPluralForms(value: object): value is PluralForms {
  return 'other' in value && Object.keys(value).every((name) => pluralCategories.includes(name));
}

/** compile.ts gives contexts of renderings this property. */
interface TranslatedContext extends Context {
  translation?: Translation;
}

const lookupUnits = 100;
/** Escaping is the most expensive way to show a text. */
const escapeFactor = 8;
/** Keys with this ending are HTML: their message is not escaped, their arguments are. */
const htmlEnding = '_html';

/** `{{ 'cart.items' | t: count: items.size }}`. A key that no catalogue has is shown as it is. */
export function translate(this: FilterThis, value: unknown, ...args: unknown[]): string {
  return translated(this, value, args, { message: same, argument: toText });
}

/** In HTML, the message of a key that ends with `_html` is HTML. One with an argument that is HTML becomes HTML. */
export function translateHtml(this: FilterThis, value: unknown, ...args: unknown[]): string | SafeHtml {
  const isHtml = toText(value).endsWith(htmlEnding);
  const hasHtml = args.some((each) => Array.isArray(each) && each[1] instanceof SafeHtml);
  if (!isHtml && !hasHtml) return translated(this, value, args, { message: same, argument: toText });
  const budget = budgetOf(this.context);
  const message = (text: string): string => {
    if (isHtml) return text;
    budget.useFor(text, escapeFactor);
    return escapeHtml(text);
  };
  return new SafeHtml(translated(this, value, args, { message, argument: escapeHtml }));
}

const same = (text: string): string => text;

function translated(
  { context }: FilterThis,
  value: unknown,
  args: unknown[],
  show: { message(text: string): string; argument(value: unknown): string },
): string {
  const { translation } = context as TranslatedContext;
  if (!translation) throw new Error('translations are not available here');
  const budget = budgetOf(context);
  budget.use(lookupUnits + argumentUnits * args.length);
  budget.useFor(value);
  const key = toText(value);
  const named = namedArguments(args);
  const found = translation.catalogues.find(({ messages }) => Object.hasOwn(messages, key));
  if (!found || found === translation.fallback) translation.missing?.add(key);
  const message = found?.messages[key];
  if (!found || message === undefined) return show.argument(key);
  const text =
    typeof message === 'string' ? message : pluralForm(found.locale, message, toValue(named.get('count')));
  budget.use(text.length);
  const words = translation.isPseudo ? pseudo(text) : text;
  return show.message(words).replace(/%\{(\w+)\}/g, (_whole, name: string) => {
    const argument = named.get(name);
    budget.use(lookupUnits);
    budget.useFor(argument, escapeFactor);
    return show.argument(argument);
  });
}

function namedArguments(args: unknown[]): Map<string, unknown> {
  const named = new Map<string, unknown>();
  for (const argument of args) {
    if (!Array.isArray(argument)) throw new Error('t takes named arguments, such as name: user.name');
    const [name, value] = argument;
    named.set(String(name), value instanceof SafeHtml ? value : toValue(value));
  }
  return named;
}

/** Making one takes some 20 µs. */
const pluralRules = createCache<Intl.PluralRules>(200);

function pluralForm(locale: string, forms: PluralForms, count: unknown): string {
  const number = typeof count === 'number' || typeof count === 'string' ? Number(count) : Number.NaN;
  const rules = pluralRules.get(locale) ?? new Intl.PluralRules(locale);
  pluralRules.set(locale, rules);
  return forms[Number.isNaN(number) ? 'other' : rules.select(number)] ?? forms.other;
}

const plain = 'aceilnosuyzACEILNOSUYZ';
const accented = 'àçéîłñöšûýžÀÇÉÎŁÑÖŠÛÝŽ';

/** `Hello %{name}` → `[Hélłö %{name} ···]`: a third longer, with accents; arguments and tags stay. */
function pseudo(text: string): string {
  let letters = 0;
  const shown = text.replace(/%\{\w+\}|<[^<>]*>|[a-z]/gi, (part) => {
    if (part.length > 1) return part;
    letters += 1;
    return accented[plain.indexOf(part)] ?? part;
  });
  return `[${shown} ${'·'.repeat(Math.ceil(letters / 3))}]`;
}

export interface TranslationUses {
  /** Whether the template uses the filter `t` at all: a key may be computed. */
  translates: boolean;
  /** The keys that are written out, without those that no catalogue can have. */
  keys: string[];
}

export function translationUses(templates: Template[]): TranslationUses {
  const keys = new Set<string>();
  let translates = false;
  for (const template of walk(templates)) {
    for (const argument of template.arguments?.() ?? []) {
      if (!(argument instanceof Value) || !argument.filters.some(({ name }) => name === 't')) continue;
      translates = true;
      const [token] = argument.initial.postfix;
      if (argument.filters[0]?.name !== 't' || !token || !TypeGuards.isQuotedToken(token)) continue;
      if (isMessageKey(token.content)) keys.add(token.content);
    }
  }
  return { translates, keys: [...keys].sort() };
}
