import { expect, test } from 'vitest';
import { waitUntil } from '../../../../../test/harness/app.ts';
import { isDone, type Json, throttledOnce, useChats } from '../test-harness.ts';

const chats = useChats();

const real = (id: string) => `https://discord.com/api/webhooks/${id}/s3cret-token`;
const create = (body: object) => chats.live('POST', '/v1/chatthree-endpoints', body);
const at = (endpoint: Json, rest = '') => `/v1/chatthree-endpoints/${endpoint.id}${rest}`;
const postsTo = (id: string) => chats.chatthree.posts.filter(({ webhook }) => webhook === id);

test('an endpoint can be made, read, changed and deleted, and never shows its URL', async () => {
  const { status, body } = await create({
    label: 'News',
    webhook_url: real('123'),
    default_username: 'Bell',
    default_avatar_url: 'https://example.com/bell.png',
  });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(String),
    key: 'news',
    label: 'News',
    webhook_url_prefix: 'https://discord.com/api/webhoo',
    default_username: 'Bell',
    default_avatar_url: 'https://example.com/bell.png',
    status: 'active',
    last_success_at: null,
    last_failure_at: null,
    last_failure_reason: null,
    created_at: expect.any(String),
  });
  expect((await chats.live('GET', at(body))).body).toEqual(body);
  expect((await chats.live('GET', '/v1/chatthree-endpoints')).body).toEqual({ data: [body] });
  const changed = await chats.live('PUT', at(body), { default_username: '', label: 'Newer' });
  expect(changed.body).toEqual({ ...body, label: 'Newer', default_username: null });
  expect((await chats.live('PUT', at(body), {})).body).toEqual(changed.body);
  expect((await chats.live('DELETE', at(body))).status).toBe(204);
  expect((await chats.live('GET', at(body))).status).toBe(404);
  expect(JSON.stringify(await chats.audit())).not.toContain('s3cret');
});

test('endpoints are listed in pages when a limit is given', async () => {
  const list = async (query = '') => (await chats.live('GET', `/v1/chatthree-endpoints${query}`)).body;
  const made: Json[] = [];
  for (const label of ['One', 'Two', 'Three'])
    made.unshift((await create({ label, webhook_url: 'https://discord.com/api/webhooks/1/a' })).body);
  const ids = (body: Json): string[] => body.data.map((each: Json) => each.id);
  const whole = await list();
  expect(Object.keys(whole)).toEqual(['data']);
  expect(ids(whole).slice(0, 3)).toEqual(made.map(({ id }) => id));
  const first = await list('?limit=2');
  expect(first.data).toEqual(whole.data.slice(0, 2));
  for (const name of ['cursor', 'page_token']) {
    const rest = await list(`?${name}=${first.next_cursor}`);
    expect(rest).toEqual({ data: whole.data.slice(2), next_cursor: null });
    expect((await list(`?${name}=nonsense`)).error).toMatchObject({ code: 'invalid_cursor', param: name });
  }
  expect((await list(`?cursor=${first.next_cursor}&page_token=x`)).error.param).toBe('page_token');
  expect((await list('?limit=0')).error.param).toBe('limit');
  const foreign = await chats.live('GET', `/v1/chattwo-endpoints?cursor=${first.next_cursor}`);
  expect(foreign.body.error.code).toBe('invalid_cursor');
  for (const endpoint of made) await chats.live('DELETE', at(endpoint));
});

const refusals: [string, object, string, string][] = [
  [
    'another site',
    { webhook_url: 'https://example.com/api/webhooks/1/a' },
    'chatthree_url_not_accepted',
    'webhook_url',
  ],
  [
    'no token',
    { webhook_url: 'https://discord.com/api/webhooks/1' },
    'chatthree_url_not_accepted',
    'webhook_url',
  ],
  ['no URL', { webhook_url: 'x' }, 'parameter_invalid', 'webhook_url'],
  ['a forbidden name', { default_username: 'Discord' }, 'parameter_invalid', 'default_username'],
  ['a long name', { default_username: 'x'.repeat(81) }, 'parameter_invalid', 'default_username'],
  ['a picture that is no URL', { default_avatar_url: 'bell.png' }, 'parameter_invalid', 'default_avatar_url'],
  ['a number as label', { label: 5 }, 'parameter_invalid', 'label'],
];
test.each(refusals)('refused: %s', async (_name, changes, code, param) => {
  const { status, body } = await create({ label: 'x', webhook_url: real('1'), ...changes });
  expect([status, body.error.code, body.error.param]).toEqual([400, code, param]);
});

