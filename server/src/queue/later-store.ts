import { type Sql, statement } from '../db/sql.ts';
import { type LowTags, makeReady, movedColumns, noLowTags } from './ready-sql.ts';
import type { WorkRow } from './work.ts';

/** The SQL of postponed work. */

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
  'queue_hasten',
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
