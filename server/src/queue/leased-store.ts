import { type Sql, statement } from '../db/sql.ts';
import { type LowTags, makeReady, movedColumns, noLowTags } from './ready-sql.ts';

/** The SQL of leased work. Only the worker that holds a lease changes it; a rescue takes the leases of dead workers. */

const noteLeases = statement<{ id: string }>(
  'queue_begin',
  `update queue_leased l set note = i.note
   from json_to_recordset($1::json) as i (id uuid, note jsonb)
   where l.id = i.id and l.kind = $2 and l.worker_id = $3
   returning l.id`,
);

export async function updateNotes(
  sql: Sql,
  kind: number,
  notes: { id: string; note: unknown }[],
  workerId: string,
): Promise<string[]> {
  return (await noteLeases(sql, [JSON.stringify(notes), kind, workerId])).map((row) => row.id);
}

const addToLeases = statement<{ id: string }>(
  'queue_add_to_notes',
  `update queue_leased l set note = coalesce(l.note, '{}') || i.note
   from json_to_recordset($1::json) as i (id uuid, note jsonb)
   where l.id = i.id and l.kind = $2 and l.worker_id = $3
   returning l.id`,
);

/** The keys of a note that are not given stay. */
export async function addToNotes(
  sql: Sql,
  kind: number,
  notes: { id: string; note: object }[],
  workerId: string,
): Promise<string[]> {
  return (await addToLeases(sql, [JSON.stringify(notes), kind, workerId])).map((row) => row.id);
}

const finishLeases = statement<{ id: string }>(
  'queue_finish',
  'delete from queue_leased where kind = $1 and id = any ($2::uuid[]) and worker_id = $3 returning id',
);

export async function deleteLeases(
  sql: Sql,
  kind: number,
  ids: string[],
  workerId: string,
): Promise<string[]> {
  return (await finishLeases(sql, [kind, ids, workerId])).map((row) => row.id);
}

const releaseLeases = statement(
  'queue_release',
  makeReady(
    `
    delete from queue_leased where kind = $1 and id = any ($2::uuid[]) and worker_id = $3
    returning ${movedColumns}`,
    '$4',
  ),
);

/** Releases unfinished work to ready. The release counts as no attempt. */
export async function releaseToReady(
  sql: Sql,
  kind: number,
  ids: string[],
  workerId: string,
  lows: LowTags = noLowTags,
): Promise<void> {
  await releaseLeases(sql, [kind, ids, workerId, lows]);
}

const deferLeases = statement(
  'queue_defer',
  `with held as (
     delete from queue_leased where kind = $1 and id = any ($2::uuid[]) and worker_id = $3
     returning kind, id, lane, environment_id, note)
   insert into queue_later (kind, id, lane, environment_id, note, run_at)
   select kind, id, lane, environment_id, note, now() + make_interval(secs => $4) from held`,
);

/** Snoozes work whose handler threw. */
export async function releaseToLater(
  sql: Sql,
  kind: number,
  ids: string[],
  workerId: string,
  seconds: number,
): Promise<void> {
  await deferLeases(sql, [kind, ids, workerId, seconds]);
}

const findOldLeases = statement<{ kind: number; id: string }>(
  'queue_find_old_leases',
  `select kind, id from queue_leased where worker_id = $1 and leased_at < now() - make_interval(secs => $2)`,
);

/** Leases of a worker that are older than this. */
export function listLeasesBefore(
  sql: Sql,
  workerId: string,
  seconds: number,
): Promise<{ kind: number; id: string }[]> {
  return findOldLeases(sql, [workerId, seconds]);
}

const rescueLeases = statement<{ kind: number }>(
  'queue_rescue',
  `${makeReady(
    `
    delete from queue_leased where ctid = any (array(
      select l.ctid from queue_leased l
      where now() < $2 and not exists (select from workers w where w.id = l.worker_id and w.alive_until > now())
      limit $1 for update skip locked))
    returning ${movedColumns}`,
    '$3',
  )}
   returning kind`,
);

/**
 * Rescues the leases of workers without a heartbeat, unless the clock of the database is past `before`. Returns the kinds of the rescued
 * work.
 */
export async function rescue(
  sql: Sql,
  limit: number,
  before: number,
  lows: LowTags = noLowTags,
): Promise<number[]> {
  return (await rescueLeases(sql, [limit, new Date(before), lows])).map((row) => row.kind);
}
