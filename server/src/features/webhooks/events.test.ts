import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../../test/harness/app.ts';
import type { ReceivedCall } from '../../../test/simulators/webhook-sink.ts';
import { type Json, settled, useReceiver } from './test-harness.ts';

const stage = useReceiver();
const { at, callsTo, createEndpoint, deliveriesOf, getDelivery, send, sendTest, untilDeliveries } = stage;

describe('the life of a notification', () => {
  test('is told to every endpoint that wants to know, signed, with the notification as it was', async () => {
    const all = await createEndpoint();
    const some = await createEndpoint({ event_filters: ['notification.delivered', 'thing.unheard_of'] });
    const none = await createEndpoint({ event_filters: ['notification.failed'] });
    const { body: elsewhere } = await stage.app.request('POST', '/v1/webhook-endpoints', {
      key: stage.app.liveKey,
      body: { url: stage.sink.url('/elsewhere') },
    });
    const { id } = await send();
    await untilDeliveries(all, settled(2));
    await untilDeliveries(some, settled(1));
    expect(await deliveriesOf(none)).toEqual([]);
    expect(callsTo(elsewhere)).toEqual([]);

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
        environment_id: stage.app.testEnvironmentId,
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

    const trace = (await stage.app.request('GET', `/v1/notifications/${id}/trace`)).body;
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
    stage.sink.reply = () => 500;
    const { id } = await send();
    const deliveries = await untilDeliveries(endpoint, (all) => all.length === 2);
    await stage.app.waitFor(id, (notification) => notification.status === 'delivered');
    await stage.app.request('DELETE', `/v1/notifications/${id}`);
    const { rows } = await stage.app.pool.query(
      'select body from webhook_events where notification_id = $1',
      [id],
    );
    expect(rows).toHaveLength(2);
    for (const { body } of rows) {
      expect(body).not.toContain('Ada');
      expect(JSON.parse(body)).toMatchObject({ id: expect.any(String), data: { id, deleted: true } });
    }
    expect((await getDelivery(deliveries[0])).payload.data).toEqual({ id, deleted: true });
  });
});

test('a notification that is erased takes with it what endpoints answered, which may repeat what it said', async () => {
  const endpoint = await createEndpoint();
  stage.sink.reply = ({ body }) => ({ status: 200, body: JSON.stringify(body) });
  const { id } = await send();
  const deliveries = await untilDeliveries(endpoint, settled(2));
  expect(deliveries.map(({ response_snippet: answer }) => answer).join()).toContain('Ada');
  await stage.app.waitFor(id, ({ status }) => status === 'delivered');
  expect((await stage.app.request('DELETE', `/v1/notifications/${id}`)).status).toBe(204);
  const { rows } = await stage.app.pool.query(
    `select d.response_snippet as last, a.response_snippet as each from webhook_deliveries d
     join webhook_attempts a on a.delivery_id = d.id where d.endpoint_id = $1`,
    [endpoint.id],
  );
  expect(rows).toEqual(Array(2).fill({ last: null, each: null }));
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
      (await stage.app.request('POST', at(endpoint, '/rotate-secret'))).body.signing_secret as string;
    const first = endpoint.signing_secret;
    expect(verifies(first, await callNow())).toBe(true);

    const second = await rotate();
    const during = await callNow();
    expect([verifies(first, during), verifies(second, during)]).toEqual([true, true]);
    const third = await rotate();
    const after = await callNow();
    expect([first, second, third].map((secret) => verifies(secret, after))).toEqual([true, true, true]);

    // A day later.
    await stage.app.pool.query(
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
