// Requests/s of POST /v1/notifications of one environment with four API processes, against one, when a commit takes 10 ms.
import { query } from '../server/src/db/sql.ts';
import { startDatabase } from './harness/database.ts';
import { openLoad, postRequests } from './harness/load.ts';
import { message } from './harness/message.ts';
import { createReport } from './harness/report.ts';
import { startService, testKey } from './harness/service.ts';

const processes = 4;
const rounds = 6;
const roundMs = 3_000;
const warmUp = { requests: 8_000, durationMs: 5_000 };
const connections = 256;

const report = createReport('processes');
const database = await startDatabase();
const nextRequest = postRequests('/v1/notifications', testKey, message);
try {
  // Every flush waits for others to share it, as a flush to a synchronous standby would.
  await query(database.pool, 'alter system set commit_delay = 10000');
  await query(database.pool, 'alter system set commit_siblings = 0');
  await query(database.pool, 'select pg_reload_conf()');

  const all = [];
  for (let n = 0; n < processes; n += 1) {
    const service = await startService('worker.ts', database, { CARILLON_ROLES: 'api' });
    const load = { url: service.url, nextRequest, expectedStatus: 202 };
    all.push({ service, shared: await openLoad({ ...load, connections: connections / processes }), load });
  }
  const first = all[0];
  if (!first) throw new Error('no process');
  const alone = await openLoad({ ...first.load, connections });
  for (const { shared } of all) await shared.run(warmUp);

  const one: number[] = [];
  const four: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    one.push((await alone.run({ durationMs: roundMs })).perSecond);
    const rates = await Promise.all(all.map(({ shared }) => shared.run({ durationMs: roundMs })));
    four.push(rates.reduce((sum, { perSecond }) => sum + perSecond, 0));
  }
  const oneRate = report.rounds('one process', one, 'requests/s');
  const fourRate = report.rounds('four processes', four, 'requests/s');
  alone.close();
  for (const { shared, service } of all) {
    shared.close();
    await service.stop();
  }
  report.close(fourRate / oneRate, { op: '>=', figure: 1.5 });
} finally {
  await database.stop();
}
