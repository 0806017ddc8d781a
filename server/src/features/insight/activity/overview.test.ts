import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestResponse, waitUntil } from '../../../../test/harness/app.ts';
import { startWebhookSink, type WebhookSink } from '../../../../test/simulators/webhook-sink.ts';
import { primaryReads } from '../../../db/replica.ts';
import type { Pool } from '../../../db/sql.ts';
import { lowestIdAt, newId } from '../../../kernel/ids.ts';
import { email as stepOf, withWorkflows } from '../../workflows/runs/test-harness.ts';
import { activityRoutes, createActivityService } from './index.ts';

type Json = TestResponse['body'];

let app: TestApp;
let sink: WebhookSink;
beforeAll(async () => {
  app = await startTestApp();
  sink = await startWebhookSink();
});
afterAll(async () => {
  await sink.stop();
  await app.stop();
});

const email = (address: string) => ({
  channel: 'email',
  recipient: { address },
  subject: 'Hello',
  text_body: 'It rings.',
});
async function send(body: object, key = app.testKey): Promise<string> {
  const answer = await app.request('POST', '/v1/notifications', { body, key });
  expect(answer.status).toBe(202);
  return answer.body.id;
}
async function overview(query = '', key = app.testKey): Promise<Json> {
  await app.deps.activity.flush();
  const { status, body } = await app.request('GET', `/v1/overview${query}`, { key });
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
}
const until = (condition: (body: Json) => boolean, key?: string): Promise<Json> =>
  waitUntil(async () => {
    const body = await overview('', key);
    return condition(body) ? body : new Error(JSON.stringify(body.totals));
  }, 15_000);

