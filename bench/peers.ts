// Our drain against graphile-worker, pg-boss and BullMQ with the same writes, and our workflow steps against DBOS, by turns.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from '../server/src/db/sql.ts';
import { callApi, defineWorkflow } from './harness/api.ts';
import { startDatabase } from './harness/database.ts';
import { drainRate } from './harness/drain-rate.ts';
import { createReport, median } from './harness/report.ts';
import { seedQueued } from './harness/seed.ts';
import { startService } from './harness/service.ts';
import { orderSteps, stepRate } from './harness/step-rate.ts';
import { type AppendFsync, ensureRedis, startRedis } from './peers/redis.ts';

const setup = new URL('../scripts/install.mjs', import.meta.url).href;
const { ensureInstalled } = await import(setup);

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const drain = { notifications: 12_000, warmUp: 3_000 };
const dbosRuns = 750;
const peers = join(import.meta.dirname, 'peers');

/** A queue that sends what waits, and its rates. */
interface Contestant {
  name: string;
  /** A program below bench/harness. */
  program: string;
  durability: string;
  appendfsync: AppendFsync | null;
  rates: number[];
}

await ensureInstalled({ folder: peers });
const redis = await ensureRedis();
const dbos = `DBOS ${versionOf('@dbos-inc/dbos-sdk')}`;
const report = createReport('peers');
const database = await startDatabase();
const dbosDatabase = await database.beside('dbos');
try {
  const contestants = listContestants();
  const [ours, ...libraries] = contestants as [Contestant, ...Contestant[]];
  const { environmentId, workflowId } = await setUp();
  const ourSteps: number[] = [];
  const dbosSteps: number[] = [];
  await introduce(contestants);

  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of rotated(contestants, round)) {
      await seedQueued(database.pool, [environmentId], drain.notifications, 'normal');
      contestant.rates.push(await rateOf(contestant));
    }
    ourSteps.push(await stepRate(database, environmentId, workflowId));
    dbosSteps.push(await dbosStepRate());
  }

  for (const { name, rates } of contestants) report.rounds(name, rates, 'notifications/s');
  report.rounds('our workflows', ourSteps, 'steps/s');
  report.rounds(dbos, dbosSteps, 'steps/s');
  report.line('');
  for (const { name, rates } of libraries)
    report.line(`our drain / ${name}: ${(median(ours.rates) / median(rates)).toFixed(2)}`);
  report.goal('\nour steps / DBOS', median(ourSteps) / median(dbosSteps), { op: '>=', figure: 2 });
  const equallyDurable = libraries.filter(({ appendfsync }) => appendfsync !== 'everysec');
  const fastest = Math.max(...equallyDurable.map(({ rates }) => median(rates)));
  report.close(median(ours.rates) / fastest, { op: '>=', figure: 2 });
} finally {
  await database.stop();
}

function listContestants(): Contestant[] {
  const contestant = (
    name: string,
    program: string,
    durability: string,
    appendfsync: AppendFsync | null = null,
  ): Contestant => ({ name, program, durability, appendfsync, rates: [] });
  const twoCommits = 'a flushed commit settles the notification, another one ends its job later';
  const list = [
    contestant(
      'our queue',
      'counted-worker.ts',
      'a flushed commit settles the notification and ends its job',
    ),
    contestant(`graphile-worker ${versionOf('graphile-worker')}`, '../peers/graphile.ts', twoCommits),
    contestant(`pg-boss ${versionOf('pg-boss')}`, '../peers/pg-boss.ts', twoCommits),
  ];
  if (!redis) return list;
  const inRedis = `a flushed commit settles the notification, then ${redis.title} ends its job`;
  const bullmq = (appendfsync: AppendFsync, flush: string) =>
    contestant(
      `BullMQ ${versionOf('bullmq')}, ${appendfsync}`,
      '../peers/bullmq.ts',
      `${inRedis}, ${flush}`,
      appendfsync,
    );
  return [
    ...list,
    bullmq('always', 'flushed before it answers'),
    bullmq('everysec', 'flushed within a second: a crash forgets up to a second of the queue'),
  ];
}

/** Says before the first round who runs, and what is on disk when work counts as done. */
async function introduce(contestants: Contestant[]): Promise<void> {
  const [row] = await query<{ server_version: string }>(database.pool, 'show server_version');
  report.line(`PostgreSQL ${row?.server_version}, ${redis?.title ?? 'no Redis'}\n`);
  for (const { name, durability } of contestants) report.line(`${name}: ${durability}`);
  if (!redis)
    report.line(
      'BullMQ is left out: neither Valkey nor Redis is here or can be installed (apt-get as root on Debian)',
    );
  report.line(
    'our workflows: 4 steps, 2 of them sends that are delivered; a flushed commit may hold several',
  );
  report.line(`${dbos}: 4 steps that do nothing; a flushed commit for each, and 2 for the workflow\n`);
}

/** Creates the environment and the workflow, and leaves nothing running. */
async function setUp(): Promise<{ environmentId: string; workflowId: string }> {
  const service = await startService('worker.ts', database, { CARILLON_ROLES: 'api' });
  try {
    const me = await callApi<{ environment_id: string }>(service.url, 'GET', '/me');
    const workflowId = await defineWorkflow(service.url, 'order', orderSteps);
    return { environmentId: me.environment_id, workflowId };
  } finally {
    await service.stop();
  }
}

/** Each round begins with another one, so that none profits from its place. */
function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const from = by % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}

async function rateOf({ program, appendfsync }: Contestant): Promise<number> {
  if (!appendfsync || !redis) return drainRate(program, database, drain);
  const server = await startRedis(redis, appendfsync);
  try {
    return await drainRate(program, database, { ...drain, env: { BENCH_REDIS: server.socket } });
  } finally {
    await server.stop();
  }
}

/** By the times in its rows, as ours: from the first step until the last workflow has ended. */
async function dbosStepRate(): Promise<number> {
  const since = Date.now();
  const worker = await startService('../peers/dbos.ts', dbosDatabase, {
    BENCH_RUNS: String(dbosRuns),
    NODE_NO_WARNINGS: '1', // of its own, about pg
  });
  try {
    await worker.said();
  } finally {
    await worker.stop();
  }
  const [row] = await query<{ steps: number; ended: number; ms: number }>(
    dbosDatabase.pool,
    `select (select count(*) from dbos.operation_outputs where started_at_epoch_ms >= $1)::int as steps,
       count(*) filter (where status = 'SUCCESS')::int as ended,
       (max(completed_at) - (select min(started_at_epoch_ms) from dbos.operation_outputs
         where started_at_epoch_ms >= $1))::float8 as ms
     from dbos.workflow_status where created_at >= $1`,
    [since],
  );
  if (row?.ended !== dbosRuns) throw new Error(`${row?.ended} of ${dbosRuns} workflows of DBOS ended`);
  return (row.steps / row.ms) * 1_000;
}

function versionOf(name: string): string {
  return JSON.parse(readFileSync(join(peers, 'node_modules', name, 'package.json'), 'utf8')).version;
}
