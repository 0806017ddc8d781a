import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../test/harness/app.ts';
import { query } from '../db/sql.ts';
import { newId } from '../kernel/ids.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

async function send(address: string, more: object = {}): Promise<string> {
  const body = {
    channel: 'email',
    recipient: { address },
    subject: 'Hello',
    text_body: 'It rings.',
    ...more,
  };
  return (await app.request('POST', '/v1/notifications', { body })).body.id;
}

/** As a claim leaves it: the work of a notification in the name of a worker. */
async function leaseTo(workerId: string): Promise<string> {
  const id = await send('delivered@sandbox.test', {
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await query(
    app.pool,
    `with work as (delete from queue_later where id = $1 returning id, kind, lane, environment_id),
          due as (update notifications set send_at = null where id = $1)
     insert into queue_leased (id, kind, lane, environment_id, worker_id, leased_at)
     select id, kind, lane, environment_id, $2, now() - interval '1 minute' from work`,
    [id, workerId],
  );
  return id;
}

async function livingWorker(): Promise<string> {
  const seen = await waitUntil(async () => {
    const [row] = await query<{ id: string }>(app.pool, 'select id from workers');
    return row ?? new Error('no worker has been heard');
  });
  return seen.id;
}

async function attempts(): Promise<number> {
  const { values } = await app.deps.metrics.attempts.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

test('a claim whose answer was lost with its connection is handed back while the worker lives on', async () => {
  const id = await leaseTo(await livingWorker());
  expect((await app.waitFor(id, ({ status }) => status === 'delivered')).attempt_count).toBe(1);
});

test('a claim that a crash of the database undid does not make the same worker do the work twice at once', async () => {
  const before = await attempts();
  const id = await send('slow@sandbox.test');
  await app.waitFor(id, ({ status }) => status === 'sending');
  await query(
    app.pool,
    `with undone as (delete from queue_leased where id = $1 returning id, kind, lane, environment_id)
     insert into queue_ready (id, kind, lane, tag, environment_id)
     select id, kind, lane, 1, environment_id from undone`,
    [id],
  );
  app.deps.queue.ring('notification');
  await app.waitFor(id, ({ status }) => status === 'delivered');
  expect(await attempts()).toBe(before + 1);
  expect(await query(app.pool, 'select from queue_leased where id = $1', [id])).toEqual([]);
});

test('a worker that has just come lets the others be heard before it takes over what they hold', async () => {
  await app.stop();
  const began = Date.now();
  app = await startTestApp();
  const id = await leaseTo(newId());
  await app.waitFor(id, ({ status }) => status === 'delivered');
  expect(Date.now() - began).toBeGreaterThan(3_000);
});
