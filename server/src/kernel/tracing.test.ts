import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
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
afterEach(() => collector.close());

test('spans reach the collector with their parent, and none are lost at the stop', async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  const tracer = createTracer(
    { ...options, endpoint: `http://127.0.0.1:${port}`, headers: { authorization: 'Bearer collector' } },
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
  const [span] = JSON.parse(received[0]?.body ?? '').resourceSpans[0].scopeSpans[0].spans;
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
  tracer.start('x', 'internal').end({}, true);
  await tracer.stop();
});
