import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { openSession, plain, signedIn } from '../../../test/harness/smtp-session.ts';
import { localhostCertificate, localhostKey } from '../../../test/simulators/localhost-certificate.ts';

let app: TestApp;
let folder: string;
let port: number;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-smtp-in-'));
  writeFileSync(join(folder, 'cert.pem'), localhostCertificate);
  writeFileSync(join(folder, 'key.pem'), localhostKey);
  app = await startTestApp({
    settings: {
      HOST: '0.0.0.0',
      CARILLON_SMTP_PORT: '0',
      CARILLON_SMTP_TLS_CERT: join(folder, 'cert.pem'),
      CARILLON_SMTP_TLS_KEY: join(folder, 'key.pem'),
    },
  });
  port = app.app.smtpPort ?? 0;
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface ClientOptions {
  key?: string | null;
  host?: string;
  tls?: boolean;
}

/** One connection, as software with nodemailer makes it. */
function transport({ key = app.testKey, host = '127.0.0.1', tls = false }: ClientOptions = {}) {
  return createTransport({
    host,
    port,
    secure: false,
    ...(tls
      ? { requireTLS: true, tls: { ca: localhostCertificate, servername: 'localhost' } }
      : { ignoreTLS: true }),
    ...(key === null ? {} : { auth: { user: 'apikey', pass: key } }),
  });
}

const mail: SendMailOptions = {
  from: 'The shop <shop@example.com>',
  to: 'delivered@sandbox.test',
  subject: 'Your order',
  text: 'It is on its way.',
};

/** Resolves to the reply of the server, or the one that refused the message. */
async function send(message: SendMailOptions, options?: ClientOptions): Promise<string> {
  try {
    return (await transport(options).sendMail({ ...mail, ...message })).response;
  } catch (error) {
    return (error as { response?: string }).response ?? String(error);
  }
}

async function sent(message: SendMailOptions, options?: ClientOptions) {
  const reply = await send(message, options);
  expect(reply).toMatch(/^250 2\.6\.0 Queued as [0-9a-f-]{36}/);
  return (await app.request('GET', `/v1/notifications/${/as (\S+)/.exec(reply)?.[1]}`)).body;
}

const list = async (query: string) => (await app.request('GET', `/v1/notifications?${query}`)).body.data;

describe('a message', () => {
  test('arrives with its text, HTML, attachments, inline image, names and Reply-To', async () => {
    const { id } = await sent({
      to: 'Ada <delivered@sandbox.test>',
      replyTo: 'help@example.com',
      html: '<p>On its way <img src="cid:logo"></p>',
      attachments: [
        { filename: 'invoice.pdf', content: Buffer.from('%PDF') },
        { filename: 'logo.png', content: Buffer.from('PNG'), cid: 'logo' },
      ],
    });
    const done = await app.waitFor(id, ({ status }) => status === 'delivered');
    expect(done).toMatchObject({
      channel: 'email',
      priority: 'normal',
      recipient: { address: 'delivered@sandbox.test', name: 'Ada' },
      subject: 'Your order',
      attachments: [
        { filename: 'logo.png', content_type: 'image/png', size_bytes: 3, content_id: 'logo' },
        { filename: 'invoice.pdf', content_type: 'application/pdf', size_bytes: 4 },
      ],
    });
    const { body } = await app.request('GET', `/v1/sandbox/messages?notification_id=${id}`);
    expect(body.data[0].payload).toMatchObject({
      from: { name: 'The shop' },
      reply_to: 'help@example.com',
      text: 'It is on its way.',
      html: '<p>On its way <img src="cid:logo"></p>',
    });
  });

  test('becomes one notification for each recipient of the envelope, hidden ones too', async () => {
    const reply = await send({
      subject: 'To three',
      to: 'a@example.com, b@example.com',
      bcc: 'c@example.com',
    });
    expect(reply).toMatch(/^250 2\.6\.0 Queued as \S+ and 2 more$/);
    const found = (await list('limit=100')).filter(
      ({ subject }: { subject: string }) => subject === 'To three',
    );
    expect(
      found.map(({ recipient }: { recipient: { address: string } }) => recipient.address).sort(),
    ).toEqual(['a@example.com', 'b@example.com', 'c@example.com']);
  });

  test('goes to addresses outside ASCII', async () => {
    expect(await sent({ to: 'zoë@bücher.example' })).toMatchObject({
      recipient: { address: 'zoë@bücher.example' },
    });
  });

  test('of several megabytes is read in a thread', async () => {
    const content = Buffer.alloc(5_000_000, 'abc');
    expect(await sent({ attachments: [{ filename: 'big.txt', content }] })).toMatchObject({
      attachments: [{ filename: 'big.txt', size_bytes: 5_000_000 }],
    });
  });

  test('chooses template, data, category and priority by its headers', async () => {
    await app.request('POST', '/v1/preferences/categories', {
      body: { key: 'orders', name: 'Orders', default_channels: ['email'] },
    });
    await app.request('POST', '/v1/templates', {
      body: {
        key: 'shipped',
        name: 'Shipped',
        subject_template: 'Order {{ order }}',
        html_body_template: '<p>{{ name }}</p>',
      },
    });
    const { id, ...notification } = await sent({
      headers: {
        'X-Carillon-Template': 'shipped',
        'X-Carillon-Data': JSON.stringify({ order: 17, name: 'Zoë <b>' }),
        'X-Carillon-Category': 'orders',
        'X-Carillon-Priority': 'Bulk',
        'X-Carillon-Idempotency-Key': 'order-17',
      },
    });
    expect(notification).toMatchObject({
      template_key: 'shipped',
      template_data: { order: 17, name: 'Zoë <b>' },
      category: 'orders',
      priority: 'bulk',
      idempotency_key: 'order-17 delivered@sandbox.test',
    });
    await app.waitFor(id, ({ status }) => status === 'delivered');
    const { body } = await app.request('GET', `/v1/sandbox/messages?notification_id=${id}`);
    expect(body.data[0].payload).toMatchObject({ subject: 'Order 17', html: '<p>Zoë &lt;b&gt;</p>' });
  });
});

