import { expect, test } from 'vitest';
import { waitUntil } from '../../../../../test/harness/app.ts';
import { isDone, type Json, throttledOnce, useChats } from '../test-harness.ts';

const chats = useChats();

const azure = (id: string) =>
  `https://prod-1.westus.logic.azure.com:443/workflows/${id}/triggers/manual/paths/invoke?sig=s3cret`;
const create = (body: object) => chats.live('POST', '/v1/chattwo-endpoints', body);
const at = (endpoint: Json, rest = '') => `/v1/chattwo-endpoints/${endpoint.id}${rest}`;

test('an endpoint shows how its URL begins and what stands behind it, and never the URL', async () => {
  const { status, body } = await create({ label: 'Ops & Alerts', webhook_url: azure('abc') });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(String),
    key: 'ops-alerts',
    label: 'Ops & Alerts',
    webhook_url_prefix: 'https://prod-1.westus.logic.az',
    flavour: 'WorkflowsVariantA',
    status: 'active',
    last_success_at: null,
    last_failure_at: null,
    last_failure_reason: null,
    created_at: expect.any(String),
  });
  expect((await chats.live('GET', at(body))).body).toEqual(body);
  const list = await chats.live('GET', '/v1/chattwo-endpoints');
  expect(Object.keys(list.body)).toEqual(['data']);
  expect(list.body.data).toContainEqual(body);
  const { rows } = await chats.app.pool.query('select chat_endpoints::text from chat_endpoints');
  expect(JSON.stringify(rows)).not.toContain('s3cret');
  expect(JSON.stringify(await chats.audit())).not.toContain('s3cret');
});

test('keys are made of the label, counted on when taken, kept when the label changes, or chosen', async () => {
  const made = [];
  for (let number = 0; number < 3; number += 1)
    made.push((await create({ label: 'Équipe Été', webhook_url: azure(`k${number}`) })).body);
  expect(made.map(({ key }) => key)).toEqual(['equipe-ete', 'equipe-ete-2', 'equipe-ete-3']);
  const changed = await chats.live('PUT', at(made[0]), { label: 'Other' });
  expect(changed.body).toMatchObject({ key: 'equipe-ete', label: 'Other' });
  expect((await create({ label: '警報', webhook_url: azure('k4') })).body.key).toBe('chattwo');
  expect((await create({ label: 'x', key: 'mine', webhook_url: azure('k5') })).body.key).toBe('mine');
  const taken = await create({ label: 'x', key: 'mine', webhook_url: azure('k6') });
  expect([taken.status, taken.body.error.code, taken.body.error.param]).toEqual([
    409,
    'duplicate_key',
    'key',
  ]);
});

test('many made at once under one label each get a key of their own', async () => {
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, number) => create({ label: 'Race', webhook_url: azure(`r${number}`) })),
  );
  expect(made.map(({ status }) => status)).toEqual(Array(8).fill(201));
  expect(new Set(made.map(({ body }) => body.key)).size).toBe(8);
});

const refusals: [string, object, string, string][] = [
  [
    'a retired connector',
    { webhook_url: 'https://acme.webhook.office.com/webhookb2/x' },
    'chattwo_legacy_connector_url',
    'webhook_url',
  ],
  [
    'another site',
    { webhook_url: 'https://example.com/workflows/x' },
    'chattwo_url_not_accepted',
    'webhook_url',
  ],
  [
    'no https',
    { webhook_url: 'http://a.logic.azure.com/workflows/x' },
    'chattwo_url_not_accepted',
    'webhook_url',
  ],
  ['no URL', { webhook_url: 'hello' }, 'parameter_invalid', 'webhook_url'],
  ['none', { webhook_url: undefined }, 'parameter_missing', 'webhook_url'],
  ['a number', { webhook_url: 5 }, 'parameter_invalid', 'webhook_url'],
  ['no label', { label: undefined }, 'parameter_missing', 'label'],
  ['an empty label', { label: '' }, 'parameter_invalid', 'label'],
  ['a label with a line break', { label: 'a\nb' }, 'parameter_invalid', 'label'],
  ['a key with spaces', { key: 'a b' }, 'parameter_invalid', 'key'],
  ['a key like an id', { key: '01890000-0000-7000-8000-000000000000' }, 'parameter_invalid', 'key'],
];
test.each(refusals)('refused: %s', async (_name, changes, code, param) => {
  const { status, body } = await create({ label: 'x', webhook_url: azure('x'), ...changes });
  expect([status, body.error.code, body.error.param]).toEqual([400, code, param]);
  if ('webhook_url' in changes && changes.webhook_url)
    expect(JSON.stringify(body)).not.toContain(String(changes.webhook_url));
});

