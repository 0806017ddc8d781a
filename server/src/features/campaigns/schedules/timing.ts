import { invalidParameter } from '../../../kernel/errors.ts';
import { isTimeZone } from '../../../kernel/time-zone.ts';
import { cronFields, nextMatch, searchedYears } from './cron.ts';
import { type ScheduleRule, scheduleLimits, type TimingBody, weekdays } from './schema.ts';
import type { TimerFields } from './store.ts';

/** When a schedule runs: a cron expression on the clocks of a time zone. */
interface Timing {
  cron: string;
  timezone: string;
}

/**
 * Returns the first run strictly after a moment; null when there is none within `searchedYears`.
 *
 * A clock change is handled as in Vixie cron. An expression that names hours (`30 2 * * *`) runs once for each of its times: a time that
 * the clocks skip runs at the end of the gap, and a time that they show twice runs the first time. An expression whose hour begins with
 * `*` runs each time the clocks show a matching time, so that its intervals stay even.
 *
 * croner's own time zones are not used: `0,20 2 * * *` loses all its runs in a gap and doubles them in a repeated hour.
 */
export function nextSlot({ cron, timezone }: Timing, after: number): number | null {
  const fields = cronFields(cron);
  const isHourly = hasEveryHour(cron);
  let at = after;
  let offset = offsetAt(timezone, at);
  /** The latest time that the clocks have shown. Matching times after it are still to come. */
  let shown = at + offset;
  if (!isHourly) shown = Math.max(shown, shownBefore(timezone, at, offset));
  for (;;) {
    const local = nextMatch(fields, shown);
    if (local === null) return null;
    // A change soon after this moment may show matching times again.
    const soon = isHourly
      ? firstChange(timezone, at, Math.min(local - offset, at + longestRepetitionMs))
      : null;
    // Besides it, only changes shortly before the match matter: a leap day may be years away, with two changes a year.
    const near = local - offset - nearMs;
    if (soon === null && near > at) {
      at = near;
      offset = offsetAt(timezone, at);
    }
    const change = soon ?? firstChange(timezone, at, local - offset);
    if (change === null) return local - offset;
    const next = offsetAt(timezone, change);
    if (next > offset) {
      const isSkipped = local < change + next;
      if (isSkipped && !isHourly) return change;
      shown = change + next - 1;
    } else {
      shown = change + (isHourly ? next : offset) - 1;
    }
    at = change;
    offset = next;
  }
}

/** Longer than the difference between any two offsets, and the repetition of an hour. */
const nearMs = 2 * 86_400_000;

const hasEveryHour = (cron: string): boolean => cron.trim().split(/\s+/)[1]?.startsWith('*') ?? false;

/** No clock has ever been put back by more. */
const longestRepetitionMs = 86_400_000;

/** While the clocks repeat an hour, they have already shown the rest of it. */
function shownBefore(timezone: string, at: number, offset: number): number {
  const earlier = offsetAt(timezone, at - longestRepetitionMs);
  if (earlier <= offset) return -Infinity;
  const change = firstChange(timezone, at - longestRepetitionMs, at);
  return change === null ? -Infinity : change + earlier - 1;
}

/** When a schedule runs, in milliseconds. */
export interface ScheduleTiming extends Timing {
  perRecipient: boolean;
  startsAt: number | null;
  endsAt: number | null;
}

/**
 * The slot of a schedule per recipient is the moment at which the first zone on Earth shows the local time of the schedule, so
 * the timer is due before the run of any recipient. The slot ends when the last zone has shown that time. Fixed offsets convert
 * a slot to its local time and back without loss.
 */
const firstZone = 'Etc/GMT-14';
const firstOffsetMs = 14 * 3_600_000;
const spreadMs = 26 * 3_600_000;

export const zoneSpreadMs = ({ perRecipient }: ScheduleTiming): number => (perRecipient ? spreadMs : 0);

/** Returns the first slot after a moment, within starts_at and ends_at; null when there is none. */
export function slotAfter(timing: ScheduleTiming, after: number): number | null {
  const { cron, timezone, perRecipient, startsAt, endsAt } = timing;
  const from = startsAt === null ? after : Math.max(after, startsAt - zoneSpreadMs(timing) - 1);
  const slot = nextSlot({ cron, timezone: perRecipient ? firstZone : timezone }, from);
  return slot === null || (endsAt !== null && slot > endsAt) ? null : slot;
}

/** Returns the first slot with a run after a moment, for anyone. */
export function firstSlot(timing: ScheduleTiming, after: number): number | null {
  return slotAfter(timing, after - zoneSpreadMs(timing));
}

/** The local time of a slot per recipient: `2026-03-29T09:00`. */
export const localTimeOf = (slot: number): string =>
  new Date(slot + firstOffsetMs).toISOString().slice(0, 16);

/** Returns the moment of a slot for a recipient in this zone. */
export function momentIn(
  { perRecipient }: { perRecipient: boolean },
  slot: number,
  timezone: string,
): number {
  return perRecipient ? momentOf(timezone, slot + firstOffsetMs) : slot;
}

/** How long the first zone on Earth shows the local time of the schedule's zone before it. */
function leadMs({ perRecipient, timezone }: ScheduleTiming, at: number): number {
  return perRecipient ? firstOffsetMs - offsetAt(timezone, at) : 0;
}

