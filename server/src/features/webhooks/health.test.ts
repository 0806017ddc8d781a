import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../../test/harness/app.ts';
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
    for (const [path, body] of [
      [`/deliveries/${ended.id}/retry`, {}],
      ['/recover', { since: ended.created_at }],
      ['/send-test', {}],
    ] as const) {
      const refused = await stage.app.request('POST', at(endpoint, path), { body });
      expect([path, refused.status, refused.body.error.code]).toEqual([path, 409, 'endpoint_disabled']);
    }
    expect(callsTo(endpoint)).toHaveLength(calls);
  });
});
