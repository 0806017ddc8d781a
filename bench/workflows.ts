// Steps/s of workflow runs against bare sends/s; what an event costs with a million runs waiting; how fast many are woken.
import { readFileSync } from 'node:fs';
import { query } from '../server/src/db/sql.ts';
import { matchKeyOf } from '../server/src/engine/index.ts';
import { waitKeyOf } from '../server/src/features/workflows/runs/waits-store.ts';
import { callApi, defineWorkflow } from './harness/api.ts';
import { startDatabase } from './harness/database.ts';
import { createReport, median } from './harness/report.ts';
import { seedQueued, sentSince, until } from './harness/seed.ts';
import { type Service, startService } from './harness/service.ts';
import { orderSteps, stepRate, withWorker } from './harness/step-rate.ts';

const rounds = 3;
const sends = 6_000;
const waitingSteps = [
  {
    id: 'wait',
    kind: 'wait_for_event',
    event: 'paid',
    match: { order_id: '{{ trigger.order_id }}' },
    timeout: '30d',
  },
];
const few = 1_000;
const many = Number(process.env.BENCH_WAITING ?? 1_000_000);
const crowd = 10_000;
const posts = 200;
const deadlineMs = 120_000;
/** Where waiting runs are. */
const tables = ['runs', 'run_steps', 'run_waits', 'queue_later'];

const report = createReport('workflows');
const database = await startDatabase();
const { pool } = database;
let service: Service | undefined;
try {
  service = await startService('worker.ts', database, { CARILLON_ROLES: 'api' });
  const environmentId = (await call<{ environment_id: string }>('GET', '/me')).environment_id;
  const order = await defineWorkflow(service.url, 'order', orderSteps);

  const bare: number[] = [];
  const stepped: number[] = [];
  await sendRate(environmentId);
  await stepRate(database, environmentId, order);
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await sendRate(environmentId));
    stepped.push(await stepRate(database, environmentId, order));
  }
  const sendsPerSecond = report.rounds('bare sends', bare, 'notifications/s');
  const stepsPerSecond = report.rounds('steps of runs', stepped, 'steps/s');

  const waiting = await defineWorkflow(service.url, 'waiting', waitingSteps);
  await seedWaiting(environmentId, waiting, 0, few);
  await postTimes(0, 20); // warm
  const withFew = await postTimes(20, posts);
  const [sizeBefore, rowsBefore] = [await sizeOfTables(), await sizeOfRows()];
  await seedWaiting(environmentId, waiting, few, many);
  const [sizeAfter, rowsAfter] = [await sizeOfTables(), await sizeOfRows()];
  const withMany = await postTimes(few, posts);
  report.line(
    `\npost with ${few} waiting: ${withFew.toFixed(2)} ms, with ${many}: ${withMany.toFixed(2)} ms`,
  );
  report.goal('event among a million / a thousand', withMany / withFew, { op: '<=', figure: 2 });
  const beyond = (sizeAfter - sizeBefore - (rowsAfter - rowsBefore)) / (many - few);
  report.goal('bytes of a waiting run beyond its row', beyond, { op: '<=', figure: 1_024 });

  const worker = await startService('worker.ts', database, { CARILLON_ROLES: 'worker' });
  try {
    report.goal('processor while they wait', await idleShare(worker), { op: '<=', figure: 0.02 });
    await seedWaiting(environmentId, waiting, many, many + crowd, 'crowd');
    const began = Date.now();
    const { awoken_run_count: woken } = await post('crowd');
    if (woken !== crowd) throw new Error(`${woken} were woken`);
    const answered = Date.now() - began;
    await until(async () => (await completed(waiting)) >= crowd, deadlineMs);
    const [row] = await query<{ at: Date }>(pool, 'select max(completed_at) as at from runs');
    report.line(`\n${crowd} runs were woken in ${answered} ms`);
    report.goal('seconds until they are done', ((row?.at.getTime() ?? 0) - began) / 1_000, {
      op: '<=',
      figure: 5,
    });
  } finally {
    await worker.stop();
  }
  report.close(stepsPerSecond / sendsPerSecond, { op: '>=', figure: 0.4 });
} finally {
  await service?.stop();
  await database.stop();
}

function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  return callApi(service?.url ?? '', method, path, body);
}

/** Sends that wait, drained by a worker. */
async function sendRate(environmentId: string): Promise<number> {
  await seedQueued(pool, [environmentId], sends, 'normal');
  const since = new Date();
  return withWorker(database, async () => {
    await until(async () => (await sentSince(pool, since)).count === sends, deadlineMs);
    return (await sentSince(pool, since)).perSecond;
  });
}

