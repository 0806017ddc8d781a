import { type Sql, statement } from '../../../db/sql.ts';
import type { JsonObject } from '../../../engine/index.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { idTime, lowestIdAt } from '../../../kernel/ids.ts';
import { storableJson } from '../../../kernel/json.ts';
import type { Queue } from '../../../queue/index.ts';

/**
 * Runs that wait for an event, and the events. A wait is ended only under the lock of its row, and rows are locked in the order
 * of run ids: of an event, a timeout and a cancellation at the same instant, exactly one ends the wait, and there are no
 * deadlocks.
 */

/** The key of a wait, in hexadecimal: equal for a wait and for the events that match it. */
export function waitKeyOf(workflowId: string, eventName: string, matchKey: string): string {
  return sha256(JSON.stringify([workflowId, eventName, matchKey])).toString('hex');
}

const insertRows = statement(
  'runs_insert_waits',
  `insert into run_waits (run_id, wait_key)
   select run_id, decode(wait_key, 'hex') from json_to_recordset($1::json) as (run_id uuid, wait_key text)`,
);

export async function insertWaits(sql: Sql, waits: { run_id: string; wait_key: string }[]): Promise<void> {
  if (waits.length > 0) await insertRows(sql, [JSON.stringify(waits)]);
}

const lockRows = statement<{ run_id: string; event_id: string | null }>(
  'runs_lock_waits',
  'select run_id, event_id from run_waits where run_id = any ($1::uuid[]) order by run_id for update',
);

/** Run → the event that has claimed its wait, or null. */
export async function lockWaits(sql: Sql, runIds: string[]): Promise<Map<string, string | null>> {
  return new Map((await lockRows(sql, [runIds])).map((row) => [row.run_id, row.event_id]));
}

const deleteRows = statement('runs_delete_waits', 'delete from run_waits where run_id = any ($1::uuid[])');

export async function deleteWaits(sql: Sql, runIds: string[]): Promise<void> {
  if (runIds.length > 0) await deleteRows(sql, [runIds]);
}

const lockOpenRows = statement<{ run_id: string }>(
  'runs_lock_open_waits',
  `select run_id from run_waits where wait_key = any ($1::bytea[]) and event_id is null order by run_id for update`,
);

/** A separate statement: a million runs may wait under one key, and only one of them is meant. */
const lockOpenRow = statement<{ run_id: string }>(
  'runs_lock_open_wait',
  `select run_id from run_waits where run_id = $2 and wait_key = any ($1::bytea[]) and event_id is null for update`,
);

/** Locks the waits that an event with these keys ends: all of them, or only that of the given run. */
export async function lockOpenWaits(sql: Sql, waitKeys: string[], runId: string | null): Promise<string[]> {
  const keys = waitKeys.map((key) => Buffer.from(key, 'hex'));
  const rows = runId === null ? await lockOpenRows(sql, [keys]) : await lockOpenRow(sql, [keys, runId]);
  return rows.map((row) => row.run_id);
}

const claimRows = statement(
  'runs_claim_waits',
  `update run_waits w set event_id = i.event_id
   from unnest($1::uuid[], $2::uuid[]) as i (run_id, event_id) where w.run_id = i.run_id`,
);

/** The caller has locked or just inserted the waits. */
export async function claimWaits(sql: Sql, claims: { runId: string; eventId: string }[]): Promise<void> {
  if (claims.length === 0) return;
  await claimRows(sql, [claims.map(({ runId }) => runId), claims.map(({ eventId }) => eventId)]);
}

const insertEventRow = statement(
  'runs_insert_event',
  `with event as (insert into workflow_events (id, run_id, name, data, environment_id) values ($1, $2, $3, $4, $6))
   insert into workflow_event_keys (wait_key, event_id) select decode(key, 'hex'), $1 from unnest($5::text[]) as key`,
);

