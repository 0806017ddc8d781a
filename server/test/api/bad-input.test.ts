import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

const email = {
  channel: 'email',
  recipient: { address: 'delivered@sandbox.test' },
  subject: 'Hello',
  text_body: 'Hi',
};
const send = (body: unknown) => app.request('POST', '/v1/notifications', { body });

async function stored(): Promise<number> {
  const { rows } = await app.pool.query(
    'select (select count(*) from notifications) + (select count(*) from idempotency_claims) as n',
  );
  return Number(rows[0].n);
}

/** The request, the code and the field it must be answered with. */
const refusals: [string, unknown, string, string | null][] = [
  ['no channel', { ...email, channel: undefined }, 'parameter_missing', 'channel'],
  ['an unknown channel', { ...email, channel: 'pigeon' }, 'parameter_invalid', 'channel'],
  ['a channel that is a number', { ...email, channel: 5 }, 'parameter_invalid', 'channel'],
  ['no recipient', { ...email, recipient: undefined }, 'parameter_missing', 'recipient'],
  ['a recipient that is text', { ...email, recipient: 'a@b.co' }, 'parameter_invalid', 'recipient'],
  ['a recipient that is a list', { ...email, recipient: [] }, 'parameter_invalid', 'recipient'],
  ['a recipient that is null', { ...email, recipient: null }, 'parameter_invalid', 'recipient'],
  ['an empty recipient', { ...email, recipient: {} }, 'parameter_missing', 'recipient.address'],
  [
    'an address that is a number',
    { ...email, recipient: { address: 5 } },
    'parameter_invalid',
    'recipient.address',
  ],
  [
    'an address with a display name',
    { ...email, recipient: { address: 'Ada <a@b.co>' } },
    'recipient_invalid',
    'recipient.address',
  ],
  [
    'two addresses',
    { ...email, recipient: { address: 'a@b.co, c@d.co' } },
    'recipient_invalid',
    'recipient.address',
  ],
  [
    'an address with a line break',
    { ...email, recipient: { address: 'a@b.co\r\nBcc: c@d.co' } },
    'recipient_invalid',
    'recipient.address',
  ],
  [
    'a very long address',
    { ...email, recipient: { address: `${'a'.repeat(300)}@b.co` } },
    'recipient_invalid',
    'recipient.address',
  ],
  [
    'an address beyond the limit',
    { ...email, recipient: { address: 'a'.repeat(5000) } },
    'parameter_invalid',
    'recipient.address',
  ],
  [
    'an address without a domain',
    { ...email, recipient: { address: 'ada' } },
    'recipient_invalid',
    'recipient.address',
  ],
  [
    'a name with a line break',
    { ...email, recipient: { address: 'a@b.co', name: 'A\nB' } },
    'recipient_invalid',
    'recipient.name',
  ],
  [
    'an unknown user',
    { ...email, recipient: { external_user_id: 'u1' } },
    'recipient_unresolvable',
    'recipient.external_user_id',
  ],
  ['no subject', { ...email, subject: null }, 'parameter_missing', 'subject'],
  ['a subject that is a number', { ...email, subject: 5 }, 'parameter_invalid', 'subject'],
  ['a subject with a line break', { ...email, subject: 'a\r\nBcc: x@y.z' }, 'parameter_invalid', 'subject'],
  ['a subject with NUL', { ...email, subject: 'a\0b' }, 'parameter_invalid', 'subject'],
  ['a very long subject', { ...email, subject: 'x'.repeat(999) }, 'parameter_invalid', 'subject'],
  ['no body', { ...email, text_body: null }, 'parameter_missing', 'html_body'],
  ['a body that is a list', { ...email, html_body: [] }, 'parameter_invalid', 'html_body'],
  ['template_data that is a list', { ...email, template_data: [] }, 'parameter_invalid', 'template_data'],
  [
    'huge template_data',
    { ...email, template_data: { x: 'x'.repeat(300_000) } },
    'parameter_invalid',
    'template_data',
  ],
  [
    'NUL deep inside template_data',
    { ...email, template_data: { a: [{ b: '\0' }] } },
    'parameter_invalid',
    'template_data.a[0].b',
  ],
  ['an unknown template', { ...email, template_key: 'none' }, 'template_not_found', 'template_key'],
  ['an unknown category', { ...email, category: 'none' }, 'category_not_found', 'category'],
  ['a from_name with a tag', { ...email, from_name: '<b>' }, 'parameter_invalid', 'from_name'],
  ['a from_name with a line break', { ...email, from_name: 'a\r\nX: y' }, 'parameter_invalid', 'from_name'],
  ['a long from_name', { ...email, from_name: 'x'.repeat(201) }, 'parameter_invalid', 'from_name'],
  ['a reply_to with a name', { ...email, reply_to: 'A <a@b.co>' }, 'parameter_invalid', 'reply_to'],
  ['a reply_to with a line break', { ...email, reply_to: 'a@b.co\r\nX: y' }, 'parameter_invalid', 'reply_to'],
  ['a long reply_to', { ...email, reply_to: `${'a'.repeat(320)}@b.co` }, 'parameter_invalid', 'reply_to'],
  ['send_at that is not a time', { ...email, send_at: 'tomorrow' }, 'parameter_invalid', 'send_at'],
  [
    'send_at in a year',
    { ...email, send_at: new Date(Date.now() + 3.2e10).toISOString() },
    'parameter_invalid',
    'send_at',
  ],
  ['an unknown priority', { ...email, priority: 'urgent' }, 'parameter_invalid', 'priority'],
  ['attachments that are an object', { ...email, attachments: {} }, 'parameter_invalid', 'attachments'],
  [
    'an attachment without a name',
    { ...email, attachments: [{ content_type: 'a/b', content_base64: '' }] },
    'parameter_missing',
    'attachments[0].filename',
  ],
  [
    'a phone number that is none',
    { channel: 'sms', recipient: { address: '0171 234' }, text_body: 'x' },
    'recipient_invalid',
    'recipient.address',
  ],
  [
    'a text message without text',
    { channel: 'sms', recipient: { address: '+14155550123' } },
    'parameter_missing',
    'text_body',
  ],
  [
    'in-app for nobody',
    { channel: 'in_app', recipient: {}, html_body: 'x' },
    'parameter_missing',
    'recipient.external_user_id',
  ],
  [
    'a script as action_url',
    { channel: 'in_app', recipient: { address: 'u' }, html_body: 'x', action_url: 'javascript:alert(1)' },
    'parameter_invalid',
    'action_url',
  ],
  [
    'a webhook to a file',
    { channel: 'webhook', recipient: { address: 'file:///etc/passwd' } },
    'recipient_invalid',
    'recipient.address',
  ],
  [
    'a webhook with a password',
    { channel: 'webhook', recipient: { address: 'https://a:b@c.de' } },
    'recipient_invalid',
    'recipient.address',
  ],
  [
    'chat without a template',
    { channel: 'chattwo', recipient: { endpoint: 'x' } },
    'parameter_missing',
    'template_key',
  ],
  [
    'chat to two targets',
    { channel: 'chatone', recipient: { chatone_user_id: 'U1', chatone_channel_id: 'C1' }, template_key: 't' },
    'recipient_invalid',
    'recipient.chatone_channel_id',
  ],
  ['a list as body', [], 'parameter_invalid', null],
  ['text as body', '"hello"', 'parameter_invalid', null],
  ['null as body', 'null', 'parameter_invalid', null],
  ['broken JSON', '{"channel": ', 'invalid_json', null],
  [
    'nesting without end',
    `{"channel":"email","template_data":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    'invalid_json',
    null,
  ],
  ['a __proto__ key', '{"channel":"email","__proto__":{"admin":true}}', 'parameter_invalid', null],
  ...['_', 'p', 'r', 'o', 't'].map((letter): [string, string, string, string | null] => [
    `a __proto__ key whose ${letter} is an escape`,
    `{"template_data":{"${'__proto__'.replace(letter, `\\u00${letter.charCodeAt(0).toString(16)}`)}":{"admin":true}}}`,
    'parameter_invalid',
    'template_data',
  ]),
  [
    'an address that was cut in the middle of a character',
    { ...email, recipient: { address: 'a\ud800@example.com' } },
    'recipient_invalid',
    'recipient.address',
  ],
  ['a day that no month has', { ...email, send_at: '2026-11-31T00:00:00Z' }, 'parameter_invalid', 'send_at'],
  ['an hour that no day has', { ...email, send_at: '2026-11-30T24:00:00Z' }, 'parameter_invalid', 'send_at'],
];

describe('each is refused with the documented error, and nothing is stored', () => {
  test.each(refusals)('%s', async (_name, body, code, param) => {
    const before = await stored();
    const answer = await send(body);
    expect([answer.status, answer.body.error?.code, answer.body.error?.param]).toEqual([400, code, param]);
    expect(await stored()).toBe(before);
  });
});

describe('what looks odd but is fine', () => {
  test('null wherever a field is nullable', async () => {
    const nulls = Object.fromEntries(
      [
        'html_body',
        'template_key',
        'template_data',
        'action_url',
        'category',
        'attachments',
        'from_name',
        'reply_to',
        'send_at',
        'priority',
      ].map((field) => [field, null]),
    );
    expect((await send({ ...email, ...nulls })).status).toBe(202);
  });

  test('of many unknown fields the first is named', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field_${index}`, index]));
    const { status, body } = await send({ ...many, ...email });
    expect([status, body.error.param]).toEqual([400, 'field_0']);
  });

  test('lone surrogates become replacement characters', async () => {
    const { status, body } = await send(
      JSON.stringify({ ...email, subject: 'a\ud800b', template_data: { x: '\udfff' } }),
    );
    expect(status).toBe(202);
    expect([body.subject, body.template_data.x]).toEqual(['a\ufffdb', '\ufffd']);
  });

  test('text in any script arrives as it was sent', async () => {
    const { body } = await send({
      ...email,
      subject: 'Grüße 你好 🎉',
      recipient: { address: 'jörg@bücher.example', name: 'Jörg' },
    });
    expect(body).toMatchObject({
      subject: 'Grüße 你好 🎉',
      recipient: { address: 'jörg@bücher.example', name: 'Jörg' },
    });
  });
});