describe('the overview', () => {
  test('of a new environment is empty, with every step there', async () => {
    const body = await overview('', app.liveKey);
    expect(body.series).toHaveLength(60);
    expect(body).toMatchObject({
      window: '1h',
      step_seconds: 60,
      totals: { accepted: 0, by_channel: {} },
      delivery_rate: null,
      latency: null,
      queue: { waiting: 0, waiting_is_capped: false, oldest_due_seconds: null, scheduled: 0 },
      providers: [],
      webhooks: [],
      failures: [],
    });
    expect(body.webhooks_from).toBe(body.from);
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe(3_600_000);
    expect(body.series[0].at).toBe(body.from);
  });

  test('counts what happens to notifications, each once', async () => {
    const before = (await overview()).totals;
    const ids = [
      await send(email('delivered@sandbox.test')),
      await send(email('complained@sandbox.test')),
      await send(email('bounced@sandbox.test')),
      await send(email('refused@sandbox.test')),
      await send({ channel: 'sms', recipient: { address: '+15005550006' }, text_body: 'Hi' }),
    ];
    await app.request('POST', '/v1/suppressions', { body: { address: 'nobody@example.com' } });
    await send(email('nobody@example.com'));
    const body = await until(
      ({ totals }) =>
        totals.suppressed - before.suppressed === 1 &&
        totals.complained - before.complained === 1 &&
        totals.bounced - before.bounced === 1 &&
        totals.failed - before.failed === 1 &&
        totals.delivered - before.delivered === 3,
    );
    const { totals } = body;
    expect(totals.accepted - before.accepted).toBe(6);
    expect(totals.sent - before.sent).toBe(4);
    expect(totals.by_channel.sms).toMatchObject({ accepted: 1, sent: 1, delivered: 1, failed: 0 });
    expect(totals.by_channel.email.accepted + totals.by_channel.sms.accepted).toBe(totals.accepted);
    expect(body.series.reduce((sum: number, step: Json) => sum + step.accepted, 0)).toBe(totals.accepted);
    const last = body.series.findLast((step: Json) => step.accepted > 0);
    expect(last.by_channel.email).toBeGreaterThan(0);
    expect(body.delivery_rate).toBeGreaterThan(0);
    expect(body.delivery_rate).toBeLessThan(1);
    expect(body.latency.p50_ms).toBeGreaterThan(0);
    expect(body.latency.p99_ms).toBeGreaterThanOrEqual(body.latency.p50_ms);
    expect(body.failures).toContainEqual(
      expect.objectContaining({
        status: 'suppressed',
        channel: 'email',
        reason: 'manual_add',
        count: 1,
      }),
    );
    const failure = body.failures.find((group: Json) => group.status === 'failed');
    expect(ids).toContain(failure.sample_notification_id);
    for (const window of ['6h', '24h', '7d'])
      expect((await overview(`?window=${window}`)).totals).toMatchObject({ accepted: totals.accepted });
  });

  test('counts rounds that failed', async () => {
    const before = (await overview()).totals;
    await send(email('refused-once@sandbox.test'));
    const { totals } = await until(
      (body) => body.totals.delivered > before.delivered && body.totals.retried > before.retried,
    );
    expect(totals.retried - before.retried).toBe(1);
    expect(totals.failed).toBe(before.failed);
  });

  test('counts what workflows send', async () => {
    const before = (await overview()).totals;
    const { define, trigger, reaches } = withWorkflows(app);
    await define('two_emails', [stepOf('first'), stepOf('second')]);
    await reaches(await trigger('two_emails'), 'completed');
    const { totals } = await until((body) => body.totals.delivered - before.delivered === 2);
    expect(totals.accepted - before.accepted).toBe(2);
  });

  describe('without a worker', () => {
    let idle: TestApp;
    beforeAll(async () => {
      idle = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
    });
    afterAll(() => idle.stop());
    const queueOf = async (key: string) => (await idle.request('GET', '/v1/overview', { key })).body.queue;

    test('knows what waits, for how long, and what is for later', async () => {
      const now = Date.now();
      const [late, early] = [lowestIdAt(now - 5_000), lowestIdAt(now - 90_000)];
      const environment = idle.liveEnvironmentId;
      await idle.pool.query(
        `insert into notifications (id, environment_id, channel, status, priority, events)
         select id, $2, 'email', 'queued', 'normal', '[]' from unnest($1::uuid[]) as id`,
        [[late, early], environment],
      );
      await idle.pool.query(
        `insert into queue_parked (id, kind, lane, environment_id, place)
         select id, 1, 1, $2, 'email:test' from unnest($1::uuid[]) as id`,
        [[late, early], environment],
      );
      const send_at = new Date(now + 3_600_000).toISOString();
      const later = {
        channel: 'in_app',
        recipient: { external_user_id: 'ada' },
        text_body: 'Later',
        send_at,
      };
      await idle.request('POST', '/v1/notifications', { key: idle.liveKey, body: later });
      const queue = await queueOf(idle.liveKey);
      expect(queue).toMatchObject({ waiting: 2, waiting_is_capped: false, scheduled: 1 });
      expect(queue.oldest_due_seconds).toBeGreaterThanOrEqual(90);
      expect(queue.oldest_due_seconds).toBeLessThan(600);
      expect(await queueOf(idle.testKey)).toMatchObject({
        waiting: 0,
        scheduled: 0,
        oldest_due_seconds: null,
      });
    });

    test('counts no further than 10,000 and says so', async () => {
      await idle.pool.query(
        `insert into queue_parked (id, kind, lane, environment_id, place)
         select gen_random_uuid(), 1, 1, $1, 'email:test' from generate_series(1, 10005)`,
        [idle.liveEnvironmentId],
      );
      expect(await queueOf(idle.liveKey)).toMatchObject({ waiting: 10_000, waiting_is_capped: true });
    });
  });

  test('shows the providers of a Live environment with their health', async () => {
    const saved = await app.request('PUT', `/v1/environments/${app.liveEnvironmentId}/email-settings`, {
      key: app.liveKey,
      body: {
        from_address: 'hello@acme.example',
        providers: [
          { kind: 'smtp', name: 'first', config: { host: 'mail.acme.example', port: 587 } },
          { kind: 'smtp', name: 'spare', enabled: false, config: { host: 'mail2.acme.example', port: 587 } },
        ],
      },
    });
    expect(saved.status).toBe(200);
    const [first] = saved.body.providers;
    const named = async () => (await overview('', app.liveKey)).providers;
    expect(await named()).toMatchObject([
      { id: first.id, name: 'first', kind: 'smtp', channel: 'email', status: 'healthy', paused_until: null },
      { name: 'spare', status: 'disabled' },
    ]);
    await app.pool.query(
      `insert into provider_pauses (environment_id, pace, paused_at, paused_until, strikes, since, provider)
       values ($1, 'email:smtp:abc', now(), now() + interval '1 hour', 1, now(), $2)`,
      [app.liveEnvironmentId, first.id],
    );
    const [paused] = await named();
    expect(paused.status).toBe('paused');
    expect(Date.parse(paused.paused_until)).toBeGreaterThan(Date.now() + 3_000_000);
    await app.pool.query(
      `insert into provider_health (environment_id, provider, firing_since, demoted_since, outage_id)
       values ($1, $2, now(), now(), $3)`,
      [app.liveEnvironmentId, first.id, newId()],
    );
    expect((await named())[0]).toMatchObject({ status: 'outage', since: expect.any(String) });
    expect((await overview()).providers).toEqual([]);
  });

  test('shows the push services of a Live environment with their last check', async () => {
    const settings = `/v1/environments/${app.liveEnvironmentId}/push-settings`;
    const body = { web_push: { contact: 'ops@acme.example' } };
    expect((await app.request('PUT', settings, { key: app.liveKey, body })).status).toBe(200);
    const services = async () =>
      (await overview('', app.liveKey)).providers.filter((each: Json) => each.channel === 'in_app');
    const [{ last_success_at: checkedAt, ...web }] = await services();
    expect(web).toMatchObject({ id: 'web_push', kind: 'web_push', status: 'healthy', problem: null });
    expect(Date.parse(checkedAt)).toBeGreaterThan(Date.now() - 60_000);
    await app.pool.query(
      `update push_settings set fcm = '{}',
         checks = checks || '{"fcm": {"ok": false, "detail": "invalid_grant", "at": "2026-01-02T03:04:05Z"}}'
       where environment_id = $1`,
      [app.liveEnvironmentId],
    );
    expect((await services())[1]).toMatchObject({
      ...{ id: 'fcm', status: 'broken', problem: 'invalid_grant' },
      ...{ last_success_at: null, last_failure_at: '2026-01-02T03:04:05.000Z' },
    });
  });

  test('is 304 for whoever has it already', async () => {
    const get = (headers = {}) => app.request('GET', '/v1/overview?window=7d', { key: app.liveKey, headers });
    await app.deps.activity.flush();
    // Its steps are hours: only where one begins between two calls are there two answers.
    const again = await waitUntil(async () => {
      const etag = (await get()).headers.get('etag') ?? '';
      expect(etag).toMatch(/^W\/".+"$/);
      const second = await get({ 'if-none-match': etag });
      return second.status === 304 ? second : new Error(`${second.status}`);
    }, 15_000);
    expect(again.body).toBe('');
    expect((await get({ 'if-none-match': 'W/"another"' })).status).toBe(200);
  });

  test('refuses windows that it does not know', async () => {
    for (const window of ['', '2h', '1H', '7d ', 'x'.repeat(5_000)]) {
      const { status, body } = await app.request('GET', `/v1/overview?window=${encodeURIComponent(window)}`);
      expect([window.slice(0, 10), status, body.error.param]).toEqual([window.slice(0, 10), 400, 'window']);
    }
  });

  test('takes six statements, whatever there is to show', async () => {
    const counts: number[] = [];
    for (const key of [app.testKey, app.liveKey]) {
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
      const deps = { ...app.deps, pool: counting, listReads: primaryReads(counting) };
      const [route] = activityRoutes({ overview: createActivityService(deps) });
      const principal = await app.deps.authenticator.byKey(key);
      await route?.handler({ principal, query: {}, raw: { headers: {} } } as never);
      counts.push(queries);
    }
    expect(counts).toEqual([4, 6]);
  });
});

