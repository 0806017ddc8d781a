import { query } from '../../server/src/db/sql.ts';
import { lanes, workKinds } from '../../server/src/queue/index.ts';
import type { BenchDatabase } from './database.ts';
import { message } from './message.ts';
import { sentSince, until } from './seed.ts';
import { startService } from './service.ts';

const runs = 3_000;
const deadlineMs = 120_000;

/** Four steps a run, two of them sends: about as many notifications to deliver as steps that only decide. */
export const orderSteps = [
  { id: 'pick', kind: 'branch', branches: [{ when: 'trigger.total > 100', goto: 'thank' }], else: 'end' },
  { ...message, id: 'thank', kind: 'send' },
  { id: 'nap', kind: 'delay', duration: 'PT0.01S' },
  { ...message, id: 'remind', kind: 'send' },
];

/**
 * Steps a second of runs of `orderSteps` that wait to be begun, until every one has ended and all they sent is delivered; by the
 * times in their rows.
 */
export async function stepRate(
  database: BenchDatabase,
  environmentId: string,
  workflowId: string,
): Promise<number> {
  const { pool } = database;
  await seedRuns(database, environmentId, workflowId);
  const since = new Date();
  const read = async () => {
    const [row] = await query<{ steps: number; ended: number; seconds: number }>(
      pool,
      `select count(*)::int as steps, count(distinct run_id) filter (where step_id = 'remind')::int as ended,
         extract(epoch from greatest((select max(completed_at) from runs), (select max(sent_at) from notifications))
           - min(started_at))::float8 as seconds
       from run_steps where started_at >= $1`,
      [since],
    );
    return { ...row, sent: (await sentSince(pool, since)).count };
  };
  return withWorker(database, async () => {
    await until(async () => {
      const { ended, sent } = await read();
      return ended === runs && sent === runs * 2;
    }, deadlineMs);
    const { steps = 0, seconds = 0 } = await read();
    return steps / seconds;
  });
}

async function seedRuns({ pool }: BenchDatabase, environmentId: string, workflowId: string): Promise<void> {
  await query(
    pool,
    `with input as materialized (select uuidv7() as id, n from generate_series(1, $3::int) n),
     triggered as (
       insert into runs (id, environment_id, workflow_id, version, status, trigger_data)
       select id, $1, $2, 1, 'pending', '{"total": 120, "name": "Ada"}' from input)
     insert into queue_ready (id, kind, lane, tag, environment_id)
     select id, $4, $5, n, $1 from input`,
    [environmentId, workflowId, runs, workKinds.run, lanes.normal],
  );
  for (const table of ['runs', 'queue_ready', 'run_steps', 'notifications'])
    await query(pool, `vacuum analyze ${table}`);
  await query(pool, 'checkpoint');
}

export async function withWorker<Result>(
  database: BenchDatabase,
  work: () => Promise<Result>,
): Promise<Result> {
  const worker = await startService('worker.ts', database, { CARILLON_ROLES: 'worker' });
  try {
    return await work();
  } finally {
    await worker.stop();
  }
}