describe('attachments', () => {
  const file = (bytes: number) => ({
    filename: 'a.bin',
    content_type: 'application/octet-stream',
    content_base64: Buffer.alloc(bytes).toString('base64'),
  });
  const limit = 15 * 1_048_576;

  test('eleven are too many', async () => {
    const { body } = await send({ ...email, attachments: Array(11).fill(file(1)) });
    expect(body.error.code).toBe('too_many_attachments');
  });

  test('15 MiB are fine, a byte more is not, also together', async () => {
    expect((await send({ ...email, attachments: [file(limit)] })).status).toBe(202);
    expect((await send({ ...email, attachments: [file(limit + 1)] })).body.error.code).toBe(
      'attachment_too_large',
    );
    const together = await send({ ...email, attachments: [file(limit), file(1)] });
    expect(together.body.error).toMatchObject({
      code: 'attachment_too_large',
      param: 'attachments[1].content_base64',
    });
  });

  test.each([
    'a',
    'ab',
    'abc',
    'ab=c',
    'ab!d',
    'ab-_',
    '====',
    'YQ==\n',
    'Y===',
    'data:text/plain;base64,YQ==',
  ])('%j is not base64', async (content_base64) => {
    const { body } = await send({
      ...email,
      attachments: [{ filename: 'a', content_type: 'text/plain', content_base64 }],
    });
    expect(body.error).toMatchObject({ code: 'parameter_invalid', param: 'attachments[0].content_base64' });
  });

  test.each([
    ['filename', 'a\r\nb.txt'],
    ['filename', '../../etc/passwd'],
    ['filename', 'x'.repeat(256)],
    ['filename', ''],
    ['content_type', 'text'],
    ['content_type', 'text/plain\r\nX: y'],
  ])('%s %j is refused', async (field, value) => {
    const { body } = await send({ ...email, attachments: [{ ...file(1), [field]: value }] });
    expect(body.error).toMatchObject({ code: 'parameter_invalid', param: `attachments[0].${field}` });
  });

  test('far-off sends with attachments are refused: the bytes are not kept that long', async () => {
    const send_at = new Date(Date.now() + 8 * 86_400_000).toISOString();
    expect((await send({ ...email, send_at, attachments: [file(1)] })).body.error.param).toBe('send_at');
  });
});

