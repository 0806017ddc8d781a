import { IANAZone } from 'luxon';

let last = { ms: 0, text: new Date(0).toISOString() };

/** The ISO form of a moment. The last one is kept, because formatting costs more than most of what happens in that millisecond. */
export function isoTime(ms: number): string {
  if (last.ms !== ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

/** Returns whether the name is in the IANA time zone database of this version of Node. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +02:00 are zones to some versions of Node and not to others; they have no daylight saving time either.
  return /^[A-Za-z]/.test(name) && IANAZone.isValidZone(name);
}
