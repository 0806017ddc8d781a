import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { managedEmail, startTestApp, type TestApp, waitUntil } from '../../../../test/harness/app.ts';
import { startWorkflows, withWorkflows } from '../../workflows/runs/test-harness.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startWorkflows();
  const member = { email: 'ada@example.com', name: 'Ada' };
  await live('PUT', '/v1/users/ada', member);
});
afterAll(() => app.stop());
beforeEach(() => setEmail({ providers: [] }));

const live = (method: string, path: string, body?: object) =>
  app.request(method, path, { key: app.liveKey, ...(body && { body }) });
const settingsPath = () => `/v1/environments/${app.liveEnvironmentId}/email-settings`;
const setEmail = (body: object) => live('PUT', settingsPath(), body);
const complete = { from_address: 'hello@acme.example', providers: [{ kind: 'sandbox' }] };

const email = {
  channel: 'email',
  recipient: { address: 'ada@example.com' },
  subject: 'Hello',
  text_body: 'Hi',
};
const sms = { channel: 'sms', recipient: { address: '+447700900123' }, text_body: 'Hi' };
const send = (body: object = email, headers = {}) =>
  app.request('POST', '/v1/notifications', { key: app.liveKey, body, headers });
const isDone = ({ status }: { status: string }) => !['queued', 'sending'].includes(status);

test('Live refuses a channel that cannot send, and says what to set and where', async () => {
  const none = await send();
  expect([none.status, none.body.error]).toEqual([
    400,
    {
      type: 'invalid_request_error',
      code: 'provider_not_configured',
      param: 'channel',
      message: `The environment has no enabled email provider: set providers with PATCH ${settingsPath()}, or in the dashboard under Connections, Email.`,
    },
  ]);
  await setEmail({ ...complete, providers: [{ kind: 'sandbox', enabled: false }] });
  expect((await send()).body.error.message).toContain('no enabled email provider');
  await setEmail({ providers: [{ kind: 'sandbox' }] });
  expect((await send()).body.error.message).toContain('set from_address');
  const text = await send(sms);
  expect([text.body.error.code, text.body.error.message]).toEqual([
    'provider_not_configured',
    expect.stringContaining(`PUT /v1/environments/${app.liveEnvironmentId}/sms-settings`),
  ]);
  await setEmail(complete);
  expect((await send()).status).toBe(202);
});

test('Test, the inbox and webhooks need no provider', async () => {
  for (const body of [email, sms])
    expect((await app.request('POST', '/v1/notifications', { body })).status).toBe(202);
  const inbox = { channel: 'in_app', recipient: { external_user_id: 'ada' }, text_body: 'Hi' };
  expect((await send(inbox)).status).toBe(202);
  const hook = { channel: 'webhook', recipient: { address: 'https://example.com/hook' }, text_body: 'Hi' };
  expect((await send(hook)).status).toBe(202);
});

test('a batch refuses single elements, and an idempotent replay is still answered', async () => {
  await setEmail(complete);
  const headers = { 'idempotency-key': 'before-the-removal' };
  const first = await send(email, headers);
  await setEmail({ providers: [] });
  const replay = await send(email, headers);
  expect([replay.status, replay.body.id]).toEqual([200, first.body.id]);
  const inbox = { channel: 'in_app', recipient: { external_user_id: 'ada' }, text_body: 'Hi' };
  const { body } = await live('POST', '/v1/notifications/batch', { notifications: [email, inbox] });
  expect(body.data).toMatchObject([
    { index: 0, error: { code: 'provider_not_configured', param: 'notifications[0].channel' } },
    { index: 1, notification: { channel: 'in_app' } },
  ]);
});

test('a failed send is not resent without a provider', async () => {
  await setEmail(complete);
  const { body } = await send();
  await app.waitFor(body.id, isDone);
  await app.pool.query(`update notifications set status = 'failed' where id = $1`, [body.id]);
  await setEmail({ providers: [] });
  const refused = await live('POST', `/v1/notifications/${body.id}/resend`);
  expect([refused.status, refused.body.error.code]).toEqual([400, 'provider_not_configured']);
});

test('what was accepted waits for a provider that was removed since, and goes out once there is one', async () => {
  await setEmail(complete);
  const soon = new Date(Date.now() + 1_000).toISOString();
  const { body } = await send({ ...email, send_at: soon });
  await setEmail({ providers: [] });
  const waiting = await app.waitFor(body.id, ({ status_detail }) => status_detail === 'retrying');
  expect(waiting).toMatchObject({ status: 'queued', attempt_count: 0 });
  expect(waiting.last_error).toMatch(/^provider_not_configured: .*set providers with/);
  expect(waiting.events.map(({ type }: { type: string }) => type)).toContain('Retrying');
  const trace = await live('GET', `/v1/notifications/${body.id}/trace`);
  expect(trace.body.entries).toContainEqual(
    expect.objectContaining({ kind: 'decision', name: 'connection', verdict: 'missing' }),
  );
  await setEmail(complete);
  expect(await app.waitFor(body.id, isDone)).toMatchObject({ status: 'delivered', attempt_count: 1 });
});

test('a broadcast is refused, and one whose provider was removed before its start is paused', async () => {
  const definition = {
    name: 'News',
    channels: ['in_app', 'email'],
    audience: { all: true, confirm: true },
    subject: 'News',
    text_body: 'Hi',
  };
  const refused = await live('POST', '/v1/broadcasts', definition);
  expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
    400,
    'provider_not_configured',
    'channels',
  ]);
  await setEmail(complete);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const made = await live('POST', '/v1/broadcasts', { ...definition, send_at: later });
  expect(made.status).toBe(201);
  await setEmail({ providers: [] });
  await app.pool.query(`update broadcasts set starts_at = now() where id = $1`, [made.body.id]);
  await app.pool.query(`update queue_later set run_at = now() where environment_id = $1`, [
    app.liveEnvironmentId,
  ]);
  const at = `/v1/broadcasts/${made.body.id}`;
  const statusOf = (status: string) =>
    waitUntil(async () => {
      const { body } = await live('GET', at);
      return body.status === status ? body : new Error(JSON.stringify(body));
    }, 20_000);
  expect((await statusOf('paused')).pause_reason).toMatch(/^provider_not_configured: .*email provider/);
  await setEmail(complete);
  await live('POST', `${at}/resume`);
  expect((await statusOf('done')).progress.counts).toEqual({ delivered: 1 });
});

test('a send step fails with the reason', async () => {
  const workflows = withWorkflows({
    ...app,
    request: (method, path, options) => app.request(method, path, { ...options, key: app.liveKey }),
  });
  await workflows.define('notify', [{ id: 'mail', kind: 'send', ...email }]);
  const run = await workflows.reaches(await workflows.trigger('notify'), 'failed');
  expect(run.failure_reason).toContain('(provider_not_configured)');
});

test('the server of the operator counts as a provider', async () => {
  const managed = await startTestApp({
    database: app.database,
    settings: { CARILLON_ROLES: 'api', ...managedEmail },
  });
  const key = app.liveKey;
  const answer = await managed.request('POST', '/v1/notifications', { key, body: email });
  await managed.stop();
  expect(answer.status).toBe(202);
});
