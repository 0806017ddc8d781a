// From acceptance to the provider call at 50/s, and for critical sends while 100,000 bulk sends of another environment drain.
import { query } from '../server/src/db/sql.ts';
import { startDatabase } from './harness/database.ts';
import { openConnection, postRequests, quantile } from './harness/load.ts';
import { createReport } from './harness/report.ts';
import { countWaiting, seedEnvironments, seedQueued, until } from './harness/seed.ts';
import { startService, testKey } from './harness/service.ts';

const perSecond = 50;
const seconds = 15;

const report = createReport('latency');
const database = await startDatabase();
const { pool } = database;
// In a process of its own, with both roles: what a small installation runs.
const service = await startService('worker.ts', database, { CARILLON_ROLES: 'api,worker' });
try {
  await send('normal', 3); // warm
  const normal = await latencies(() => send('normal', seconds));
  const idle = await latencies(() => send('critical', seconds));

  const environments = await seedEnvironments(pool, 1);
  await seedQueued(pool, environments, 100_000, 'bulk');
  const busy = await latencies(() => send('critical', seconds));
  const left = await countWaiting(pool);

  report.rounds('normal, idle: p50, p99', [quantile(normal, 0.5), quantile(normal, 0.99)], 'ms');
  report.rounds('critical, idle: p50, p99', [quantile(idle, 0.5), quantile(idle, 0.99)], 'ms');
  report.rounds('critical, bulk: p50, p99', [quantile(busy, 0.5), quantile(busy, 0.99)], 'ms');
  report.line(`${busy.length} critical sends; of 100,000 bulk sends ${left} still waited at the end`);
  report.goal('\np50 at 50/s, ms', quantile(normal, 0.5), { op: '<=', figure: 5 });
  report.goal('p99 at 50/s, ms', quantile(normal, 0.99), { op: '<=', figure: 25 });
  report.close(quantile(busy, 0.99) / quantile(idle, 0.99), { op: '<=', figure: 2 });
} finally {
  await service.stop();
  await database.stop();
}

/** An open loop: requests leave by the clock, whether or not the earlier ones were answered. */
async function send(priority: string, forSeconds: number): Promise<number> {
  const nextRequest = postRequests('/v1/notifications', testKey, {
    channel: 'email',
    recipient: { address: 'delivered@sandbox.test' },
    subject: 'Your code',
    text_body: '123456',
    priority,
  });
  const connections = await Promise.all(Array.from({ length: 20 }, () => openConnection(service.url)));
  const startedAt = Date.now();
  const total = perSecond * forSeconds;
  const answers: Promise<number>[] = [];
  for (let n = 0; n < total; n += 1) {
    const wait = startedAt + (n * 1000) / perSecond - Date.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const connection = connections[n % connections.length];
    if (connection) answers.push(connection.send(nextRequest()));
  }
  const statuses = await Promise.all(answers);
  for (const connection of connections) connection.close();
  if (statuses.some((status) => status !== 202)) throw new Error('a request was not accepted');
  return total;
}

/** Milliseconds between the time in the id and the start of the first attempt, both by the service's own clock. */
async function latencies(work: () => Promise<number>): Promise<number[]> {
  const since = new Date();
  const total = await work();
  await until(async () => (await measured(since)).length >= total, 30_000);
  return measured(since);
}

async function measured(since: Date): Promise<number[]> {
  const rows = await query<{ ms: number }>(
    pool,
    `select (extract(epoch from (entry ->> 'at')::timestamptz) * 1000
       - ('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint)::float8 as ms
     from notifications, jsonb_array_elements(trace) entry
     where sent_at >= $1 and priority <> 'bulk' and entry ->> 'kind' = 'attempt'`,
    [since],
  );
  return rows.map((row) => row.ms);
}
