// Webhook deliveries/s to a local sink over kept-alive connections, and what is left of it while one more endpoint hangs.
import { query, transaction } from '../server/src/db/sql.ts';
import { recordEvents } from '../server/src/features/webhooks/index.ts';
import { lanes, type Work, workKinds } from '../server/src/queue/index.ts';
import { insertReady } from '../server/src/queue/store.ts';
import { startDatabase } from './harness/database.ts';
import { createReport } from './harness/report.ts';
import { type Service, startService, testKey } from './harness/service.ts';
import type { Counted } from './harness/webhook-sink.ts';

const rounds = 3;
const endpoints = 10;
const events = Number(process.env.BENCH_EVENTS ?? 4_000);
const deliveries = events * endpoints;
const warmUp = Math.floor(deliveries / 8);

const report = createReport('webhooks');
const database = await startDatabase();
const { pool } = database;
const sink = await startService('webhook-sink.ts', database, {});
try {
  const environmentId = await setUp();
  await deliver(environmentId, false); // warm
  const alone: number[] = [];
  const besideHanging: number[] = [];
  const connections: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const well = await deliver(environmentId, false);
    alone.push(well.perSecond);
    connections.push(well.connections);
    besideHanging.push((await deliver(environmentId, true)).perSecond);
  }
  const rate = report.rounds(`${endpoints} endpoints that answer`, alone, 'deliveries/s');
  const hangingRate = report.rounds('the same, and one that hangs', besideHanging, 'deliveries/s');
  report.rounds('connections made', connections, `for ${deliveries} deliveries`);
  report.goal('\nwith one hanging / without', hangingRate / rate, { op: '>=', figure: 0.9 });
  report.close(rate, { op: '>=', figure: 3_000 });
} finally {
  await sink.stop();
  await database.stop();
}

/** Endpoints as an API caller makes them; the one that hangs is disabled until its turn. */
async function setUp(): Promise<string> {
  const api = await startService('worker.ts', database, { CARILLON_ROLES: 'api' });
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(api.url + path, {
      method,
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string; environment_id: string };
  };
  for (let number = 0; number < endpoints; number += 1)
    await call('POST', '/v1/webhook-endpoints', { url: `${sink.url}/well/${number}` });
  await call('POST', '/v1/webhook-endpoints', { url: `${sink.url}/hang`, timeout_seconds: 30 });
  const { environment_id } = await call('GET', '/v1/me');
  await api.stop();
  return environment_id;
}

/** Writes events as the dispatcher does, then starts a worker on them. */
async function deliver(environmentId: string, hanging: boolean): Promise<Counted> {
  const status = hanging ? 'active' : 'disabled';
  await query(pool, `update webhook_endpoints set status = $1 where url like '%/hang'`, [status]);
  await seed(environmentId);
  sink.process.send({ count: deliveries, warmUp });
  const worker = await startService('worker.ts', database, { CARILLON_ROLES: 'worker' });
  const counted = await sink.said<Counted>();
  await stopAtOnce(worker);
  await check(environmentId);
  return counted;
}

async function seed(environmentId: string): Promise<void> {
  const tables = ['queue_ready', 'queue_leased', 'queue_later', 'queue_parked'];
  await query(pool, `truncate ${tables.join(', ')}, webhook_events, webhook_deliveries, webhook_attempts`);
  const queue = {
    enqueue: (sql: Parameters<typeof insertReady>[0], work: Work[]) =>
      insertReady(
        sql,
        work.map(({ kind, id, lane, environmentId: environment_id }) => ({
          kind: workKinds[kind],
          id,
          lane: lanes[lane],
          environment_id,
          note: null,
        })),
      ),
    postpone: async () => {}, // no endpoint is paused while events are written
  };
  const batch = 200;
  const data = {
    id: environmentId,
    status: 'sent',
    subject: 'Your order has been shipped',
    text: 'x'.repeat(800),
  };
  for (let done = 0; done < events; done += batch) {
    const happened = Array.from({ length: Math.min(batch, events - done) }, () => ({
      environmentId,
      type: 'notification.sent',
      data,
    }));
    await transaction(pool, (tx) => recordEvents(tx, queue, happened));
  }
  await query(pool, 'vacuum analyze webhook_events, webhook_deliveries, queue_ready');
}

/** Calls that hang would hold up an orderly end; what the worker still held is thrown away with the rest. */
async function stopAtOnce(worker: Service): Promise<void> {
  await new Promise((resolve) => {
    worker.process.once('exit', resolve);
    worker.process.kill('SIGKILL');
  });
}

/** Outcomes are written a moment after the calls; all but the last few must be there. */
async function check(environmentId: string): Promise<void> {
  const [row] = await query<{ succeeded: number }>(
    pool,
    `select count(*)::int as succeeded from webhook_deliveries where environment_id = $1 and status = 'succeeded'`,
    [environmentId],
  );
  if ((row?.succeeded ?? 0) < deliveries * 0.95) throw new Error(`only ${row?.succeeded} were recorded`);
}
