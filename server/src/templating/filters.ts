import { filters as all, type Filter, type FilterImplOptions, filters, toValue } from 'liquidjs';
import { createCache } from '../kernel/cache.ts';
import { type Budget, budgetOf, type FilterThis } from './budget.ts';
import { VerifiedText } from './marks.ts';
import { escapeHtml, SafeHtml, toText } from './text.ts';
import { translate, translateHtml } from './translation.ts';

/**
 * liquidjs makes an Intl.DateTimeFormat for every name of a month and two for every zone, at some 100 µs each. Those of the
 * usual conversions are cached here; the rest of a format is left to liquidjs. The budget of a rendering cannot pay for more of
 * them than are cached, so none is made twice for it.
 */
const keptFormats = 100;
const makeUnits = 100_000;
const formats = createCache<Intl.DateTimeFormat>(keptFormats);

const dateUnits = 400;
const zoneUnits = 300;
const conversionUnits = 100;
/** The cost of conversions for which liquidjs uses Intl itself: names with flags other than ^, whole dates. */
const intlUnits = 20_000;
const madeWithIntl: ReadonlySet<string> = new Set('aAbBhcxX');

const names: Record<string, Intl.DateTimeFormatOptions> = {
  a: { weekday: 'short', timeZone: 'UTC' },
  A: { weekday: 'long', timeZone: 'UTC' },
  b: { month: 'short', timeZone: 'UTC' },
  B: { month: 'long', timeZone: 'UTC' },
  h: { month: 'short', timeZone: 'UTC' },
};

function date(this: FilterThis, value: unknown, format?: unknown, zone?: unknown): unknown {
  const { locale, dateFormat } = this.context.opts;
  return formatted(this, value, toText(toValue(format) ?? dateFormat), locale, toValue(zone));
}

function dateToXmlschema(this: FilterThis, value: unknown): unknown {
  return formatted(this, value, '%Y-%m-%dT%H:%M:%S%:z', this.context.opts.locale);
}

function dateToRfc822(this: FilterThis, value: unknown): unknown {
  return formatted(this, value, '%a, %d %b %Y %H:%M:%S %z', 'en-US');
}

/** The type of liquidjs allows a filter to be an object; this one is a function. */
const libraryDate = filters.date as (this: FilterThis, ...args: unknown[]) => unknown;

