import { randomUUID } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestResponse, waitUntil } from '../../../test/app.ts';
import {
  type ReceivedCall,
  startWebhookSink,
  type WebhookSink,
} from '../../../test/simulators/webhook-sink.ts';

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

type Json = TestResponse['body'];
let made: string[] = [];

async function createEndpoint(settings: object = {}): Promise<Json> {
  const { body } = await app.request('POST', '/v1/webhook-endpoints', {
    body: { url: sink.url(`/${randomUUID()}`), ...settings },
  });
  made.push(body.id);
  return body;
}

afterEach(async () => {
  sink.reply = () => 204;
  for (const id of made) await app.request('DELETE', `/v1/webhook-endpoints/${id}`);
  made = [];
});

const at = (endpoint: Json, rest = '') => `/v1/webhook-endpoints/${endpoint.id}${rest}`;
const callsTo = (endpoint: Json): ReceivedCall[] =>
  sink.received.filter((call) => call.path === new URL(endpoint.url).pathname);

const send = async (address = 'delivered@sandbox.test', more: object = {}): Promise<Json> => {
  const { body } = await app.request('POST', '/v1/notifications', {
    body: {
      channel: 'email',
      recipient: { address, name: 'Ada' },
      subject: 'Hello',
      html_body: '<p>secret words</p>',
      template_data: { order: 7 },
      ...more,
    },
  });
  return body;
};

const deliveriesOf = async (endpoint: Json, query = ''): Promise<Json[]> =>
  (await app.request('GET', at(endpoint, `/deliveries?limit=100${query}`))).body.data;

/** Waits until the endpoint's deliveries are as wanted; what waits for a later attempt is pulled forward. */
async function untilDeliveries(
  endpoint: Json,
  condition: (deliveries: Json[]) => boolean,
  { hurry = false } = {},
): Promise<Json[]> {
  return waitUntil(async () => {
    const deliveries = await deliveriesOf(endpoint);
    if (condition(deliveries)) return deliveries;
    if (hurry) await app.pool.query('update queue_later set run_at = now() where kind = 3');
    return new Error(JSON.stringify(deliveries));
  });
}

const settled = (count: number) => (deliveries: Json[]) =>
  deliveries.length === count &&
  deliveries.every(({ status }) => ['succeeded', 'failed', 'permanent_failure'].includes(status));

async function sendTest(endpoint: Json): Promise<Json> {
  const { status, body } = await app.request('POST', at(endpoint, '/send-test'));
  expect(status).toBe(202);
  return body;
}

const getDelivery = async (delivery: Json): Promise<Json> =>
  (await app.request('GET', `/v1/webhook-endpoints/${delivery.endpoint_id}/deliveries/${delivery.id}`)).body;

