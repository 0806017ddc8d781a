import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestResponse, waitUntil } from '../../../../test/harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_RETRY_SCALE: '1' } }); // what waits for a retry goes on waiting
});
afterAll(() => app.stop());

type Body = TestResponse['body'];

const anHour = 3_600_000;
const later = () => new Date(Date.now() + anHour).toISOString();
const message = { channel: 'email', subject: 'Hello', text_body: 'Hi' };

async function send(more: object = {}, address = 'delivered@sandbox.test'): Promise<Body> {
  const answer = await app.request('POST', '/v1/notifications', {
    body: { ...message, recipient: { address }, ...more },
  });
  expect(answer).toMatchObject({ status: 202 });
  return answer.body;
}

const get = async (id: string): Promise<Body> => (await app.request('GET', `/v1/notifications/${id}`)).body;
const becomes = (id: string, detail: string | null): Promise<Body> =>
  app.waitFor(id, (seen) => (seen as Body).status_detail === detail);
const typesOf = ({ events }: Body): string[] => events.map(({ type }: { type: string }) => type);

async function listed(query: string): Promise<string[]> {
  const { status, body } = await app.request('GET', `/v1/notifications?${query}`);
  expect(status).toBe(200);
  return body.data.map(({ id }: Body) => id);
}

test('a scheduled notification says so in every response until it is due, and a cancelled one afterwards', async () => {
  const sent = await send({ send_at: later() });
  expect(sent).toMatchObject({ status: 'queued', status_detail: 'scheduled', held_until: null });
  expect(await get(sent.id)).toMatchObject({ status_detail: 'scheduled' });
  const batch = await app.request('POST', '/v1/notifications/batch', {
    body: { notifications: [{ ...message, recipient: { address: 'ada@example.com' }, send_at: later() }] },
  });
  const [{ notification: other }] = batch.body.data;
  expect(other).toMatchObject({ status_detail: 'scheduled' });
  expect(await listed('status_detail=scheduled')).toEqual([other.id, sent.id]);
  expect(await listed('status_detail=scheduled&recipient=ada@example.com')).toEqual([other.id]);
  expect(await listed('status_detail=scheduled&status=delivered')).toEqual([]);

  await app.request('PATCH', `/v1/notifications/${sent.id}`, { body: { send_at: '2020-01-01T00:00:00Z' } });
  expect(await app.waitFor(sent.id, ({ status }) => status === 'delivered')).toMatchObject({
    status_detail: null,
  });

  const filter = { recipient: 'ada@example.com' };
  const { body: preview } = await app.request('POST', '/v1/notifications/cancel', { body: { filter } });
  await app.request('POST', '/v1/notifications/cancel', {
    body: { filter, confirm_token: preview.confirm_token },
  });
  const cancelled = await becomes(other.id, 'cancelled');
  expect(cancelled).toMatchObject({ status: 'suppressed', suppression_reason: 'cancelled' });
  expect(await listed('status_detail=cancelled')).toEqual([other.id]);
  expect(await listed('status_detail=scheduled')).toEqual([]);
});

