import { DateTime } from 'luxon';

/** `HH:MM` on a 24-hour clock. */
export const clockTime = /^([01]\d|2[0-3]):([0-5]\d)$/;

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
