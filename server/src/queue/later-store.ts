import { type Sql, statement } from '../db/sql.ts';
import { type LowTags, makeReady, movedColumns, noLowTags } from './fairness.ts';
import { laneOf, lanes, type PostponedWork, rowOf, type WorkKind, type WorkRow, workKinds } from './work.ts';

/** The SQL of postponed work, of work that waits for a name besides its time, and of its withdrawal. */

const postponeRows = statement(
  'queue_postpone',
  `insert into queue_later (kind, id, lane, environment_id, note, run_at, waits_for, waits_since)
   select * from json_to_recordset($1::json)
     as (kind smallint, id uuid, lane smallint, environment_id uuid, note jsonb, run_at timestamptz, waits_for text,
       waits_since timestamptz)`,
);

/** `waits_for`: the name that the work waits for besides its time, `waits_since` then. */
export interface LaterRow extends WorkRow {
  run_at: string;
  waits_for?: string | null;
  waits_since?: string | null;
}

export function laterRowOf(work: PostponedWork): LaterRow {
  return {
    ...rowOf(work),
    run_at: work.runAt.toISOString(),
    waits_for: work.wait?.name ?? null,
    waits_since: work.wait?.since.toISOString() ?? null,
  };
}

export async function insertLater(sql: Sql, rows: LaterRow[]): Promise<void> {
  await postponeRows(sql, [JSON.stringify(rows)]);
}

const promoteDue = statement<{ kind: number }>(
  'queue_promote',
  `${makeReady(
    `
    delete from queue_later where ctid = any (array(
      select ctid from queue_later where run_at <= now() order by run_at limit $1 for update skip locked))
    returning ${movedColumns}`,
    '$2',
  )}
   returning kind`,
);

/** Moves due work from later to ready. Returns the number of rows. */
export async function promote(sql: Sql, limit: number, lows: LowTags = noLowTags): Promise<number> {
  return (await promoteDue(sql, [limit, lows])).length;
}

const runNowRows = statement<{ id: string }>(
  'queue_run_now',
  `${makeReady(
    `
    delete from queue_later where kind = $1 and id = any ($2::uuid[])
    returning ${movedColumns}`,
    '$3',
  )}
   returning id`,
);

/** Moves work from later to ready before its time. Returns the ids that were in later. */
export async function runNow(
  sql: Sql,
  kind: number,
  ids: string[],
  lows: LowTags = noLowTags,
): Promise<string[]> {
  return (await runNowRows(sql, [kind, ids, lows])).map((row) => row.id);
}

const findDue = statement<{ run_at: Date }>(
  'queue_find_due',
  'select run_at from queue_later where id = $1 and kind = $2',
);

export async function findRunAt(sql: Sql, kind: number, id: string): Promise<Date | null> {
  return (await findDue(sql, [id, kind]))[0]?.run_at ?? null;
}

/** Postponed work that waits for a name. */
export interface WaitingFor {
  environmentId: string;
  name: string;
  kind: number;
  /** Only what has waited since then or longer. */
  before: Date;
}

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
export async function wakeWaiting(sql: Sql, wait: WaitingFor, limit: number): Promise<number> {
  return (await wakeRows(sql, [wait.environmentId, wait.name, wait.kind, wait.before, limit, noLowTags]))
    .length;
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
 * Counts the work of an environment by the name it waits for, of names that begin with `prefix`: a word, a colon, and perhaps more. The
 * index is in the order of the database's collation, which may ignore the colon, so the scan is bounded by the word: in every collation,
 * the names that begin with `hold` are between `hold` and `hole`.
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

/** `run_at` is null for ready work. */
interface WaitingRow extends WorkRow {
  run_at: Date | null;
  waits_for: string | null;
  waits_since: Date | null;
}

const takeWaiting = statement<WaitingRow>(
  'queue_take_waiting',
  `with l as (
     delete from queue_later where id = $1 and kind = $2
     returning kind, id, lane, environment_id, note, run_at, waits_for, waits_since),
   r as (delete from queue_ready where id = $1 and kind = $2 returning kind, id, lane, environment_id, note)
   select * from l union all select *, null, null, null from r`,
);

/** Removes work that is not leased and returns it. Null when the work is leased or does not exist. */
export async function deleteWaiting(sql: Sql, kind: number, id: string): Promise<WaitingRow | null> {
  const take = async () => (await takeWaiting(sql, [id, kind]))[0] ?? null;
  // Work that becomes due while the statement waits for its lock moves from the table already read to the one read before: try twice.
  return (await take()) ?? (await take());
}

const takeParked = statement<WorkRow>(
  'queue_take_parked',
  'delete from queue_parked where id = $1 and kind = $2 returning kind, id, lane, environment_id, note',
);

async function deleteParked(sql: Sql, kind: number, id: string): Promise<WorkRow | null> {
  return (await takeParked(sql, [id, kind]))[0] ?? null;
}

/** Waiting work that was removed. `runAt` is null for work that was ready or parked. */
export type WithdrawnWork = Omit<PostponedWork, 'runAt'> & { runAt: Date | null };

/** Removes work that is not leased and returns it. Null when the work is leased or does not exist. */
export async function withdraw(sql: Sql, kind: WorkKind, id: string): Promise<WithdrawnWork | null> {
  const waiting = await deleteWaiting(sql, workKinds[kind], id);
  const row = waiting ?? (await deleteParked(sql, workKinds[kind], id));
  if (!row) return null;
  const { run_at: runAt, waits_for: name, waits_since: since } = waiting ?? notPostponed;
  return {
    ...{ kind, id, lane: laneOf(row.lane), environmentId: row.environment_id, note: row.note, runAt },
    wait: name !== null && since !== null ? { name, since } : null,
  };
}

const notPostponed = { run_at: null, waits_for: null, waits_since: null };

const takeManyWaiting = statement<{ id: string }>(
  'queue_take_many_waiting',
  `with ${['later', 'ready', 'parked']
    .map(
      (state) => `${state} as (
     delete from queue_${state} where ctid = any (array(
       select ctid from queue_${state} where id = any ($1::uuid[]) and kind = $2 order by id for update))
     returning id)`,
    )
    .join(', ')}
   select id from later union all select id from ready union all select id from parked`,
);

/** Removes work that is not leased. Returns the ids that were removed. Rows are locked by id, so two callers cannot deadlock. */
export async function deleteManyWaiting(sql: Sql, kind: number, ids: string[]): Promise<string[]> {
  const take = async (of: string[]) => (await takeManyWaiting(sql, [of, kind])).map(({ id }) => id);
  const taken = await take(ids);
  // Work may move between the tables while the statement waits for a lock: see `deleteWaiting`.
  const isTaken = new Set(taken);
  const left = ids.filter((id) => !isTaken.has(id));
  return left.length === 0 ? taken : [...taken, ...(await take(left))];
}
