import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../test/harness/app.ts';
import { query } from '../../../db/sql.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.request('PUT', `/v1/environments/${app.liveEnvironmentId}/email-settings`, {
    key: app.liveKey,
    body: { from_address: 'hello@acme.example', providers: [{ kind: 'sandbox' }] },
  });
});
afterAll(() => app.stop());

const email = {
  channel: 'email',
  recipient: { address: 'ada@example.com' },
  subject: 'Hello',
  text_body: 'It rings.',
};

/** Makes every round throw until it is told to stop. */
function breakRounds(): () => void {
  const { tracer } = app.deps;
  const { startFor } = tracer;
  tracer.startFor = () => {
    throw new Error('a fault of ours');
  };
  return () => {
    tracer.startFor = startFor;
  };
}

test('a fault of ours shows in the trace once, and not what it was; the notification arrives when it is mended', async () => {
  const mend = breakRounds();
  const { body } = await app.request('POST', '/v1/notifications', { key: app.liveKey, body: email });
  const trace = async () =>
    (await app.request('GET', `/v1/notifications/${body.id}/trace`, { key: app.liveKey })).body;
  const faults = async () =>
    (await trace()).entries.filter(({ name }: { name: string }) => name === 'internal_error');
  const isPutOff = async () => {
    const later = await query(app.pool, 'select from queue_later where id = $1', [body.id]);
    return later.length === 1 && (await faults()).length > 0 ? true : new Error('not put off');
  };
  await waitUntil(isPutOff);
  const { status, summary, next_attempt_at } = await trace();
  expect([status, summary]).toEqual([
    'queued',
    expect.stringContaining('An internal error ended this attempt'),
  ]);
  expect(next_attempt_at).not.toBeNull();
  const tryNow = () => query(app.pool, 'update queue_later set run_at = now() where id = $1', [body.id]);
  await tryNow();
  await waitUntil(async () => {
    const [later] = await query(app.pool, 'select run_at > now() as again from queue_later where id = $1', [
      body.id,
    ]);
    return later?.again ? true : new Error('not tried again');
  });
  mend();
  await tryNow();
  await app.waitFor(body.id, (notification) => notification.status === 'delivered');
  expect(await faults()).toEqual([expect.objectContaining({ kind: 'gate', verdict: 'defer' })]);
  expect(JSON.stringify(await trace())).not.toContain('a fault of ours');
});

test('a fault before the calls of a round takes no room away from those that come after', async () => {
  const mend = breakRounds();
  // More than the place of the environment has room for.
  const { status } = await app.request('POST', '/v1/notifications/batch', {
    key: app.liveKey,
    body: { notifications: Array.from({ length: 60 }, () => ({ ...email, priority: 'normal' })) },
  });
  expect(status).toBe(202);
  await waitUntil(async () => {
    const later = await query(app.pool, 'select from queue_later where kind = 1');
    return later.length === 60 ? true : new Error(`${later.length} of 60 were put off`);
  });
  mend();
  const { body } = await app.request('POST', '/v1/notifications', { key: app.liveKey, body: email });
  await app.waitFor(body.id, (notification) => notification.status === 'delivered');
});

test('sends that wait for a thread are parked, so that they leave room for other tenants', async () => {
  const { tasks } = app.deps;
  const { waiting } = tasks;
  const { run } = tasks.unlimited;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  tasks.waiting = (owner) => (owner === app.liveEnvironmentId ? 1_000 : waiting(owner));
  tasks.unlimited.run = async (task, owner, input) => {
    if (owner === app.liveEnvironmentId) await opened;
    return run(task, owner, input);
  };
  const { text_body: html_body, ...rest } = email;
  const { body } = await app.request('POST', '/v1/notifications/batch', {
    key: app.liveKey,
    body: {
      notifications: Array.from({ length: 200 }, () => ({ ...rest, html_body, priority: 'critical' })),
    },
  });
  await waitUntil(async () => {
    const parked = await query(app.pool, `select from queue_parked where place like 'compose:%'`);
    return parked.length >= 100 ? true : new Error(`${parked.length} are parked`);
  });
  const { body: other } = await app.request('POST', '/v1/notifications', { body: email });
  await app.waitFor(other.id, ({ status }) => status === 'delivered');

  open();
  for (const { notification } of body.data)
    await app.waitFor(notification.id, ({ status }) => status === 'delivered');
  Object.assign(tasks, { waiting });
  Object.assign(tasks.unlimited, { run });
});

test('a freeze that begins just before the call holds the message, and an unfreeze sends it once', async () => {
  const { providerHealth } = app.services;
  const { order } = providerHealth;
  providerHealth.order = async (...given) => {
    providerHealth.order = order;
    await app.request('POST', '/v1/brake/freeze', { key: app.liveKey, body: { channel: 'email' } });
    return order(...given);
  };
  const { body } = await app.request('POST', '/v1/notifications', { key: app.liveKey, body: email });
  const trace = async () =>
    (await app.request('GET', `/v1/notifications/${body.id}/trace`, { key: app.liveKey })).body.entries;
  const last = await waitUntil(async () => {
    const entry = (await trace()).at(-1);
    return entry?.verdict === 'hold' || entry?.kind === 'attempt'
      ? entry
      : new Error('neither sent nor held');
  });
  expect(last).toMatchObject({ kind: 'gate', name: 'brake', verdict: 'hold' });
  await app.request('POST', '/v1/brake/unfreeze', { key: app.liveKey, body: { channel: 'email' } });
  await app.waitFor(body.id, ({ status }) => status === 'delivered');
  expect((await trace()).filter(({ kind }: { kind: string }) => kind === 'attempt')).toHaveLength(1);
});
