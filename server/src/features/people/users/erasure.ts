import { emailSpellings, parseAddressKey } from '../../../channels/address-key.ts';
import { parseEmailAddress } from '../../../channels/email/address.ts';
import { type Pool, type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { firstId } from '../../../kernel/ids.ts';
import { type Job, runSlice } from '../../../queue/index.ts';
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

const slicesPerTurn = 400;
const againMs = 5_000;

/** Erases what was too much for the request, or was being sent while it ran. */
export function createErasureJob(
  deps: Pick<Deps, 'pool' | 'queue' | 'clock' | 'log'> & { erasers: Eraser[] },
): Job<Person> {
  const { pool, clock, log, erasers } = deps;
  return {
    batch: 4,
    capacity: 8,
    async load(claims) {
      return new Map(claims.map(({ id, note }) => [id, note as Person]));
    },
    async run(claim, person) {
      const done = !person || (await erasePerson(pool, erasers, person, slicesPerTurn));
      log.info({ environment_id: claim.environmentId, id: claim.id, done }, 'erasing a user');
      await runSlice(deps, claim, async () => ({ next: done ? null : new Date(clock() + againMs) }));
    },
  };
}

const sliceSize = 250;

/**
 * The beginning of a statement for `readPersonSlice`. Its `slice` has the ids of the next rows of a person: those that name the
 * user, and those that name one of the person's addresses and pass `isOfPerson`, which may use $3 (the addresses) and $4 (the
 * aliases). Rows keep the spelling of the sender.
 */
export function personSliceSql(table: 'notifications' | 'runs', isOfPerson: string): string {
  // Each address is read separately, in the order of its index, and only up to the end of this slice: every slice of a long
  // history reads its own part.
  return `with named as materialized (
     select id from ${table}
     where environment_id = $1 and external_user_id = $2 and id < $5 and id > $6 order by id limit $7
   ), addressed as (
     select found.id from (select distinct lower(theirs) as address from unnest($3::text[]) theirs) of_person
     cross join lateral (
       select id from ${table}
       where environment_id = $1 and lower(address) = of_person.address
         and ${isOfPerson}
         and id < $5 and id > $6 and id <= coalesce((select id from named order by id offset $7 - 1), $5)
       order by id limit $7) found
   ), slice as materialized (
     select id from named union select id from addressed order by id limit $7
   )`;
}

/** An address also serves as the id of a user or an inbox, in any case. */
export function isAliasSql(column: string, aliases: string): string {
  return `lower(${column}) = any (array(select lower(alias) from unnest(${aliases}::text[]) alias))`;
}

/** Reads the next rows of a person, and where the slice after them begins; null when nothing is left. */
export async function readPersonSlice<Row extends { id: string }>(
  tx: Sql,
  listRows: (tx: Sql, values: unknown[]) => Promise<Row[]>,
  { environmentId, externalUserId, addresses, aliases, before }: Person,
  after: string | null,
): Promise<{ rows: Row[]; next: string | null }> {
  const person = [environmentId, externalUserId, addresses, aliases, before];
  const rows = await listRows(tx, [...person, after ?? firstId, sliceSize]);
  return { rows, next: rows.length === sliceSize ? (rows.at(-1)?.id ?? null) : null };
}
