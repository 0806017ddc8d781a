import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../../test/harness/app.ts';
import type { Pool } from '../../../../db/sql.ts';
import type { Claim } from '../../../../queue/index.ts';
import { createServices } from '../../../../services.ts';
import { createDispatchJob } from '../index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  for (const category of [
    { key: 'news', default_channels: ['email'] },
    { key: 'alarm', default_channels: ['email'], is_critical: true },
  ])
    await app.request('POST', '/v1/preferences/categories', { body: { name: category.key, ...category } });
});
afterAll(() => app.stop());

const send = async (body: object) =>
  (
    await app.request('POST', '/v1/notifications', {
      body: { channel: 'email', subject: 'Hello', text_body: 'Hi', ...body },
    })
  ).body;
const settled = (id: string) => app.waitFor(id, (n) => !['queued', 'sending'].includes(n.status));
const traceOf = async (id: string) => (await app.request('GET', `/v1/notifications/${id}/trace`)).body;

/** A window that contains this very minute and ends in an hour, by the clock of UTC. */
function quietNow() {
  const clock = (offsetMs: number) => new Date(Date.now() + offsetMs).toISOString().slice(11, 16);
  return { start_local: clock(-3_600_000), end_local: clock(3_600_000), timezone: 'UTC' };
}

describe('an opted-out recipient', () => {
  test('is not written to on that channel, and the trace says why', async () => {
    const recipient = { external_user_id: 'no', address: 'delivered@sandbox.test' };
    await app.request('PATCH', '/v1/preferences/users/no/news/email', { body: { opted_in: false } });
    const { id } = await send({ recipient, category: 'news' });
    const held = await settled(id);
    expect(held).toMatchObject({
      status: 'suppressed',
      suppression_reason: 'category_opt_out',
      attempt_count: 0,
    });
    expect(held.events.map((event: { type: string }) => event.type)).toEqual(['Queued', 'Suppressed']);
    const trace = await traceOf(id);
    expect(trace.summary).toBe('Not sent, because of a suppression: category_opt_out.');
    expect(trace.entries.at(-1)).toMatchObject({ name: 'category_preference', verdict: 'suppress' });
    const critical = await send({ recipient, category: 'alarm' });
    expect((await settled(critical.id)).status).toBe('delivered');
    const none = await send({ recipient });
    expect((await settled(none.id)).status).toBe('delivered');
  });

  test('who opts out while it waits is heard: the gate asks when it is sent', async () => {
    const recipient = { external_user_id: 'late', address: 'delivered@sandbox.test' };
    const { id } = await send({
      recipient,
      category: 'news',
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await app.request('PATCH', '/v1/preferences/users/late/news/email', { body: { opted_in: false } });
    await app.request('PATCH', `/v1/notifications/${id}`, { body: { send_at: null } });
    expect((await settled(id)).suppression_reason).toBe('category_opt_out');
  });

  test('a channel outside the defaults of the category needs an opt-in', async () => {
    const body = { channel: 'sms', recipient: { address: '+14155550111' }, category: 'news' };
    expect((await settled((await send(body)).id)).suppression_reason).toBe('category_default');
    await app.request('PATCH', '/v1/preferences/users/+14155550111/news/sms', { body: { opted_in: true } });
    expect((await settled((await send(body)).id)).status).not.toBe('suppressed');
  });
});

describe('quiet hours', () => {
  test('hold a category send back until they end; critical ones and those without a category pass', async () => {
    const recipient = { external_user_id: 'asleep', address: 'delivered@sandbox.test' };
    const hours = quietNow();
    await app.request('PUT', '/v1/preferences/users/asleep/quiet-hours', { body: hours });
    const { id } = await send({ recipient, category: 'news' });
    const trace = await waitUntil(async () => {
      const seen = await traceOf(id);
      return seen.status === 'queued' && seen.entries.length > 0 ? seen : new Error(JSON.stringify(seen));
    });
    expect(trace).toMatchObject({
      status: 'queued',
      summary: expect.stringContaining('Quiet hours of the recipient'),
    });
    expect(trace.next_attempt_at.slice(11, 19)).toBe(`${hours.end_local}:00`);
    expect(trace.entries.at(-1)).toMatchObject({ name: 'quiet_hours', verdict: 'defer' });
    for (const category of ['alarm', null]) {
      const passed = await send({ recipient, category });
      expect((await settled(passed.id)).status).toBe('delivered');
    }
    // Morning comes: the window is over, and nothing was lost.
    await app.request('DELETE', '/v1/preferences/users/asleep/quiet-hours');
    await app.pool.query('update queue_later set run_at = now() where id = $1', [id]);
    const done = await app.waitFor(id, (n) => n.status === 'delivered');
    expect(done.attempt_count).toBe(1);
  });
});

test('the gates for a hundred notifications take as many queries as for one of each channel', async () => {
  // With every kind of reason to hold back among them; send_at keeps the workers of the app away.
  const notifications = Array.from({ length: 100 }, (_, n) => ({
    channel: n % 4 === 3 ? 'sms' : 'email',
    recipient: {
      external_user_id: `crowd-${n}`,
      address: n % 4 === 3 ? `+1415555${String(n).padStart(4, '0')}` : `crowd-${n}@example.com`,
    },
    subject: 'Hello',
    text_body: 'Hi',
    category: 'news',
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
  }));
  for (let n = 0; n < 100; n += 3) {
    if (n % 2)
      await app.request('PATCH', `/v1/preferences/users/crowd-${n}/news/email`, {
        body: { opted_in: false },
      });
    else await app.request('PUT', `/v1/preferences/users/crowd-${n}/quiet-hours`, { body: quietNow() });
    await app.request('POST', '/v1/suppressions', { body: { address: `crowd-${n + 1}@example.com` } });
  }
  const { body } = await app.request('POST', '/v1/notifications/batch', { body: { notifications } });
  const claims = body.data.map(
    (entry: { notification: { id: string } }): Claim => ({
      kind: 'notification',
      id: entry.notification.id,
      lane: 'bulk',
      environmentId: app.testEnvironmentId,
      note: null,
      leasedAt: new Date(),
      unparkedFrom: null,
    }),
  );

  let queries = 0;
  const counting = new Proxy(app.deps.pool, {
    get(pool, name) {
      const value = Reflect.get(pool, name);
      if (name !== 'query') return typeof value === 'function' ? value.bind(pool) : value;
      return (...args: Parameters<Pool['query']>) => {
        queries += 1;
        return pool.query(...args);
      };
    },
  });
  const deps = { ...app.deps, pool: counting };
  const costOf = async (some: Claim[]) => {
    const services = createServices(deps);
    const job = createDispatchJob(services);
    queries = 0;
    const facts = await job.load(some);
    await services.emailConnections.stop();
    return { queries, facts };
  };

  const few = await costOf(claims.slice(2, 4)); // one of each channel
  const hundred = await costOf(claims);
  expect(few.facts.size).toBe(2);
  expect(hundred.facts.size).toBe(100);
  expect(hundred.queries).toBe(few.queries);
  expect(hundred.queries).toBeLessThanOrEqual(7);
});
