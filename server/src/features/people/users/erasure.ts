import { emailSpellings, parseAddressKey } from '../../../channels/address-key.ts';
import { parseEmailAddress } from '../../../channels/email/address.ts';
import { type Pool, type Sql, transaction } from '../../../db/sql.ts';
import { listTakenIds, type UserRow } from './store.ts';

/** The person to erase. */
export interface Person {
  environmentId: string;
  externalUserId: string;
  /** The person's addresses in every spelling: sends that named only the address belong to the person, too. */
  addresses: string[];
  /** Further keys of the person's inbox and preferences, besides the id: email and phone, unless they are another user's id. */
  aliases: string[];
  /** Only records with a smaller id are erased: anything after the request is a new beginning. */
  before: string;
}

/**
 * Erases what one feature stores about people. The table in erasers.ts lists all erasers. Erasure works in slices, each in its
 * own transaction, so that a long history does not hold locks, and an interruption does not lose progress.
 */
export interface Eraser {
  /** Erases one slice. Idempotent. */
  erase(tx: Sql, person: Person, after: string | null): Promise<Slice>;
}

export interface Slice {
  /** The position of the next slice; null when nothing is left. */
  next: string | null;
  /** True when something was in use (a message that is being sent) and was left for later. */
  skipped: boolean;
}

export const wholeSlice: Slice = { next: null, skipped: false };

/** Returns true when everything is erased; false when something was skipped or the slices are used up. */
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

/**
 * `user` is the stored record of the person, which is already deleted, so that a user found under an address is another person.
 */
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

/** The form stored in the erasure job: earlier versions stored no aliases. */
export type NotedPerson = Omit<Person, 'aliases'> & Partial<Pick<Person, 'aliases'>>;

export async function readPerson(sql: Sql, noted: NotedPerson): Promise<Person> {
  const { environmentId, addresses } = noted;
  return { ...noted, aliases: noted.aliases ?? (await aliasesAmong(sql, environmentId, addresses)) };
}

async function aliasesAmong(sql: Sql, environmentId: string, addresses: string[]): Promise<string[]> {
  // A chatone id is no alias: applications choose the ids of their users, and U777A may be another user.
  const candidates = addresses.filter((address) => 'key' in parseAddressKey(address));
  const taken = await listTakenIds(sql, environmentId, candidates.flatMap(spellingsOf));
  return candidates.filter((address) => !spellingsOf(address).some((id) => taken.has(id)));
}

/** Only email addresses have several spellings. */
function spellingsOf(address: string): string[] {
  return 'problem' in parseEmailAddress(address) ? [address] : emailSpellings(address);
}
