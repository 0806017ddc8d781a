import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestResponse, waitUntil } from '../../../test/harness/app.ts';
import { startWebhookSink, type WebhookSink } from '../../../test/simulators/webhook-sink.ts';

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
afterEach(() => {
  sink.reply = () => 204;
});

type Json = TestResponse['body'];
const key = () => app.liveKey;
const send = (recipient: object, more: object = {}, live = true) =>
  app.request('POST', '/v1/notifications', {
    ...(live ? { key: key() } : {}),
    body: { channel: 'webhook', recipient, subject: 'Hello', text_body: 'It rings.', ...more },
  });
const callTo = (url: string) =>
  waitUntil(
    async () => sink.received.find(({ path }) => path === new URL(url).pathname) ?? new Error('no call yet'),
  );
const newUrl = () => sink.url(`/${randomUUID()}`);

async function createEndpoint(live = true): Promise<Json> {
  const { body } = await app.request('POST', '/v1/webhook-endpoints', {
    ...(live ? { key: key() } : {}),
    body: { url: newUrl(), event_filters: ['nothing.at_all'], timeout_seconds: 1 },
  });
  return body;
}

describe('a notification by webhook', () => {
  test('to a URL is posted, signed with the secret of the environment, and 2xx is delivered', async () => {
    const before = newUrl();
    await send({ address: before }); // a secret is there before anybody has asked for it
    await callTo(before);
    const { body: secret } = await app.request(
      'POST',
      `/v1/environments/${app.liveEnvironmentId}/webhook-secret/rotate`,
      { key: key() },
    );
    const address = newUrl();
    const { status, body } = await send(
      { address, name: 'Ada', external_user_id: 'u1' },
      { template_data: { order: 7 }, action_url: 'https://example.com/7' },
    );
    expect(status).toBe(202);
    const call = await callTo(address);
    expect(new Webhook(secret.signing_secret).verify(call.text, call.headers)).toEqual({
      id: body.id,
      type: 'notification',
      created_at: body.created_at,
      data: {
        notification_id: body.id,
        environment_id: app.liveEnvironmentId,
        recipient: { address, name: 'Ada', external_user_id: 'u1' },
        subject: 'Hello',
        html_body: null,
        text_body: 'It rings.',
        template_key: null,
        template_data: { order: 7 },
        action_url: 'https://example.com/7',
        category: null,
        priority: 'normal',
      },
    });
    expect(call.headers['webhook-id']).toBe(body.id);
    const done = await app.waitFor(body.id, (notification) => notification.status === 'delivered');
    expect(done.events.map((event: Json) => event.type)).toEqual(['Queued', 'Sending', 'Sent', 'Delivered']);
    expect(done.recipient).toEqual({ address, name: 'Ada' });
  });

  test('to an endpoint is signed with its secret', async () => {
    const endpoint = await createEndpoint();
    const { body } = await send({ endpoint: endpoint.id.toUpperCase() });
    const call = await callTo(endpoint.url);
    new Webhook(endpoint.signing_secret).verify(call.text, call.headers);
    const done = await app.waitFor(body.id, (notification) => notification.status === 'delivered');
    expect(done.recipient.address).toBe(endpoint.id);
  });

  test('is tried again when it is refused, with the same id', async () => {
    const address = newUrl();
    let count = 0;
    sink.reply = () => {
      count += 1;
      return count === 1 ? 500 : 204;
    };
    const { body } = await send({ address });
    const done = await app.waitFor(body.id, (notification) => notification.status === 'delivered');
    expect(done.attempt_count).toBe(2);
    const calls = sink.received.filter(({ path }) => address.endsWith(path));
    expect(new Set(calls.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([body.id]));
  });

  test.each([[410, 'gone: The receiver returned 410 Gone.']])(
    'fails for good on %i',
    async (code, reason) => {
      sink.reply = () => code;
      const { body } = await send({ address: newUrl() });
      const failed = await app.waitFor(body.id, (notification) => notification.status === 'failed');
      expect(failed.last_error).toBe(`webhook: ${reason}`);
    },
  );

  test('fails for good where the address may not be reached', async () => {
    const { body } = await send({ address: 'http://169.254.169.254/latest' });
    const failed = await app.waitFor(body.id, (notification) => notification.status === 'failed');
    expect(failed.last_error).toMatch(/^webhook: blocked: /);
  });

  test('to an endpoint that was disabled meanwhile fails, and says why', async () => {
    const endpoint = await createEndpoint();
    const { body } = await send(
      { endpoint: endpoint.id },
      { send_at: new Date(Date.now() + 3_600_000).toISOString() },
    );
    await app.request('DELETE', `/v1/webhook-endpoints/${endpoint.id}`, { key: key() });
    await app.request('PATCH', `/v1/notifications/${body.id}`, { key: key(), body: { send_at: null } });
    const failed = await app.waitFor(body.id, (notification) => notification.status === 'failed');
    expect(failed.last_error).toMatch(/^endpoint_not_found: /);
  });

  test('to an endpoint that is not there is refused at once', async () => {
    const disabled = await createEndpoint();
    await app.request('DELETE', `/v1/webhook-endpoints/${disabled.id}`, { key: key() });
    const elsewhere = await createEndpoint(false);
    for (const endpoint of [disabled.id, elsewhere.id, randomUUID(), 'nonsense']) {
      const { status, body } = await send({ endpoint });
      expect([status, body.error.code, body.error.param]).toEqual([
        400,
        'endpoint_not_found',
        'recipient.endpoint',
      ]);
    }
  });

  test.each([
    'ftp://example.com',
    'https://a:b@example.com',
    'https://example.com:0',
    'nowhere',
    'http://x y/',
  ])('to %s is refused at once', async (address) => {
    const { status, body } = await send({ address });
    expect([status, body.error.code]).toEqual([400, 'recipient_invalid']);
  });
});

test('in Test nothing leaves: the sandbox shows the call, exactly', async () => {
  const endpoint = await createEndpoint(false);
  const { body } = await send({ endpoint: endpoint.id }, {}, false);
  await app.waitFor(body.id, (notification) => notification.status === 'delivered');
  const { body: page } = await app.request('GET', `/v1/sandbox/messages?notification_id=${body.id}`);
  expect(page.data).toMatchObject([
    {
      channel: 'webhook',
      provider: 'sandbox',
      to: endpoint.url,
      payload: { method: 'POST', url: endpoint.url },
    },
  ]);
  const { headers, body: text } = page.data[0].payload;
  expect(new Webhook(endpoint.signing_secret).verify(text, headers)).toMatchObject({
    id: body.id,
    type: 'notification',
  });
  expect(sink.received.filter(({ path }) => endpoint.url.endsWith(path))).toEqual([]);
});

test('a URL that hangs holds up nothing else', async () => {
  sink.reply = ({ path }) => (path === '/hangs' ? () => {} : 204);
  const slow = await app.request('POST', '/v1/notifications/batch', {
    key: key(),
    body: {
      notifications: Array.from({ length: 500 }, () => ({
        channel: 'webhook',
        recipient: { address: sink.url('/hangs') },
        priority: 'normal',
      })),
    },
  });
  expect(slow.body.data).toHaveLength(500);
  const address = `http://localhost:${sink.port}/${randomUUID()}`;
  const { body } = await send({ address });
  await app.waitFor(body.id, (notification) => notification.status === 'delivered');
  const rows = await waitUntil(async () => {
    const { rows: parked } = await app.pool.query('select id from queue_parked where kind = 1');
    return parked.length > 300 ? parked : new Error(`${parked.length} parked`);
  });
  // What is parked can be changed and taken back like everything that waits.
  const parked = `/v1/notifications/${rows[0].id}`;
  expect((await app.request('PATCH', parked, { key: key(), body: { subject: 'new' } })).status).toBe(200);
  await waitUntil(async () => {
    const { rows: ready } = await app.pool.query('select id from queue_parked where kind = 1 limit 1');
    const { status } = await app.request('DELETE', `/v1/notifications/${ready[0].id}`, { key: key() });
    return status === 204 ? true : new Error(String(status));
  });
  sink.reply = () => 204;
  sink.dropAll();
});