/** Returns the next run after a moment in the zone of the schedule. */
function nextRun(timing: ScheduleTiming, after: number): number | null {
  return nextRuns(timing, after, 1)[0] ?? null;
}

/** Returns the next runs after a moment in the zone of the schedule. */
function nextRuns(timing: ScheduleTiming, after: number, count: number): number[] {
  const runs: number[] = [];
  const since = Math.max(after, (timing.startsAt ?? after) - 1);
  for (let slot = slotAfter(timing, since - leadMs(timing, since)); slot !== null && runs.length < count; ) {
    const at = momentIn(timing, slot, timing.timezone);
    if (timing.endsAt !== null && at > timing.endsAt) break;
    if (at > since && at !== runs.at(-1)) runs.push(at);
    slot = slotAfter(timing, slot);
  }
  return runs;
}

export function nextRunViews(timing: ScheduleTiming, after: number, count: number = scheduleLimits.nextRuns) {
  return nextRuns(timing, after, count).map((at) => ({
    at: new Date(at).toISOString(),
    local_time: localText(timing.timezone, at),
  }));
}

/** Parses the fields of a request; throws a Problem that names the field. */
export function timingOf(body: TimingBody, now: number): ScheduleTiming {
  const timezone = body.timezone ?? 'UTC';
  if (!isTimeZone(timezone))
    throw invalidParameter('timezone', 'timezone must be an IANA time zone name, such as Europe/Rome.');
  const timing: ScheduleTiming = {
    cron: cronOf(body),
    timezone,
    perRecipient: body.per_recipient_timezone ?? false,
    startsAt: body.starts_at ? Date.parse(body.starts_at) : null,
    endsAt: body.ends_at ? Date.parse(body.ends_at) : null,
  };
  if (timing.startsAt !== null && timing.endsAt !== null && timing.endsAt <= timing.startsAt)
    throw invalidParameter('ends_at', 'ends_at must be after starts_at.');
  if (nextRun({ ...timing, startsAt: null, endsAt: null }, now) === null)
    throw invalidParameter(
      'cron',
      `cron never fires: no date within ${searchedYears} years matches “${timing.cron}”.`,
    );
  if (nextRun(timing, now) === null) throw invalidParameter('ends_at', 'No run is left before ends_at.');
  return timing;
}

function cronOf({ cron, rule }: TimingBody): string {
  if (cron && rule) throw invalidParameter('rule', 'Set cron or rule, not both.');
  if (rule) return cronOfRule(rule);
  if (!cron) throw invalidParameter('cron', 'cron or rule is required.');
  const fields = cron.trim().split(/\s+/);
  if (fields.length === 6 || fields.length === 7)
    throw invalidParameter(
      'cron',
      'cron must have five fields: a schedule runs at most once a minute, so there is no field for seconds.',
    );
  if (fields.length !== 5)
    throw invalidParameter(
      'cron',
      'cron must have five fields: minute, hour, day of the month, month, day of the week.',
    );
  try {
    cronFields(fields.join(' '));
  } catch (error) {
    const reason = (error as Error).message.replace(/^CronPattern: /, '');
    throw invalidParameter('cron', `cron cannot be read: ${reason}.`);
  }
  return fields.join(' ');
}

function cronOfRule({ every, at, on, day }: ScheduleRule): string {
  if (on && every !== 'week') throw invalidParameter('rule.on', 'on needs every: week.');
  if (day && every !== 'month') throw invalidParameter('rule.day', 'day needs every: month.');
  const [hour, minute] = at.split(':').map(Number);
  switch (every) {
    case 'hour':
      return `${minute} * * * *`;
    case 'day':
      return `${minute} ${hour} * * *`;
    case 'week': {
      if (!on) throw invalidParameter('rule.on', 'A weekly rule needs the days in on.');
      const days = [...new Set(on)].map((name) => weekdays.indexOf(name)).sort((a, b) => a - b);
      return `${minute} ${hour} * * ${days.join(',')}`;
    }
    case 'month':
      return `${minute} ${hour} ${day ?? 'L'} * *`;
  }
}

type TimerTimes = Pick<TimerFields, 'next_slot' | 'next_run_at'>;

/** The times that are stored with a schedule when it is saved and when its timer is due. */
export function timerTimes(timing: ScheduleTiming, slot: number | null, now: number): TimerTimes {
  const run = slot !== null && timing.perRecipient ? nextRun(timing, now) : null;
  return {
    next_slot: slot === null ? null : new Date(slot),
    next_run_at: run === null ? null : new Date(run),
  };
}

/**
 * A timer is due at the next slot. Per recipient, a run in the zone of the schedule may pass before it, hours after its own slot
 * has begun: then the timer only moves next_run_at on.
 */
export function timerDueAt({ next_slot: slot, next_run_at: run }: TimerTimes): Date | null {
  return slot !== null && run !== null && run < slot ? run : slot;
}

/** Formats by time zone, from the IANA data of Node. */
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
const stepMs = 7 * 86_400_000;

/** Returns the first moment in (from, to] at which the clocks have been changed; null when there is none. */
function firstChange(timezone: string, from: number, to: number): number | null {
  const before = offsetAt(timezone, from);
  for (let low = from; low < to; low += stepMs) {
    let high = Math.min(low + stepMs, to);
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