describe('the life of a notification', () => {
  test('is told to every endpoint that wants to know, signed, with the notification as it was', async () => {
    const all = await createEndpoint();
    const some = await createEndpoint({ event_filters: ['notification.delivered', 'thing.unheard_of'] });
    const none = await createEndpoint({ event_filters: ['notification.failed'] });
    const { id } = await send();
    await untilDeliveries(all, settled(2));
    await untilDeliveries(some, settled(1));
    expect(await deliveriesOf(none)).toEqual([]);

    const calls = callsTo(all);
    expect(calls.map(({ body }) => body.type).sort()).toEqual([
      'notification.delivered',
      'notification.sent',
    ]);
    for (const { headers, body, text } of calls) {
      expect(new StandardWebhook(all.signing_secret).verify(text, headers)).toEqual(body);
      expect(new SvixWebhook(all.signing_secret).verify(text, headers)).toEqual(body);
      expect(() => new StandardWebhook(some.signing_secret).verify(text, headers)).toThrow();
      expect(headers).toMatchObject({ 'webhook-id': body.id, 'content-type': /application\/json/ });
      expect(Object.keys(body)).toEqual(['id', 'type', 'created_at', 'data']);
      expect(body.data).toMatchObject({
        id,
        environment_id: app.testEnvironmentId,
        channel: 'email',
        recipient: { address: 'delivered@sandbox.test', name: 'Ada' },
        subject: 'Hello',
        template_data: { order: 7 },
        attempt_count: 1,
        provider: 'sandbox',
      });
      expect(text).not.toContain('secret words');
      expect(body.data).not.toHaveProperty('reason');
    }
    const byType = new Map(calls.map(({ body }) => [body.type, body.data]));
    const types = (data: Json) => data.events.map((event: Json) => event.type);
    expect(byType.get('notification.sent').status).toBe('sent');
    expect(types(byType.get('notification.sent'))).toEqual(['Queued', 'Sending', 'Sent']);
    expect(byType.get('notification.delivered').status).toBe('delivered');
    // The two endpoints were told of the same event, each with its own signature.
    const [delivered] = callsTo(some);
    expect(calls.map(({ text }) => text)).toContain(delivered?.text);

    const trace = (await app.request('GET', `/v1/notifications/${id}/trace`)).body;
    expect(trace.webhook_deliveries).toHaveLength(3);
    expect(trace.webhook_deliveries[0]).toMatchObject({
      status: 'succeeded',
      http_status_code: 204,
      attempt_count: 1,
    });
  });

  test.each([
    ['bounced@sandbox.test', ['bounced', 'sent'], /hard bounce/],
    ['complained@sandbox.test', ['complained', 'delivered', 'sent'], /spam/],
    ['opened@sandbox.test', ['delivered', 'opened', 'sent'], null],
    ['refused@sandbox.test', ['failed'], /554/],
    ['delayed@sandbox.test', ['delivered', 'sent'], null],
  ])('%s tells %j', async (address, types, reason) => {
    const endpoint = await createEndpoint();
    await send(address);
    await untilDeliveries(endpoint, settled(types.length));
    const bodies = callsTo(endpoint).map(({ body }) => body);
    expect(bodies.map(({ type }) => type).sort()).toEqual(types.map((type) => `notification.${type}`));
    if (reason) expect(bodies.map((body) => body.data.reason).join()).toMatch(reason);
  });

  test('erased takes with it what its events said', async () => {
    const endpoint = await createEndpoint();
    sink.reply = () => 500;
    const { id } = await send();
    const deliveries = await untilDeliveries(endpoint, (all) => all.length === 2);
    await app.waitFor(id, (notification) => notification.status === 'delivered');
    await app.request('DELETE', `/v1/notifications/${id}`);
    const { rows } = await app.pool.query('select body from webhook_events where notification_id = $1', [id]);
    expect(rows).toHaveLength(2);
    for (const { body } of rows) {
      expect(body).not.toContain('Ada');
      expect(JSON.parse(body)).toMatchObject({ id: expect.any(String), data: { id, deleted: true } });
    }
    expect((await getDelivery(deliveries[0])).payload.data).toEqual({ id, deleted: true });
  });
});

