import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../../test/harness/app.ts';
import { transaction } from '../../db/sql.ts';
import { forgetEvents, recordEvents } from './index.ts';
import { type Json, settled, useReceiver } from './test-harness.ts';

const stage = useReceiver();
const { at, callsTo, createEndpoint, deliveriesOf, getDelivery, send, sendTest, untilDeliveries } = stage;

const setStatus = async (endpoint: Json, status: string): Promise<Json> =>
  (await stage.app.request('PUT', at(endpoint), { body: { status } })).body;

const waitingFor = async (endpoint: Json): Promise<number> =>
  (await stage.app.request('GET', at(endpoint))).body.paused_delivery_count;

/** Records events in transactions of their own, as a change that they report does. */
async function record(count: number): Promise<void> {
  const { pool, testEnvironmentId: environmentId } = stage.app;
  for (let number = 0; number < count; number += 1)
    await transaction(pool, (tx) =>
      recordEvents(tx, stage.app.deps.queue, [{ environmentId, type: 'test.recorded', data: { number } }]),
    );
}

const numbersOf = (endpoint: Json): number[] =>
  callsTo(endpoint)
    .filter(({ body }) => body.type === 'test.recorded')
    .map(({ body }) => body.data.number);

describe('while an endpoint is paused', () => {
  test('its events are kept, and say why they wait; they are sent when it is resumed', async () => {
    const endpoint = await createEndpoint();
    await setStatus(endpoint, 'paused');
    const sent = await send();
    await stage.app.waitFor(sent.id, (notification) => notification.status === 'delivered');
    const kept = await deliveriesOf(endpoint);
    expect(kept).toHaveLength(2);
    for (const delivery of kept)
      expect(delivery).toMatchObject({
        status: 'pending',
        status_detail: 'paused',
        attempt_count: 0,
        next_attempt_at: null,
      });
    const { body: trace } = await stage.app.request('GET', `/v1/notifications/${sent.id}/trace`);
    expect(trace.webhook_deliveries).toMatchObject([
      { status_detail: 'paused' },
      { status_detail: 'paused' },
    ]);
    expect(await waitingFor(endpoint)).toBe(2);
    const { body: list } = await stage.app.request('GET', '/v1/webhook-endpoints?limit=100');
    expect(list.data.find(({ id }: Json) => id === endpoint.id).paused_delivery_count).toBe(2);

    // A test, and a single retry, are asked for: they are sent all the same.
    const { id } = await sendTest(endpoint);
    await untilDeliveries(endpoint, (all) => all.find((seen) => seen.id === id)?.status === 'succeeded');
    const [, , first] = await deliveriesOf(endpoint);
    await stage.app.request('POST', at(endpoint, `/deliveries/${first.id}/retry`));
    await waitUntil(async () => {
      const { status } = await getDelivery(first);
      return status === 'succeeded' ? true : new Error(status);
    });
    expect(await waitingFor(endpoint)).toBe(1);
    expect(callsTo(endpoint)).toHaveLength(2);

    expect((await setStatus(endpoint, 'active')).status).toBe('active');
    await untilDeliveries(endpoint, settled(3));
    expect(await waitingFor(endpoint)).toBe(0);
  });

  test('a delivery whose next attempt is due waits as well, and shows no time', async () => {
    const endpoint = await createEndpoint();
    stage.sink.reply = () => 500;
    await record(1);
    const [before] = await untilDeliveries(endpoint, ([seen]) => seen?.status_detail === 'retrying');
    expect(before).toMatchObject({ status: 'pending', next_attempt_at: expect.any(String) });
    await waitUntil(async () => {
      const { rowCount } = await stage.app.pool.query(
        `update queue_later set run_at = now() + interval '1 hour' where kind = 3 and waits_for is null`,
      );
      return rowCount === 1 || new Error('an attempt is under way');
    });
    await setStatus(endpoint, 'paused');
    stage.sink.reply = () => 200;
    const [delivery] = await deliveriesOf(endpoint);
    expect(delivery).toMatchObject({ status_detail: 'paused', next_attempt_at: null });
    await waitUntil(async () => {
      await stage.app.pool.query(
        `update queue_later set run_at = now() where kind = 3 and waits_for is null`,
      );
      const count = await waitingFor(endpoint);
      return count === 1 ? true : new Error(`${count}`);
    });
    const calls = callsTo(endpoint).length;
    await setStatus(endpoint, 'active');
    await untilDeliveries(endpoint, settled(1));
    expect(callsTo(endpoint)).toHaveLength(calls + 1);
  });

  test('it can be disabled, and what waited ends', async () => {
    const endpoint = await createEndpoint();
    await setStatus(endpoint, 'paused');
    await record(3);
    await stage.app.request('DELETE', at(endpoint));
    const ended = await untilDeliveries(endpoint, settled(3));
    for (const { status, error } of ended) {
      expect(status).toBe('permanent_failure');
      expect(error).toMatch(/^endpoint_disabled: /);
    }
    const since = new Date(Date.now() - 60_000).toISOString();
    await setStatus(endpoint, 'active');
    const { body } = await stage.app.request('POST', at(endpoint, '/recover'), { body: { since } });
    expect(body).toEqual({ count: 3 });
    await untilDeliveries(endpoint, (all) => all.every(({ status }) => status === 'succeeded'));
  });

  test('a test that it answers with 410 leaves it paused, with what waits', async () => {
    const endpoint = await createEndpoint();
    await setStatus(endpoint, 'paused');
    await record(1);
    stage.sink.reply = () => 410;
    await sendTest(endpoint);
    await untilDeliveries(endpoint, ([seen]) => seen.status === 'permanent_failure');
    expect((await stage.app.request('GET', at(endpoint))).body.status).toBe('paused');
    expect(await waitingFor(endpoint)).toBe(1);
  });

  test('what waits is forgotten with its event at the end of the retention', async () => {
    const endpoint = await createEndpoint();
    await setStatus(endpoint, 'paused');
    await record(2);
    await forgetEvents(Date.now() + 60_000)(stage.app.deps, () => false);
    expect(await deliveriesOf(endpoint)).toEqual([]);
    expect(await waitingFor(endpoint)).toBe(0);
  });
});

