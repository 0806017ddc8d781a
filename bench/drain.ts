// Notifications/s from accepted to delivered through the sandbox, against the same writes driven by graphile-worker as it comes.
import { join } from 'node:path';
import { startDatabase } from './harness/database.ts';
import { drainRate } from './harness/drain-rate.ts';
import { postRequests, runLoad } from './harness/load.ts';
import { message } from './harness/message.ts';
import { createReport } from './harness/report.ts';
import { type Service, startService, testKey } from './harness/service.ts';

const { ensureInstalled } = await import(new URL('../scripts/install.mjs', import.meta.url).href);

const rounds = 3;
const notifications = 15_000;
const warmUp = 3_000;
const connections = 64;

await ensureInstalled({ folder: join(import.meta.dirname, 'peers') });
const report = createReport('drain');
const database = await startDatabase();
const nextRequest = postRequests('/v1/notifications', testKey, message);
let api: Service | undefined;
try {
  api = await startService('accept-variant.ts', database, { BENCH_VARIANT: 'real', CARILLON_ROLES: 'api' });

  const accepted: number[] = [];
  const ours: number[] = [];
  const theirs: number[] = [];
  await accept(api);
  await drain('counted-worker.ts');
  for (let round = 0; round < rounds; round += 1) {
    accepted.push(await accept(api));
    ours.push(await drain('counted-worker.ts'));
    accepted.push(await accept(api));
    theirs.push(await drain('../peers/graphile.ts'));
  }

  const acceptRate = report.rounds('accepted', accepted, 'notifications/s');
  const ourRate = report.rounds('drained by the service', ours, 'notifications/s');
  const theirRate = report.rounds('drained by graphile-worker, single', theirs, 'notifications/s');
  report.goal('\ndrained / accepted', ourRate / acceptRate, { op: '>=', figure: 0.8 });
  report.close(ourRate / theirRate, { op: '>=', figure: 1.2 });
} finally {
  await api?.stop();
  await database.stop();
}

async function accept(service: Service): Promise<number> {
  const load = { url: service.url, connections, nextRequest, expectedStatus: 202, requests: notifications };
  return (await runLoad(load)).perSecond;
}

function drain(program: string): Promise<number> {
  const env = { BENCH_GRAPHILE: 'single' }; // as it comes; with its batching it is in `peers`
  return drainRate(program, database, { notifications, warmUp, env });
}