describe('a delivery', () => {
  test('that succeeds has every documented field', async () => {
    const endpoint = await createEndpoint({ event_filters: ['nothing.at_all'] });
    sink.reply = () => ({ status: 200, body: 'thanks' });
    const queued = await sendTest(endpoint);
    expect(queued).toEqual({
      id: expect.any(String),
      endpoint_id: endpoint.id,
      event_id: expect.any(String),
      event_type: 'webhook.test',
      status: 'pending',
      http_status_code: null,
      response_snippet: null,
      latency_ms: null,
      error: null,
      attempt_count: 0,
      next_attempt_at: null,
      created_at: expect.any(String),
    });
    const [done] = await untilDeliveries(endpoint, settled(1));
    expect(done).toEqual({
      ...queued,
      status: 'succeeded',
      http_status_code: 200,
      response_snippet: 'thanks',
      latency_ms: expect.any(Number),
      attempt_count: 1,
    });
    const [call] = callsTo(endpoint);
    const { payload, ...rest } = await getDelivery(done);
    expect(rest).toEqual(done);
    expect(payload).toEqual(call?.body);
    expect(call?.headers['webhook-id']).toBe(queued.event_id);
  });

  test('that is refused is made again with the same id, and every attempt is kept', async () => {
    const endpoint = await createEndpoint();
    let count = 0;
    sink.reply = () => {
      count += 1;
      return count === 1 ? { status: 500, body: 'oops' } : count === 2 ? 302 : 200;
    };
    const queued = await sendTest(endpoint);
    const [done] = await untilDeliveries(endpoint, settled(1), { hurry: true });
    expect(done).toMatchObject({ status: 'succeeded', attempt_count: 3, error: null });
    const calls = callsTo(endpoint);
    expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(calls.map(({ text }) => text)).size).toBe(1);
    for (const call of calls) new StandardWebhook(endpoint.signing_secret).verify(call.text, call.headers);

    const path = at(endpoint, `/deliveries/${queued.id}/attempts`);
    const { body } = await app.request('GET', path);
    expect(body.data).toEqual([
      expect.objectContaining({ number: 3, succeeded: true, http_status_code: 200, error: null }),
      expect.objectContaining({ number: 2, succeeded: false, http_status_code: 302 }),
      expect.objectContaining({ number: 1, http_status_code: 500, response_snippet: 'oops' }),
    ]);
    expect(body.data[1].error).toMatch(/^redirect: /);
    expect(body.data[2]).toMatchObject({ error: 'status: The receiver answered 500.' });
    const first = await app.request('GET', `${path}?limit=2`);
    expect(first.body.data.map((attempt: Json) => attempt.number)).toEqual([3, 2]);
    const second = await app.request('GET', `${path}?limit=2&cursor=${first.body.next_cursor}`);
    expect(second.body).toMatchObject({ data: [{ number: 1 }], next_cursor: null });
  });

  /** The last two of the ten attempts; settle.test.ts has the whole schedule. */
  const nearlyTheLast = () =>
    app.pool.query(`update webhook_deliveries set step = 8 where status = 'pending'`);

  test('that never gets through fails in the end, and can be retried or recovered', async () => {
    const endpoint = await createEndpoint();
    sink.reply = () => ({ status: 503, headers: { 'retry-after': '60' } });
    const before = new Date().toISOString();
    const { id } = await sendTest(endpoint);
    await untilDeliveries(endpoint, ([delivery]) => delivery.attempt_count === 1);
    await nearlyTheLast();
    const [failed] = await untilDeliveries(endpoint, settled(1), { hurry: true });
    expect(failed).toMatchObject({ status: 'failed', attempt_count: 3, next_attempt_at: null });
    expect(callsTo(endpoint)).toHaveLength(3);

    sink.reply = () => 200;
    const retried = await app.request('POST', at(endpoint, `/deliveries/${id}/retry`));
    expect([retried.status, retried.body.status, retried.body.attempt_count]).toEqual([202, 'pending', 3]);
    const [succeeded] = await untilDeliveries(endpoint, settled(1));
    expect(succeeded).toMatchObject({ status: 'succeeded', attempt_count: 4 });
    await app.request('POST', at(endpoint, `/deliveries/${id}/retry`));
    await untilDeliveries(endpoint, ([delivery]) => delivery.attempt_count === 5);

    sink.reply = () => 500;
    await sendTest(endpoint);
    await untilDeliveries(endpoint, ([delivery]) => delivery.attempt_count === 1);
    await nearlyTheLast();
    await untilDeliveries(endpoint, settled(2), { hurry: true });
    sink.reply = () => 200;
    const recover = (since: unknown) => app.request('POST', at(endpoint, '/recover'), { body: { since } });
    expect((await recover(new Date(Date.now() + 60_000).toISOString())).body).toEqual({ count: 0 });
    const recovered = await recover(before);
    expect([recovered.status, recovered.body]).toEqual([202, { count: 1 }]);
    expect((await recover(before)).body).toEqual({ count: 0 });
    await untilDeliveries(endpoint, (all) => all.every(({ status }) => status === 'succeeded'));
    for (const since of [undefined, 'yesterday', 5, null]) expect((await recover(since)).status).toBe(400);
  });

  test('waits for as long as the receiver asks, and says until when', async () => {
    const endpoint = await createEndpoint();
    sink.reply = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    await sendTest(endpoint);
    const [waiting] = await untilDeliveries(
      endpoint,
      ([delivery]) => delivery.attempt_count === 1 && delivery.status === 'pending',
    );
    const wait = Date.parse(waiting.next_attempt_at) - Date.now();
    expect(wait).toBeGreaterThan(3_500_000);
    expect(wait).toBeLessThan(3_700_000);
    // A retry by hand does not wait.
    sink.reply = () => 200;
    await app.request('POST', at(endpoint, `/deliveries/${waiting.id}/retry`));
    await untilDeliveries(endpoint, settled(1));
  });

  test('cannot be retried while an attempt is under way', async () => {
    const endpoint = await createEndpoint();
    let finish = (): void => {};
    sink.reply = () => (response) => {
      finish = () => response.writeHead(200).end();
    };
    const { id } = await sendTest(endpoint);
    await waitUntil(async () => (callsTo(endpoint).length > 0 ? true : new Error('no call yet')));
    expect(await deliveriesOf(endpoint, '&status=in_flight')).toMatchObject([{ id, status: 'in_flight' }]);
    expect(await deliveriesOf(endpoint, '&status=pending')).toEqual([]);
    const { status, body } = await app.request('POST', at(endpoint, `/deliveries/${id}/retry`));
    expect([status, body.error.code]).toEqual([409, 'delivery_in_flight']);
    finish();
    await untilDeliveries(endpoint, settled(1));
    expect(callsTo(endpoint)).toHaveLength(1);
  });

  test('is found by status and type, page by page', async () => {
    const endpoint = await createEndpoint();
    await send();
    await sendTest(endpoint);
    await untilDeliveries(endpoint, settled(3));
    expect(await deliveriesOf(endpoint, '&status=succeeded&event_type=webhook.test')).toHaveLength(1);
    expect(await deliveriesOf(endpoint, '&status=failed')).toEqual([]);
    const first = await app.request('GET', at(endpoint, '/deliveries?limit=2'));
    const second = await app.request('GET', at(endpoint, `/deliveries?cursor=${first.body.next_cursor}`));
    expect([first.body.data.length, second.body.data.length, second.body.next_cursor]).toEqual([2, 1, null]);
    for (const query of ['status=sent', 'limit=0', 'cursor=x', 'event_type=junk!']) {
      expect((await app.request('GET', at(endpoint, `/deliveries?${query}`))).status).toBe(400);
    }
    const other = await createEndpoint();
    const { id } = first.body.data[0];
    expect((await app.request('GET', at(other, `/deliveries/${id}`))).status).toBe(404);
    expect((await app.request('POST', at(other, `/deliveries/${id}/retry`))).status).toBe(404);
  });
});