export interface NewEvent {
  id: string;
  environmentId: string;
  /** Set when the event was posted to this run alone. */
  runId: string | null;
  name: string;
  data: JsonObject;
  /** Keys under which a run that begins to wait later may find the event. */
  lookbackKeys: string[];
}

export async function insertEvent(sql: Sql, event: NewEvent): Promise<void> {
  const { id, environmentId, runId, name, data, lookbackKeys } = event;
  await insertEventRow(sql, [id, runId, name, storableJson(data), lookbackKeys, environmentId]);
}

const deleteSpentRows = statement(
  'runs_delete_spent_events',
  `delete from workflow_events e where id = any ($1::uuid[])
     and not exists (select from workflow_event_keys k where k.event_id = e.id)
     and not exists (select from run_waits w where w.event_id = e.id)`,
);

/**
 * Deletes the events that ended the waits just removed, unless a lookback may find them or another run still has to receive
 * them. When two transactions remove the last waits at once, neither sees that it is the last: housekeeping deletes those
 * events.
 */
export async function deleteSpentEvents(sql: Sql, eventIds: string[]): Promise<void> {
  if (eventIds.length > 0) await deleteSpentRows(sql, [eventIds]);
}

const lockKeyRows = statement(
  'runs_lock_wait_keys',
  'select pg_advisory_xact_lock(key) from unnest($1::bigint[]) as key',
);
const shareKeyRows = statement(
  'runs_share_wait_keys',
  'select pg_advisory_xact_lock_shared(key) from unnest($1::bigint[]) as key',
);

/**
 * Orders an event and a run that begins to wait with `lookback`: the second of the two sees what the first has committed.
 * Without this lock, each could read before the other writes, and the run would miss the event. Both take it before any row
 * lock.
 */
export async function lockWaitKeys(sql: Sql, by: 'event' | 'wait', waitKeys: string[]): Promise<void> {
  if (waitKeys.length === 0) return;
  const numbers = [...new Set(waitKeys.map((key) => BigInt.asIntN(64, BigInt(`0x${key.slice(0, 16)}`))))];
  numbers.sort((a, b) => (a < b ? -1 : 1)); // one locking order for all: no deadlocks
  await (by === 'event' ? lockKeyRows : shareKeyRows)(sql, [numbers.map(String)]);
}

/**
 * How far back runs look, and how much longer events are kept: an event that a run has just found must not be deleted under it.
 */
export const lookbackDays = 7;
export const spareDays = 1;

/**
 * The time in an id comes from the clock of the process that made it. It only limits where the index scan begins, so that a run
 * does not read a week of events under a busy key; an hour is more than the clocks differ.
 */
const clocksApartMs = 3_600_000;

const findPast = statement<{ run_id: string; event_id: string }>(
  'runs_find_past_events',
  `select i.run_id, past.event_id
   from json_to_recordset($1::json) as i (run_id uuid, wait_key text, lowest_id uuid)
   join runs r on r.id = i.run_id
   cross join lateral (
     select k.event_id from workflow_event_keys k join workflow_events e on e.id = k.event_id
     where k.wait_key = decode(i.wait_key, 'hex') and k.event_id >= i.lowest_id and e.id >= i.lowest_id
       and e.arrived_at >= greatest(r.triggered_at, now() - make_interval(days => ${lookbackDays}))
       and (e.run_id is null or e.run_id = i.run_id)
       and not exists (select from run_steps s where s.run_id = i.run_id and s.event_id = e.id)
     order by k.event_id limit 1
   ) past`,
);

/** Returns the first event since its trigger that each run has not received yet. */
export async function listPastEvents(
  sql: Sql,
  waits: { run_id: string; wait_key: string }[],
): Promise<{ runId: string; eventId: string }[]> {
  if (waits.length === 0) return [];
  const rows = waits.map(({ run_id, wait_key }) => {
    return { run_id, wait_key, lowest_id: lowestIdAt(idTime(run_id) - clocksApartMs) };
  });
  return (await findPast(sql, [JSON.stringify(rows)])).map((row) => ({
    runId: row.run_id,
    eventId: row.event_id,
  }));
}

