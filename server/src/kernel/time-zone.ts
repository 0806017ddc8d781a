import { IANAZone } from 'luxon';

/** Returns whether the name is in the IANA time zone database of this version of Node. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +02:00 are zones to some versions of Node and not to others; they have no daylight saving time either.
  return /^[A-Za-z]/.test(name) && IANAZone.isValidZone(name);
}