describe('receivers that misbehave', () => {
  test.each<[string, (sink: WebhookSink) => void, RegExp, string | null]>([
    [
      'never answer',
      (to) => {
        to.reply = () => () => {};
      },
      /^timeout: /,
      null,
    ],
    [
      'answer a byte now and then',
      (to) => {
        to.reply = () => (response) => {
          response.writeHead(200);
          const timer = setInterval(() => response.write('x'), 100);
          response.on('close', () => clearInterval(timer));
        };
      },
      /^timeout: /,
      'x',
    ],
    [
      'hang up within the body',
      (to) => {
        to.reply = () => (response, socket) => {
          response.writeHead(200, { 'content-length': '100' });
          response.write('half', () => socket.destroy());
        };
      },
      /^closed: /,
      'half',
    ],
  ])('and %s are tried again later', async (_name, misbehave, error, snippet) => {
    const endpoint = await createEndpoint({ timeout_seconds: 1 });
    misbehave(sink);
    await sendTest(endpoint);
    const [delivery] = await untilDeliveries(endpoint, ([seen]) => seen.attempt_count > 0);
    expect(delivery.error).toMatch(error);
    if (snippet) expect(delivery.response_snippet).toContain(snippet);
    sink.dropAll();
  });

  test('whatever they say, what is kept of it is text, and short', async () => {
    const endpoint = await createEndpoint();
    const bodies = [
      Buffer.from([0xff, 0xfe, 0x00, 0x41, 0xc3, 0x28]),
      Buffer.from(`${'x'.repeat(1_023)}é`),
      Buffer.alloc(200_000, 'y'),
    ];
    const snippets = ['\ufffd\ufffd\ufffdA\ufffd(', 'x'.repeat(1_023), 'y'.repeat(1_024)];
    for (const [index, body] of bodies.entries()) {
      sink.reply = () => ({ status: 200, body });
      const { id } = await sendTest(endpoint);
      const deliveries = await untilDeliveries(endpoint, settled(index + 1));
      expect(deliveries.find((delivery) => delivery.id === id).response_snippet).toBe(snippets[index]);
    }
  });

  test('an address that must not be reached is not tried again', async () => {
    const endpoint = await createEndpoint();
    // As if the name had begun to lead somewhere else, or the operator had changed the policy.
    await app.pool.query(`update webhook_endpoints set url = 'http://169.254.169.254/' where id = $1`, [
      endpoint.id,
    ]);
    await sendTest(endpoint);
    const [delivery] = await untilDeliveries(endpoint, settled(1));
    expect(delivery).toMatchObject({ status: 'permanent_failure', attempt_count: 1 });
    expect(delivery.error).toMatch(/^blocked: /);
  });

  test('a name that does not resolve is tried again', async () => {
    const endpoint = await createEndpoint({ url: 'http://no-such-host.invalid/' });
    await sendTest(endpoint);
    const [delivery] = await untilDeliveries(endpoint, ([seen]) => seen.attempt_count > 0);
    expect([delivery.status, delivery.error]).toEqual(['pending', expect.stringMatching(/^dns: /)]);
  });
});