test('another environment, and another channel, do not see it', async () => {
  const { body } = await create({ label: 'Hidden', webhook_url: azure('h') });
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect((await chats.test(method, at(body), method === 'PUT' ? {} : undefined)).status).toBe(404);
  expect((await chats.test('POST', at(body, '/send-test'))).status).toBe(404);
  expect((await chats.live('GET', `/v1/chatthree-endpoints/${body.id}`)).status).toBe(404);
});

test('a card reaches the workflow, named by its key, by its id, or by the field of old', async () => {
  const flow = chats.chattwo.addFlow('A');
  const { body: endpoint } = await create({ label: 'Real', webhook_url: flow.url });
  expect(endpoint.flavour).toBe('WorkflowsVariantA');
  for (const recipient of [
    { endpoint: endpoint.key, chattwo_endpoint_id: '01890000-0000-7000-8000-000000000000' },
    { endpoint: endpoint.id },
    { chattwo_endpoint_id: endpoint.id.toUpperCase() },
  ]) {
    const sent = await chats.send('chattwo', recipient);
    expect(sent.status).toBe(202);
    expect(sent.body.recipient.address).toBe(endpoint.key);
    const done = await chats.until(sent.body.id, isDone);
    // Taken by the workflow; whether it was shown, nobody tells.
    expect(done).toMatchObject({ status: 'sent', attempt_count: 1 });
  }
  const runs = chats.chattwo.runs.filter((run) => run.flow === flow.id);
  expect(runs).toHaveLength(3);
  expect(runs[0]).toMatchObject({
    result: 'posted',
    body: { attachments: [{ content: { body: [{ text: 'Hello Ada' }] } }] },
  });
  const { body: after } = await chats.live('GET', at(endpoint));
  expect(after).toMatchObject({ status: 'active', last_failure_at: null });
  expect(Date.parse(after.last_success_at)).toBeGreaterThan(Date.parse(endpoint.created_at));
});

test('an endpoint that is not there is refused at once', async () => {
  const unknown = await chats.send('chattwo', { endpoint: 'nowhere' });
  expect([unknown.status, unknown.body.error.code, unknown.body.error.param]).toEqual([
    400,
    'endpoint_not_found',
    'recipient.endpoint',
  ]);
  const legacy = await chats.send('chattwo', { chattwo_endpoint_id: '01890000-0000-7000-8000-000000000000' });
  expect(legacy.body.error.param).toBe('recipient.chattwo_endpoint_id');
  const none = await chats.send('chattwo', {});
  expect([none.body.error.code, none.body.error.param]).toEqual(['parameter_missing', 'recipient.endpoint']);
});

test('what is still queued when its endpoint is deleted fails and says so; a new one of that name gets nothing of it', async () => {
  const flow = chats.chattwo.addFlow();
  const { body: endpoint } = await create({ label: 'Doomed', webhook_url: flow.url });
  const sent = await chats.send(
    'chattwo',
    { endpoint: 'doomed' },
    { send_at: new Date(Date.now() + 3_600_000) },
  );
  expect((await chats.live('DELETE', at(endpoint))).status).toBe(204);
  expect((await chats.live('DELETE', at(endpoint))).status).toBe(404);
  const { body: next } = await create({ label: 'Doomed', webhook_url: flow.url });
  expect(next.key).toBe('doomed');
  await chats.live('PATCH', `/v1/notifications/${sent.body.id}`, { send_at: null });
  const done = await chats.until(sent.body.id, isDone);
  expect(done).toMatchObject({ status: 'failed', attempt_count: 0 });
  expect(done.last_error).toContain('endpoint_not_found');
  expect(chats.chattwo.runs.filter((run) => run.flow === flow.id)).toEqual([]);
});

test('a workflow that is off makes the endpoint broken, and what waits arrives when it is on again', async () => {
  const flow = chats.chattwo.addFlow();
  const { body: endpoint } = await create({ label: 'Off and on', webhook_url: flow.url });
  flow.state = 'off';
  const sent = await chats.send('chattwo', { endpoint: endpoint.key });
  const broken = await waitUntil(async () => {
    const { body } = await chats.live('GET', at(endpoint));
    return body.status === 'broken' ? body : new Error(JSON.stringify(body));
  }, 30_000);
  expect(broken.last_failure_reason).toContain('404');
  flow.state = 'on';
  expect(
    await chats.until(sent.body.id, ({ status }) => status !== 'queued' && status !== 'sending'),
  ).toMatchObject({
    status: 'sent',
  });
  await waitUntil(async () => {
    const { body } = await chats.live('GET', at(endpoint));
    return body.status === 'active' && body.last_failure_at ? body : new Error(JSON.stringify(body));
  }, 30_000);
});

