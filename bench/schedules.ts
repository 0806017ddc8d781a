// Slots of schedules against luxon in all time zones over two years; what a million schedules cost while they wait.
import { readFileSync } from 'node:fs';
import { query } from '../server/src/db/sql.ts';
import { lanes, workKinds } from '../server/src/queue/index.ts';
import { slotMismatch } from '../server/test/harness/slot-oracle.ts';
import { startDatabase } from './harness/database.ts';
import { createReport, median } from './harness/report.ts';
import { type Service, startService, testKey } from './harness/service.ts';

const many = Number(process.env.BENCH_SCHEDULES ?? 1_000_000);
const few = 1_000;
const fired = 20;
const dayMs = 86_400_000;

const report = createReport('schedules');

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];
const from = Date.parse('2026-01-01T00:00:00Z');
/** The hours of a weekday, too: where the clocks go back at midnight, they show the last hour of a Thursday or a Saturday again. */
const timings = [
  ...[null, 0, 1, 2, 3, 12].flatMap((hour) => [0, 30].map((minute) => ({ hour, minute, weekday: null }))),
  ...[4, 6].map((weekday) => ({ hour: null, minute: 30, weekday })),
];
let compared = 0;
const differences: string[] = [];
for (const zone of zones)
  for (const timing of timings) {
    const found = slotMismatch({ zone, ...timing }, from, from + 2 * 366 * dayMs);
    if (found) differences.push(found);
    compared += 1;
  }
for (const difference of differences.slice(0, 10)) report.line(difference);
report.line(`${zones.length} zones, ${compared} expressions around every change of two years`);
report.goal('differences from luxon', differences.length, { op: '=', figure: 0 });

const database = await startDatabase();
const { pool } = database;
let service: Service | undefined;
try {
  service = await startService('worker.ts', database, { CARILLON_ROLES: 'api,worker' });
  await call('POST', '/workflows', { key: 'plain', name: 'Plain' });
  await call('POST', '/workflows/plain/versions', { body: { steps: [{ id: 'only', kind: 'noop' }] } });
  await call('POST', '/workflows/plain/versions/1/activate');
  await call('POST', '/schedules', {
    key: 'model',
    name: 'Model',
    cron: '0 0 1 1 *',
    target: { kind: 'workflow', workflow_key: 'plain' },
  });
  await seed(0, few);
  const [idleFew, firedFew] = [await idleShare(service), await firingTime(0)];
  await seed(few, many);
  const [idleMany, firedMany] = [await idleShare(service), await firingTime(few)];
  report.line(
    `a slot begins within ${firedFew.toFixed(0)} ms of ${few}, within ${firedMany.toFixed(0)} ms of ${many}`,
  );
  report.line(`the process uses ${idleFew.toFixed(3)} of a processor with ${few} waiting`);
  report.goal(`processor with ${many} waiting`, idleMany, { op: '<=', figure: 0.03 });
  report.close(firedMany / firedFew, { op: '<=', figure: 1.5 });
} finally {
  await service?.stop();
  await database.stop();
}

async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${service?.url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Copies of the model, with their timers. */
async function seed(begin: number, end: number): Promise<void> {
  const slice = 50_000;
  for (let done = begin; done < end; done += slice)
    await query(
      pool,
      `with copies as (
         insert into schedules (id, environment_id, key, name, target, cron, timezone, per_recipient_timezone, missed_runs,
           status, active_since, next_slot, timer_id)
         select uuidv7(), environment_id, 'copy_' || n, name, target, cron, timezone, per_recipient_timezone, missed_runs,
           status, active_since, next_slot, gen_random_uuid()
         from schedules, generate_series($1::int, $2::int) n where key = 'model'
         returning timer_id, environment_id, next_slot
       )
       insert into queue_later (id, kind, lane, environment_id, run_at)
       select timer_id, $3, $4, environment_id, next_slot from copies`,
      [done, Math.min(done + slice, end) - 1, workKinds.schedule, lanes.normal],
    );
  await query(pool, 'vacuum analyze schedules');
  await query(pool, 'vacuum analyze queue_later');
  await query(pool, 'checkpoint');
}

/** The median time from the moment that a timer is due until its run has been started. */
async function firingTime(first: number): Promise<number> {
  const times: number[] = [];
  for (let number = first; number < first + fired; number += 1) {
    const [row] = await query<{ id: string; timer_id: string }>(
      pool,
      `update schedules set next_slot = now() where key = $1 returning id, timer_id`,
      [`copy_${number}`],
    );
    const began = performance.now();
    await query(pool, 'update queue_later set run_at = now() where id = $1', [row?.timer_id]);
    for (let isDone = false; !isDone; ) {
      if (performance.now() - began > 30_000) throw new Error('a slot did not begin');
      const [found] = await query<{ count: number }>(
        pool,
        `select count(*)::int from schedule_runs where schedule_id = $1 and status = 'completed'`,
        [row?.id],
      );
      isDone = (found?.count ?? 0) > 0;
      if (!isDone) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    times.push(performance.now() - began);
  }
  return median(times);
}

/** The share of one processor that the service uses while nothing is due. */
async function idleShare({ process: child }: Service): Promise<number> {
  const ticks = (): number => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const [before, began] = [ticks(), Date.now()];
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  return (ticks() - before) / 100 / ((Date.now() - began) / 1_000);
}
