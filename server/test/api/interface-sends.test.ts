import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';

/** The documented fields of POST /v1/notifications, each with an example, and the channels that use them. */

let app: TestApp;
/** What the requests below name. */
const ids = { chattwo: '', chatthree: '', webhook: '', disabled: '' };

beforeAll(async () => {
  app = await startTestApp();
  const make = async (path: string, body: object) => {
    const answer = await app.request('POST', path, { body });
    expect([path, answer.status, answer.body.error]).toEqual([path, 201, undefined]);
    return answer.body;
  };
  await make('/v1/chatone/installations', { bot_token: 'xoxb-sandbox-sends' });
  ids.chattwo = (
    await make('/v1/chattwo-endpoints', {
      label: 'Ops alerts',
      key: 'ops-alerts',
      webhook_url:
        'https://prod-1.westeurope.logic.azure.com:443/workflows/abc/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=abc',
    })
  ).id;
  ids.chatthree = (
    await make('/v1/chatthree-endpoints', {
      label: 'News',
      key: 'news',
      webhook_url: `https://discord.com/api/webhooks/1234567890123456789/${'t'.repeat(60)}`,
    })
  ).id;
  ids.webhook = (await make('/v1/webhook-endpoints', { url: 'https://example.com/hooks' })).id;
  ids.disabled = (await make('/v1/webhook-endpoints', { url: 'https://example.com/disabled' })).id;
  await app.request('DELETE', `/v1/webhook-endpoints/${ids.disabled}`);
  await make('/v1/preferences/categories', {
    key: 'product_news',
    name: 'Product news',
    default_channels: ['email', 'in_app', 'sms'],
  });
  await make('/v1/templates', {
    key: 'hello',
    name: 'Hello',
    subject_template: 'Hello {{ name }}',
    html_body_template: '<p>Hello {{ name }}</p>',
    text_body_template: 'Hello {{ name }}',
    bodies: [
      { channel: 'sms', text_template: 'Hello {{ name }}' },
      { channel: 'in_app', subject_template: 'Hello', html_template: '<p>Hello {{ name }}</p>' },
      { channel: 'webhook', structured_template: '{"hello": "{{ name }}"}' },
      { channel: 'chatone', structured_template: '[{"type": "divider"}]', text_template: 'Hello' },
      {
        channel: 'chattwo',
        structured_template:
          '{"type": "AdaptiveCard", "version": "1.5", "body": [{"type": "TextBlock", "text": "Hi"}]}',
      },
      { channel: 'chatthree', text_template: 'Hello {{ name }}' },
    ],
  });
  for (const [id, fields] of Object.entries({ ada: { email: 'ada@example.com', phone: '+14155550123' } }))
    expect((await app.request('PUT', `/v1/users/${id}`, { body: fields })).status).toBeLessThan(300);
});
afterAll(() => app.stop());

const send = (body: object) => app.request('POST', '/v1/notifications', { body });

/** Resolves to the accepted notification. */
async function accepted(body: object) {
  const answer = await send(body);
  expect([answer.status, answer.body.error]).toEqual([202, undefined]);
  return answer.body;
}

async function refused(body: object, [status, code, param]: [number, string, string], message: string) {
  const answer = await send(body);
  expect(answer).toMatchObject({ status, body: { error: { code, param, message } } });
}

/** A send of each channel as short as it may be. */
const sends: Record<string, { recipient: object } & Record<string, unknown>> = {
  email: { recipient: { address: 'ada@example.com' }, subject: 'Hello', html_body: '<p>Hello</p>' },
  in_app: { recipient: { address: 'ada' }, html_body: '<p>Hello</p>' },
  webhook: { recipient: { address: 'https://example.com/notify' } },
  sms: { recipient: { address: '+14155550123' }, text_body: 'Hello' },
  chatone: { recipient: { chatone_channel_id: 'C024BE91L' }, template_key: 'hello' },
  chattwo: { recipient: { endpoint: 'ops-alerts' }, template_key: 'hello' },
  chatthree: { recipient: { endpoint: 'news' }, template_key: 'hello' },
};
const channels = Object.keys(sends);
const sendOf = (channel: string, more: object = {}): { channel: string; recipient?: object } => ({
  channel,
  ...sends[channel],
  ...more,
});

const file = { filename: 'report.pdf', content_type: 'application/pdf', content_base64: 'JVBERi0=' };