test('what waited is sent oldest first, in slices, and new events do not line up behind it', async () => {
  const endpoint = await createEndpoint();
  await setStatus(endpoint, 'paused');
  const { pool, testEnvironmentId: environmentId } = stage.app;
  const total = 600; // a slice, and a part of another one
  await transaction(pool, (tx) =>
    recordEvents(
      tx,
      stage.app.deps.queue,
      Array.from({ length: total }, (_, number) => ({
        environmentId,
        type: 'test.recorded',
        data: { number },
      })),
    ),
  );
  await setStatus(endpoint, 'active');
  await waitUntil(async () => {
    const count = await waitingFor(endpoint);
    return count < total ? expect(count).toBeGreaterThan(0) : new Error('nothing is released yet');
  });
  const runAt = (when: string) => pool.query(`update queue_later set run_at = ${when} where kind = 13`);
  await runAt(`now() + interval '1 hour'`);
  const { id } = await sendTest(endpoint);
  await waitUntil(async () => {
    const { status } = await getDelivery({ endpoint_id: endpoint.id, id });
    return status === 'succeeded' ? true : new Error(status);
  });
  const { rows } = await pool.query(
    `select id from queue_later where waits_for = 'paused:' || $1 order by id`,
    [endpoint.id],
  );
  const { rows: newest } = await pool.query(
    `select id from webhook_deliveries where endpoint_id = $1 and event_type = 'test.recorded' order by id desc limit $2`,
    [endpoint.id, rows.length],
  );
  expect(rows.map((row) => row.id)).toEqual(newest.map((row) => row.id).reverse());
  expect(rows).toHaveLength(100);
  await waitUntil(async () => {
    await runAt('now()');
    const count = numbersOf(endpoint).length;
    return count === total ? true : new Error(`${count} of ${total}`);
  }, 30_000);
  expect(new Set(numbersOf(endpoint)).size).toBe(total);
}, 60_000);

