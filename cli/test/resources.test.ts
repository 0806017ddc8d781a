import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/harness/app.ts';
import { startWebhookSink, type WebhookSink } from '../../server/test/simulators/webhook-sink.ts';
import { createWorld, type World } from './world.ts';

let app: TestApp;
let sink: WebhookSink;
let world: World;
beforeAll(async () => {
  app = await startTestApp();
  sink = await startWebhookSink();
  world = createWorld({ CARILLON_URL: app.url, CARILLON_API_KEY: app.testKey });
});
afterAll(async () => {
  world.remove();
  await sink.stop();
  await app.stop();
});

test('a webhook endpoint is created, tested, paused, resumed and recovered', async () => {
  const created = await world.run([
    'webhooks',
    'create',
    sink.url('/hooks'),
    '--event',
    'notification.failed',
  ]);
  expect(created.out).toMatch(/^whsec_\S+\n$/);
  const id = /[0-9a-f-]{36}/.exec(created.err)?.[0] ?? '';
  expect((await world.run(['webhooks', 'list'])).out).toContain(`${sink.url('/hooks')}  notification.failed`);

  const tested = await world.run(['webhooks', 'test', id]);
  expect(tested).toMatchObject({
    code: 0,
    out: expect.stringMatching(/webhook\.test {2}succeeded {2}HTTP 204/),
  });
  sink.reply = () => 410;
  const refused = await world.run(['webhooks', 'test', id]);
  expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('permanent_failure  HTTP 410') });
  expect((await world.json(['webhooks', 'deliveries', id])).length).toBe(2);

  expect((await world.run(['webhooks', 'resume', id])).out).toMatch(/^active {2}/);
  expect((await world.json(['webhooks', 'pause', id])).status).toBe('paused');
  expect((await world.run(['webhooks', 'recover', id])).out).toMatch(
    /^1 event since \S+ will be delivered again\.\n$/,
  );
  expect((await world.run(['webhooks', 'discard', id])).out).toBe('Discarded 1 event.\n');
  expect((await world.run(['webhooks', 'pause', '0198c3a1-5a0e-7c4e-9d3b-2f6a1b7c8d9e'])).code).toBe(3);
});

test('a workflow is listed, triggered and waited for', async () => {
  expect((await world.run(['workflows', 'list'])).out).toBe('No workflows.\n');
  await app.request('POST', '/v1/workflows', { body: { key: 'dunning', name: 'Dunning' } });
  const steps = [{ id: 'only', kind: 'cancel', when: 'trigger.stop' }];
  const body = { body: { trigger_data_schema: { required: ['stop'] }, steps } };
  await app.request('POST', '/v1/workflows/dunning/versions', { body });
  await app.request('POST', '/v1/workflows/dunning/versions/1/activate');
  expect((await world.run(['workflows', 'list'])).out).toBe('dunning  active  version 1  Dunning\n');

  const trigger = ['workflows', 'trigger', 'dunning', '--data'];
  const ended = await world.run([...trigger, '{"stop": false}', '--wait']);
  expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(/^completed {2}[0-9a-f-]{36}\n$/) });
  expect((await world.run([...trigger, '{"stop": true}', '--wait'])).code).toBe(1);
  const [first, again] = [
    await world.json([...trigger, '{"stop": false}', '--idempotency-key', 'A-1']),
    await world.json([...trigger, '{"stop": false}', '--idempotency-key', 'A-1']),
  ];
  expect(again.run_id).toBe(first.run_id);
  expect((await world.run([...trigger, '{}'])).err).toContain('stop');
  expect((await world.run(trigger.slice(0, 3))).code).toBe(2);
});

test('users are found, shown and erased after a question', async () => {
  await app.request('PUT', '/v1/users/ada', { body: { email: 'ada@example.com', name: 'Ada' } });
  expect((await world.run(['users', 'list', '--search', 'ad'])).out).toContain('ada  Ada  ada@example.com');
  expect((await world.run(['users', 'get', 'ada'])).out).toContain('ada@example.com');
  expect((await world.run(['users', 'erase', 'ada'])).code).toBe(2);
  await world.run(['users', 'erase', 'ada'], { answers: ['n'] });
  expect((await world.json(['users', 'get', 'ada'])).email).toBe('ada@example.com');
  expect((await world.run(['users', 'erase', 'ada'], { answers: ['y'] })).out).toBe('Erased ada.\n');
  expect((await world.run(['users', 'get', 'ada'])).code).toBe(3);
});

test('addresses are suppressed, listed and allowed again', async () => {
  expect((await world.run(['suppressions', 'add', 'Eve@Example.com'])).out).toContain(
    'is suppressed: manual_add',
  );
  expect((await world.run(['suppressions', 'list', '--reason', 'manual_add'])).out).toContain('manual_add');
  expect((await world.run(['suppressions', 'list', '--reason', 'other'])).code).toBe(2);
  await world.run(['suppressions', 'remove', 'eve@example.com', '--note', 'asked for it']);
  expect((await world.run(['suppressions', 'list'])).out).toBe('No suppressed addresses.\n');
  expect((await world.run(['suppressions', 'remove', 'eve@example.com'])).code).toBe(3);
});