describe('the Message-ID', () => {
  test('makes a retry a replay, also when more recipients come with it', async () => {
    const messageId = '<retry-1@example.com>';
    const first = await sent({ messageId, to: 'r1@example.com' });
    expect(await sent({ messageId, to: 'r1@example.com' })).toMatchObject({ id: first.id });
    await send({ messageId, to: 'r2@example.com, r1@example.com' });
    const found = await list('limit=100');
    const keys = found.map(({ idempotency_key }: { idempotency_key: string | null }) => idempotency_key);
    expect(keys.filter((key: string | null) => key?.startsWith(messageId)).sort()).toEqual([
      `${messageId} r1@example.com`,
      `${messageId} r2@example.com`,
    ]);
  });

  test('of another message is refused, and one that is too long for a key is hashed', async () => {
    const messageId = `<${'x'.repeat(250)}@example.com>`;
    expect((await sent({ messageId })).idempotency_key).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await send({ messageId, text: 'Another text' })).toMatch(/^554 .*\[idempotency_key_reused\]$/);
  });
});

describe('the key', () => {
  test('is required, must be right, and must have the scope', async () => {
    expect(await send({}, { key: null })).toBe('530 5.7.0 Sign in first: the password is an API key.');
    expect(await send({}, { key: 'crl_test_wrongwrongwrongwrongwrong' })).toBe(
      '535 5.7.8 This key is not valid. [invalid_credentials]',
    );
    const { body } = await app.request('POST', '/v1/api-keys', {
      body: { name: 'Reader', preset: 'read_only' },
    });
    expect(await send({}, { key: body.key })).toMatch(/^535 5\.7\.8 .*\[insufficient_scope\]$/);
  });

  test('works over STARTTLS, and is not asked for without it from another machine', async () => {
    expect(await sent({}, { tls: true })).toMatchObject({ subject: 'Your order' });
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((entry) => entry && !entry.internal && entry.family === 'IPv4')?.address;
    if (!outside) return; // a machine without a network has no other machine
    expect(await send({}, { host: outside })).toMatch(/^(530|Error)/);
    const { ask } = await openSession(port, outside);
    expect(await ask('EHLO me')).not.toContain('AUTH');
    expect(await ask(`AUTH PLAIN ${plain(app.testKey)}`)).toMatch(/^500/);
    expect(await ask('MAIL FROM:<a@example.com>')).toMatch(/^530 .*STARTTLS/);
    expect(await sent({}, { host: outside, tls: true })).toMatchObject({ subject: 'Your order' });
  });

  test('that is revoked during a session sends no more', async () => {
    const { body: made } = await app.request('POST', '/v1/api-keys', {
      body: { name: 'Old software', preset: 'send_only' },
    });
    const pooled = createTransport({
      ...{ host: '127.0.0.1', port, ignoreTLS: true, pool: true, maxConnections: 1 },
      auth: { user: 'x', pass: made.key },
    });
    await pooled.sendMail(mail);
    await app.request('DELETE', `/v1/api-keys/${made.id}`);
    await expect(pooled.sendMail(mail)).rejects.toMatchObject({
      response: expect.stringMatching(/^530 .*revoked/),
    });
    pooled.close();
  });
});