describe('the health of a webhook endpoint', () => {
  const createEndpoint = async (): Promise<Json> => {
    const url = sink.url(`/${createHash('md5').update(newId()).digest('hex')}`);
    const { status, body } = await app.request('POST', '/v1/webhook-endpoints', {
      body: { url, event_filters: ['webhook.nothing'] },
    });
    expect(status).toBe(201);
    return body;
  };
  const healthOf = async (endpoint: Json, query = ''): Promise<TestResponse> => {
    await app.deps.activity.flush();
    return app.request('GET', `/v1/webhook-endpoints/${endpoint.id}/health${query}`);
  };

  test('counts every call, by whether it succeeded', async () => {
    const endpoint = await createEndpoint();
    const other = await createEndpoint();
    sink.reply = () => 500;
    await app.request('POST', `/v1/webhook-endpoints/${endpoint.id}/send-test`);
    await waitUntil(async () => {
      const { body } = await healthOf(endpoint);
      return body.failed > 0 ? true : new Error('not called');
    }, 15_000);
    sink.reply = () => 204;
    const body = await waitUntil(async () => {
      const { body } = await healthOf(endpoint);
      return body.succeeded === 1 ? body : new Error(JSON.stringify(body));
    }, 15_000);
    expect(body).toMatchObject({ endpoint_id: endpoint.id, window: '1h', step_seconds: 300 });
    expect(body.series).toHaveLength(12);
    expect(body.series.reduce((sum: number, step: Json) => sum + step.failed, 0)).toBe(body.failed);
    expect(body.success_rate).toBeCloseTo(1 / (1 + body.failed), 3);
    expect(body.latency.p50_ms).toBeGreaterThan(0);
    expect(body.series.find((step: Json) => step.succeeded > 0).median_latency_ms).toBeGreaterThan(0);

    expect((await healthOf(other, '?window=7d')).body).toMatchObject({
      succeeded: 0,
      failed: 0,
      success_rate: null,
      latency: null,
    });
    const { webhooks } = await overview();
    expect(webhooks[0]).toMatchObject({ endpoint_id: endpoint.id, url: endpoint.url, succeeded: 1 });
    expect(webhooks.map((entry: Json) => entry.endpoint_id)).not.toContain(other.id);
  });

  test('is nobody else’s', async () => {
    const endpoint = await createEndpoint();
    const path = `/v1/webhook-endpoints/${endpoint.id}/health`;
    expect((await app.request('GET', path, { key: app.liveKey })).status).toBe(404);
    expect((await app.request('GET', `/v1/webhook-endpoints/${newId()}/health`)).status).toBe(404);
    expect((await app.request('GET', '/v1/webhook-endpoints/x/health')).status).toBe(404);
    expect((await app.request('GET', `${path}?window=1y`)).status).toBe(400);
  });
});
