import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp } from '../../test/harness/app.ts';
import { newId } from './ids.ts';
import { createLog } from './log.ts';
import { createTracer } from './tracing.ts';

const log = createLog('silent');
const options = { headers: {}, serviceName: 'bells', version: '1.2.3' };
const received: { path: string | undefined; authorization: string | undefined; body: string }[] = [];
const collector = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    received.push({ path: request.url, authorization: request.headers.authorization, body });
    response.end('{}');
  });
});
beforeAll(() => new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => collector.close(resolve)));
beforeEach(() => received.splice(0));
const endpoint = () => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

interface ExportedSpan {
  traceId: string;
  spanId: string;
  name: string;
  links?: { traceId: string; spanId: string }[];
}
const exported = (): ExportedSpan[] =>
  received.flatMap(({ body }) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans);

test('spans reach the collector with their parent, and none are lost at the stop', async () => {
  const tracer = createTracer(
    { ...options, endpoint: endpoint(), headers: { authorization: 'Bearer collector' } },
    log,
  );
  const trace = 'a'.repeat(32);
  tracer
    .start('sendNotification', 'server', `00-${trace}-${'b'.repeat(16)}-01`)
    .end({ 'http.response.status_code': 202 }, true);
  await tracer.stop();
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({ path: '/v1/traces', authorization: 'Bearer collector' });
  expect(received[0]?.body).toContain('{"key":"service.name","value":{"stringValue":"bells"}}');
  const [span] = exported();
  expect(span).toMatchObject({
    traceId: trace,
    parentSpanId: 'b'.repeat(16),
    name: 'sendNotification',
    kind: 2,
    attributes: [{ key: 'http.response.status_code', value: { intValue: '202' } }],
    status: { code: 1 },
  });
});

test('without an endpoint nothing is sent', async () => {
  const tracer = createTracer({ ...options, endpoint: null }, log);
  const span = tracer.start('x', 'internal');
  span.accepted('019f2c79-da47-4386-a10e-b202d1938d69');
  span.end({}, true);
  await tracer.stop();
});

test('a request and the dispatches of what it sent are linked in both directions', async () => {
  const app = await startTestApp({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint() } });
  const send = { channel: 'email', recipient: { address: 'delivered@sandbox.test' }, text_body: 'Hello.' };
  const single = await app.request('POST', '/v1/notifications', {
    body: { ...send, subject: 'One' },
    headers: { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` },
  });
  const batch = await app.request('POST', '/v1/notifications/batch', {
    body: {
      notifications: [{ ...send, subject: 'Two' }, { ...send, subject: 'Three' }, { channel: 'email' }],
    },
  });
  const [two, three] = batch.body.data.map(
    (each: { notification?: { id: string } }) => each.notification?.id,
  );
  for (const id of [single.body.id, two, three])
    await app.waitFor(id, ({ status }) => status === 'delivered');
  await app.stop();

  for (const [operation, ids] of [
    ['sendNotification', [single.body.id]],
    ['sendNotificationBatch', [two, three]],
  ] as const) {
    const request = exported().find(({ name }) => name === operation);
    expect(request?.links).toHaveLength(ids.length);
    for (const id of ids) {
      const trace = exported().filter(({ traceId }) => traceId === id.replaceAll('-', ''));
      expect(trace.map(({ name }) => name).sort()).toEqual(['accept', 'dispatch']);
      const accept = trace.find(({ name }) => name === 'accept');
      expect(request?.links).toContainEqual({ traceId: accept?.traceId, spanId: accept?.spanId });
      expect(accept?.links).toEqual([{ traceId: request?.traceId, spanId: request?.spanId }]);
    }
  }
  expect(exported().find(({ name }) => name === 'sendNotification')?.traceId).toBe('c'.repeat(32));
});

test('a large batch exports a limited number of links', async () => {
  const tracer = createTracer({ ...options, endpoint: endpoint() }, log);
  const span = tracer.start('sendNotificationBatch', 'server');
  for (let sent = 0; sent < 500; sent += 1) span.accepted(newId());
  span.end({}, true);
  await tracer.stop();
  expect(exported()).toHaveLength(129);
  expect(exported()[0]?.links).toHaveLength(128);
});
