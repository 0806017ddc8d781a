import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebhookSink, type WebhookSink } from '../../../../test/simulators/webhook-sink.ts';
import { createOutbound, type Outbound } from '../../../channels/http.ts';
import { attemptFetch } from './fetch.ts';

let outbound: Outbound;
let sink: WebhookSink;
beforeAll(async () => {
  outbound = createOutbound({ policy: 'loopback' });
  sink = await startWebhookSink();
});
afterAll(async () => {
  await outbound.stop();
  await sink.stop();
});

const attempt = (headers: Record<string, string>) =>
  attemptFetch(
    outbound,
    {
      kind: 'fetch',
      stepId: 'ask',
      attemptId: 'ask-1',
      request: { url: sink.url(), method: 'POST', headers, body: '{}' },
    },
    {
      idempotencyKey: 'ours',
      chain: '01890000-0000-7000-8000-000000000000;0',
      attempt: 1,
      retryScale: 1,
      now: 0,
    },
  );

test.each(['Transfer-Encoding', 'Expect', 'Keep-Alive', 'Upgrade', 'Content-Length'])(
  'what was decided before %s was refused fails at the first attempt',
  async (name) => {
    expect(await attempt({ [name]: '7' })).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^The request has a header that cannot be sent \(UND_ERR_\w+\)\.$/),
    });
    expect(sink.received).toHaveLength(0);
  },
);

test('the key of a call is ours, whatever its author says', async () => {
  expect(await attempt({ 'Idempotency-Key': 'theirs' })).toMatchObject({ kind: 'fetched' });
  expect(sink.received[0]?.headers['idempotency-key']).toBe('ours');
});
