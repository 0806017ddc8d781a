/** The clocks of time zones, from the IANA data of Node. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** The name of the offset alone takes 2 µs; all parts of the time take 16. */
function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    timeZoneName: 'longOffset',
    year: 'numeric',
  });
  formats.set(timezone, format); // bounded by the number of zones
  return format;
}

/** Milliseconds that the clocks of the zone are ahead of UTC. */
export function offsetAt(timezone: string, at: number): number {
  const [, sign, hours, minutes, seconds] =
    /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(formatOf(timezone).format(at)) ?? [];
  if (sign === undefined) return 0;
  const ms = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds ?? 0)) * 1_000;
  return sign === '-' ? -ms : ms;
}

/** Shorter than any time between two changes of a zone in this century, even around Ramadan in Morocco. */
const lookMs = 7 * 86_400_000;

/** Returns the first moment in (from, to] at which the clocks have been changed; null when there is none. */
export function firstChange(timezone: string, from: number, to: number): number | null {
  const before = offsetAt(timezone, from);
  for (let low = from; low < to; low += lookMs) {
    let high = Math.min(low + lookMs, to);
    if (offsetAt(timezone, high) === before) continue;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(timezone, middle) === before) low = middle;
      else high = middle;
    }
    return high;
  }
  return null;
}

/** Returns the moment at which the clocks of the zone show a local time: the first of two, or the end of the gap. */
export function momentOf(timezone: string, local: number): number {
  const dayMs = 86_400_000;
  const before = offsetAt(timezone, local - dayMs);
  const change = firstChange(timezone, local - dayMs, local + dayMs);
  if (change === null || local < change + before) return local - before;
  return Math.max(change, local - offsetAt(timezone, change));
}

/** `2026-03-29T03:00:00+02:00` */
export function localText(timezone: string, at: number): string {
  const offset = offsetAt(timezone, at);
  const minutes = Math.abs(Math.round(offset / 60_000));
  const two = (number: number): string => String(number).padStart(2, '0');
  const sign = offset < 0 ? '-' : '+';
  const shown = new Date(at + offset).toISOString().slice(0, 19);
  return `${shown}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
