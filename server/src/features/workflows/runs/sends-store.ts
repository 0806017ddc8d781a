import { type Sql, statement } from '../../../db/sql.ts';
import type { Queue } from '../../../queue/index.ts';

/** Runs that wait for one of their notifications to be sent or delivered. */

const insertRows = statement(
  'runs_insert_sends',
  `insert into run_sends (notification_id, run_id, wait_for)
   select notification_id, run_id, wait_for
   from json_to_recordset($1::json) as (notification_id uuid, run_id uuid, wait_for text)`,
);

export async function insertSends(
  sql: Sql,
  sends: { notification_id: string; run_id: string; wait_for: string }[],
): Promise<void> {
  if (sends.length > 0) await insertRows(sql, [JSON.stringify(sends)]);
}

const deleteRows = statement('runs_delete_sends', 'delete from run_sends where run_id = any ($1::uuid[])');

export async function deleteSends(sql: Sql, runIds: string[]): Promise<void> {
  if (runIds.length > 0) await deleteRows(sql, [runIds]);
}

const lockRows = statement<{ run_id: string; moves: number }>(
  'runs_lock_sends',
  'select run_id, moves from run_sends where run_id = any ($1::uuid[]) order by notification_id for update',
);

export async function lockSends(sql: Sql, runIds: string[]): Promise<Map<string, number>> {
  return new Map((await lockRows(sql, [runIds])).map((row) => [row.run_id, row.moves]));
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

const findSenderOf = statement<{ run_id: string; chain: string }>(
  'runs_find_sender',
  `select split_part(idempotency_key, ':', 2)::uuid as run_id, chain from notifications
   where id = $1 and environment_id = $2 and chain is not null and idempotency_key is not null`,
);

/** Returns the run that sent a notification; null when none did. A run writes its id into the key of the send (`originOf`). */
export async function findSender(
  sql: Sql,
  environmentId: string,
  notificationId: string,
): Promise<{ run_id: string; chain: string } | null> {
  return (await findSenderOf(sql, [notificationId, environmentId]))[0] ?? null;
}

/** Shown as the idempotency key of the notification. */
export function originOf(runId: string, attemptId: string): string {
  return `run:${runId}:${attemptId}`.slice(0, 255);
}
