import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from '../../src/db/sql.ts';
import { workKinds } from '../../src/queue/index.ts';
import { startTestApp, type TestApp, waitUntil } from '../harness/app.ts';
import { buildService, createServiceProcess, type ServiceProcess } from './service-process.ts';

/** Two workers that are killed while they work on slices. */
let app: TestApp;
let workers: ServiceProcess[];
let folder: string;

beforeAll(async () => {
  await buildService();
  folder = mkdtempSync(join(tmpdir(), 'carillon-bulk-crash-'));
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  workers = await Promise.all(
    ['first', 'second'].map((name) =>
      createServiceProcess({
        name,
        logFile: join(folder, `${name}.log`),
        settings: {
          DATABASE_URL: app.database.url,
          CARILLON_DATA_DIR: folder,
          CARILLON_ROLES: 'worker',
          CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
          CARILLON_RETRY_SCALE: '0.001',
        },
      }),
    ),
  );
  // Between the writes of a slice and its commit there are only milliseconds otherwise.
  await rows(
    `create function slowly() returns trigger language plpgsql as 'begin perform pg_sleep(0.1); return new; end'`,
  );
  await rows('create trigger slowly before update on bulk_actions for each row execute function slowly()');
  await Promise.all(workers.map((worker) => worker.start()));
}, 60_000);

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const count = 500;

async function sendMany(address: string, more: object = {}): Promise<string[]> {
  const one = { channel: 'email', recipient: { address }, subject: 'Hello', text_body: 'It rings.', ...more };
  const notifications = Array.from({ length: count }, () => one);
  const { body } = await app.request('POST', '/v1/notifications/batch', { body: { notifications } });
  return body.data.map(({ notification }: { notification: { id: string } }) => notification.id);
}

/** Previews and confirms; resolves to the id of the action. */
async function begin(action: 'redrive' | 'cancel', filter: object): Promise<string> {
  const preview = await app.request('POST', `/v1/notifications/${action}`, { body: { filter } });
  expect(preview.body.count).toBe(count);
  const { confirm_token } = preview.body;
  const started = await app.request('POST', `/v1/notifications/${action}`, {
    body: { filter, confirm_token },
  });
  expect(started.status).toBe(202);
  return started.body.id;
}

const read = async (id: string) => (await app.request('GET', `/v1/bulk-actions/${id}`)).body;

const rows = <Row extends object>(sql: string, values: unknown[] = []) =>
  query<Row & Record<string, unknown>>(app.pool, sql, values);

/** An SQL condition for each part of a slice: it is being read, and it is being written (its action is locked). */
const parts = {
  reading: `exists (select from queue_leased where kind = ${workKinds.bulk_action})`,
  writing: `(select count(*) from (select from bulk_actions where status = 'running' for update skip locked) free)
    < (select count(*) from bulk_actions where status = 'running')`,
};

/** Kills both workers within 100 ms after such a part has begun. Resolves to the moment; null when no slice is left. */
async function killDuring(part: keyof typeof parts): Promise<string | null> {
  for (;;) {
    const [state] = await rows<{ has_begun: boolean; is_running: boolean }>(
      `select ${parts[part]} as has_begun, exists (select from bulk_actions where status = 'running') as is_running`,
    );
    if (!state?.is_running) return null;
    if (state.has_begun) break;
    await delay(1); // waitUntil would ask too seldom to meet a slice
  }
  const ms = Math.round(Math.random() * 100);
  await delay(ms);
  await Promise.all(workers.map((worker) => worker.kill()));
  await rows('delete from workers'); // their leases are rescued without the wait for missing heartbeats
  await Promise.all(workers.map((worker) => worker.start()));
  return `${part} for ${ms} ms`;
}

test('each notification is redriven or cancelled once, however often the workers are killed', {
  timeout: 180_000,
}, async () => {
  const scheduled = await sendMany('later@example.com', {
    send_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const originals = await sendMany('refused@sandbox.test');
  await waitUntil(async () => {
    const [found] = await rows<{ failed: number }>(
      `select count(*)::int as failed from notifications where status = 'failed'`,
    );
    return found?.failed === count ? true : new Error(`${found?.failed} of ${count} have failed`);
  }, 60_000);

  const filter = { recipient: 'refused@sandbox.test' };
  const redrives = await Promise.all([begin('redrive', filter), begin('redrive', filter)]);
  const cancel = await begin('cancel', { recipient: 'later@example.com' });
  const moments: string[] = [];
  for (const part of ['writing', 'reading', 'writing'] as const)
    moments.push(...[await killDuring(part)].filter((moment) => moment !== null));
  expect(moments.length).toBeGreaterThan(1);

  const ended = await waitUntil(async () => {
    const all = await Promise.all([...redrives, cancel].map(read));
    return all.every(({ status }) => status === 'completed') ? all : new Error(JSON.stringify(all));
  }, 60_000);
  const killed = `killed while ${moments.join(', ')}`;
  const [first, second, third] = ended;
  expect(third, killed).toMatchObject({ total: count, done: count, skipped: 0 });
  expect([first.done + first.skipped, second.done + second.skipped], killed).toEqual([count, count]);
  expect(first.done + second.done, killed).toBe(count);

  const resent = await rows<{ times: number }>(
    'select count(*)::int as times from notifications where resent_from = any ($1::uuid[]) group by resent_from',
    [originals],
  );
  expect(resent, killed).toEqual(originals.map(() => ({ times: 1 })));
  const cancelled = await rows<{ reason: string; events: number }>(
    `select suppression_reason as reason,
       (select count(*)::int from jsonb_array_elements(events) e where e ->> 'type' = 'Suppressed') as events
     from notifications_readable where id = any ($1::uuid[])`,
    [scheduled],
  );
  expect(cancelled, killed).toEqual(scheduled.map(() => ({ reason: 'cancelled', events: 1 })));
  expect(workers.flatMap(({ unexpectedEnds }) => unexpectedEnds)).toEqual([]);
});
