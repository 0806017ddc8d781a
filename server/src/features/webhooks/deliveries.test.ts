import { Webhook as StandardWebhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../../test/harness/app.ts';
import type { WebhookSink } from '../../../test/simulators/webhook-sink.ts';
import { transaction } from '../../db/sql.ts';
import { newId } from '../../kernel/ids.ts';
import { recordEvents } from './index.ts';
import { type Json, settled, useReceiver } from './test-harness.ts';

const stage = useReceiver();
const { at, callsTo, createEndpoint, deliveriesOf, getDelivery, send, sendTest, untilDeliveries } = stage;

describe('a delivery', () => {
  test('that succeeds has every documented field', async () => {
    // The query is stored sealed.
    const url = stage.sink.url('/with-query?token=a%20b&c=1');
    const endpoint = await createEndpoint({ url, event_filters: ['nothing.at_all'] });
    stage.sink.reply = () => ({ status: 200, body: 'thanks' });
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
      status_detail: null,
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
    stage.sink.reply = () => {
      count += 1;
      return count === 1 ? { status: 500, body: 'oops' } : count === 2 ? 302 : 200;
    };
    const queued = await sendTest(endpoint);
    const [done] = await untilDeliveries(endpoint, settled(1), { runNow: true });
    expect(done).toMatchObject({ status: 'succeeded', attempt_count: 3, error: null });
    const calls = callsTo(endpoint);
    expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(calls.map(({ text }) => text)).size).toBe(1);
    for (const call of calls) new StandardWebhook(endpoint.signing_secret).verify(call.text, call.headers);

    const path = at(endpoint, `/deliveries/${queued.id}/attempts`);
    const { body } = await stage.app.request('GET', path);
    expect(body.data).toEqual([
      expect.objectContaining({ number: 3, succeeded: true, http_status_code: 200, error: null }),
      expect.objectContaining({ number: 2, succeeded: false, http_status_code: 302 }),
      expect.objectContaining({ number: 1, http_status_code: 500, response_snippet: 'oops' }),
    ]);
    expect(body.data[1].error).toMatch(/^redirect: /);
    expect(body.data[2]).toMatchObject({ error: 'status: The receiver returned 500.' });
    const first = await stage.app.request('GET', `${path}?limit=2`);
    expect(first.body.data.map((attempt: Json) => attempt.number)).toEqual([3, 2]);
    const second = await stage.app.request('GET', `${path}?limit=2&cursor=${first.body.next_cursor}`);
    expect(second.body).toMatchObject({ data: [{ number: 1 }], next_cursor: null });
  });

  /** The last two of the ten attempts; settle.test.ts has the whole schedule. */
  const nearlyTheLast = () =>
    stage.app.pool.query(`update webhook_deliveries set step = 8 where status = 'pending'`);

  test('that never gets through fails in the end, and can be retried or recovered', async () => {
    const endpoint = await createEndpoint();
    stage.sink.reply = () => ({ status: 503, headers: { 'retry-after': '60' } });
    const before = new Date().toISOString();
    const { id } = await sendTest(endpoint);
    await untilDeliveries(endpoint, ([delivery]) => delivery.attempt_count === 1);
    await nearlyTheLast();
    const [failed] = await untilDeliveries(endpoint, settled(1), { runNow: true });
    expect(failed).toMatchObject({ status: 'failed', attempt_count: 3, next_attempt_at: null });
    expect(callsTo(endpoint)).toHaveLength(3);

    stage.sink.reply = () => 200;
    const retried = await stage.app.request('POST', at(endpoint, `/deliveries/${id}/retry`));
    expect([retried.status, retried.body.status, retried.body.attempt_count]).toEqual([202, 'pending', 3]);
    const [succeeded] = await untilDeliveries(endpoint, settled(1));
    expect(succeeded).toMatchObject({ status: 'succeeded', attempt_count: 4 });
    await stage.app.request('POST', at(endpoint, `/deliveries/${id}/retry`));
    await untilDeliveries(endpoint, ([delivery]) => delivery.attempt_count === 5);

    stage.sink.reply = () => 500;
    await sendTest(endpoint);
    await untilDeliveries(endpoint, ([delivery]) => delivery.attempt_count === 1);
    await nearlyTheLast();
    await untilDeliveries(endpoint, settled(2), { runNow: true });
    stage.sink.reply = () => 200;
    const recover = (since: unknown) =>
      stage.app.request('POST', at(endpoint, '/recover'), { body: { since } });
    expect((await recover(new Date(Date.now() + 60_000).toISOString())).body).toEqual({ count: 0 });
    const recovered = await recover(before);
    expect([recovered.status, recovered.body]).toEqual([202, { count: 1 }]);
    await untilDeliveries(endpoint, (all) => all.every(({ status }) => status === 'succeeded'));
    for (const since of [undefined, 'yesterday', 5, null]) expect((await recover(since)).status).toBe(400);
  });

  test('is recovered with hundreds of others that failed since then, and with nothing that failed before', async () => {
    const endpoint = await createEndpoint();
    await stage.app.request('PUT', at(endpoint), { body: { status: 'paused' } });
    await stage.app.pool.query(
      `with event as (
         insert into webhook_events (id, environment_id, type, body)
         select gen_random_uuid(), environment_id, 'x', '{}' from webhook_endpoints where id = $1
         returning id, environment_id)
       insert into webhook_deliveries (id, environment_id, endpoint_id, event_id, event_type, status, failed_at)
       select delivery, environment_id, $1, id, 'x', 'failed', now() - make_interval(hours => (number % 2)::int)
       from event, unnest($2::uuid[]) with ordinality as deliveries (delivery, number)`,
      [endpoint.id, Array.from({ length: 500 }, () => newId())],
    );
    const since = new Date(Date.now() - 60_000).toISOString();
    const { body } = await stage.app.request('POST', at(endpoint, '/recover'), { body: { since } });
    expect(body).toEqual({ count: 250 });
    const { rows } = await stage.app.pool.query(
      `select status, bool_and(failed_at is null) as reopened, count(*)::int as count
       from webhook_deliveries where endpoint_id = $1 group by 1 order by 1`,
      [endpoint.id],
    );
    expect(rows).toEqual([
      { status: 'failed', reopened: false, count: 250 },
      { status: 'pending', reopened: true, count: 250 },
    ]);
  });

  test('waits for as long as the receiver asks, and says until when', async () => {
    const endpoint = await createEndpoint();
    stage.sink.reply = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    await sendTest(endpoint);
    const [waiting] = await untilDeliveries(
      endpoint,
      ([delivery]) => delivery.attempt_count === 1 && delivery.status === 'pending',
    );
    const wait = Date.parse(waiting.next_attempt_at) - Date.now();
    expect(wait).toBeGreaterThan(3_500_000);
    expect(wait).toBeLessThan(3_700_000);
    // A retry by hand does not wait.
    stage.sink.reply = () => 200;
    await stage.app.request('POST', at(endpoint, `/deliveries/${waiting.id}/retry`));
    await untilDeliveries(endpoint, settled(1));
  });

  test('cannot be retried while an attempt is under way', async () => {
    const endpoint = await createEndpoint();
    let finish = (): void => {};
    stage.sink.reply = () => (response) => {
      finish = () => response.writeHead(200).end();
    };
    const { id } = await sendTest(endpoint);
    await waitUntil(async () => (callsTo(endpoint).length > 0 ? true : new Error('no call yet')));
    expect(await deliveriesOf(endpoint, '&status=in_flight')).toMatchObject([{ id, status: 'in_flight' }]);
    expect(await deliveriesOf(endpoint, '&status=pending')).toEqual([]);
    const { status, body } = await stage.app.request('POST', at(endpoint, `/deliveries/${id}/retry`));
    expect([status, body.error.code]).toEqual([409, 'delivery_in_flight']);
    finish();
    await untilDeliveries(endpoint, settled(1));
    expect(callsTo(endpoint)).toHaveLength(1);
  });

  test('is found by status, type and notification, page by page', async () => {
    const endpoint = await createEndpoint();
    const sent = await send();
    await sendTest(endpoint);
    await untilDeliveries(endpoint, settled(3));
    expect(await deliveriesOf(endpoint, `&notification_id=${sent.id}`)).toHaveLength(2);
    expect(await deliveriesOf(endpoint, `&notification_id=${endpoint.id}`)).toEqual([]);
    expect(await deliveriesOf(endpoint, '&status=succeeded&event_type=webhook.test')).toHaveLength(1);
    expect(await deliveriesOf(endpoint, '&status=failed')).toEqual([]);
    const first = await stage.app.request('GET', at(endpoint, '/deliveries?limit=2'));
    const second = await stage.app.request(
      'GET',
      at(endpoint, `/deliveries?cursor=${first.body.next_cursor}`),
    );
    expect([first.body.data.length, second.body.data.length, second.body.next_cursor]).toEqual([2, 1, null]);
    for (const query of ['status=sent', 'limit=0', 'cursor=x', 'event_type=junk!', 'notification_id=1']) {
      expect((await stage.app.request('GET', at(endpoint, `/deliveries?${query}`))).status).toBe(400);
    }
    const other = await createEndpoint();
    const { id } = first.body.data[0];
    expect((await stage.app.request('GET', at(other, `/deliveries/${id}`))).status).toBe(404);
    expect((await stage.app.request('POST', at(other, `/deliveries/${id}/retry`))).status).toBe(404);
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
          response.writeHead(500, { 'content-length': '100' });
          response.write('half', () => socket.destroy());
        };
      },
      /^closed: /,
      'half',
    ],
  ])('and %s are tried again later', async (_name, misbehave, error, snippet) => {
    const endpoint = await createEndpoint({ timeout_seconds: 1 });
    misbehave(stage.sink);
    await sendTest(endpoint);
    const [delivery] = await untilDeliveries(endpoint, ([seen]) => seen.attempt_count > 0);
    expect(delivery.error).toMatch(error);
    if (snippet) expect(delivery.response_snippet).toContain(snippet);
    stage.sink.dropAll();
  });

  test('and hang up within the body of a 200 have taken the event', async () => {
    const endpoint = await createEndpoint();
    stage.sink.reply = () => (response, socket) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => socket.destroy());
    };
    await sendTest(endpoint);
    const [delivery] = await untilDeliveries(endpoint, settled(1));
    expect(delivery).toMatchObject({ status: 'succeeded', error: null, response_snippet: 'half' });
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
      stage.sink.reply = () => ({ status: 200, body });
      const { id } = await sendTest(endpoint);
      const deliveries = await untilDeliveries(endpoint, settled(index + 1));
      expect(deliveries.find((delivery) => delivery.id === id).response_snippet).toBe(snippets[index]);
    }
  });

  test('an address that must not be reached is not tried again', async () => {
    const endpoint = await createEndpoint();
    // As if the name had begun to lead somewhere else, or the operator had changed the policy.
    await stage.app.pool.query(`update webhook_endpoints set url = 'http://169.254.169.254/' where id = $1`, [
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
    expect(delivery.error).toMatch(/^dns: /);
    expect(['pending', 'in_flight']).toContain(delivery.status); // it may be trying again by now
  });
});

