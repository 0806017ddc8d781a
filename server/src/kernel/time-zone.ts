import { IANAZone } from 'luxon';

/** Is it a name of the IANA time zone database that this version of Node knows? */
export function isTimeZone(name: string): boolean {
  // Offsets such as +02:00 are zones to some versions of Node and not to others; they know no summer time either.
  return /^[A-Za-z]/.test(name) && IANAZone.isValidZone(name);
}