test('a message has the name and picture of its data, else of the endpoint, and mentions nobody', async () => {
  const webhook = chats.chatthree.addWebhook();
  const { body: endpoint } = await create({
    label: 'Live',
    webhook_url: webhook.url,
    default_username: 'Bell',
    default_avatar_url: 'https://example.com/bell.png',
  });
  const plain = await chats.send('chatthree', { endpoint: 'live' });
  const own = await chats.send(
    'chatthree',
    { chatthree_endpoint_id: endpoint.id },
    { template_data: { name: '@everyone', username: 'Ada', avatar_url: 'https://example.com/ada.png' } },
  );
  expect((await chats.until(plain.body.id, isDone)).status).toBe('delivered');
  expect((await chats.until(own.body.id, isDone)).status).toBe('delivered');
  expect(postsTo(webhook.id).map(({ body }) => body)).toEqual(
    expect.arrayContaining([
      {
        content: 'Hi Ada',
        embeds: [{ title: 'Hello Ada' }],
        username: 'Bell',
        avatar_url: 'https://example.com/bell.png',
        allowed_mentions: { parse: [] },
      },
      {
        content: 'Hi @everyone',
        embeds: [{ title: 'Hello @everyone' }],
        username: 'Ada',
        avatar_url: 'https://example.com/ada.png',
        allowed_mentions: { parse: [] },
      },
    ]),
  );
  const { body: after } = await chats.live('GET', at(endpoint));
  expect(after.last_success_at).not.toBeNull();
});

test('a name or picture that the service would refuse is refused at once', async () => {
  await create({ label: 'Names', webhook_url: chats.chatthree.addWebhook().url });
  for (const [field, value] of [
    ['username', 'discord'],
    ['username', 5],
    ['username', 'x'.repeat(81)],
    ['avatar_url', 'javascript:alert(1)'],
    ['avatar_url', ['x']],
  ] as const) {
    const { status, body } = await chats.send(
      'chatthree',
      { endpoint: 'names' },
      { template_data: { name: 'x', [field]: value } },
    );
    expect([status, body.error?.code, body.error?.param]).toEqual([
      400,
      'parameter_invalid',
      `template_data.${field}`,
    ]);
  }
});

test('data that makes eleven embeds fails the notification, with the reason', async () => {
  await create({ label: 'Many', webhook_url: chats.chatthree.addWebhook().url });
  const list =
    '[{% for x in items %}{"title": "{{ x }}"}{% unless forloop.last %},{% endunless %}{% endfor %}]';
  await chats.live('POST', '/v1/templates', {
    key: 'many',
    name: 'Many',
    bodies: [{ channel: 'chatthree', structured_template: list }],
  });
  const { body } = await chats.send(
    'chatthree',
    { endpoint: 'many' },
    { template_key: 'many', template_data: { items: Array.from({ length: 11 }, (_, index) => index) } },
  );
  const done = await chats.until(body.id, isDone);
  expect(done.status).toBe('failed');
  expect(done.last_error).toContain('at most 10');
});

