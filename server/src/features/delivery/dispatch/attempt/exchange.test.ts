import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestResponse } from '../../../../../test/harness/app.ts';
import { type SendgridSimulator, startSendgridSimulator } from '../../../../../test/simulators/sendgrid.ts';

type Json = TestResponse['body'];

let app: TestApp;
let api: SendgridSimulator;
beforeAll(async () => {
  [app, api] = await Promise.all([startTestApp(), startSendgridSimulator({ apiKey: 'SG.exchange-key' })]);
  const { status } = await app.request('PUT', `/v1/environments/${app.liveEnvironmentId}/email-settings`, {
    key: app.liveKey,
    body: {
      from_address: 'hello@acme.example',
      providers: ['SG.exchange-wrong', 'SG.exchange-key'].map((key, index) => ({
        kind: 'sendgrid',
        name: index === 0 ? 'refusing' : 'taking',
        config: { api_key: key, base_url: api.url },
      })),
    },
  });
  expect(status).toBe(200);
});
afterAll(async () => {
  await app.stop();
  await api.stop();
});

const attemptsOf = async (id: string): Promise<Json[]> => {
  const { body } = await app.request('GET', `/v1/notifications/${id}/trace`, { key: app.liveKey });
  return body.entries.filter((entry: Json) => entry.kind === 'attempt');
};

test('the trace shows which calls were made and how they were answered, and no key', async () => {
  const { body } = await app.request('POST', '/v1/notifications', {
    key: app.liveKey,
    body: {
      channel: 'email',
      recipient: { address: 'ada@example.com' },
      subject: 'Hello',
      text_body: 'words',
    },
  });
  await app.waitFor(body.id, ({ status }) => status === 'sent');
  const [refused, taken] = await attemptsOf(body.id);
  const url = `${new URL(api.url).origin}/v3/mail/send`;
  expect(refused).toMatchObject({ name: 'refusing', exchange: { method: 'POST', url, status: 401 } });
  expect(refused.exchange.response_bytes).toBeGreaterThan(0);
  expect(refused.exchange.request_bytes).toBeGreaterThan(100);
  expect(taken).toMatchObject({ name: 'taking', exchange: { method: 'POST', url, status: 202 } });
  expect(JSON.stringify([refused, taken])).not.toContain('SG.exchange');

  const others = (await app.request('GET', `/v1/notifications/${body.id}/trace`, { key: app.liveKey })).body
    .entries;
  expect(others.find((entry: Json) => entry.kind === 'gate').exchange).toBeNull();
});

test('what ends in the sandbox was never on a wire', async () => {
  const { body } = await app.request('POST', '/v1/notifications', {
    body: { channel: 'sms', recipient: { address: '+15005550006' }, text_body: 'Hi' },
  });
  await app.waitFor(body.id, ({ status }) => status === 'delivered');
  const trace = await app.request('GET', `/v1/notifications/${body.id}/trace`);
  expect(trace.body.entries.find((entry: Json) => entry.kind === 'attempt').exchange).toBeNull();
});

test('erasing the person clears where the calls went, what was answered, and the ids of the messages there', async () => {
  const { body } = await app.request('POST', '/v1/notifications', {
    key: app.liveKey,
    body: {
      channel: 'email',
      recipient: { address: 'bob@example.com', external_user_id: 'bob' },
      subject: 'Hello',
      text_body: 'words',
    },
  });
  await app.waitFor(body.id, ({ status }) => status === 'sent');
  const before = await attemptsOf(body.id);
  expect(before.map(({ exchange }) => exchange.url)).toEqual(Array(2).fill(expect.any(String)));
  expect(before[1].provider_message_id).toEqual(expect.any(String));

  expect((await app.request('DELETE', '/v1/users/bob', { key: app.liveKey })).status).toBe(204);
  const { rows } = await app.pool.query('select trace::text from notifications_readable where id = $1', [
    body.id,
  ]);
  expect(rows[0].trace).not.toContain(new URL(api.url).host);
  const erased = { exchange: null, detail: null, provider_message_id: null };
  expect(await attemptsOf(body.id)).toMatchObject([
    { name: 'refusing', verdict: 'broken', code: '401', ...erased },
    { name: 'taking', verdict: 'accepted', code: '202', ...erased },
  ]);
});