test('data that makes a card of 40 KB fails the notification, with the reason', async () => {
  const flow = chats.chattwo.addFlow();
  const { body: endpoint } = await create({ label: 'Large', webhook_url: flow.url });
  const sent = await chats.send(
    'chattwo',
    { endpoint: endpoint.key },
    { template_data: { name: 'x'.repeat(40_000) } },
  );
  const done = await chats.until(sent.body.id, isDone);
  expect(done.status).toBe('failed');
  expect(done.last_error).toContain('28672 bytes');
  expect(chats.chattwo.runs.filter((run) => run.flow === flow.id)).toEqual([]);
});

test('a test card needs no template, and its fate can be asked for', async () => {
  const flow = chats.chattwo.addFlow();
  const { body: endpoint } = await create({ label: 'Tested', webhook_url: flow.url });
  const { status, body } = await chats.live('POST', at(endpoint, '/send-test'));
  expect([status, Object.keys(body)]).toEqual([202, ['notification_id']]);
  const done = await chats.until(body.notification_id, isDone);
  expect(done).toMatchObject({ status: 'sent', template_key: null, recipient: { address: 'tested' } });
  expect(chats.chattwo.runs.find((run) => run.flow === flow.id)).toMatchObject({ result: 'posted' });
  const trace = await chats.live('GET', `/v1/notifications/${body.notification_id}/trace`);
  expect(trace.body.entries.at(-1)).toMatchObject({ name: 'chattwo:tested', verdict: 'accepted' });
  expect(JSON.stringify(trace.body)).not.toContain(flow.sig);
});

test('what the workflow throttles arrives later, and the call is an attempt that leaves its trail', async () => {
  const flow = chats.chattwo.addFlow();
  await create({ label: 'Slow', webhook_url: flow.url });
  chats.chattwo.faults = [{ status: 429, headers: { 'retry-after': '0' } }];
  const { body } = await chats.send('chattwo', { endpoint: 'slow' });
  expect(await chats.until(body.id, isDone)).toMatchObject({ status: 'sent', ...throttledOnce });
  expect(chats.chattwo.runs.filter((run) => run.flow === flow.id)).toHaveLength(1);
});

test('a URL given anew is a new start', async () => {
  const flow = chats.chattwo.addFlow();
  const { body: endpoint } = await create({ label: 'Moved', webhook_url: azure('old') });
  const { body: moved } = await chats.live('PUT', at(endpoint), { webhook_url: flow.url });
  expect(moved).toMatchObject({ id: endpoint.id, key: 'moved', flavour: 'WorkflowsVariantB' });
  const { body } = await chats.live('POST', at(endpoint, '/send-test'));
  expect((await chats.until(body.notification_id, isDone)).status).toBe('sent');
  const refused = await chats.live('PUT', at(endpoint), { webhook_url: 'https://example.com/x' });
  expect(refused.body.error.code).toBe('chattwo_url_not_accepted');
});

test('in Test the JSON ends in the sandbox, without the URL, and the workflow is not called', async () => {
  const flow = chats.chattwo.addFlow();
  const before = chats.chattwo.calls();
  const { body: endpoint } = await chats.test('POST', '/v1/chattwo-endpoints', {
    label: 'T',
    webhook_url: flow.url,
  });
  const sent = await chats.send('chattwo', { endpoint: endpoint.key }, {}, { key: chats.app.testKey });
  expect((await chats.until(sent.body.id, isDone, chats.app.testKey)).status).toBe('delivered');
  const { body } = await chats.test('GET', `/v1/sandbox/messages?notification_id=${sent.body.id}`);
  expect(body.data).toMatchObject([
    {
      channel: 'chattwo',
      to: 't',
      payload: { type: 'message', attachments: [{ content: { body: [{ text: 'Hello Ada' }] } }] },
    },
  ]);
  expect(JSON.stringify(body)).not.toContain(flow.sig);
  expect(chats.chattwo.calls()).toBe(before);
});

test('every change is in the audit log, without the URL', async () => {
  const { body: endpoint } = await create({ label: 'Audited', webhook_url: azure('audited') });
  await chats.live('PUT', at(endpoint), { webhook_url: azure('audited-2') });
  await chats.live('DELETE', at(endpoint));
  const entries = (await chats.audit()).filter(({ target }) => target === `chattwo_endpoint:${endpoint.id}`);
  expect(entries.map(({ action }) => action)).toEqual([
    'chattwo_endpoint.deleted',
    'chattwo_endpoint.updated',
    'chattwo_endpoint.created',
  ]);
  expect(JSON.stringify(entries)).not.toContain('sig=');
});
