import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { startTestApp, type TestApp, type TestResponse, waitUntil } from '../../../test/harness/app.ts';
import {
  type ReceivedCall,
  startWebhookSink,
  type WebhookSink,
} from '../../../test/simulators/webhook-sink.ts';

export type Json = TestResponse['body'];

export const settled = (count: number) => (deliveries: Json[]) =>
  deliveries.length === count &&
  deliveries.every(({ status }) => ['succeeded', 'failed', 'permanent_failure'].includes(status));

/** A service and a receiver for a whole test file; endpoints are disabled after each test. */
export function useReceiver() {
  let app: TestApp;
  let sink: WebhookSink;
  let made: string[] = [];
  beforeAll(async () => {
    app = await startTestApp();
    sink = await startWebhookSink();
  });
  afterAll(async () => {
    await sink.stop();
    await app.stop();
  });
  afterEach(async () => {
    sink.reply = () => 204;
    for (const id of made) await app.request('DELETE', `/v1/webhook-endpoints/${id}`);
    made = [];
  });

  const at = (endpoint: Json, rest = '') => `/v1/webhook-endpoints/${endpoint.id}${rest}`;

  const deliveriesOf = async (endpoint: Json, query = ''): Promise<Json[]> =>
    (await app.request('GET', at(endpoint, `/deliveries?limit=100${query}`))).body.data;

  return {
    get app() {
      return app;
    },
    get sink() {
      return sink;
    },
    at,
    deliveriesOf,
    async createEndpoint(settings: object = {}): Promise<Json> {
      const { body } = await app.request('POST', '/v1/webhook-endpoints', {
        body: { url: sink.url(`/${randomUUID()}`), ...settings },
      });
      made.push(body.id);
      return body;
    },
    callsTo: (endpoint: Json): ReceivedCall[] =>
      sink.received.filter(({ path }) => endpoint.url.endsWith(path)),
    async send(address = 'delivered@sandbox.test'): Promise<Json> {
      const { body } = await app.request('POST', '/v1/notifications', {
        body: {
          channel: 'email',
          recipient: { address, name: 'Ada' },
          subject: 'Hello',
          html_body: '<p>secret words</p>',
          template_data: { order: 7 },
        },
      });
      return body;
    },
    async sendTest(endpoint: Json): Promise<Json> {
      const { status, body } = await app.request('POST', at(endpoint, '/send-test'));
      expect(status).toBe(202);
      return body;
    },
    async getDelivery(delivery: Json): Promise<Json> {
      const path = `/v1/webhook-endpoints/${delivery.endpoint_id}/deliveries/${delivery.id}`;
      return (await app.request('GET', path)).body;
    },
    /** Waits until the endpoint's deliveries match; `runNow` runs the waiting ones now. */
    untilDeliveries(
      endpoint: Json,
      condition: (deliveries: Json[]) => boolean,
      { runNow = false } = {},
    ): Promise<Json[]> {
      return waitUntil(async () => {
        const deliveries = await deliveriesOf(endpoint);
        if (condition(deliveries)) return deliveries;
        if (runNow) await app.pool.query('update queue_later set run_at = now() where kind = 3');
        return new Error(JSON.stringify(deliveries));
      });
    },
  };
}
