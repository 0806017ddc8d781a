import { IANAZone } from 'luxon';

/** When a user does not want to be disturbed, every day by the clock on their wall. Over midnight when it ends before it starts. */
export interface QuietHours {
  /** Minutes of the local day; the end is not part of it. */
  start_minute: number;
  end_minute: number;
  timezone: string;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * The first moment from `now` on at which the local clock stands outside the quiet hours; null when it does already. Where
 * clocks are put forward over the end, that is the moment of the change; where they are put back before the end, the hour
 * that comes twice is quiet twice.
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

/** Milliseconds of the local day that the clock shows. */
function clockAt(zone: IANAZone, at: number): number {
  return modulo(at + zone.offset(at) * minuteMs, dayMs);
}

/** The first moment with another offset; there is one up to `end`. */
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
