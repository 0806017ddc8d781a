import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from '../../src/db/sql.ts';
import { startTestApp, type TestApp, waitUntil } from '../harness/app.ts';
import { buildService, createServiceProcess, type ServiceProcess } from './service-process.ts';

/** Each kill costs the time until the lease is taken over. `KILLS=20 npx vitest run server/test/crash/broadcast` takes four minutes. */
const kills = Number(process.env.KILLS ?? 2);
const perKill = 3_000;
const total = (kills + 1) * perKill;

let app: TestApp;
let worker: ServiceProcess;
let folder: string;
beforeAll(async () => {
  await buildService();
  folder = mkdtempSync(join(tmpdir(), 'carillon-broadcast-crash-'));
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  worker = await createServiceProcess({
    name: 'worker',
    logFile: join(folder, 'worker.log'),
    settings: {
      DATABASE_URL: app.database.url,
      CARILLON_DATA_DIR: folder,
      CARILLON_ROLES: 'worker',
      CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      CARILLON_RETRY_SCALE: '0.001',
    },
  });
  await query(
    app.pool,
    `insert into end_users (environment_id, external_user_id, email)
     select $1, 'user-' || n, 'user' || n || '@example.com' from generate_series(1, $2) n`,
    [app.testEnvironmentId, total],
  );
  await worker.start();
}, 60_000);
afterAll(async () => {
  await worker.stop();
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('kill -9 of the worker during the fan-out: nobody gets the broadcast twice, nobody is missed', {
  timeout: 60_000 + kills * 40_000,
}, async () => {
  const { body } = await app.request('POST', '/v1/broadcasts', {
    body: {
      name: 'Storm',
      channels: ['email'],
      audience: { all: true, confirm: true },
      subject: 'Hello',
      text_body: 'Hi',
      rate_per_second: 3_000,
    },
  });
  const created = async (): Promise<number> =>
    (await query<{ count: number }>(app.pool, 'select count(*)::int as count from notifications'))[0]
      ?.count ?? 0;
  const counts: number[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    await waitUntil(async () => {
      const count = await created();
      return count >= (kill - 1) * perKill + 500 || new Error(`${count} created`);
    }, 60_000);
    await worker.kill();
    counts.push(await created());
    await worker.start();
  }
  const done = await waitUntil(async () => {
    const broadcast = (await app.request('GET', `/v1/broadcasts/${body.id}`)).body;
    return broadcast.status === 'done' ? broadcast : new Error(JSON.stringify(broadcast));
  }, 120_000);
  // Otherwise the kills came after the fan-out, and proved nothing.
  expect(counts.filter((count) => count < total)).toHaveLength(kills);
  expect(done.progress).toMatchObject({ total, done: total });
  const [found] = await query(
    app.pool,
    `select count(*)::int as notifications, count(distinct external_user_id)::int as users,
       (count(*) filter (where status = 'queued'))::int as queued,
       (select count(distinct notification_id)::int from sandbox_messages) as messages
     from notifications where broadcast_id = $1`,
    [body.id],
  );
  const unknown = done.progress.counts.failed ?? 0; // a message in flight when its worker died is not sent again blindly
  expect(found).toEqual({ notifications: total, users: total, queued: 0, messages: expect.any(Number) });
  expect(found?.messages).toBeGreaterThanOrEqual(total - unknown);
});
