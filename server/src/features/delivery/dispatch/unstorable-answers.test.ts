import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import type { EmailProviderSimulator } from '../../../../test/simulators/email-provider.ts';
import { startResendSimulator } from '../../../../test/simulators/resend.ts';

const apiKey = 're_0123456789';
let provider: EmailProviderSimulator;
let app: TestApp;
beforeAll(async () => {
  provider = await startResendSimulator({ apiKey });
  app = await startTestApp({ settings: { CARILLON_ALLOW_PRIVATE_NETWORK: 'loopback' } });
  const saved = await app.request('PUT', `/v1/environments/${app.liveEnvironmentId}/email-settings`, {
    key: app.liveKey,
    body: {
      from_address: 'hello@acme.example',
      providers: [{ kind: 'resend', name: 'resend', config: { api_key: apiKey, base_url: provider.url } }],
    },
  });
  expect(saved.status).toBe(200);
});
afterAll(async () => {
  await app.stop();
  await provider.stop();
});

const bell = '\u{1f514}';
const refusal = (message: string) => ({ status: 422, body: { name: 'validation_error', message } });

test.each([
  ['an id with a NUL', { status: 200, body: { id: 'a\0b' } }, 'sent'],
  ['an id with half a surrogate pair', { status: 200, body: { id: 'a\ud83d' } }, 'sent'],
  ['an error that is cut within a surrogate pair', refusal(`x${bell.repeat(200)}`), 'failed'],
  ['an error that is cut before one', refusal(`xx${bell.repeat(200)}`), 'failed'],
])('%s settles the notification like any other answer', async (_case, answer, wanted) => {
  provider.fault = answer;
  const body = {
    channel: 'email',
    recipient: { address: 'ada@example.com' },
    subject: 'Hi',
    text_body: 'Hi',
  };
  const { body: sent } = await app.request('POST', '/v1/notifications', { key: app.liveKey, body });
  const isSettled = ({ status }: { status: string }) => ['sent', 'failed'].includes(status);
  const { status, attempt_count } = await app.waitFor(sent.id, isSettled);
  expect({ status, attempt_count }).toEqual({ status: wanted, attempt_count: 1 });
});
