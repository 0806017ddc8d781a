import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../../test/app.ts';
import { type Json, settled, useReceiver } from './test-harness.ts';

const stage = useReceiver();
const { at, callsTo, createEndpoint, deliveriesOf, send, sendTest, untilDeliveries } = stage;

describe('an endpoint', () => {
  const statusOf = async (endpoint: Json): Promise<Json> =>
    (await stage.app.request('GET', at(endpoint))).body;

  test('that is gone is disabled, the others are told, and PUT resumes it', async () => {
    const endpoint = await createEndpoint();
    const witness = await createEndpoint({ event_filters: ['webhook.endpoint.disabled'] });
    stage.sink.reply = ({ path }) => (endpoint.url.endsWith(path) ? 410 : 204);
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
    const { body: log } = await stage.app.request(
      'GET',
      `/v1/audit-log?target=webhook_endpoint:${endpoint.id}`,
    );
    expect(log.data[0]).toMatchObject({
      action: 'webhook_endpoint.auto_disabled',
      actor: { kind: 'system', id: null },
      before: { status: 'active' },
      after: { status: 'auto_disabled' },
    });

    const missed = await send();
    await stage.app.waitFor(missed.id, (notification) => notification.status === 'delivered');
    expect(await deliveriesOf(endpoint)).toHaveLength(1);
    // A retry by hand is made all the same: it may be how somebody finds out that it works again.
    stage.sink.reply = () => 200;
    expect((await stage.app.request('POST', at(endpoint, `/deliveries/${id}/retry`))).status).toBe(202);
    await untilDeliveries(endpoint, ([seen]) => seen.status === 'succeeded');
    expect((await statusOf(endpoint)).status).toBe('auto_disabled');
    const resumed = await stage.app.request('PUT', at(endpoint), { body: { status: 'active' } });
    expect(resumed.body).toMatchObject({ status: 'active', disabled_reason: null, failing_since: null });
    await send();
    await untilDeliveries(endpoint, settled(3));
  });

  test('that fails for five days without one success is disabled', async () => {
    const endpoint = await createEndpoint();
    const witness = await createEndpoint({ event_filters: ['webhook.endpoint.disabled'] });
    stage.sink.reply = ({ path }) => (endpoint.url.endsWith(path) ? 500 : 204);
    await sendTest(endpoint);
    await untilDeliveries(endpoint, ([seen]) => seen.attempt_count > 0);
    expect(await statusOf(endpoint)).toMatchObject({ status: 'active', failing_since: expect.any(String) });

    const sinceDaysAgo = (days: number) =>
      stage.app.pool.query('update webhook_endpoints set failing_since = $2 where id = $1', [
        endpoint.id,
        new Date(Date.now() - days * 86_400_000 * 0.001), // CARILLON_RETRY_SCALE
      ]);
    await sinceDaysAgo(4.9);
    const [{ attempt_count: attempts }] = await deliveriesOf(endpoint);
    await untilDeliveries(endpoint, ([seen]) => seen.attempt_count > attempts, { runNow: true });
    expect((await statusOf(endpoint)).status).toBe('active');
    await sinceDaysAgo(5.1);
    await waitUntil(async () => {
      await stage.app.pool.query('update queue_later set run_at = now() where kind = 3');
      const { status, disabled_reason } = await statusOf(endpoint);
      return status === 'auto_disabled' ? expect(disabled_reason).toBe('failing') : new Error(status);
    });
    await untilDeliveries(witness, settled(1));
    // What was still to be tried ends, and can be recovered.
    const [ended] = await untilDeliveries(endpoint, settled(1), { runNow: true });
    expect(ended).toMatchObject({ status: 'permanent_failure' });
    expect(ended.error).toMatch(/^endpoint_disabled: /);
  });

  test('that succeeds again is well again', async () => {
    const endpoint = await createEndpoint();
    stage.sink.reply = () => 500;
    await sendTest(endpoint);
    await untilDeliveries(endpoint, ([seen]) => seen.attempt_count > 0);
    stage.sink.reply = () => 200;
    await untilDeliveries(endpoint, settled(1), { runNow: true });
    expect((await statusOf(endpoint)).failing_since).toBeNull();
  });

  test('that is paused gets nothing but tests; what was under way goes on when it is resumed', async () => {
    const endpoint = await createEndpoint();
    stage.sink.reply = () => 500;
    const first = await send();
    await untilDeliveries(endpoint, (all) => all.length === 2 && all.every((seen) => seen.attempt_count > 0));
    await stage.app.waitFor(first.id, (notification) => notification.status === 'delivered');
    await stage.app.request('PUT', at(endpoint), { body: { status: 'paused' } });
    stage.sink.reply = () => 200;
    await waitUntil(async () => {
      await stage.app.pool.query('update queue_later set run_at = now() where kind = 3');
      const { rows } = await stage.app.pool.query('select place from queue_parked');
      return rows.filter(({ place }) => place === `held:${endpoint.id}`).length === 2
        ? true
        : new Error(JSON.stringify(rows));
    });
    const second = await send();
    await stage.app.waitFor(second.id, (notification) => notification.status === 'delivered');
    const { id } = await sendTest(endpoint);
    const paused = await untilDeliveries(
      endpoint,
      (all) => all.find((seen) => seen.id === id)?.status === 'succeeded',
    );
    expect(paused.filter(({ status }) => status === 'pending')).toHaveLength(2);
    expect(paused).toHaveLength(3);
    await stage.app.request('PUT', at(endpoint), { body: { status: 'active' } });
    await untilDeliveries(endpoint, (all) => all.every(({ status }) => status === 'succeeded'));
  });

  test('that is deleted ends what was under way to it', async () => {
    const endpoint = await createEndpoint();
    stage.sink.reply = () => 500;
    await sendTest(endpoint);
    await untilDeliveries(endpoint, ([seen]) => seen.attempt_count > 0);
    await stage.app.request('DELETE', at(endpoint));
    const calls = callsTo(endpoint).length;
    const [ended] = await untilDeliveries(endpoint, settled(1), { runNow: true });
    expect(ended).toMatchObject({ status: 'permanent_failure', attempt_count: calls });
    expect(callsTo(endpoint)).toHaveLength(calls);
    expect((await stage.app.request('POST', at(endpoint, `/deliveries/${ended.id}/retry`))).status).toBe(202);
    await untilDeliveries(endpoint, settled(1));
    expect(callsTo(endpoint)).toHaveLength(calls);
  });
});