/** The optional fields, each with an example that every channel takes: those that do not use it ignore it. */
const fields: [string, unknown][] = [
  ['subject', 'Hello'],
  ['html_body', '<p>Hello</p>'],
  ['text_body', 'Hello'],
  ['template_key', 'hello'],
  ['template_data', { name: 'Ada', order: { items: [1, null, true] } }],
  ['action_url', 'https://example.com/orders/7'],
  ['category', 'product_news'],
  ['attachments', [file]],
  ['from_name', 'Acme'],
  ['reply_to', 'help@example.com'],
];
const nullable = fields.map(([field]) => field).filter((field) => field !== 'template_data');

/** What may be in the recipient, by the field and the channel. */
const recipients: [string, string, () => object][] = [
  ['address', 'email', () => ({ address: 'ada@example.com' })],
  ['address', 'sms', () => ({ address: '+14155550123' })],
  ['address', 'in_app', () => ({ address: 'ada' })],
  ['name', 'email', () => ({ address: 'ada@example.com', name: 'Ada Lovelace' })],
  ['name', 'in_app', () => ({ address: 'ada', name: 'Ada Lovelace' })],
  ['external_user_id', 'email', () => ({ external_user_id: 'ada' })],
  ['external_user_id', 'sms', () => ({ external_user_id: 'ada' })],
  ['external_user_id', 'in_app', () => ({ external_user_id: 'ada' })],
  ['endpoint', 'chatthree', () => ({ endpoint: 'news' })],
  ['endpoint', 'chattwo', () => ({ endpoint: 'ops-alerts' })],
  [
    'endpoint and ignored older fields',
    'chattwo',
    () => ({ endpoint: 'ops-alerts', chattwo_endpoint_id: 'x' }),
  ],
  [
    'endpoint and ignored older fields',
    'chatthree',
    () => ({ endpoint: 'news', chatthree_endpoint_id: 'x' }),
  ],
  ['endpoint', 'webhook', () => ({ endpoint: ids.webhook })],
  ['chatone_user_id', 'chatone', () => ({ chatone_user_id: 'U024BE7LH' })],
  ['chatone_channel_id', 'chatone', () => ({ chatone_channel_id: 'C024BE91L' })],
  ['chattwo_endpoint_id', 'chattwo', () => ({ chattwo_endpoint_id: ids.chattwo })],
  ['chatthree_endpoint_id', 'chatthree', () => ({ chatthree_endpoint_id: ids.chatthree })],
];
const recipientFields = [
  'address',
  'name',
  'external_user_id',
  'endpoint',
  'chatone_user_id',
  'chatone_channel_id',
  'chattwo_endpoint_id',
  'chatthree_endpoint_id',
];

describe.each(channels)('on %s', (channel) => {
  test('the shortest send is accepted', async () => {
    expect(await accepted(sendOf(channel))).toMatchObject({ channel, status: 'queued', attempt_count: 0 });
  });

  test.each(fields)('%s is accepted', async (field, value) => {
    await accepted(sendOf(channel, { [field]: value }));
  });

  test('all fields together, and null in each, are accepted', async () => {
    await accepted(sendOf(channel, Object.fromEntries(fields)));
    const { recipient, ...given } = sendOf(channel);
    const nulls = (names: string[]) => Object.fromEntries(names.map((name) => [name, null]));
    await accepted({ ...nulls(nullable), ...given, recipient: { ...nulls(recipientFields), ...recipient } });
  });

  test('the response has every documented field', async () => {
    const body = await accepted(sendOf(channel));
    expect(body).toMatchObject({
      id: expect.any(String),
      recipient: { address: expect.any(String), name: null },
      template_data: {},
      idempotency_key: null,
      action_url: null,
      tags: [],
      actions: [],
      created_at: expect.any(String),
      events: [{ type: 'Queued', occurred_at: expect.any(String), detail: null, suppression_reason: null }],
    });
    for (const field of ['subject', 'html_body', 'text_body', 'template_key'])
      expect(body).toHaveProperty(field);
    expect((await app.request('GET', `/v1/notifications/${body.id}`)).body).toMatchObject({
      tags: [],
      actions: [],
    });
  });
});

test.each(recipients)('recipient.%s is accepted on %s', async (_field, channel, recipient) => {
  await accepted(sendOf(channel, { recipient: recipient() }));
});

