import { type Pool, type Sql, statement } from '../db/sql.ts';

/** The SQL of workers: one row per process, renewed by its heartbeats. */

const breathe = statement<{ now: Date }>(
  'queue_heartbeat',
  `insert into workers (id, alive_until) values ($1, now() + make_interval(secs => $2))
   on conflict (id) do update set alive_until = excluded.alive_until
   returning now()`,
);

/** Returns the time of the heartbeat by the clock of the database. */
export async function heartbeat(sql: Sql, workerId: string, seconds: number): Promise<number> {
  const [row] = await breathe(sql, [workerId, seconds]);
  if (!row) throw new Error('failed to write a heartbeat');
  return row.now.getTime();
}

const removeWorker = statement('queue_remove_worker', 'delete from workers where id = $1');

export async function deleteWorker(sql: Sql, workerId: string): Promise<void> {
  await removeWorker(sql, [workerId]);
}

const removeDeadWorkers = statement(
  'queue_remove_dead_workers',
  `delete from workers w where alive_until < now() - interval '1 hour'
   and not exists (select from queue_leased l where l.worker_id = w.id)`,
);

export async function tidyWorkers({ pool }: { pool: Pool }): Promise<void> {
  await removeDeadWorkers(pool);
}
