import { DateTime, IANAZone } from 'luxon';
import { nextSlot } from '../../src/features/campaigns/schedules/timing.ts';

/** A daily or weekly time, or, without an hour, a minute of every hour. */
interface OracleTiming {
  zone: string;
  minute: number;
  hour: number | null;
  weekday: number | null;
}

const dayMs = 86_400_000;

function cronOf({ minute, hour, weekday }: OracleTiming): string {
  return `${minute} ${hour ?? '*'} * * ${weekday ?? '*'}`;
}

/**
 * Compares slots with those that luxon finds, in the days around each change of the clocks, and returns the first difference;
 * null when there is none. Between the changes, times only repeat themselves.
 */
export function slotMismatch(timing: OracleTiming, from: number, to: number): string | null {
  const cron = cronOf(timing);
  for (const change of changesOf(timing.zone, from, to)) {
    const [begin, end] = [change - 2 * dayMs, change + dayMs];
    const expected =
      timing.hour === null ? hourlyMoments(timing, begin, end) : namedMoments(timing, begin, end);
    let at: number | null = begin;
    for (const moment of expected) {
      at = nextSlot({ cron, timezone: timing.zone }, at);
      if (at !== moment)
        return `${cron} ${timing.zone}: ${at && new Date(at).toISOString()}, luxon ${new Date(moment).toISOString()}`;
    }
  }
  return null;
}

/** The days within which the clocks change, and the first day, for zones without changes. */
function changesOf(zone: string, from: number, to: number): number[] {
  const iana = IANAZone.create(zone);
  const changes = [from];
  for (let at = from; at < to; at += dayMs) if (iana.offset(at) !== iana.offset(at - dayMs)) changes.push(at);
  return changes;
}

/** Every minute at which the clocks show the time. */
function hourlyMoments({ zone, minute, weekday }: OracleTiming, begin: number, end: number): number[] {
  const iana = IANAZone.create(zone);
  const moments: number[] = [];
  for (let at = Math.ceil((begin + 1) / 60_000) * 60_000; at <= end; at += 60_000) {
    if ((at / 60_000 + iana.offset(at)) % 60 !== minute) continue;
    if (weekday === null || DateTime.fromMillis(at, { zone }).weekday % 7 === weekday) moments.push(at);
  }
  return moments;
}

/** The named time of each local date: the first of two, or the end of the gap. */
function namedMoments({ zone, minute, hour, weekday }: OracleTiming, begin: number, end: number): number[] {
  const moments = new Set<number>();
  const first = DateTime.fromMillis(begin, { zone });
  for (let day = -1; ; day++) {
    const date = DateTime.utc(first.year, first.month, first.day).plus({ days: day });
    const { year, month, day: dayOfMonth } = date;
    const shown = DateTime.fromObject({ year, month, day: dayOfMonth, hour: hour ?? 0, minute }, { zone });
    const isShown = shown.hour === hour && shown.minute === minute && shown.day === dayOfMonth;
    const moment = isShown
      ? Math.min(...shown.getPossibleOffsets().map((each) => each.toMillis()))
      : endOfGap(shown);
    if (moment > end) return [...moments];
    if (moment > begin && (weekday === null || date.weekday % 7 === weekday)) moments.add(moment);
  }
}

/** luxon moves a skipped time forward by the length of the gap, so the change is the last one before it. */
function endOfGap(moved: DateTime): number {
  let at = Math.floor(moved.toMillis() / 60_000) * 60_000;
  while (DateTime.fromMillis(at - 60_000, { zone: moved.zone }).offset === moved.offset) at -= 60_000;
  return at;
}
