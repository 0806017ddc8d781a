const toTheSecond: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
};

/** Local time with its zone, as the locale of the browser writes it. */
export function shortTime(date: Date, locale?: string): string {
  return formatter(toTheSecond, locale).format(date);
}

export function exactTime(date: Date, locale?: string): string {
  return formatter(toTheMillisecond, locale).format(date);
}

const toTheMillisecond: Intl.DateTimeFormatOptions = { ...toTheSecond, fractionalSecondDigits: 3 };

export function utcTime(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** `Europe/Berlin`: for fields that take a local time. */
export const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Kept: making one takes longer than everything that it formats on a page. */
const formatters = new Map<string, Intl.DateTimeFormat>();

export function formatter(options: Intl.DateTimeFormatOptions, locale?: string): Intl.DateTimeFormat {
  const name = JSON.stringify([locale, options]);
  const known = formatters.get(name) ?? new Intl.DateTimeFormat(locale, options);
  formatters.set(name, known);
  return known;
}
