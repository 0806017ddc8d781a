import { cronFields, nextMatch } from './cron.ts';
import { firstChange, offsetAt } from './zone-clock.ts';

/** When a schedule runs: a cron expression on the clocks of a time zone. */
export interface Timing {
  cron: string;
  timezone: string;
}

/**
 * Returns the first run strictly after a moment; null when there is none within `searchedYears`.
 *
 * Where the clocks change, there are two rules, as in Vixie cron. An expression that names hours (`30 2 * * *`) runs once for
 * each time that it names: after the gap when the clocks skip that time, and the first time when they show it twice. An
 * expression whose hour begins with `*` runs whenever the clocks show a matching time, so that its intervals stay even.
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
