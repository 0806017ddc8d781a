import { IANAZone } from 'luxon';

/** Daily hours of the user's local time in which nothing is sent. The hours span midnight when the end is before the start. */
export interface QuietHours {
  /** Minutes of the local day; the end is exclusive. */
  start_minute: number;
  end_minute: number;
  timezone: string;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * Returns the first moment from `now` on that is outside the quiet hours by local time; null when `now` is. Where the clocks
 * are put forward over the end, that is the moment of the change; where they are put back before the end, the repeated hour is
 * quiet twice.
 */
export function quietUntil(hours: QuietHours, now: number): number | null {
  const zone = IANAZone.create(hours.timezone);
  if (!zone.isValid) return null; // a zone that this version of Node no longer knows holds nothing back
  if (!isInside(hours, clockAt(zone, now))) return null;
  for (let at = now; ; ) {
    const end = at + modulo(hours.end_minute * minuteMs - clockAt(zone, at), dayMs);
    if (zone.offset(end) === zone.offset(at)) return end;
    const change = firstChange(zone, at, end);
    if (!isInside(hours, clockAt(zone, change))) return change;
    at = change;
  }
}

function isInside({ start_minute, end_minute }: QuietHours, clockMs: number): boolean {
  const minute = clockMs / minuteMs;
  return start_minute < end_minute
    ? start_minute <= minute && minute < end_minute
    : start_minute <= minute || minute < end_minute;
}

/** Milliseconds since local midnight by the local clock. */
function clockAt(zone: IANAZone, at: number): number {
  return modulo(at + zone.offset(at) * minuteMs, dayMs);
}

/** Returns the first moment with another offset; there is one up to `end`. */
function firstChange(zone: IANAZone, from: number, end: number): number {
  const before = zone.offset(from);
  let [low, high] = [from, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offset(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

export function localTime(minute: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

export function minuteOf(localTime: string): number {
  const [hours = 0, minutes = 0] = localTime.split(':').map(Number);
  return hours * 60 + minutes;
}