describe('bodies', () => {
  test('that are not UTF-8 are not guessed at', async () => {
    const response = await fetch(`${app.url}/v1/notifications`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.testKey}`, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ ...email, text_body: 'Café' }), 'latin1'),
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: 'invalid_json' } },
    ]);
  });

  test('of more values than anybody needs are refused before they are parsed', async () => {
    const before = await stored();
    for (const extra of [Array(200_000).fill(0), Array(100_001).fill({ a: 0 })]) {
      const { status, body } = await send({ ...email, extra });
      expect([status, body.error.code]).toEqual([413, 'payload_too_large']);
    }
    expect(await stored()).toBe(before);
    // What only looks like values does not count.
    expect((await send({ ...email, text_body: ',[{"\\'.repeat(100_000) })).status).toBe(202);
  });

  test('with numbers that would become null are refused, and say where', async () => {
    const data = (number: string) =>
      `{${JSON.stringify(email).slice(1, -1)},"template_data":{"list":[0, ${number}],"hex":"3e999"}}`;
    for (const number of ['1e400', '-1E+999', '1.5e0309', '9'.repeat(310)]) {
      const { status, body } = await send(data(number));
      expect([status, body.error]).toMatchObject([
        400,
        { code: 'parameter_invalid', param: 'template_data.list[1]' },
      ]);
    }
    for (const number of ['1e308', '1e-400', '9'.repeat(308)]) {
      expect((await send(data(number))).status).toBe(202);
    }
  });

  test('beyond the limit are 413', async () => {
    const small = await app.request('POST', '/v1/api-keys', { body: `"${'x'.repeat(1_048_576)}"` });
    expect([small.status, small.body.error.code]).toEqual([413, 'payload_too_large']);
    const large = await send(`"${'x'.repeat(24 * 1_048_576)}"`);
    expect([large.status, large.body.error.code]).toEqual([413, 'payload_too_large']);
    for (const { body } of [small, large]) expect(body.error.message).toMatch(/at most [\d,]+ bytes/);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    '%s is 415',
    async (type) => {
      const { status, body } = await app.request('POST', '/v1/notifications', {
        body: 'a=b',
        headers: { 'content-type': type },
      });
      expect([status, body.error.code]).toEqual([415, 'unsupported_media_type']);
    },
  );

  test('none at all says so', async () => {
    const { status, body } = await app.request('POST', '/v1/notifications');
    expect([status, body.error.code]).toEqual([400, 'parameter_missing']);
  });

  test('compressed ones are 415, so that no bomb is ever unpacked', async () => {
    const response = await fetch(`${app.url}/v1/notifications`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.testKey}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: gzipSync(Buffer.alloc(1_000_000)),
    });
    expect(response.status).toBe(415);
  });

  test('an Idempotency-Key beyond 255 characters is refused', async () => {
    const { body } = await app.request('POST', '/v1/notifications', {
      body: email,
      headers: { 'idempotency-key': 'x'.repeat(256) },
    });
    expect(body.error).toMatchObject({ code: 'parameter_invalid', param: 'Idempotency-Key' });
  });
});

/** Speaks to the port without an HTTP client in between. */
function raw(request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(app.url);
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(request));
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('end', () => resolve(answer)).on('error', reject);
  });
}

test('what is not HTTP gets a 400 in the shape of every error', async () => {
  const answer = await raw('GARBAGE\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
    error: { type: 'invalid_request_error' },
  });
});

test('control characters in a header never get in', async () => {
  const body = JSON.stringify(email);
  const answer = await raw(
    `POST /v1/notifications HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${app.testKey}\r\nContent-Type: application/json\r\nIdempotency-Key: a\x01b\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
});

test('an address longer than any that we know is nowhere', async () => {
  const { status, body, headers } = await app.request('GET', `/v1/notifications/${'a'.repeat(2_049)}`, {
    key: null,
  });
  expect([status, body.error.code]).toEqual([404, 'route_not_found']);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test.each([
  ['OPTIONS', '/v1/notifications', 'POST, GET, HEAD'],
  ['TRACE', '/v1/notifications/batch', 'POST'],
  ['PROPFIND', '/v1/notifications/01890000-0000-7000-8000-000000000000?x=1', 'GET, PATCH, DELETE, HEAD'],
  ['PUT', '/v1/notifications/batch', 'POST'],
  ['QUERY', '/v1/notifications/batch', 'POST'],
  ['PROPFIND', '/v1/notifications/', 'POST, GET, HEAD'],
])('%s %s is told what the address takes', async (method, path, allow) => {
  const [head = '', text = ''] = (
    await raw(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  ).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1.1 405 /);
  expect(/^allow: (.*)$/im.exec(head)?.[1]?.split(', ').sort()).toEqual(allow.split(', ').sort());
  expect(JSON.parse(text).error.code).toBe('method_not_allowed');
});

test('a slash at the end changes nothing', async () => {
  for (const path of ['/v1/notifications', '/v1/me', '/v1/workflows/none/runs', '/docs', '/inbox/v1/feed']) {
    const [without, slashed] = [await app.request('GET', path), await app.request('GET', `${path}/`)];
    expect([path, slashed.status, slashed.body]).toEqual([path, without.status, without.body]);
  }
  const sent = await app.request('POST', '/v1/notifications/', { body: email });
  expect(sent.status).toBe(202);
  expect((await app.request('GET', `/v1/notifications/${sent.body.id}/?`)).body.id).toBe(sent.body.id);
  expect((await app.request('GET', '/v1/notifications//')).status).toBe(404);
});

test('several spaces after Bearer are accepted', async () => {
  const authorization = `bearer   ${app.testKey}`;
  expect((await app.request('GET', '/v1/me', { key: null, headers: { authorization } })).status).toBe(200);
  const { token } = (
    await app.request('POST', '/v1/inbox/tokens', { body: { external_user_id: 'user-1815' } })
  ).body;
  const headers = { authorization: `Bearer  ${token}` };
  expect((await app.request('GET', '/inbox/v1/feed', { key: null, headers })).status).toBe(200);
});

test.each(['0x5', '1e1', '%205', '5%20', '5.0', '%2B5', '', '0b1', '٥', '9'.repeat(400)])(
  'the limit %j is refused',
  async (limit) => {
    const { status, body } = await app.request('GET', `/v1/notifications?limit=${limit}`);
    expect([status, body.error]).toMatchObject([400, { code: 'parameter_invalid', param: 'limit' }]);
  },
);

test('a version that is not written in digits is none', async () => {
  for (const version of ['0x1', '1.0', '1e0', '+1'])
    expect((await app.request('GET', `/v1/workflows/none/versions/${version}`)).body.error.code).toBe(
      'resource_not_found',
    );
});

test.each([
  ['{"channel": "email",}', 'unexpected "}" at line 1, column 21'],
  ['{\n  "channel": email\n}', 'unexpected "email" at line 2, column 14'],
  ['{\r\n  "channel" "email"}', 'unexpected string at line 2, column 13'],
  ['{"channel": "email"', 'it ends too early, at line 1, column 20'],
  ['[1, 2', 'it ends too early, at line 1, column 6'],
  ['{"a": "b\n"}', 'a string is not closed or has a character that must be escaped at line 1, column 7'],
  ['{"a": "b', 'a string is not closed or has a character that must be escaped at line 1, column 7'],
  ['{"a": 01}', 'unexpected "01" at line 1, column 7'],
  ['{} {}', 'unexpected "{" at line 1, column 4'],
  ['[1,]', 'unexpected "]" at line 1, column 4'],
  ['{"a": [1}', 'unexpected "}" at line 1, column 9'],
  ["{'a': 1}", `unexpected "'" at line 1, column 2`],
  ['{5: 1}', 'unexpected "5" at line 1, column 2'],
  ['\uFEFF{}', 'unexpected U+FEFF at line 1, column 1'],
  [' ', 'it ends too early, at line 1, column 2'],
  [`{"a": "${'x'.repeat(70_000)}",\n\n  }`, 'unexpected "}" at line 3, column 3'],
])('JSON with a mistake is told where: %j', async (body, where) => {
  const { status, body: answer } = await app.request('POST', '/v1/notifications', { body });
  expect([status, answer.error.code, answer.error.message]).toEqual([
    400,
    'invalid_json',
    `The body is not valid JSON: ${where}.`,
  ]);
});

test('where there is nothing no body is read', async () => {
  const { status, body } = await app.request('POST', '/v1/nothing', { key: null, body: '{' });
  expect([status, body.error.code]).toEqual([404, 'route_not_found']);
});

test('HEAD where nothing can be read is told so as well', async () => {
  expect((await app.request('HEAD', '/auth/login', { key: null })).status).toBe(405);
});

test.each(['x', 'x'.repeat(201), '%00', 'a&cursor=b'])('the cursor %j is none', async (cursor) => {
  const { status, body } = await app.request('GET', `/v1/notifications?cursor=${cursor}`);
  expect([status, body.error]).toMatchObject([400, { code: 'invalid_cursor', param: 'cursor' }]);
});

describe('the sentence', () => {
  const message = async (body: object) => (await send(body)).body.error.message;

  test('for an email without a body names both fields', async () => {
    const { text_body: _, ...empty } = email;
    expect(await message(empty)).toBe('html_body or text_body is required, or a template_key.');
  });

  test('for a chat message without a template says how to make one', async () => {
    expect(await message({ channel: 'chatone', recipient: { chatone_channel_id: 'C024BE91L' } })).toBe(
      'template_key is required for Slack (chatone): create a template with POST /v1/templates and bodies [{"channel": "chatone", "structured_template": "…"}], then send its key.',
    );
    expect(await message({ channel: 'chatthree', recipient: { endpoint: 'x' } })).toContain(
      '[{"channel": "chatthree", "text_template": "…"}]',
    );
  });

  test.each([
    ['slack', 'Slack is called chatone'],
    ['Slack', 'Slack is called chatone'],
    ['teams', 'Microsoft Teams is called chattwo'],
    ['microsoft_teams', 'Microsoft Teams is called chattwo'],
    ['discord', 'Discord is called chatthree'],
  ])('for the channel %j has the name to write', async (channel, hint) => {
    expect(await message({ ...email, channel })).toBe(
      `channel must be one of email, in_app, webhook, sms, chatone (Slack), chattwo (Microsoft Teams), chatthree (Discord): ${hint}.`,
    );
  });

  test('for another unknown channel, or one of no use here, has no such name', async () => {
    for (const channel of ['pigeon', 'twilio', 'constructor'])
      expect(await message({ ...email, channel })).toMatch(/chatthree \(Discord\)\.$/);
  });

  test('for an SMS provider has the name to write', async () => {
    const path = `/v1/environments/${app.testEnvironmentId}/sms-settings`;
    const { body } = await app.request('PUT', path, { body: { kind: 'Twilio' } });
    expect(body.error.message).toBe(
      'kind must be one of managed, smsone (Twilio), smstwo (Vonage): Twilio is called smsone.',
    );
  });

  test('names the service behind a channel', async () => {
    const chat = (channel: string, recipient: object) => send({ channel, recipient, template_key: 'chat' });
    await app.request('POST', '/v1/templates', {
      body: { key: 'chat', name: 'Chat', bodies: [{ channel: 'chatthree', text_template: 'Hi' }] },
    });
    const { body } = await chat('chatthree', { endpoint: 'x' });
    expect(body.error.message).toBe('There is no Discord (chatthree) endpoint with this key or id.');
    const bodiless = await chat('chatone', { chatone_channel_id: 'C024BE91L' });
    expect(bodiless.body.error.message).toBe('The template has no body for Slack (chatone).');
  });
});

test('what may be null is named among what is allowed', async () => {
  const { body } = await send({ ...email, priority: 'x' });
  expect(body.error.message).toBe('priority must be one of critical, normal, bulk, null.');
});
