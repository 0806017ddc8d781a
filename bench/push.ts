// 10,000 devices rung: pushes/s to a local push service, and critical sends of another environment beside them against idle.
import { createECDH, randomBytes } from 'node:crypto';
import { query } from '../server/src/db/sql.ts';
import { workKinds } from '../server/src/queue/index.ts';
import { startDatabase } from './harness/database.ts';
import { quantile } from './harness/load.ts';
import { sendByClock } from './harness/open-loop.ts';
import { createReport } from './harness/report.ts';
import { until } from './harness/seed.ts';
import { startService } from './harness/service.ts';
import type { Counted } from './harness/webhook-sink.ts';

const rounds = 3;
const users = 100;
const devicesOfUser = 100;
const devices = users * devicesOfUser;
const seconds = 12;
const liveKey = 'crl_live_benchbenchbenchbenchbench';

const report = createReport('push');
const database = await startDatabase();
const { pool } = database;
const sink = await startService('webhook-sink.ts', database, {});
const service = await startService('timed-service.ts', database, {
  CARILLON_ROLES: 'api,worker',
  CARILLON_BOOTSTRAP_LIVE_KEY: liveKey,
  CARILLON_ALLOW_PRIVATE_NETWORK: 'loopback',
  CARILLON_WEB_PUSH_HOSTS: new URL(sink.url).hostname,
});
try {
  await setUp();
  await sendByClock(service, 'critical', 5); // for the compiler
  await ring();

  const rates: number[] = [];
  const idle: number[] = [];
  const busy: number[] = [];
  const left: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    idle.push(...(await sendByClock(service, 'critical', seconds)));
    const rung = ring();
    busy.push(...(await sendByClock(service, 'critical', seconds)));
    left.push(await countWaiting());
    rates.push((await rung).perSecond);
  }
  report.rounds('devices rung', rates, 'pushes/s');
  report.rounds('  items that still had to ring', left, `of ${users}, each with ${devicesOfUser} devices`);
  report.line(`${idle.length} critical sends each, from acceptance to the provider call:`);
  for (const [what, tookMs] of Object.entries({ idle, 'beside the rings': busy })) {
    const shares = [0.5, 0.9, 0.99].map((share) => quantile(tookMs, share).toFixed(1));
    report.line(`${what.padEnd(34)} p50, p90, p99: ${shares.join(', ')} ms`);
  }
  report.close(quantile(busy, 0.99) / quantile(idle, 0.99), { op: '<=', figure: 2 });
} finally {
  await service.stop();
  await sink.stop();
  await database.stop();
}

async function call(method: string, path: string, body: object): Promise<void> {
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

/** All browsers have the same keys, and an endpoint each. */
async function setUp(): Promise<void> {
  const [live] = await query<{ id: string }>(pool, `select id from environments where kind = 'live'`);
  await call('PUT', `/v1/environments/${live?.id}/push-settings`, {
    web_push: { contact: 'ops@acme.example' },
  });
  const keys = {
    p256dh: createECDH('prime256v1').generateKeys().toString('base64url'),
    auth: randomBytes(16).toString('base64url'),
  };
  for (let user = 0; user < users; user += 1) {
    await Promise.all(
      Array.from({ length: devicesOfUser }, (_, device) =>
        call('PUT', `/v1/users/user-${user}/devices`, {
          kind: 'web_push',
          endpoint: `${sink.url}/send/${user}-${device}`,
          keys,
        }),
      ),
    );
  }
}

/** One item for every user; resolves when every device rang and its outcome is stored. */
async function ring(): Promise<Counted> {
  sink.process.send({ count: devices, warmUp: devicesOfUser });
  const counted = sink.said<Counted>();
  await call('POST', '/v1/notifications/batch', {
    notifications: Array.from({ length: users }, (_, user) => ({
      channel: 'in_app',
      recipient: { external_user_id: `user-${user}` },
      subject: 'Your order has been shipped',
      html_body: '<p>It is on its way.</p>',
    })),
  });
  const result = await counted;
  await until(async () => (await countWaiting()) === 0, 60_000); // their outcomes are stored
  const [row] = await query<{ n: number }>(
    pool,
    `select count(*)::int as n from devices where last_outcome = 'accepted'`,
  );
  if (row?.n !== devices) throw new Error(`${row?.n} of ${devices} devices were rung`);
  return result;
}

async function countWaiting(): Promise<number> {
  const [row] = await query<{ n: number }>(
    pool,
    `select count(*)::int as n from (
       select kind from queue_ready union all select kind from queue_leased union all select kind from queue_parked
     ) work where kind = $1`,
    [workKinds.push],
  );
  return row?.n ?? 0;
}
