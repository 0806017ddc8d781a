import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp, type TestResponse, waitUntil } from '../../../../test/harness/app.ts';
import type { EmailMessage } from '../../../channels/message.ts';
import { createSandboxCarrier, createSandboxStore } from '../../../channels/sandbox/index.ts';
import { newId } from '../../../kernel/ids.ts';
import { listIds } from './store.ts';

type Json = TestResponse['body'];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  const template = { key: 'shipped', name: 'Shipped', subject_template: 'Shipped', html_body_template: html };
  await app.request('POST', '/v1/templates', { body: template });
});
afterAll(() => app.stop());

const [subject, html, text] = ['Grüße "quoted"', '<h1>It is\non its way</h1>', 'On its way ☕'];
const email = { channel: 'email', recipient: { address: 'ada@example.com', name: 'Ada' }, subject };
const file = { filename: 'a.txt', content_type: 'text/plain', content_base64: 'YQ==' };

async function post(fields: object): Promise<string> {
  const { body } = await app.request('POST', '/v1/notifications', { body: fields });
  return body.id;
}

async function deliver(fields: object): Promise<string> {
  const id = await post(fields);
  await app.waitFor(id, ({ status }) => status === 'delivered');
  return id;
}

async function shown(id: string): Promise<Json> {
  const { body } = await app.request('GET', `/v1/sandbox/messages?notification_id=${id}`);
  expect(body.data).toHaveLength(1);
  return body.data[0];
}

async function stored(id: string): Promise<{ payload: Json; from_content: string[] | null }> {
  const { rows } = await app.pool.query(
    'select payload, from_content from sandbox_messages where notification_id = $1',
    [id],
  );
  return rows[0];
}

const sentBy = (notificationId: string, environmentId: string): EmailMessage => ({
  channel: 'email',
  ...{ notificationId, environmentId, attempt: 1 },
  to: email.recipient,
  from: { address: 'no-reply@sandbox.test', name: null },
  replyTo: null,
  ...{ subject, html, text, attachments: [], headers: {} },
  storedContent: { subject, html_body: html, text_body: text },
});
const handOver = (id: string) =>
  createSandboxCarrier('sandbox', createSandboxStore(app.pool), Date.now).send(
    sentBy(id, app.testEnvironmentId),
    new AbortController().signal,
  );

describe('a message that goes out as its content is stored', () => {
  const inbox = { channel: 'in_app', recipient: { external_user_id: 'ada' }, subject };
  const [hello, script] = ['<p>Hello</p>', '<p>Hello</p><script>alert(1)</script>'];
  const rendered = { subject: 'Grüße Ada', html: hello, text: 'Hello' };
  it.each<[string, object, string[] | null, object]>([
    [
      'an email',
      { ...email, html_body: html, text_body: text },
      ['subject', 'html', 'text'],
      { subject, html, text },
    ],
    [
      'an email whose text is made from the HTML',
      { ...email, html_body: hello },
      ['subject', 'html'],
      { subject, html: hello, text: 'Hello' },
    ],
    [
      'an email of text alone, with a file',
      { ...email, text_body: text, attachments: [file] },
      ['subject', 'text'],
      { subject, html: null, text },
    ],
    [
      'an email that is rendered',
      { ...email, subject: 'Grüße {{ name }}', html_body: hello, template_data: { name: 'Ada' } },
      null,
      rendered,
    ],
    [
      'an email from a template',
      { channel: 'email', recipient: email.recipient, template_key: 'shipped' },
      null,
      { subject: 'Shipped', html, text: 'IT IS ON ITS WAY' },
    ],
    [
      'a text message',
      { channel: 'sms', recipient: { address: '+15005550006' }, text_body: text },
      ['text'],
      { text, encoding: 'UCS-2' },
    ],
    [
      'an inbox item',
      { ...inbox, html_body: hello },
      ['subject', 'html_body'],
      { subject, html_body: hello, text_body: null },
    ],
    [
      'an inbox item whose HTML is sanitised',
      { ...inbox, html_body: script },
      ['subject'],
      { subject, html_body: hello },
    ],
  ])('%s is shown as if the sandbox had all of it', async (_name, fields, parts, expected) => {
    const id = await deliver(fields);
    const message = await shown(id);
    expect(message.payload).toMatchObject(expected);
    const { payload, from_content } = await stored(id);
    expect(from_content).toEqual(parts);
    for (const part of parts ?? []) expect(payload[part]).toBe('');
    // As earlier releases stored it.
    const whole = Object.fromEntries(Object.keys(payload).map((key) => [key, message.payload[key]]));
    await app.pool.query(
      'update sandbox_messages set payload = $2, from_content = null where notification_id = $1',
      [id, JSON.stringify(whole)],
    );
    expect(JSON.stringify(await shown(id))).toBe(JSON.stringify(message));
  });

  it('counts with its content where pages are kept small', async () => {
    const long = 'x'.repeat(50_000);
    const id = await deliver({ ...email, html_body: long, text_body: long });
    const page = { limit: 1, before: null };
    const [found] = await listIds(app.pool, app.testEnvironmentId, { notificationId: id }, page);
    expect(found?.bytes).toBeGreaterThan(100_000);
    expect(found?.bytes).toBeLessThan(101_000);
  });

  it('is shown when a worker died after the handover, and once', async () => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const id = await post({ ...email, html_body: html, text_body: text, send_at: sendAt });
    await handOver(id);
    const message = await shown(id);
    expect(message.payload).toMatchObject({ subject, html, text });
    await app.request('PATCH', `/v1/notifications/${id}`, { body: { send_at: null } });
    await app.waitFor(id, ({ status }) => status === 'delivered');
    expect(await shown(id)).toEqual(message);
  });

  it('is empty when its notification is gone', async () => {
    const id = newId();
    await handOver(id);
    expect((await shown(id)).payload).toMatchObject({ subject: '', html: '', text: '' });
  });
});

it('a message that was refused is kept whole: its notification can be edited', async () => {
  const id = await post({ ...email, recipient: { address: 'retry@sandbox.test' }, text_body: text });
  await waitUntil(async () => {
    await app.waitFor(id, ({ attempt_count: count }) => count > 0);
    const body = { subject: 'Edited', text_body: 'Edited' };
    const { status } = await app.request('PATCH', `/v1/notifications/${id}`, { body });
    return status === 200 || new Error(`${status}`);
  });
  expect((await shown(id)).payload).toMatchObject({ subject, text });
  expect((await stored(id)).from_content).toBeNull();
});