test('no event is lost between pausing and resuming at the same instant', async () => {
  const endpoint = await createEndpoint();
  const perCaller = 25;
  const callers = 4;
  let recording = true;
  const toggling = (async () => {
    for (let paused = true; recording; paused = !paused)
      await setStatus(endpoint, paused ? 'paused' : 'active');
  })();
  await Promise.all(Array.from({ length: callers }, () => record(perCaller)));
  recording = false;
  await toggling;
  await setStatus(endpoint, 'active');
  await waitUntil(async () => {
    const count = new Set(callsTo(endpoint).map(({ headers }) => headers['webhook-id'])).size;
    return count === perCaller * callers ? true : new Error(`${count}`);
  });
});

describe('discarding', () => {
  const discard = async (endpoint: Json): Promise<Json> =>
    (await stage.app.request('POST', at(endpoint, '/discard-pending'))).body;

  test('ends what waits, says how many, and leaves nothing to resume or recover', async () => {
    const endpoint = await createEndpoint();
    const other = await createEndpoint();
    await setStatus(endpoint, 'paused');
    await setStatus(other, 'paused');
    await record(3);
    expect(await discard(endpoint)).toEqual({ count: 3 });
    expect(await discard(endpoint)).toEqual({ count: 0 });
    expect([await waitingFor(endpoint), await waitingFor(other)]).toEqual([0, 3]);
    for (const delivery of await deliveriesOf(endpoint, '&status=permanent_failure')) {
      expect(delivery).toMatchObject({ status_detail: null, next_attempt_at: null, attempt_count: 0 });
      expect(delivery.error).toMatch(/^discarded: /);
    }
    const { body: log } = await stage.app.request(
      'GET',
      `/v1/audit-log?target=webhook_endpoint:${endpoint.id}`,
    );
    expect(log.data[0]).toMatchObject({
      action: 'webhook_endpoint.deliveries_discarded',
      after: { count: 3 },
    });
    await setStatus(endpoint, 'active');
    const since = new Date(Date.now() - 60_000).toISOString();
    const { body } = await stage.app.request('POST', at(endpoint, '/recover'), { body: { since } });
    expect(body).toEqual({ count: 0 });
    const [one] = await deliveriesOf(endpoint);
    expect((await stage.app.request('POST', at(endpoint, `/deliveries/${one.id}/retry`))).status).toBe(202);
    await waitUntil(async () => {
      const { status } = await getDelivery(one);
      return status === 'succeeded' ? true : new Error(status);
    });
    expect(callsTo(endpoint)).toHaveLength(1);
  });
});

test('what is recovered while the endpoint is paused waits at once, and can be discarded', async () => {
  const endpoint = await createEndpoint();
  stage.sink.reply = () => 410;
  await record(2);
  await waitUntil(async () => {
    const failed = await deliveriesOf(endpoint, '&status=permanent_failure');
    return failed.length === 2 ? true : new Error(`${failed.length} failed`);
  });
  await setStatus(endpoint, 'paused');
  const since = new Date(Date.now() - 60_000).toISOString();
  const { body } = await stage.app.request('POST', at(endpoint, '/recover'), { body: { since } });
  expect(body).toEqual({ count: 2 });
  expect(await waitingFor(endpoint)).toBe(2);
  const discarded = await stage.app.request('POST', at(endpoint, '/discard-pending'));
  expect(discarded.body).toEqual({ count: 2 });
});

test('recover takes what waits for its next attempt as well, and not what is older', async () => {
  const endpoint = await createEndpoint();
  stage.sink.reply = () => ({ status: 429, headers: { 'retry-after': '3600' } });
  await record(2);
  const waiting = await untilDeliveries(
    endpoint,
    (all) => all.length === 2 && all.every((seen) => seen.status === 'pending' && seen.attempt_count === 1),
  );
  stage.sink.reply = () => 200;
  const recover = async (since: number): Promise<Json> =>
    (
      await stage.app.request('POST', at(endpoint, '/recover'), {
        body: { since: new Date(since).toISOString() },
      })
    ).body;
  expect(await recover(Date.now() + 60_000)).toEqual({ count: 0 });
  expect(await recover(Date.parse(waiting[1].created_at))).toEqual({ count: 2 });
  await untilDeliveries(endpoint, (all) => all.every(({ status }) => status === 'succeeded'));
});
