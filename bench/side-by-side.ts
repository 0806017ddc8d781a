// Accepting and draining of this checkout against another one (`npm run bench -- side-by-side -- ../other`), taking turns.
import { join, resolve } from 'node:path';
import { createReport, median } from './harness/report.ts';

/** Each with processes of its own: what the compiler makes of the same code differs from one process to the next. */
const sets = 6;
const rounds = 25;
const roundMs = 500; // short: a machine that its neighbours slow down for seconds slows down alike what is compared
const drains = 6;
const notifications = 15_000;
const warmUp = 3_000;

const other = process.argv.slice(2).find((each) => !each.startsWith('-'));
if (other === undefined) throw new Error('name another checkout with its packages installed');

const report = createReport('side-by-side');
const [theirs, ours] = await Promise.all([
  checkout(resolve(other)),
  checkout(join(import.meta.dirname, '..')),
]);
const sides = [theirs, ours] as const;
try {
  const accepted = await compareAccepting();
  const drained = await compareDraining();
  report.quartiles('accepted, this / other, by round', accepted);
  report.quartiles('drained, this / other, by round', drained);
  report.goal('\ndrained, this / other', median(drained), { op: '>=', figure: 0.98 });
  report.close(median(accepted), { op: '>=', figure: 0.98 });
} finally {
  await Promise.all(sides.map(({ database }) => database.stop()));
}

/** A checkout with its own harness, and a database of its own. */
async function checkout(root: string) {
  const load = <Module>(path: string): Promise<Module> => import(join(root, 'bench/harness', path));
  const { startDatabase } = await load<typeof import('./harness/database.ts')>('database.ts');
  const { openLoad, postRequests, runLoad } = await load<typeof import('./harness/load.ts')>('load.ts');
  const { message } = await load<typeof import('./harness/message.ts')>('message.ts');
  const { startService, testKey } = await load<typeof import('./harness/service.ts')>('service.ts');
  const database = await startDatabase();
  const nextRequest = postRequests('/v1/notifications', testKey, message);
  const start = (program: string, env: Record<string, string>) => startService(program, database, env);
  const startApi = () => start('accept-variant.ts', { BENCH_VARIANT: 'real', CARILLON_ROLES: 'api' });
  return { database, start, startApi, openLoad, runLoad, nextRequest };
}

/** The ratios of neighbouring rounds; who is first alternates. */
async function inTurns(count: number, measure: (side: 0 | 1) => Promise<number>): Promise<number[]> {
  const ratios: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    const figures = { 0: 0, 1: 0 };
    for (const side of order) figures[side] = await measure(side);
    ratios.push(figures[1] / figures[0]);
  }
  return ratios;
}

async function compareAccepting(): Promise<number[]> {
  const ratios: number[] = [];
  for (let set = 0; set < sets; set += 1) {
    const started = await Promise.all(
      sides.map(async ({ startApi, openLoad, nextRequest }) => {
        const service = await startApi();
        const load = await openLoad({ url: service.url, connections: 256, nextRequest, expectedStatus: 202 });
        await load.run({ requests: 30_000, durationMs: 8_000 });
        return { service, load };
      }),
    );
    const perSecond = async (side: 0 | 1) =>
      (await started[side]?.load.run({ durationMs: roundMs }))?.perSecond ?? Number.NaN;
    ratios.push(...(await inTurns(rounds, perSecond)));
    for (const { service, load } of started) {
      load.close();
      await service.stop();
    }
    for (const { database } of sides)
      await database.pool.query('truncate notifications, notification_contents, queue_ready cascade');
  }
  return ratios;
}

async function compareDraining(): Promise<number[]> {
  const apis = await Promise.all(sides.map(({ startApi }) => startApi()));
  const drain = async (index: 0 | 1): Promise<number> => {
    const { start, runLoad, nextRequest } = sides[index];
    const url = apis[index]?.url ?? '';
    await runLoad({ url, connections: 64, nextRequest, expectedStatus: 202, requests: notifications });
    const worker = await start('counted-worker.ts', {
      CARILLON_ROLES: 'worker',
      BENCH_WARM_UP: String(warmUp),
      BENCH_COUNT: String(notifications - warmUp),
    });
    const { perSecond } = await worker.said<{ perSecond: number }>();
    await worker.stop();
    return perSecond;
  };
  await inTurns(1, drain); // for the caches of the database
  const ratios = await inTurns(drains, drain);
  for (const api of apis) await api.stop();
  return ratios;
}
