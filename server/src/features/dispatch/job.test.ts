import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../test/app.ts';
import { query } from '../../db/sql.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.request('PUT', `/v1/environments/${app.liveEnvironmentId}/email-settings`, {
    key: app.liveKey,
    body: { from_address: 'hello@acme.example', providers: [{ kind: 'sandbox' }] },
  });
});
afterAll(() => app.stop());

const email = {
  channel: 'email',
  recipient: { address: 'ada@example.com' },
  subject: 'Hello',
  text_body: 'It rings.',
};

test('a fault before the calls of a round takes no room away from those that come after', async () => {
  const { tracer } = app.deps;
  const { start } = tracer;
  tracer.start = (name, kind, parent) => {
    if (name === 'dispatch') throw new Error('a fault of ours');
    return start.call(tracer, name, kind, parent);
  };
  // More than the place of the environment has room for.
  const { status } = await app.request('POST', '/v1/notifications/batch', {
    key: app.liveKey,
    body: { notifications: Array.from({ length: 60 }, () => ({ ...email, priority: 'normal' })) },
  });
  expect(status).toBe(202);
  await waitUntil(async () => {
    const later = await query(app.pool, 'select from queue_later where kind = 1');
    return later.length === 60 ? true : new Error(`${later.length} of 60 were put off`);
  });
  tracer.start = start;
  const { body } = await app.request('POST', '/v1/notifications', { key: app.liveKey, body: email });
  await app.waitFor(body.id, (notification) => notification.status === 'delivered');
});
