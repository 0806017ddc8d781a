import { afterAll, beforeAll, expect, test } from 'vitest';
import { managedEmail, startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { measureStorage } from './storage.ts';

const settings = { CARILLON_ROLES: 'api', CARILLON_STORAGE_QUOTA_MB: '1', ...managedEmail };
const quota = 1_048_576;
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings });
  const steps = [{ id: 'wait', kind: 'delay', duration: '1d' }];
  await app.request('POST', '/v1/workflows', { body: { key: 'wait', name: 'Wait' } });
  await app.request('POST', '/v1/workflows/wait/versions', { body: { body: { steps } } });
  await app.request('POST', '/v1/workflows/wait/versions/1/activate');
});
afterAll(() => app.stop());

const email = {
  channel: 'email',
  recipient: { address: 'delivered@sandbox.test' },
  subject: 'Hello',
  text_body: 'x'.repeat(100_000),
};
const send = (body: object = email, options = {}) =>
  app.request('POST', '/v1/notifications', { body, ...options });
const usageOf = async (key = app.testKey) => (await app.request('GET', '/v1/usage', { key })).body;
const file = {
  filename: 'a.bin',
  content_type: 'application/octet-stream',
  content_base64: Buffer.alloc(90_000).toString('base64'),
};
/** What housekeeping does every minute; then the process asks again, as it does for everybody whom it refused. */
const measure = async () => {
  await app.deps.storage.flush();
  await app.pool.query("update environment_storage set measure_after = '-infinity'");
  await measureStorage(app.deps, () => false);
  await send({ ...email, text_body: 'short' });
  await app.deps.storage.flush();
};

test('an environment that is full takes nothing more until something is deleted', async () => {
  const headers = { 'idempotency-key': 'first' };
  const first = await send({ ...email, attachments: [file] }, { headers });
  const ids = [first.body.id];
  expect((await usageOf()).stored_bytes).toBeGreaterThan(190_000);
  for (let number = 0; number < 9; number += 1) ids.push((await send()).body.id);
  const full = await usageOf();
  expect(full.stored_bytes).toBeGreaterThan(quota);
  expect(full.stored_bytes_limit).toBe(quota);

  const refused = await send();
  expect([refused.status, refused.body.error.type, refused.body.error.code]).toEqual([
    402,
    'plan_limit_error',
    'storage_quota_reached',
  ]);
  const batch = await app.request('POST', '/v1/notifications/batch', { body: { notifications: [email] } });
  expect(batch.body.data[0].error.code).toBe('storage_quota_reached');
  const trigger = await app.request('POST', '/v1/workflows/wait/trigger', { body: { trigger_data: {} } });
  expect([trigger.status, trigger.body.error.code]).toEqual([402, 'storage_quota_reached']);
  // A replay stores nothing.
  expect((await send({ ...email, attachments: [file] }, { headers })).status).toBe(200);
  // Live on the plan unmetered has no quota.
  expect((await send(email, { key: app.liveKey })).status).toBe(202);
  expect(await usageOf(app.liveKey)).toMatchObject({ stored_bytes: null, stored_bytes_limit: null });

  // What was counted is what is there.
  const counted = full.stored_bytes;
  await measure();
  const measured = (await usageOf()).stored_bytes;
  expect(Math.abs(measured - counted)).toBeLessThan(10 * 1_024);

  for (const id of ids.slice(0, 3)) await app.request('DELETE', `/v1/notifications/${id}`);
  await measure();
  expect((await usageOf()).stored_bytes).toBeLessThan(measured - 390_000);
  expect((await send()).status).toBe(202);
});

test('another process learns of it with what it writes itself', async () => {
  const second = await startTestApp({ database: app.database, settings });
  await app.deps.storage.flush();
  for (let number = 0; number < 10; number += 1) await send();
  await app.deps.storage.flush();
  const request = { body: { ...email, text_body: 'short' } };
  expect((await second.request('POST', '/v1/notifications', request)).status).toBe(202);
  await second.deps.storage.flush();
  expect((await second.request('POST', '/v1/notifications', request)).body.error.code).toBe(
    'storage_quota_reached',
  );
  await second.stop();
});

test('what the steps of a run have put out counts with the run', async () => {
  await app.pool.query('delete from notification_contents; delete from notifications; delete from runs');
  await measure();
  const { body } = await app.request('POST', '/v1/workflows/wait/trigger', { body: { trigger_data: {} } });
  await app.pool.query(
    `insert into run_steps (run_id, seq, step_id, kind, attempt_id, status, output, started_at)
     select $1, seq, 'call', 'fetch', 'call-' || seq, 'completed', to_json(output), now()
     from generate_series(1, 40) as seq,
       lateral (select string_agg(md5(seq || ' ' || part), '') as output from generate_series(1, 2000) as part) as made`,
    [body.run_id],
  );
  await app.pool.query("update environment_storage set measured_at = '-infinity'");
  await measure();
  expect((await usageOf()).stored_bytes).toBeGreaterThan(quota);
  expect((await send()).body.error?.code).toBe('storage_quota_reached');
  await app.pool.query('delete from run_steps');
});

test('accepting makes no query for it', async () => {
  await app.pool.query('delete from notification_contents; delete from notifications; delete from runs');
  await measure();
  await usageOf();
  const { query } = app.deps.pool;
  const names: unknown[] = [];
  Object.assign(app.deps.pool, {
    query(...given: unknown[]) {
      names.push((given[0] as { name?: string }).name);
      return Reflect.apply(query, app.deps.pool, given);
    },
  });
  expect((await send({ ...email, text_body: 'short' })).status).toBe(202);
  Object.assign(app.deps.pool, { query });
  expect(names.filter((name) => String(name).startsWith('storage'))).toEqual([]);
});
