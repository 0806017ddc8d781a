const toTheSecond: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
};

/** Local time with its zone, in the locale of the browser. */
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

/** `Europe/Berlin`, for inputs of local times. */
export const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Cached: creating a formatter takes longer than everything it formats on a page. */
const formatters = new Map<string, Intl.DateTimeFormat>();

export function formatter(options: Intl.DateTimeFormatOptions, locale?: string): Intl.DateTimeFormat {
  const name = JSON.stringify([locale, options]);
  const known = formatters.get(name) ?? new Intl.DateTimeFormat(locale, options);
  formatters.set(name, known);
  return known;
}
