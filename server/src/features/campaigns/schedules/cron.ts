import { CronPattern } from 'croner';

/** The fields of a cron expression, as croner reads them. Dates are on the clock of a zone, counted as if that were UTC. */
interface CronFields {
  minutes: number[];
  hours: number[];
  /** By month, from 0. */
  months: boolean[];
  /** By day of the month, from 1. */
  days: boolean[];
  /** The days of the month whose nearest working day is meant (`15W`). */
  nearestWorkdays: number[];
  lastDay: boolean;
  lastWorkday: boolean;
  /** By day of the week, from Sunday: which of the month, as bits; 32 is the last one. */
  weekdays: number[];
  hasDays: boolean;
  hasWeekdays: boolean;
  /** Both the day of the month and that of the week must match (`+MON`); otherwise one of them. */
  needsBoth: boolean;
}

/**
 * A search looks at so many years. The longest time between two leap days is 8, and a year takes 10 to 50 µs: no expression, not even
 * one that matches no date, takes more than 0.5 ms. croner's own search looks at 400 years, in up to 300 ms.
 */
export const searchedYears = 10;

const minuteMs = 60_000;
const dayMs = 86_400_000;

const known = new Map<string, CronFields>();
const maxKnown = 1_000;

/** Throws an error with croner's message when the expression cannot be read. */
export function cronFields(cron: string): CronFields {
  const found = known.get(cron);
  if (found) return found;
  const fields = fieldsOf(new CronPattern(cron, undefined, { mode: '5-part' }));
  if (known.size >= maxKnown) known.clear();
  known.set(cron, fields);
  return fields;
}

const indexesOf = (marks: number[]): number[] => marks.flatMap((mark, index) => (mark ? [index] : []));

function fieldsOf(pattern: CronPattern): CronFields {
  return {
    minutes: indexesOf(pattern.minute),
    hours: indexesOf(pattern.hour),
    months: pattern.month.map(Boolean),
    days: [false, ...pattern.day.map(Boolean)],
    nearestWorkdays: indexesOf(pattern.nearestWeekdays).map((index) => index + 1),
    lastDay: pattern.lastDayOfMonth,
    lastWorkday: pattern.lastWeekday,
    weekdays: pattern.dayOfWeek.slice(0, 7),
    hasDays: !pattern.starDOM,
    hasWeekdays: !pattern.starDOW,
    needsBoth: pattern.useAndLogic,
  };
}

/** Returns the first time after another one that the expression matches; null when there is none within `searchedYears`. */
export function nextMatch(fields: CronFields, after: number): number | null {
  const from = Math.floor(after / minuteMs) * minuteMs + minuteMs;
  const first = new Date(from);
  for (let month = first.getUTCMonth(), left = searchedYears * 12 + 1; left > 0; month += 1, left -= 1) {
    if (!fields.months[month % 12]) continue;
    const begin = Date.UTC(first.getUTCFullYear(), month, 1);
    const length = Math.round((Date.UTC(first.getUTCFullYear(), month + 1, 1) - begin) / dayMs);
    const firstWeekday = new Date(begin).getUTCDay();
    for (let day = Math.max(1, Math.floor((from - begin) / dayMs) + 1); day <= length; day += 1) {
      if (!isDay(fields, { day, length, firstWeekday })) continue;
      const midnight = begin + (day - 1) * dayMs;
      const time = timeOfDay(fields, from - midnight);
      if (time !== null) return midnight + time;
    }
  }
  return null;
}

/** Returns the first time of a day that is not before another one, in milliseconds after midnight. */
function timeOfDay({ hours, minutes }: CronFields, from: number): number | null {
  for (const hour of hours) {
    if ((hour + 1) * 60 * minuteMs <= from) continue;
    for (const minute of minutes) {
      const time = (hour * 60 + minute) * minuteMs;
      if (time >= from) return time;
    }
  }
  return null;
}

interface MonthDay {
  day: number;
  /** The days of the month. */
  length: number;
  /** The day of the week of the first day of the month, from Sunday. */
  firstWeekday: number;
}

function isDay(fields: CronFields, at: MonthDay): boolean {
  const { weekdays, hasDays, hasWeekdays, needsBoth } = fields;
  if (!hasWeekdays) return isDayOfMonth(fields, at);
  const isOfWeek = isNthOfMonth(weekdays[weekdayOf(at, at.day)] ?? 0, at);
  return needsBoth || !hasDays ? isOfWeek && isDayOfMonth(fields, at) : isOfWeek || isDayOfMonth(fields, at);
}

function isDayOfMonth({ days, lastDay, lastWorkday, nearestWorkdays }: CronFields, at: MonthDay): boolean {
  const { day, length } = at;
  return (
    days[day] === true ||
    (lastDay && day === length) ||
    (lastWorkday && day === workdayNear(at, length)) ||
    nearestWorkdays.some((wanted) => wanted <= length && day === workdayNear(at, wanted))
  );
}

/** Arithmetic alone: an expression may name twenty nearest working days, which are looked for on each day of the search. */
const weekdayOf = ({ firstWeekday }: MonthDay, day: number): number => (firstWeekday + day - 1) % 7;

/** Returns the working day of the same month that is nearest to a day. */
function workdayNear(at: MonthDay, day: number): number {
  const weekday = weekdayOf(at, day);
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === at.length ? day - 2 : day + 1;
  return day;
}

const isNthOfMonth = (wanted: number, { day, length }: MonthDay): boolean =>
  (wanted & (1 << Math.floor((day - 1) / 7))) !== 0 || ((wanted & 32) !== 0 && day + 7 > length);
