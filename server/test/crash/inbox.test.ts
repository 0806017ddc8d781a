import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertItems } from '../../src/features/inbox/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { workKinds } from '../../src/queue/index.ts';
import { startTestApp, type TestApp, waitUntil } from '../harness/app.ts';
import { buildService, createServiceProcess, type ServiceProcess } from './service-process.ts';

const users = ['ada', 'grace', 'joan', 'mary'];
const itemsOfEach = 25;
const items = users.length * itemsOfEach;

/** Makes the database, and does no work. */
let app: TestApp;
/** Answers the users and brings items back, until it is killed. */
let service: ServiceProcess;
let folder: string;

beforeAll(async () => {
  await buildService();
  folder = mkdtempSync(join(tmpdir(), 'carillon-inbox-crash-'));
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  service = await createServiceProcess({
    name: 'service',
    logFile: join(folder, 'service.log'),
    settings: {
      DATABASE_URL: app.database.url,
      CARILLON_DATA_DIR: folder,
      CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
  });
}, 60_000);

afterAll(async () => {
  await service.kill();
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function count(text: string): Promise<number> {
  return (await app.pool.query(`select count(*)::int as count from ${text}`)).rows[0].count;
}

const makeDue = () =>
  app.pool.query('update queue_later set run_at = now() where kind = $1', [workKinds.inbox_return]);

/** A client that repeats its call until it is answered. */
async function call(token: string, path: string, body: object = {}): Promise<number> {
  for (;;) {
    const response = await fetch(`${service.url}/inbox/v1/notifications/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).catch(() => null);
    if (response && response.status < 500) return response.status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('a process that is killed while items are snoozed, return and get their actions loses and repeats nothing', {
  timeout: 240_000,
}, async () => {
  await app.request('POST', '/v1/webhook-endpoints', {
    body: { url: 'https://hooks.invalid/', event_filters: ['inbox.action'] },
  });
  const tokens = new Map<string, string>();
  const inboxes = users.map((user) => ({ user, ids: Array.from({ length: itemsOfEach }, () => newId()) }));
  for (const { user, ids } of inboxes) {
    const { body } = await app.request('POST', '/v1/inbox/tokens', { body: { external_user_id: user } });
    tokens.set(user, body.token);
    await insertItems(
      app.pool,
      ids.map((id) => ({
        ...{ id, environmentId: app.testEnvironmentId, externalUserId: user },
        ...{ subject: null, htmlBody: '<p>x</p>', textBody: null, actionUrl: null, data: {} },
        ...{ category: null, tags: [], actions: [{ key: 'ok', label: 'OK', url: null, style: 'default' }] },
      })),
      Date.now(),
    );
  }

  let answered = 0;
  const readers = inboxes.map(async ({ user, ids }) => {
    const token = tokens.get(user) ?? '';
    for (const id of ids) {
      const until = new Date(Date.now() + 3_600_000).toISOString();
      expect(await call(token, `${id}/actions/ok`)).toBe(200);
      expect(await call(token, `${id}/snooze`, { until })).toBe(200);
      answered += 1;
    }
  });
  await service.start();
  for (let kill = 1; kill <= 2; kill++) {
    await waitUntil(async () => answered >= (items * kill) / 3 || new Error(`${answered} answered`), 60_000);
    // The kill comes while the hour of some snoozes is over.
    await makeDue();
    await service.kill();
    await service.start();
  }
  await Promise.all(readers);
  await makeDue();
  await waitUntil(async () => {
    const snoozed = await count('inbox_items where snoozed_until is not null');
    return snoozed === 0 || new Error(`${snoozed} still snoozed`);
  }, 60_000);

  expect(await count("inbox_items where action_key = 'ok'")).toBe(items);
  expect(await count("webhook_events where type = 'inbox.action'")).toBe(items);
  expect(
    await count("(select distinct notification_id from webhook_events where type = 'inbox.action') e"),
  ).toBe(items);
  expect(await count("inbox_events where type = 'acted'")).toBe(items);
  // Every item returned, and no snooze ended twice. A call whose answer was lost may have snoozed an item again.
  expect(await count("(select distinct item_id from inbox_events where type = 'returned') e")).toBe(items);
  expect(
    await count(
      `(select 1 from inbox_events where type in ('snoozed', 'returned') group by item_id
        having count(*) filter (where type = 'returned') > count(*) filter (where type = 'snoozed')) e`,
    ),
  ).toBe(0);
  for (const table of ['queue_later', 'queue_ready', 'queue_leased'])
    expect(await count(`${table} where kind = ${workKinds.inbox_return}`)).toBe(0);
  expect(
    await count(
      `inboxes b where unread <> (select count(*) from inbox_items i
         where i.external_user_id = b.external_user_id and read_at is null and archived_at is null)`,
    ),
  ).toBe(0);
});
