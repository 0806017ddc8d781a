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
