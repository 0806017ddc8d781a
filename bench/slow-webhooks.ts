// Deliveries to a fast webhook endpoint, and to one of another environment, beside 200 endpoints that answer after 9 s: their lag, and without those 200.
import { setTimeout as wait } from 'node:timers/promises';
import { type Sql, transaction } from '../server/src/db/sql.ts';
import { recordEvents } from '../server/src/features/webhooks/index.ts';
import { idTime } from '../server/src/kernel/ids.ts';
import { lanes, type Work, workKinds } from '../server/src/queue/index.ts';
import { insertReady } from '../server/src/queue/store.ts';
import { startWebhookSink } from '../server/test/simulators/webhook-sink.ts';
import { startDatabase } from './harness/database.ts';
import { quantile } from './harness/load.ts';
import { createReport } from './harness/report.ts';
import { startService, testKey } from './harness/service.ts';

const slowEndpoints = 200;
const answerAfterMs = 9_000;
const fastPerSecond = 10;
/** For each slow endpoint: more than a process delivers within the time. */
const slowEvents = 100;
const forMs = Number(process.env.BENCH_SECONDS ?? 20) * 1_000;
const liveKey = 'crl_live_benchbenchbenchbenchbench';

const report = createReport('slow-webhooks');
const database = await startDatabase();
const sink = await startWebhookSink();
const service = await startService('worker.ts', database, {
  CARILLON_ROLES: 'api,worker',
  CARILLON_BOOTSTRAP_LIVE_KEY: liveKey,
  CARILLON_ALLOW_PRIVATE_NETWORK: 'loopback',
});
/** From the event to the call, in milliseconds. */
const lags = new Map<string, number[]>();
sink.reply = ({ path, body }) => {
  const lag = Date.now() - idTime(body.id);
  lags.set(path, [...(lags.get(path) ?? []), lag]);
  if (!path.startsWith('/slow')) return 204;
  return (response) => setTimeout(() => response.writeHead(204).end(), answerAfterMs);
};

async function call(key: string, path: string, body?: object): Promise<{ id: string }> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { id: string };
}

const slowType = 'bench.slow';
const create = async (key: string, path: string, settings: object = {}): Promise<string> =>
  (
    await call(key, '/v1/webhook-endpoints', {
      url: sink.url(path),
      event_filters: ['bench.none'],
      ...settings,
    })
  ).id;

/** Sends tests at a rate, to the endpoints in turn, as a caller of the API does. */
async function send(key: string, ids: string[], perSecond: number): Promise<number> {
  const end = performance.now() + forMs;
  const pending: Promise<unknown>[] = [];
  for (; performance.now() < end; await wait(1_000 / perSecond))
    pending.push(call(key, `/v1/webhook-endpoints/${ids[pending.length % ids.length]}/send-test`));
  await Promise.all(pending);
  return pending.length;
}

/** Written as the dispatcher does; the next tick claims the deliveries. */
async function recordSlowEvents(): Promise<void> {
  const me = await fetch(`${service.url}/v1/me`, { headers: { authorization: `Bearer ${testKey}` } });
  const { environment_id: environmentId } = (await me.json()) as { environment_id: string };
  const queue = {
    enqueue: (sql: Sql, work: Work[]) =>
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
    postpone: async () => {}, // no endpoint is paused
  };
  for (let number = 0; number < slowEvents; number += 10)
    await transaction(database.pool, (tx) =>
      recordEvents(
        tx,
        queue,
        Array.from({ length: 10 }, () => ({ environmentId, type: slowType, data: {} })),
      ),
    );
}

interface Measured {
  sent: number;
  arrived: number;
  p50: number;
  p99: number;
}

function take(path: string, sent: number): Measured {
  const measured = lags.get(path) ?? [Number.POSITIVE_INFINITY];
  lags.delete(path);
  return {
    sent,
    arrived: measured.filter(Number.isFinite).length,
    p50: quantile(measured, 0.5),
    p99: quantile(measured, 0.99),
  };
}

try {
  const fast = await create(testKey, '/fast');
  const other = await create(liveKey, '/other');
  const round = async (): Promise<[Measured, Measured]> => {
    const sent = await Promise.all([
      send(testKey, [fast], fastPerSecond),
      send(liveKey, [other], fastPerSecond),
    ]);
    await wait(500);
    return [take('/fast', sent[0]), take('/other', sent[1])];
  };
  const quiet = await round();
  for (let number = 0; number < slowEndpoints; number += 1)
    await create(testKey, `/slow/${number}`, { event_filters: [slowType], timeout_seconds: 20 });
  await recordSlowEvents();
  const beside = await round();
  for (const [name, { sent, arrived, p50, p99 }] of [
    ['fast endpoint, quiet', quiet[0]],
    ['fast endpoint, beside slow ones', beside[0]],
    ['another environment, quiet', quiet[1]],
    ['another environment, beside slow ones', beside[1]],
  ] as const)
    report.line(`${name.padEnd(40)} ${arrived} of ${sent} arrived, lag p50 ${p50} ms, p99 ${p99} ms`);
  report.goal('\narrived at the fast endpoint beside slow ones', beside[0].arrived / beside[0].sent, {
    op: '>=',
    figure: 0.98,
  });
  report.goal('its p99 / quiet', beside[0].p99 / quiet[0].p99, { op: '<=', figure: 5 });
  report.close(beside[1].p99 / quiet[1].p99, { op: '<=', figure: 5 });
} finally {
  service.process.kill('SIGKILL'); // calls that are slow would hold up an orderly end
  await sink.stop();
  await database.stop();
}