/** Passes the date to liquidjs, with the names written out and the zone in minutes. */
function formatted(filter: FilterThis, value: unknown, format: string, locale: string, zone?: unknown) {
  const budget = budgetOf(filter.context);
  budget.use(dateUnits);
  const time = timeOf(toValue(value));
  if (Number.isNaN(time)) return value;
  const minutes = typeof zone === 'string' ? minutesBehind(budget, zone, time) : Number(zone ?? 0);
  const plain = format.replace(/%([-_0^#:]+)?(\d+)?[EO]?(.)/g, (code, flags, width, letter) => {
    budget.use(conversionUnits);
    if (letter === 'Z' && typeof zone === 'string') return zone.replaceAll('%', '%%');
    const name = width ? undefined : names[letter];
    if (name && (!flags || flags === '^')) {
      const text = formatOf(budget, locale, name).format(time - minutes * 60_000);
      return flags ? text.toUpperCase() : text;
    }
    if (madeWithIntl.has(letter)) budget.use(intlUnits);
    return code;
  });
  return libraryDate.call(filter, value, plain, minutes);
}

/** Parses like liquidjs: numbers are seconds. Returns NaN when the value is not a date. */
function timeOf(value: unknown): number {
  if (value === undefined || value === null) return Number.NaN;
  if (value === 'now' || value === 'today') return Date.now();
  const isSeconds = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
  return new Date(isSeconds ? Number(value) * 1_000 : (value as string)).getTime();
}

/** The offset of a zone behind UTC, in minutes. */
function minutesBehind(budget: Budget, zone: string, time: number): number {
  budget.use(zoneUnits);
  const shown = formatOf(budget, 'en-US', { timeZone: zone, timeZoneName: 'longOffset' }).format(time);
  const [, sign, hours, minutes, seconds] = /([-+])(\d+):(\d+)(?::(\d+))?$/.exec(shown) ?? [];
  const ahead = Number(hours ?? 0) * 60 + Number(minutes ?? 0) + Number(seconds ?? 0) / 60;
  return sign === '-' ? ahead : -ahead;
}

function formatOf(budget: Budget, locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${locale} ${options.timeZone} ${options.month} ${options.weekday}`;
  budget.useOnce(name, makeUnits);
  const format = formats.get(name) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(name, format);
  return format;
}

/**
 * The filters of standard Liquid, and a few that every dialect has. Left out of those in liquidjs: filters that parse an
 * expression at run time, that nest lists in lists, and that are random (a rendering must be repeatable).
 */
const allowed = `
  abs at_least at_most ceil divided_by floor minus modulo plus round times
  append capitalize downcase lstrip prepend remove remove_first remove_last replace replace_first replace_last rstrip slice
  split squish strip strip_newlines truncate truncatewords upcase array_to_sentence_string number_of_words slugify
  escape escape_once newline_to_br strip_html xml_escape
  url_decode url_encode cgi_escape uri_escape base64_encode base64_decode sha256
  compact concat find find_index first group_by has join last map reject reverse size sort sort_natural sum uniq where
  date date_to_rfc822 date_to_xmlschema default json to_integer`
  .trim()
  .split(/\s+/);

/** These filters parse a property path from a string; a range in it would escape the bounds of ranges.ts. */
const readPaths: ReadonlySet<string> = new Set(['find', 'find_index', 'group_by', 'has', 'reject', 'where']);

/** These filters search for their argument in the value. */
const search: ReadonlySet<string> = new Set(
  'remove remove_first remove_last replace replace_first replace_last split'.split(' '),
);

type Handler = (this: FilterThis, value: unknown, ...args: unknown[]) => unknown;

/** The cost of these filters as a multiple of reading the value, for the most expensive kind of value. */
const factors: Record<string, number> = Object.fromEntries(
  Object.entries({
    2: 'strip lstrip rstrip',
    3: 'split sort find find_index group_by has reject where',
    5: 'slugify squish truncatewords number_of_words',
    8: 'escape escape_once xml_escape newline_to_br url_encode cgi_escape uri_escape',
    10: 'sort_natural',
  }).flatMap(([factor, names]) => names.split(' ').map((name) => [name, Number(factor)])),
);

/** These filters follow a path into every element; in units for an element, and for a step of the path. */
const paths: Record<string, { element: number; step: number }> = {
  ...Object.fromEntries([...readPaths].map((name) => [name, { element: 200, step: 100 }])),
  ...Object.fromEntries(
    ['map', 'sort', 'sort_natural', 'sum'].map((name) => [name, { element: 50, step: 25 }]),
  ),
};

function useForPath(budget: Budget, name: string, value: unknown, path: unknown): void {
  const units = paths[name];
  if (!units || path === undefined || !Array.isArray(value)) return;
  budget.use(value.length * (units.element + units.step * toText(path).split(/[.[]/).length));
}

function charged(name: string, handler: Handler): Handler {
  return function (value, ...args) {
    const budget = budgetOf(this.context);
    budget.useFor(value, factors[name]);
    useForPath(budget, name, value, args[0]);
    for (const argument of args) budget.useFor(argument);
    if (search.has(name)) budget.useForSearch(toText(value), toText(args[0]));
    if (readPaths.has(name) && toText(args[0]).includes('('))
      throw new Error(`${name} requires the name of a property`);
    return handler.call(this, value, ...args);
  };
}

const same: Handler = (value) => value;
/** The types of liquidjs declare the arguments of each filter; a template passes anything. */
const library: Record<string, Handler> = {
  ...(all as unknown as Record<string, Handler>),
  date,
  date_to_rfc822: dateToRfc822,
  date_to_xmlschema: dateToXmlschema,
};

const standard: Record<string, FilterImplOptions> = {
  ...Object.fromEntries(allowed.map((name) => [name, charged(name, library[name] ?? same)])),
  t: translate as Handler,
  raw: same, // nothing to opt out of
};

/**
 * In HTML, filters that make HTML escape their input and mark the result as HTML: `{{ note | newline_to_br }}` is safe, and
 * escaped once.
 */
const makesHtml = (name: string, change: (html: string) => string): [string, Handler] => [
  name,
  charged(name, (value) => new SafeHtml(change(escapeHtml(value)))),
];

const html: Record<string, FilterImplOptions> = {
  ...standard,
  ...Object.fromEntries([
    makesHtml('escape', (text) => text),
    makesHtml('xml_escape', (text) => text),
    makesHtml('newline_to_br', (text) => text.replace(/\r?\n/g, '<br />\n')),
    [
      'escape_once',
      charged('escape_once', function (value) {
        return new SafeHtml(toText(library.escape_once?.call(this, toText(value))));
      }),
    ],
  ]),
  t: translateHtml as Handler,
  raw: { raw: true, handler: charged('raw', same) as Filter['render'] },
};

const marked: Record<string, FilterImplOptions> = {
  ...standard,
  raw: charged('raw', (value) => new VerifiedText(value)),
};

export const filtersFor = { html, text: standard, json: standard, marked };
