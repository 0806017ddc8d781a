import type { Sql } from '../../../db/sql.ts';
import { firstId } from '../../../kernel/ids.ts';
import type { Person } from './erasure.ts';

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