test('a receiver that hangs delays nobody else, and loses nothing', async () => {
  const hanging = await createEndpoint({ timeout_seconds: 30, event_filters: ['notification.sent'] });
  const well = await createEndpoint({ event_filters: ['notification.delivered'] });
  const held: (() => void)[] = [];
  stage.sink.reply = ({ path }) =>
    hanging.url.endsWith(path) ? (response) => held.push(() => response.writeHead(200).end()) : 204;
  const total = 300;
  for (let batch = 0; batch < 3; batch += 1) {
    await stage.app.request('POST', '/v1/notifications/batch', {
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
  // What finds no room is set aside, after a moment.
  await waitUntil(async () => {
    const { rows } = await stage.app.pool.query('select from queue_parked where place = $1 limit 1', [
      hanging.id,
    ]);
    return rows.length > 0 ? true : new Error('nothing is parked');
  });
  // It comes back to life: everything that waited for it arrives, once.
  await waitUntil(async () => {
    for (const finish of held.splice(0)) finish();
    const count = new Set(callsTo(hanging).map(({ headers }) => headers['webhook-id'])).size;
    return count === total ? true : new Error(`${count} of ${total}`);
  });
  await waitUntil(async () => {
    for (const finish of held.splice(0)) finish();
    const { rows: left } = await stage.app.pool.query(
      `select count(*)::int as n from webhook_deliveries where endpoint_id = $1 and status <> 'succeeded'`,
      [hanging.id],
    );
    return left[0].n === 0 ? true : new Error(`${left[0].n} left`);
  });
  expect(callsTo(hanging)).toHaveLength(total);
});

test('many receivers that are slow delay neither a fast one beside them nor another environment', async () => {
  const { pool, deps, testEnvironmentId, liveEnvironmentId } = stage.app;
  const record = (environmentId: string, type: string, count: number) =>
    transaction(pool, (tx) =>
      recordEvents(
        tx,
        deps.queue,
        Array.from({ length: count }, () => ({ environmentId, type, data: {} })),
      ),
    );
  stage.sink.reply = ({ path }) => (path.startsWith('/fast') ? 204 : () => {});
  await Promise.all(
    Array.from({ length: 60 }, () => createEndpoint({ event_filters: ['test.slow'], timeout_seconds: 30 })),
  );
  const fast = await createEndpoint({ url: stage.sink.url('/fast'), event_filters: ['test.fast'] });
  const { body: other } = await stage.app.request('POST', '/v1/webhook-endpoints', {
    key: stage.app.liveKey,
    body: { url: stage.sink.url('/fast-too'), event_filters: ['test.fast'] },
  });
  // More than one process takes up at once.
  await record(testEnvironmentId, 'test.slow', 15);
  deps.queue.ring('webhook_delivery');
  await waitUntil(async () => {
    const { rows } = await pool.query('select from queue_parked limit 1');
    return rows.length > 0 ? true : new Error('nothing is parked');
  });
  await record(testEnvironmentId, 'test.fast', 40);
  await record(liveEnvironmentId, 'test.fast', 40);
  deps.queue.ring('webhook_delivery');
  await waitUntil(async () => {
    const counts = [callsTo(fast).length, callsTo(other).length];
    return counts.every((count) => count === 40) ? true : new Error(`${counts}`);
  }, 20_000);
  const { rows: slow } = await pool.query(
    `select count(*)::int as attempted from webhook_deliveries where event_type = 'test.slow' and attempt_count > 0`,
  );
  expect(slow).toEqual([{ attempted: 0 }]);
  await stage.app.request('DELETE', at(other), { key: stage.app.liveKey });
}, 60_000);
