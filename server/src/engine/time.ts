import { DateTime } from 'luxon';
import type { DeliveryWindow } from './contract.ts';

/**
 * Durations are spans of elapsed time: a day is 24 hours even when the clocks change (`at` is for local time). Months and years
 * are refused because their length depends on where they start.
 */
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;

export const maxDurationMs = 366 * day;

const units: Record<string, number> = { s: second, m: minute, h: hour, d: day, w: week };
const short = /^(?:\d{1,9}[smhdw])+$/;
const iso =
  /^P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,3})?)S)?)?$/;

/**
 * Returns the milliseconds of `15m`, `1h30m`, `PT15M`, `P3DT4H`, `P2W`; null when the text is not a duration or is longer than
 * a year.
 */
export function parseDuration(text: string): number | null {
  if (text.length > 60) return null;
  const ms = short.test(text) ? sumShort(text) : sumIso(text);
  return ms === null || ms > maxDurationMs ? null : ms;
}

function sumShort(text: string): number {
  let sum = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)([smhdw])/g))
    sum += Number(count) * (units[unit ?? ''] ?? 0);
  return sum;
}

function sumIso(text: string): number | null {
  const found = iso.exec(text);
  if (!found || text.endsWith('T')) return null;
  const parts = found.slice(1);
  if (parts.every((part) => part === undefined)) return null;
  const sizes = [week, day, hour, minute, second];
  return parts.reduce((sum, part, index) => sum + Number(part ?? 0) * (sizes[index] ?? 0), 0);
}

export const durationHint = 'a duration such as 15m, 2h, 3d or P3DT4H, at most a year';

/** `HH:MM` on a 24-hour clock. */
export const clockTime = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** In the order of ISO 8601. */
export const weekdayNames = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

const hourMs = 3_600_000;

/**
 * Returns the next time, strictly after `after`, at which the clocks of the zone show `at`. An hour that the clocks skip counts
 * as the first moment after the gap; of an hour that they show twice, the first one counts.
 */
export function nextLocalTime(after: number, at: string, zone: string): number {
  const [, hour, minute] = clockTime.exec(at) ?? [];
  const today = DateTime.fromMillis(after, { zone }).startOf('day');
  // Zones have skipped a whole date (Samoa in 2011): the third day is never needed otherwise.
  for (let days = 0; ; days++) {
    const date = today.plus({ days });
    const moment = momentOf(date, Number(hour), Number(minute));
    if (moment > after || days > 3) return moment;
  }
}

/**
 * Returns the first moment from `after` on at which the window is open by the clocks of the zone. Where the clocks skip all of
 * a window, it does not open on that day.
 */
export function nextOpening(after: number, { start, end, days }: DeliveryWindow, zone: string): number {
  const [, startHour, startMinute] = clockTime.exec(start) ?? [];
  const [, endHour, endMinute] = clockTime.exec(end) ?? [];
  const spansMidnight = end < start;
  const today = DateTime.fromMillis(after, { zone }).startOf('day');
  // The window of yesterday may still be open; a week and a skipped date later, each day has had its turn.
  for (let day = -1; day <= 9; day++) {
    const date = today.plus({ days: day });
    if (days !== null && !days.includes(date.weekday)) continue;
    const opens = momentOf(date, Number(startHour), Number(startMinute));
    const closes = momentOf(
      spansMidnight ? date.plus({ days: 1 }) : date,
      Number(endHour),
      Number(endMinute),
    );
    if (closes > after && closes > opens) return Math.max(opens, after);
  }
  return after;
}

/** Returns the moment at which the clocks of the zone show a local time such as 2026-03-29T02:30, by the same rule. */
export function localMoment(local: string, zone: string): number {
  const [date = '', time = ''] = local.split('T');
  const [, hour, minute] = clockTime.exec(time) ?? [];
  return momentOf(DateTime.fromISO(date, { zone }), Number(hour), Number(minute));
}

function momentOf(date: DateTime, hour: number, minute: number): number {
  const shown = date.set({ hour, minute, second: 0, millisecond: 0 });
  if (shown.hour === hour && shown.minute === minute)
    return Math.min(...shown.getPossibleOffsets().map((moment) => moment.toMillis()));
  return endOfGap(shown);
}

/** luxon moves a time inside the gap forward by the length of the gap, so the change is shortly before the result. */
function endOfGap(behind: DateTime): number {
  const offsetAt = (ms: number) => DateTime.fromMillis(ms, { zone: behind.zone }).offset;
  let high = behind.toMillis();
  let low = high - 3 * hourMs;
  const offset = offsetAt(high);
  if (offsetAt(low) === offset) return high;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}

/** Parses ISO 8601 with a date and a time; without an offset the zone applies. Returns null for any other text. */
export function parseTimestamp(text: string, zone = 'utc'): number | null {
  if (text.length > 60 || !/^\d{4}-?\d{2}-?\d{2}[T ]\d/.test(text)) return null;
  const moment = DateTime.fromISO(text.replace(' ', 'T'), { zone });
  return moment.isValid ? moment.toMillis() : null;
}