test('a held notification names the rule, the limit and the time; its release is in the timeline, and webhooks tell both', async () => {
  const endpoint = await app.request('POST', '/v1/webhook-endpoints', {
    body: { url: 'https://example.com/held', event_filters: ['notification.held', 'notification.released'] },
  });
  await app.request('POST', '/v1/preferences/categories', {
    body: { key: 'alarms', name: 'Alarms', default_channels: ['email'] },
  });
  const rule = {
    name: 'One alarm',
    scope: 'recipient',
    window: 'day',
    limit: 1,
    match: { category: 'alarms' },
  };
  expect((await app.request('PUT', '/v1/brake/rules/one_alarm', { body: rule })).status).toBe(201);
  const first = await send({ category: 'alarms' });
  await app.waitFor(first.id, ({ status }) => status === 'delivered');
  const { id } = await send({ category: 'alarms' });
  const held = await becomes(id, 'held');
  expect(held).toMatchObject({ status: 'queued', suppression_reason: null });
  const days = (Date.parse(held.held_until) - Date.now()) / (24 * anHour);
  expect(days).toBeGreaterThan(2.9);
  expect(days).toBeLessThan(3.1);
  expect(typesOf(held)).toEqual(['Queued', 'Held']);
  expect(held.events[1].detail).toMatch(/The rule one_alarm allows 1 message per day .* at most until 20/);
  expect(await listed('status_detail=held')).toEqual([id]);

  await app.request('POST', '/v1/brake/holds/one_alarm/release', { body: { action: 'release' } });
  const sent = await app.waitFor(id, ({ status }) => status === 'delivered');
  expect(sent).toMatchObject({ status_detail: null, held_until: null });
  expect(typesOf(sent)).toEqual(['Queued', 'Held', 'Released', 'Sending', 'Sent', 'Delivered']);

  const path = `/v1/webhook-endpoints/${endpoint.body.id}/deliveries`;
  const deliveries = await waitUntil(async () => {
    const { data } = (await app.request('GET', path)).body;
    return data.length === 2 ? data : new Error(`${data.length} deliveries`);
  });
  const payloads = await Promise.all(
    deliveries.map(async (each: Body) => (await app.request('GET', `${path}/${each.id}`)).body.payload.data),
  );
  expect(payloads).toMatchObject([
    { id, status: 'queued', status_detail: null, reason: expect.stringContaining('held by one_alarm') },
    {
      id,
      status: 'queued',
      status_detail: 'held',
      held_until: held.held_until,
      reason: held.events[1].detail,
    },
  ]);
  expect(await listed('status_detail=held')).toEqual([]);
});

test('a freeze holds, and a hold that expires says so', async () => {
  await app.request('POST', '/v1/brake/freeze', { body: { channel: 'email', reason: 'a loop' } });
  const { id } = await send();
  const held = await becomes(id, 'held');
  expect(held.events.at(-1)).toMatchObject({
    type: 'Held',
    detail: expect.stringMatching(/^The channel email is frozen since .* \(a loop\): held until/),
  });
  await app.pool.query(
    `update queue_later set run_at = now(), note = jsonb_set(note, '{held,expires}', '1') where id = $1`,
    [id],
  );
  const ended = await becomes(id, 'held_expired');
  expect(ended).toMatchObject({ status: 'suppressed', suppression_reason: 'held_expired' });
  expect(await listed('status_detail=held_expired')).toEqual([id]);
  await app.request('POST', '/v1/brake/unfreeze', { body: { channel: 'email' } });
});

test('quiet hours, retries and throttled providers are told apart', async () => {
  await app.request('POST', '/v1/preferences/categories', {
    body: { key: 'news', name: 'News', default_channels: ['email'] },
  });
  const minute = (offset: number) => new Date(Date.now() + offset * anHour).toISOString().slice(11, 16);
  await app.request('PUT', '/v1/preferences/users/sleeper/quiet-hours', {
    body: { start_local: minute(-1), end_local: minute(3), timezone: 'UTC' },
  });
  const quiet = await send({
    category: 'news',
    recipient: { address: 'delivered@sandbox.test', external_user_id: 'sleeper' },
  });
  expect(await becomes(quiet.id, 'quiet_hours')).toMatchObject({ status: 'queued' });
  const retried = await send({}, 'retry@sandbox.test');
  expect(await becomes(retried.id, 'retrying')).toMatchObject({ status: 'queued' });
  expect(await listed('status_detail=quiet_hours')).toEqual([quiet.id]);
  expect(await listed('status_detail=retrying')).toEqual([retried.id]);
  const waiting = JSON.stringify({ waiting: { since: Date.now(), times: 1 } });
  await app.pool.query('update queue_later set note = $2 where id = $1', [retried.id, waiting]);
  expect(await get(retried.id)).toMatchObject({ status_detail: 'throttled' });
  expect(await listed('status_detail=throttled')).toEqual([retried.id]);
  expect(await listed('status_detail=retrying')).toEqual([]);
});

test('an unknown detail is refused', async () => {
  expect(await app.request('GET', '/v1/notifications?status_detail=lost')).toMatchObject({
    status: 400,
    body: { error: { param: 'status_detail' } },
  });
});