test('a webhook that was deleted over there makes the endpoint gone: it is not called again until it gets a URL', async () => {
  const webhook = chats.chatthree.addWebhook();
  const { body: endpoint } = await create({ label: 'Gone', webhook_url: webhook.url });
  webhook.isDeleted = true;
  const first = await chats.send('chatthree', { endpoint: 'gone' });
  const gone = await waitUntil(async () => {
    const { body } = await chats.live('GET', at(endpoint));
    return body.status === 'gone' ? body : new Error(JSON.stringify(body));
  }, 30_000);
  expect(gone.last_failure_reason).toContain('Unknown Webhook');
  const called = chats.chatthree.calls();
  const refused = await chats.live('POST', `${at(endpoint)}/send-test`);
  expect([refused.status, refused.body.error.code]).toEqual([409, 'endpoint_disabled']);
  expect(refused.body.error.message).toMatch(/Unknown Webhook.*Set webhook_url/);
  const second = await chats.send('chatthree', { endpoint: 'gone' });
  const waiting = await chats.until(second.body.id, ({ last_error }) => last_error !== null);
  expect(waiting.last_error).toContain('Unknown Webhook');
  expect(chats.chatthree.calls()).toBe(called);
  // Nobody was asked, so there was no attempt.
  const typesOf = (entries: { type: string }[]) => entries.map(({ type }) => type);
  expect(waiting.attempt_count).toBe(0);
  expect(typesOf(waiting.events).slice(0, 3)).toEqual(['Queued', 'Sending', 'Retrying']);
  const trace = await waitUntil(async () => {
    const { body } = await chats.live('GET', `/v1/notifications/${second.body.id}/trace`);
    return /^Waiting for the next attempt at .*Unknown Webhook/.test(body.summary)
      ? body
      : new Error(body.summary);
  }, 30_000);
  const kinds = trace.entries.map((entry: { kind: string; verdict: string }) => [entry.kind, entry.verdict]);
  expect(kinds).toContainEqual(['decision', 'not_called']);
  expect(kinds.filter(([kind]: string[]) => kind === 'attempt')).toEqual([]);
  webhook.isDeleted = false;
  const renewed = await chats.live('PUT', at(endpoint), { webhook_url: webhook.url });
  expect(renewed.body.status).toBe('active');
  for (const { body } of [first, second]) {
    const done = await chats.until(body.id, ({ status }) => status !== 'queued' && status !== 'sending');
    expect(done.status).toBe('delivered');
  }
});

test('what the webhook throttles arrives later, and the call is an attempt that leaves its trail', async () => {
  const webhook = chats.chatthree.addWebhook();
  await create({ label: 'Slow', webhook_url: webhook.url });
  chats.chatthree.faults = [
    { status: 429, body: { retry_after: 0.05, message: 'slow down', global: false } },
  ];
  const { body } = await chats.send('chatthree', { endpoint: 'slow' });
  expect(await chats.until(body.id, isDone)).toMatchObject({
    status: 'delivered',
    ...throttledOnce,
    events: [...throttledOnce.events, { type: 'Delivered' }],
  });
  expect(postsTo(webhook.id)).toHaveLength(1);
});

test('a test message needs no template', async () => {
  const webhook = chats.chatthree.addWebhook();
  const { body: endpoint } = await create({ label: 'Tested', webhook_url: webhook.url });
  const { status, body } = await chats.live('POST', at(endpoint, '/send-test'));
  expect(status).toBe(202);
  expect((await chats.until(body.notification_id, isDone)).status).toBe('delivered');
  expect(postsTo(webhook.id)).toHaveLength(1);
});

test('in Test the JSON ends in the sandbox, without the URL', async () => {
  const webhook = chats.chatthree.addWebhook();
  const before = chats.chatthree.calls();
  await chats.test('POST', '/v1/chatthree-endpoints', { label: 'T', webhook_url: webhook.url });
  const sent = await chats.send('chatthree', { endpoint: 't' }, {}, { key: chats.app.testKey });
  expect((await chats.until(sent.body.id, isDone, chats.app.testKey)).status).toBe('delivered');
  const { body } = await chats.test('GET', `/v1/sandbox/messages?notification_id=${sent.body.id}`);
  expect(body.data).toMatchObject([
    {
      to: 't',
      payload: { content: 'Hi Ada', embeds: [{ title: 'Hello Ada' }], allowed_mentions: { parse: [] } },
    },
  ]);
  expect(JSON.stringify(body)).not.toContain(webhook.token);
  expect(chats.chatthree.calls()).toBe(before);
});
