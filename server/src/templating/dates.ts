import { filters, toValue } from 'liquidjs';
import { createCache } from '../kernel/cache.ts';
import { type Budget, budgetOf, type FilterThis } from './budget.ts';
import { toText } from './text.ts';

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

export function date(this: FilterThis, value: unknown, format?: unknown, zone?: unknown): unknown {
  const { locale, dateFormat } = this.context.opts;
  return formatted(this, value, toText(toValue(format) ?? dateFormat), locale, toValue(zone));
}

export function dateToXmlschema(this: FilterThis, value: unknown): unknown {
  return formatted(this, value, '%Y-%m-%dT%H:%M:%S%:z', this.context.opts.locale);
}

export function dateToRfc822(this: FilterThis, value: unknown): unknown {
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
