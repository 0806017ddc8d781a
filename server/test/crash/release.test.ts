import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../harness/app.ts';
import { buildService, createServiceProcess, type ServiceProcess } from './service-process.ts';

/** `KILLS=20 npx vitest run server/test/crash/release.test.ts` for more kills. */
const kills = Number(process.env.KILLS ?? 1);
const held = 600 * Math.ceil(kills / 2);

let app: TestApp;
let worker: ServiceProcess;
let folder: string;
beforeAll(async () => {
  await buildService();
  folder = mkdtempSync(join(tmpdir(), 'carillon-release-crash-'));
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  worker = await createServiceProcess({
    name: 'worker',
    logFile: join(folder, 'worker.log'),
    settings: {
      DATABASE_URL: app.database.url,
      CARILLON_DATA_DIR: folder,
      CARILLON_ROLES: 'worker',
      CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
  });
  await worker.start();
}, 120_000);
afterAll(async () => {
  await worker.stop();
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const countHeld = async (): Promise<number> => {
  const { body } = await app.request('GET', '/v1/brake');
  return body.held[0]?.count ?? 0;
};

test('kill -9 during a release: nobody gets a notification twice, and nobody is missed', {
  timeout: 120_000 + kills * 20_000,
}, async () => {
  const rule = { name: 'One', scope: 'recipient', window: 'day', limit: 1 };
  await app.request('PUT', '/v1/brake/rules/one', { body: rule });
  const one = { channel: 'sms', recipient: { address: '+15005550100' }, text_body: 'Once' };
  for (let sent = 0; sent < held; sent += 300)
    await app.request('POST', '/v1/notifications/batch', { body: { notifications: Array(300).fill(one) } });
  await app.request('POST', '/v1/notifications', { body: one });
  await waitUntil(async () => {
    const count = await countHeld();
    return count === held ? count : new Error(`${count} are held`);
  }, 60_000);

  const release = await app.request('POST', '/v1/brake/holds/one/release', { body: { action: 'release' } });
  expect(release.body.total).toBe(held);
  for (let kill = 0; kill < kills; kill += 1) {
    // A slice more, or nothing left: the kills fall on different moments of it.
    const before = await countHeld();
    await waitUntil(async () => {
      const count = await countHeld();
      return count < before || count === 0 ? count : new Error(`${count} are held`);
    }, 60_000);
    await worker.kill();
    await worker.start();
  }
  const delivered = await waitUntil(async () => {
    const { rows } = await app.pool.query(
      'select count(*)::int as all, count(distinct notification_id)::int as different from sandbox_messages',
    );
    return rows[0].different === held + 1 ? rows[0] : new Error(`${rows[0].different} are delivered`);
  }, 90_000);
  expect(delivered.all).toBe(held + 1);
  const { body } = await app.request('GET', `/v1/brake/releases/${release.body.id}`);
  expect(body).toMatchObject({ status: 'done', done: held, total: held });
});