describe('rotation', () => {
  const verifies = (secret: string, call: ReceivedCall | undefined): boolean => {
    try {
      for (const Library of [StandardWebhook, SvixWebhook])
        new Library(secret).verify(call?.text ?? '', call?.headers ?? {});
      return true;
    } catch {
      return false;
    }
  };

  test('leaves no moment in which a receiver that knows either secret is left out', async () => {
    const endpoint = await createEndpoint();
    const callNow = async (): Promise<ReceivedCall | undefined> => {
      const count = callsTo(endpoint).length;
      await sendTest(endpoint);
      await waitUntil(async () => (callsTo(endpoint).length > count ? true : new Error('no call yet')));
      return callsTo(endpoint).at(-1);
    };
    const rotate = async () =>
      (await app.request('POST', at(endpoint, '/rotate-secret'))).body.signing_secret as string;
    const first = endpoint.signing_secret;
    expect(verifies(first, await callNow())).toBe(true);

    const second = await rotate();
    const during = await callNow();
    expect([verifies(first, during), verifies(second, during)]).toEqual([true, true]);
    const third = await rotate();
    const after = await callNow();
    expect([first, second, third].map((secret) => verifies(secret, after))).toEqual([true, true, true]);

    // A day later.
    await app.pool.query(
      `update webhook_endpoints set secrets = (select jsonb_agg(case when s ->> 'expires_at' is null then s
         else s || '{"expires_at": "2026-01-01T00:00:00.000Z"}' end order by n)
       from jsonb_array_elements(secrets) with ordinality as e (s, n)) where id = $1`,
      [endpoint.id],
    );
    const later = await callNow();
    expect([first, second, third].map((secret) => verifies(secret, later))).toEqual([false, false, true]);
    expect(later?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
  });
});

describe('an endpoint', () => {
  const statusOf = async (endpoint: Json): Promise<Json> => (await app.request('GET', at(endpoint))).body;

  test('that is gone is disabled, the others are told, and PUT resumes it', async () => {
    const endpoint = await createEndpoint();
    const witness = await createEndpoint({ event_filters: ['webhook.endpoint.disabled'] });
    sink.reply = ({ path }) => (endpoint.url.endsWith(path) ? 410 : 204);
    const { id } = await sendTest(endpoint);
    const [delivery] = await untilDeliveries(endpoint, settled(1));
    expect(delivery).toMatchObject({ status: 'permanent_failure', http_status_code: 410, attempt_count: 1 });
    expect(await statusOf(endpoint)).toMatchObject({ status: 'auto_disabled', disabled_reason: 'gone' });
    await untilDeliveries(witness, settled(1));
    expect(callsTo(witness)[0]?.body).toMatchObject({
      type: 'webhook.endpoint.disabled',
      data: { id: endpoint.id, url: endpoint.url, reason: 'gone', status: 'auto_disabled' },
    });
    expect(callsTo(witness)[0]?.text).not.toContain(endpoint.signing_secret);
    const { body: log } = await app.request('GET', `/v1/audit-log?target=webhook_endpoint:${endpoint.id}`);
    expect(log.data[0]).toMatchObject({
      action: 'webhook_endpoint.auto_disabled',
      actor: { kind: 'system', id: null },
      before: { status: 'active' },
      after: { status: 'auto_disabled' },
    });

    const missed = await send();
    await app.waitFor(missed.id, (notification) => notification.status === 'delivered');
    expect(await deliveriesOf(endpoint)).toHaveLength(1);
    // A retry by hand is made all the same: it may be how somebody finds out that it works again.
    sink.reply = () => 200;
    expect((await app.request('POST', at(endpoint, `/deliveries/${id}/retry`))).status).toBe(202);
    await untilDeliveries(endpoint, ([seen]) => seen.status === 'succeeded');
    expect((await statusOf(endpoint)).status).toBe('auto_disabled');
    const resumed = await app.request('PUT', at(endpoint), { body: { status: 'active' } });
    expect(resumed.body).toMatchObject({ status: 'active', disabled_reason: null, failing_since: null });
    await send();
    await untilDeliveries(endpoint, settled(3));
  });

  test('that fails for five days without one success is disabled', async () => {
    const endpoint = await createEndpoint();
    const witness = await createEndpoint({ event_filters: ['webhook.endpoint.disabled'] });
    sink.reply = ({ path }) => (endpoint.url.endsWith(path) ? 500 : 204);
    await sendTest(endpoint);
    await untilDeliveries(endpoint, ([seen]) => seen.attempt_count > 0);
    expect(await statusOf(endpoint)).toMatchObject({ status: 'active', failing_since: expect.any(String) });

    const sinceDaysAgo = (days: number) =>
      app.pool.query('update webhook_endpoints set failing_since = $2 where id = $1', [
        endpoint.id,
        new Date(Date.now() - days * 86_400_000 * 0.001), // CARILLON_RETRY_SCALE
      ]);
    await sinceDaysAgo(4.9);
    const [{ attempt_count: attempts }] = await deliveriesOf(endpoint);
    await untilDeliveries(endpoint, ([seen]) => seen.attempt_count > attempts, { hurry: true });
    expect((await statusOf(endpoint)).status).toBe('active');
    await sinceDaysAgo(5.1);
    await waitUntil(async () => {
      await app.pool.query('update queue_later set run_at = now() where kind = 3');
      const { status, disabled_reason } = await statusOf(endpoint);
      return status === 'auto_disabled' ? expect(disabled_reason).toBe('failing') : new Error(status);
    });
    await untilDeliveries(witness, settled(1));
    // What was still to be tried ends, and can be recovered.
    const [ended] = await untilDeliveries(endpoint, settled(1), { hurry: true });
    expect(ended).toMatchObject({ status: 'permanent_failure' });
    expect(ended.error).toMatch(/^endpoint_disabled: /);
  });

  test('that succeeds again is well again', async () => {
    const endpoint = await createEndpoint();
    sink.reply = () => 500;
    await sendTest(endpoint);
    await untilDeliveries(endpoint, ([seen]) => seen.attempt_count > 0);
    sink.reply = () => 200;
    await untilDeliveries(endpoint, settled(1), { hurry: true });
    expect((await statusOf(endpoint)).failing_since).toBeNull();
  });

  test('that is paused gets nothing but tests; what was under way goes on when it is resumed', async () => {
    const endpoint = await createEndpoint();
    sink.reply = () => 500;
    const first = await send();
    await untilDeliveries(endpoint, (all) => all.length === 2 && all.every((seen) => seen.attempt_count > 0));
    await app.waitFor(first.id, (notification) => notification.status === 'delivered');
    await app.request('PUT', at(endpoint), { body: { status: 'paused' } });
    sink.reply = () => 200;
    await waitUntil(async () => {
      await app.pool.query('update queue_later set run_at = now() where kind = 3');
      const { rows } = await app.pool.query('select place from queue_parked');
      return rows.filter(({ place }) => place === `held:${endpoint.id}`).length === 2
        ? true
        : new Error(JSON.stringify(rows));
    });
    const second = await send();
    await app.waitFor(second.id, (notification) => notification.status === 'delivered');
    const { id } = await sendTest(endpoint);
    const paused = await untilDeliveries(
      endpoint,
      (all) => all.find((seen) => seen.id === id)?.status === 'succeeded',
    );
    expect(paused.filter(({ status }) => status === 'pending')).toHaveLength(2);
    expect(paused).toHaveLength(3);
    await app.request('PUT', at(endpoint), { body: { status: 'active' } });
    await untilDeliveries(endpoint, (all) => all.every(({ status }) => status === 'succeeded'));
  });

  test('that is deleted ends what was under way to it', async () => {
    const endpoint = await createEndpoint();
    sink.reply = () => 500;
    await sendTest(endpoint);
    await untilDeliveries(endpoint, ([seen]) => seen.attempt_count > 0);
    await app.request('DELETE', at(endpoint));
    const calls = callsTo(endpoint).length;
    const [ended] = await untilDeliveries(endpoint, settled(1), { hurry: true });
    expect(ended).toMatchObject({ status: 'permanent_failure', attempt_count: calls });
    expect(callsTo(endpoint)).toHaveLength(calls);
    expect((await app.request('POST', at(endpoint, `/deliveries/${ended.id}/retry`))).status).toBe(202);
    await untilDeliveries(endpoint, settled(1));
    expect(callsTo(endpoint)).toHaveLength(calls);
  });
});

test('a receiver that hangs delays nobody else, and loses nothing', async () => {
  const hanging = await createEndpoint({ timeout_seconds: 30, event_filters: ['notification.sent'] });
  const well = await createEndpoint({ event_filters: ['notification.delivered'] });
  const held: (() => void)[] = [];
  sink.reply = ({ path }) =>
    hanging.url.endsWith(path) ? (response) => held.push(() => response.writeHead(200).end()) : 204;
  const total = 300;
  for (let batch = 0; batch < 3; batch += 1) {
    await app.request('POST', '/v1/notifications/batch', {
      body: {
        notifications: Array.from({ length: total / 3 }, () => ({
          channel: 'email',
          recipient: { address: 'delivered@sandbox.test' },
          subject: 'x',
          text_body: 'x',
        })),
      },
    });
  }
  await waitUntil(async () => {
    const count = callsTo(well).length;
    return count === total ? true : new Error(`${count} of ${total}`);
  });
  expect(held.length).toBeLessThanOrEqual(50);
  const { rows } = await app.pool.query('select count(*)::int as n from queue_parked where place = $1', [
    hanging.id,
  ]);
  expect(rows[0].n).toBeGreaterThan(0);
  // It comes back to life: everything that waited for it arrives, once.
  await waitUntil(async () => {
    for (const finish of held.splice(0)) finish();
    const count = new Set(callsTo(hanging).map(({ headers }) => headers['webhook-id'])).size;
    return count === total ? true : new Error(`${count} of ${total}`);
  });
  await waitUntil(async () => {
    for (const finish of held.splice(0)) finish();
    const { rows: left } = await app.pool.query(
      `select count(*)::int as n from webhook_deliveries where endpoint_id = $1 and status <> 'succeeded'`,
      [hanging.id],
    );
    return left[0].n === 0 ? true : new Error(`${left[0].n} left`);
  });
  expect(callsTo(hanging)).toHaveLength(total);
});