const removeOld = statement(
  'runs_remove_old_events',
  `delete from workflow_events where id = any (array(
     select id from workflow_events e where id < $1::uuid
       and not exists (select from run_waits w where w.event_id = e.id)
     order by id limit $2))
   returning 1 as one`,
);

export async function deleteEventsBefore(sql: Sql, lowestId: string, limit: number): Promise<number> {
  return (await removeOld(sql, [lowestId, limit])).length;
}

// Runs that wait for one of their notifications to be sent or delivered.

const insertSendRows = statement(
  'runs_insert_sends',
  `insert into run_sends (notification_id, run_id, wait_for)
   select notification_id, run_id, wait_for
   from json_to_recordset($1::json) as (notification_id uuid, run_id uuid, wait_for text)`,
);

export async function insertSends(
  sql: Sql,
  sends: { notification_id: string; run_id: string; wait_for: string }[],
): Promise<void> {
  if (sends.length > 0) await insertSendRows(sql, [JSON.stringify(sends)]);
}

const deleteSendRows = statement(
  'runs_delete_sends',
  'delete from run_sends where run_id = any ($1::uuid[])',
);

export async function deleteSends(sql: Sql, runIds: string[]): Promise<void> {
  if (runIds.length > 0) await deleteSendRows(sql, [runIds]);
}

const lockSendRows = statement<{ run_id: string; moves: number }>(
  'runs_lock_sends',
  'select run_id, moves from run_sends where run_id = any ($1::uuid[]) order by notification_id for update',
);

export async function lockSends(sql: Sql, runIds: string[]): Promise<Map<string, number>> {
  return new Map((await lockSendRows(sql, [runIds])).map((row) => [row.run_id, row.moves]));
}

const moveRows = statement<{ run_id: string }>(
  'runs_move_sends',
  `update run_sends s set moves = moves + 1
   from (
     select s.notification_id from run_sends s
     join unnest($1::uuid[], $2::text[]) as i (notification_id, status) on i.notification_id = s.notification_id
     where s.wait_for = 'sent' or i.status <> 'sent'
     order by 1 for update of s
   ) as moved
   where s.notification_id = moved.notification_id
   returning s.run_id`,
);

/**
 * Wakes the runs that wait for these notifications to have their current status. Call this in the transaction that changed the
 * status, before it records events: every writer locks the fairness tags of the queue in that order. Ring `run` after the
 * commit when it returns true. For notifications that no run waits for, the cost is one lookup in an empty table.
 */
export async function wakeRunsOf(
  tx: Sql,
  queue: Pick<Queue, 'runNow'>,
  notifications: readonly { id: string; status: string | null }[],
): Promise<boolean> {
  const moved = notifications.filter(({ status }) => status !== null && status !== 'queued');
  if (moved.length === 0) return false;
  const rows = await moveRows(tx, [moved.map(({ id }) => id), moved.map(({ status }) => status)]);
  if (rows.length === 0) return false;
  await queue.runNow(
    tx,
    'run',
    rows.map((row) => row.run_id),
  );
  return true;
}

const findSendingRunOf = statement<{ run_id: string; chain: string }>(
  'runs_find_sending_run',
  `select split_part(idempotency_key, ':', 2)::uuid as run_id, chain from notifications
   where id = $1 and environment_id = $2 and chain is not null and idempotency_key is not null`,
);

/** Returns the run that sent a notification; null when none did. A run writes its id into the key of the send (`originOf`). */
export async function findSendingRun(
  sql: Sql,
  environmentId: string,
  notificationId: string,
): Promise<{ run_id: string; chain: string } | null> {
  return (await findSendingRunOf(sql, [notificationId, environmentId]))[0] ?? null;
}

/** Shown as the idempotency key of the notification. */
export function originOf(runId: string, attemptId: string): string {
  return `run:${runId}:${attemptId}`.slice(0, 255);
}
