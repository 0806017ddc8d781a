import { emailSpellings, parseAddressKey } from '../../channels/address-key.ts';
import { parseEmailAddress } from '../../channels/email/address.ts';
import { type Pool, type Sql, transaction } from '../../db/sql.ts';
import { listTakenIds, type UserRow } from './store.ts';

/** Who is erased. */
export interface Person {
  environmentId: string;
  externalUserId: string;
  /** What they were reached under, in every form of it: sends that named only the address are theirs too. */
  addresses: string[];
  /** What they may have an inbox and preferences under, beside their id: email and phone, unless it is another user's id. */
  aliases: string[];
  /** Only what has a smaller id: what comes after the request is a new beginning. */
  before: string;
}

/**
 * Whoever keeps something about people erases it on request. The table erasers.ts names them all. Work is done in slices,
 * each in a transaction of its own, so that a long history neither holds locks nor is lost half-way.
 */
export interface Eraser {
  /** Erases one slice. Doing it twice has the effect of once. */
  erase(tx: Sql, person: Person, after: string | null): Promise<Slice>;
}

export interface Slice {
  /** Where to go on; null: nothing is left. */
  next: string | null;
  /** Something was in use (a message that is being sent) and was left for later. */
  skipped: boolean;
}

export const wholeSlice: Slice = { next: null, skipped: false };

/** True when everything is erased; false when something was skipped or the slices are used up. */
export async function erasePerson(
  pool: Pool,
  erasers: Eraser[],
  person: Person,
  maxSlices: number,
): Promise<boolean> {
  let left = maxSlices;
  let complete = true;
  for (const eraser of erasers) {
    let after: string | null = null;
    do {
      if (left === 0) return false;
      left -= 1;
      const from: string | null = after;
      const slice: Slice = await transaction(pool, (tx) => eraser.erase(tx, person, from));
      if (slice.skipped) complete = false;
      after = slice.next;
    } while (after !== null);
  }
  return complete;
}

/** `user`: what was stored for the person and is deleted already, so that whoever is found under an address is another. */
export async function findPerson(
  sql: Sql,
  environmentId: string,
  externalUserId: string,
  user: UserRow | null,
  before: string,
): Promise<Person> {
  const addresses = [externalUserId, user?.email, user?.phone, user?.chatone_user_id].flatMap((address) =>
    address ? spellingsOf(address) : [],
  );
  const aliases = await aliasesAmong(sql, environmentId, addresses);
  return { environmentId, externalUserId, addresses, aliases, before };
}

/** As the work of erasing notes them: earlier versions noted no aliases. */
export type NotedPerson = Omit<Person, 'aliases'> & Partial<Pick<Person, 'aliases'>>;

export async function readPerson(sql: Sql, noted: NotedPerson): Promise<Person> {
  const { environmentId, addresses } = noted;
  return { ...noted, aliases: noted.aliases ?? (await aliasesAmong(sql, environmentId, addresses)) };
}

async function aliasesAmong(sql: Sql, environmentId: string, addresses: string[]): Promise<string[]> {
  // A chatone id is none: applications name their users as they like, and U777A may be anybody.
  const candidates = addresses.filter((address) => 'key' in parseAddressKey(address));
  const taken = await listTakenIds(sql, environmentId, candidates.flatMap(spellingsOf));
  return candidates.filter((address) => !spellingsOf(address).some((id) => taken.has(id)));
}

/** Only email addresses have several. */
function spellingsOf(address: string): string[] {
  return 'problem' in parseEmailAddress(address) ? [address] : emailSpellings(address);
}
