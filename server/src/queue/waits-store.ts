import { type Sql, statement } from '../db/sql.ts';
import { makeReady, movedColumns, noLowTags } from './ready-sql.ts';
import { lanes } from './work.ts';

/** The SQL of postponed work that waits for a name besides its time. */

const wakeRows = statement<{ id: string }>(
  'queue_wake',
  `${makeReady(
    `
    delete from queue_later where ctid = any (array(
      select ctid from queue_later
      where environment_id = $1 and waits_for = $2 and kind = $3 and waits_since < $4
      order by lane limit $5 for update skip locked))
    returning ${movedColumns}`,
    '$6',
  )}
   returning id`,
);

/** Moves work that waits for `name` since before a time from later to ready, faster lanes first. Returns the number of rows. */
export async function wakeWaiting(
  sql: Sql,
  wait: { environmentId: string; name: string; kind: number; before: Date },
  limit: number,
): Promise<number> {
  return (await wakeRows(sql, [wait.environmentId, wait.name, wait.kind, wait.before, limit, noLowTags]))
    .length;
}

/** Postponed work that waits for a name. */
export interface WaitingFor {
  environmentId: string;
  name: string;
  kind: number;
  /** Only what has waited since then or longer. */
  before: Date;
}

const releaseRows = statement<{ id: string }>(
  'queue_release_waiting',
  `${makeReady(
    `
    delete from queue_later where ctid = any (array(
      select ctid from queue_later
      where environment_id = $1 and waits_for = $2 and kind = $3 and waits_since <= $4
      order by lane, waits_since, id limit $5 for update skip locked))
    returning kind, id, case when lane = ${lanes.critical} then lane else ${lanes.bulk}::smallint end as lane, environment_id,
      coalesce(note, '{}') || $7::jsonb as note, null::bigint as tag`,
    '$6',
  )}
   returning id`,
);

/**
 * Moves work that waits for a name to ready, the oldest first, with an addition to its note. Backlogs go to the bulk lane, where they
 * delay nothing else. Returns the number of rows.
 */
export async function releaseWaiting(
  sql: Sql,
  wait: WaitingFor,
  limit: number,
  addedNote: object,
): Promise<number> {
  const { environmentId, name, kind, before } = wait;
  const note = JSON.stringify(addedNote);
  return (await releaseRows(sql, [environmentId, name, kind, before, limit, noLowTags, note])).length;
}

/** How much work waits for a name. */
export interface WaitingCount {
  name: string;
  /** At most the limit of the count. */
  count: number;
  oldest_at: Date;
}

const countNames = statement<WaitingCount>(
  'queue_count_waiting_for',
  // One index step for each name between the words, then at most the limit of index entries.
  `with recursive names as (
     (select waits_for as name from queue_later where environment_id = $1 and waits_for >= $5 and waits_for < $6
      order by waits_for limit 1)
     union all
     select (select l.waits_for from queue_later l
       where l.environment_id = $1 and l.waits_for > n.name and l.waits_for < $6 order by l.waits_for limit 1)
     from names n where n.name is not null
   )
   select name, waiting.count, waiting.oldest_at from names cross join lateral (
     select count(*)::int as count, min(waits_since) as oldest_at from (
       select waits_since from queue_later where environment_id = $1 and waits_for = name and kind = $2 limit $4) first) waiting
   where starts_with(name, $3) and waiting.count > 0`,
);

/**
 * Counts the work of an environment by the name it waits for, of the names that begin with `prefix`: a word, a colon, and more or
 * nothing. Names are in the order of the database's collation, which may ignore punctuation and know no character after all others. But
 * in each collation, those that begin with `hold` are between this word and `hole`.
 */
export function countWaitingFor(
  sql: Sql,
  environmentId: string,
  kind: number,
  prefix: string,
  limit: number,
): Promise<WaitingCount[]> {
  const [word = ''] = prefix.split(':', 1);
  const nextWord = word.slice(0, -1) + String.fromCharCode(word.charCodeAt(word.length - 1) + 1);
  return countNames(sql, [environmentId, kind, prefix, limit, word, nextWord]);
}

/** Work that waits for `name`. */
export interface NamedWait {
  name: string;
  id: string;
  note: unknown;
}

const listWaiting = statement<NamedWait>(
  'queue_list_waiting_for',
  `select given.name, l.id, l.note from unnest($2::text[]) as given (name) cross join lateral (
     select lane, waits_since, id, note from queue_later
     where environment_id = $1 and waits_for = given.name and kind = $3
     order by lane, waits_since, id limit $4) l
   order by given.name, l.lane, l.waits_since, l.id`,
);

/** The oldest work that waits for each of the names, `limit` at most for each. */
export function listWaitingFor(
  sql: Sql,
  { environmentId, kind, names }: { environmentId: string; kind: number; names: string[] },
  limit: number,
): Promise<NamedWait[]> {
  return listWaiting(sql, [environmentId, names, kind, limit]);
}