/** Runs that wait, as the service writes them: one is made by it, the others after its image. */
async function seedWaiting(
  environmentId: string,
  workflow: string,
  from: number,
  to: number,
  orderId?: string,
): Promise<void> {
  const { run_id: model } = await call<{ run_id: string }>('POST', '/workflows/waiting/trigger', {
    trigger_data: { order_id: 'model' },
  });
  await withWorker(database, () =>
    until(async () => {
      const [row] = await query<{ status: string }>(pool, 'select status from runs where id = $1', [model]);
      return row?.status === 'waiting';
    }, deadlineMs),
  );
  const slice = 20_000;
  for (let done = from; done < to; done += slice) {
    const orders = Array.from(
      { length: Math.min(slice, to - done) },
      (_, index) => orderId ?? `order-${done + index}`,
    );
    const matches = orders.map((order) => matchKeyOf(['order_id'], { order_id: order }) ?? '');
    await query(
      pool,
      `with input as materialized (
         select uuidv7() as id, o.* from unnest($4::text[], $5::text[], $6::bytea[]) as o (order_id, match_key, wait_key)
       ), model as materialized (select * from runs where id = $1),
       lives as (
         insert into runs (id, environment_id, workflow_id, version, status, current_step_id, trigger_data, state)
         select i.id, $2, $3, 1, 'waiting', m.current_step_id, json_build_object('order_id', i.order_id),
           jsonb_set(m.state::jsonb, '{pending,matchKey}', to_jsonb(i.match_key))::json
         from input i, model m),
       timeline as (
         insert into run_steps (run_id, seq, step_id, kind, attempt_id, status, next_scheduled_at, started_at)
         select i.id, s.seq, s.step_id, s.kind, s.attempt_id, s.status, s.next_scheduled_at, s.started_at
         from input i, run_steps s where s.run_id = $1),
       waits as (insert into run_waits (run_id, wait_key) select id, wait_key from input)
       insert into queue_later (id, kind, lane, environment_id, run_at)
       select i.id, q.kind, q.lane, $2, q.run_at from input i, queue_later q where q.id = $1`,
      [
        model,
        environmentId,
        workflow,
        orders,
        matches,
        matches.map((match) => Buffer.from(waitKeyOf(workflow, 'paid', match), 'hex')),
      ],
    );
  }
  for (const table of tables) await query(pool, `vacuum analyze ${table}`);
  await query(pool, 'checkpoint');
}

function post(orderId: string): Promise<{ awoken_run_count: number }> {
  return call('POST', '/workflows/waiting/events', { event_name: 'paid', event_data: { order_id: orderId } });
}

/** The median of single posts, each of which wakes exactly one run. Nobody works on them meanwhile. */
async function postTimes(from: number, count: number): Promise<number> {
  const times: number[] = [];
  for (let number = from; number < from + count; number += 1) {
    const began = performance.now();
    const { awoken_run_count: woken } = await post(`order-${number}`);
    times.push(performance.now() - began);
    if (woken !== 1) throw new Error(`order-${number} woke ${woken} runs`);
  }
  return median(times);
}

async function sizeOfTables(): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    pool,
    `select sum(pg_total_relation_size(name::regclass))::float8 as bytes from unnest($1::text[]) as name`,
    [tables],
  );
  return row?.bytes ?? 0;
}

/** What the runs themselves hold: their rows and their timelines. */
async function sizeOfRows(): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    pool,
    `select ((select sum(pg_column_size(r.*)) from runs r) + (select sum(pg_column_size(s.*)) from run_steps s))::float8 as bytes`,
  );
  return row?.bytes ?? 0;
}

/** The share of one processor that the worker uses while nothing is due. */
async function idleShare({ process: child }: Service): Promise<number> {
  const ticksPerSecond = 100;
  const ticks = (): number => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  await new Promise((resolve) => setTimeout(resolve, 3_000)); // what the last posts have woken is done by now
  const [before, began] = [ticks(), Date.now()];
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  return (ticks() - before) / ticksPerSecond / ((Date.now() - began) / 1_000);
}

async function completed(workflow: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    pool,
    `select count(*)::int from runs where workflow_id = $1 and status = 'completed' and trigger_data ->> 'order_id' = 'crowd'`,
    [workflow],
  );
  return row?.count ?? 0;
}