describe('what cannot be accepted is refused with our sentence', () => {
  test.each([
    [
      { headers: { 'X-Carillon-Category': 'nothing' } },
      '554 5.6.0 There is no category with this key. [category_not_found]',
    ],
    [
      { headers: { 'X-Carillon-Priority': 'urgent' } },
      '554 5.6.0 priority must be one of critical, normal, bulk, null. [parameter_invalid]',
    ],
    [{ replyTo: '"a b"@example.com' }, /^554 5\.6\.0 reply_to must not have quotes before the @/],
    [{ to: 'ada@localhost' }, /^553 5\.1\.3 recipient\.address must have a full domain/],
    [{ text: 'x'.repeat(2_000_001) }, /^554 5\.6\.0 text_body must have at most 2000000 characters/],
    [
      { attachments: Array.from({ length: 11 }, () => ({ filename: 'a', content: 'a' })) },
      '554 5.6.0 At most 10 attachments are allowed. [too_many_attachments]',
    ],
    [
      { attachments: [{ filename: 'a', content: Buffer.alloc(19_000_000) }] },
      /^552 5\.\d\.\d .*\b(too_large|maximum message size)/,
    ],
  ])('%#', async (message, reply) => {
    const seen = await send(message);
    if (typeof reply === 'string') expect(seen).toBe(reply);
    else expect(seen).toMatch(reply);
  });

  test('a message to Live without a provider', async () => {
    expect(await send({}, { key: app.liveKey })).toMatch(
      /^554 5\.6\.0 The environment has no enabled email provider: .* \[provider_not_configured\]$/,
    );
  });

  test('a message is rendered with its data, once', async () => {
    const headers = { 'X-Carillon-Data': '{"name": "{{ 7 }}"}' };
    const { id } = await sent({ headers, subject: 'Hi {{ name }}', text: 'Dear {{ name }}' });
    expect(await app.waitFor(id, ({ status }) => status === 'delivered')).toMatchObject({
      subject: 'Hi {{ 7 }}',
      text_body: 'Dear {{ 7 }}',
    });
  });

  test('a message whose copies would be too large', async () => {
    const recipients = Array.from({ length: 20 }, (_, index) => `copy${index}@example.com`);
    const attachments = [{ filename: 'a', content: Buffer.alloc(6_000_000) }];
    expect(await send({ to: recipients, attachments })).toMatch(/^552 .*20 recipients/);
  });

  test('more than a hundred recipients, which clients send in two messages', async () => {
    const { ask } = await signedIn(port, app.testKey);
    await ask('MAIL FROM:<a@example.com>');
    for (let index = 0; index < 100; index += 1)
      expect(await ask(`RCPT TO:<n${index}@example.com>`)).toMatch(/^250/);
    expect(await ask('RCPT TO:<one-more@example.com>')).toMatch(/^452 4\.5\.3/);
  });
});

test('a stranger gets three tries, and /metrics counts what happened', async () => {
  const { ask, reply } = await openSession(port);
  await ask('EHLO me');
  const wrong = `AUTH PLAIN ${plain('crl_test_wrongwrongwrongwrongwrong')}`;
  for (let tries = 0; tries < 3; tries += 1) expect(await ask(wrong)).toMatch(/^535/);
  expect(await reply()).toMatch(/^421 .*Too many failed sign-ins/);
  const { body } = await app.request('GET', '/metrics', { key: null });
  expect(body).toMatch(/^carillon_smtp_messages_total\{outcome="accepted"\} \d+$/m);
  expect(body).toMatch(/^carillon_smtp_messages_total\{outcome="rejected"\} \d+$/m);
  expect(body).toMatch(/^carillon_smtp_sign_ins_total\{outcome="rejected"\} \d+$/m);
  expect(body).toMatch(/^carillon_smtp_connections_open \d+$/m);
});