describe('fields that only email uses', () => {
  const odd = {
    from_name: `<${'x'.repeat(300)}>`,
    reply_to: `nonsense ${'x'.repeat(400)}`,
    attachments: [
      ...Array(11).fill({ filename: 'a/b', content_type: 'none', content_base64: '?' }),
      { filename: '', content_type: 'x'.repeat(300), content_base64: '?', content_id: 'x'.repeat(300) },
    ],
  };
  const others = channels.filter((channel) => channel !== 'email');

  test.each(others)('are ignored on %s, whatever they contain', async (channel) => {
    expect(await accepted(sendOf(channel, odd))).not.toHaveProperty('attachments');
  });

  test.each(['sms', 'chatone', 'chattwo', 'chatthree'])('so is a subject on %s', async (channel) => {
    const subject = `two\nlines${'x'.repeat(2_000)}`;
    expect(await accepted(sendOf(channel, { subject }))).toMatchObject({ subject: null });
  });

  test.each(others)('have their JSON type on %s too', async (channel) => {
    for (const [field, value] of Object.entries({ from_name: 5, reply_to: {}, attachments: 'none' })) {
      const { status, body } = await send(sendOf(channel, { [field]: value }));
      expect([status, body.error.code, body.error.param]).toEqual([400, 'parameter_invalid', field]);
    }
  });

  test('have their limits on email', async () => {
    const domain = `${'d'.repeat(63)}.`.repeat(3) + 'd'.repeat(63);
    const longest = `${'a'.repeat(64)}@${domain}`;
    await accepted(sendOf('email', { reply_to: longest, from_name: '🎉'.repeat(200) }));
    const parameter = (name: string): [number, string, string] => [400, 'parameter_invalid', name];
    await refused(
      sendOf('email', { reply_to: `a${longest}` }),
      parameter('reply_to'),
      'reply_to must have at most 320 characters.',
    );
    await refused(
      sendOf('email', { from_name: '🎉'.repeat(201) }),
      parameter('from_name'),
      'from_name must have at most 200 characters.',
    );
    await accepted(sendOf('email', { subject: '🎉'.repeat(998) }));
    for (const channel of ['email', 'in_app', 'webhook'])
      await refused(
        sendOf(channel, { subject: '🎉'.repeat(999) }),
        parameter('subject'),
        'subject must have at most 998 characters.',
      );
    for (const [field, length] of Object.entries({ filename: 255, content_type: 255, content_id: 127 }))
      await refused(
        sendOf('email', { attachments: [file, { ...file, [field]: 'x'.repeat(length + 1) }] }),
        parameter(`attachments[1].${field}`),
        `attachments[1].${field} must have at most ${length} characters.`,
      );
    await refused(
      sendOf('email', { attachments: [{ ...file, filename: '' }] }),
      parameter('attachments[0].filename'),
      'attachments[0].filename must not be empty.',
    );
    await refused(
      sendOf('email', { recipient: { address: ' ada@example.com' } }),
      [400, 'recipient_invalid', 'recipient.address'],
      'recipient.address must not have spaces before or after it.',
    );
  });
});

test('html_body is ignored on sms, and all bodies beside a template', async () => {
  expect(await accepted(sendOf('sms', { html_body: '<script>' }))).toMatchObject({ html_body: null });
  expect(
    await accepted(sendOf('email', { template_key: 'hello', html_body: '<p>', text_body: '\t' })),
  ).toMatchObject({ html_body: null, text_body: null });
});

test('an attachment has all its fields in the response', async () => {
  const { attachments } = await accepted(sendOf('email', { attachments: [file] }));
  expect(attachments).toEqual([
    {
      ...{ filename: 'report.pdf', content_type: 'application/pdf' },
      ...{ size_bytes: 5, content_id: null, purged: false },
    },
  ]);
});

test('template_data has a limit in bytes, which the refusal names', async () => {
  const most = { x: `${'€'.repeat(87_378)}xx` };
  expect(Buffer.byteLength(JSON.stringify(most))).toBe(262_144);
  await accepted(sendOf('email', { template_data: most }));
  await refused(
    sendOf('email', { template_data: { x: `${most.x}x` } }),
    [400, 'parameter_invalid', 'template_data'],
    'template_data must have at most 262144 bytes as JSON.',
  );
});

test('an endpoint that is disabled, and a category that is archived, are refused with the reason', async () => {
  await refused(
    sendOf('webhook', { recipient: { endpoint: ids.disabled } }),
    [400, 'endpoint_not_found', 'recipient.endpoint'],
    'This endpoint is disabled: set its status to active first.',
  );
  const category = { key: 'gone', name: 'Gone', default_channels: ['email'] };
  await app.request('POST', '/v1/preferences/categories', { body: category });
  await app.request('DELETE', '/v1/preferences/categories/gone');
  await refused(
    sendOf('email', { category: 'gone' }),
    [400, 'category_archived', 'category'],
    'The category gone is archived and accepts no new sends.',
  );
  expect(await app.request('POST', '/v1/preferences/categories', { body: category })).toMatchObject({
    status: 409,
    body: {
      error: {
        code: 'duplicate_key',
        message:
          'The key gone belongs to an archived category: replace it with "is_archived": false to use it again.',
      },
    },
  });
});
