import { createHash, randomBytes } from 'node:crypto';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { idTime } from '../../../kernel/ids.ts';
import { listAttachmentBytes, tidyAttachments } from './index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

async function send(address: string, more: object = {}) {
  const attachments = ['It rings.', ''].map((text, index) => ({
    filename: `${index}.txt`,
    content_type: 'text/plain',
    content_base64: Buffer.from(text).toString('base64'),
  }));
  const { status, body } = await app.request('POST', '/v1/notifications', {
    body: {
      channel: 'email',
      recipient: { address },
      subject: 'Hello',
      text_body: 'Hi',
      attachments,
      ...more,
    },
  });
  expect(status).toBe(202);
  return body;
}
const purged = ({ attachments }: { attachments: { purged: boolean }[] }) =>
  attachments.map((file) => file.purged);
const find = async (id: string) => (await app.request('GET', `/v1/notifications/${id}`)).body;

const deleteBytesBefore = (timeMs: number) =>
  tidyAttachments({ ...app.deps, clock: () => timeMs + 7 * 86_400_000 }, () => false);

test.each(['delivered', 'bounced'])('the bytes of one that is %s are deleted', async (status) => {
  const sent = await send(`${status}@sandbox.test`);
  expect(purged(sent)).toEqual([false, false]);
  const done = await app.waitFor(sent.id, (n) => n.status === status);
  expect(purged(done)).toEqual([true, true]);
  const { rows } = await app.deps.pool.query('select from attachment_bytes where notification_id = $1', [
    sent.id,
  ]);
  expect(rows).toEqual([]);
  expect(await app.request('POST', `/v1/notifications/${sent.id}/resend`)).toMatchObject({ status: 409 });
});

test('bytes that grew old are deleted whatever the status, and then it fails rather than goes out without them', async () => {
  const sent = await send('late@example.com', { send_at: inDays(1) });
  await deleteBytesBefore(idTime(sent.id));
  expect(purged(await find(sent.id))).toEqual([false, false]);
  await deleteBytesBefore(idTime(sent.id) + 1);
  expect(await find(sent.id)).toMatchObject({
    status: 'queued',
    attachments: [{ purged: true }, { purged: true }],
  });

  await app.request('PATCH', `/v1/notifications/${sent.id}`, { body: { send_at: null } });
  const failed = await app.waitFor(sent.id, (n) => n.status === 'failed');
  expect(failed).toMatchObject({
    attempt_count: 0,
    last_error: expect.stringMatching(/^attachments_expired: /),
  });
});

const purges = async (id: string) =>
  (await app.request('GET', `/v1/audit-log?action=attachments.purged&target=notification:${id}`)).body.data;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const text = { content_type: 'text/plain' };
const files = [
  { filename: '0.txt', ...text, size_bytes: 9, sha256: sha256('It rings.') },
  { filename: '1.txt', ...text, size_bytes: 0, sha256: sha256('') },
];

test('what the files were is in the audit log once their bytes are gone, and once only', async () => {
  const sent = await send('delivered@sandbox.test');
  const aged = await send('later@example.com', { send_at: inDays(1) });
  expect(await purges(aged.id)).toEqual([]);
  await app.waitFor(sent.id, (n) => n.status === 'delivered');
  await deleteBytesBefore(idTime(aged.id) + 1);
  for (const id of [sent.id, aged.id]) {
    expect(await purges(id)).toMatchObject([
      {
        actor: { kind: 'system', id: null },
        before: { attachments: files },
        after: null,
        environment_id: app.testEnvironmentId,
      },
    ]);
  }
});

test('erasing the notification takes the names and digests of its files out of the audit log', async () => {
  const sent = await send('delivered@sandbox.test');
  const queued = await send('later@example.com', { send_at: inDays(1) });
  await app.waitFor(sent.id, (n) => n.status === 'delivered');
  for (const { id } of [sent, queued]) {
    expect((await app.request('DELETE', `/v1/notifications/${id}`)).status).toBe(204);
    expect(await purges(id)).toMatchObject([{ before: null, after: null }]);
  }
  const { rows } = await app.pool.query('select from attachment_bytes where notification_id = $1', [
    queued.id,
  ]);
  expect(rows).toEqual([]);
});

test('it cannot be put off until its attachments are gone', async () => {
  const sent = await send('later@example.com', { send_at: inDays(1) });
  const put = (days: number) =>
    app.request('PATCH', `/v1/notifications/${sent.id}`, { body: { send_at: inDays(days) } });
  expect(await put(6.9)).toMatchObject({ status: 200 });
  expect(await put(7.1)).toMatchObject({ status: 400, body: { error: { param: 'send_at' } } });
  expect(
    await app.request('PATCH', `/v1/notifications/${sent.id}`, { body: { subject: 'Bye' } }),
  ).toMatchObject({
    status: 200,
  });
});

test('bytes of any size are read as they were sent, in the order of the files', async () => {
  const files = [0, 1, 524_288, 524_289, 3_000_001].map((size) => randomBytes(size));
  const { id } = await send('sizes@example.com', {
    send_at: inDays(1),
    attachments: files.map((bytes, index) => ({
      filename: `${index}.bin`,
      content_type: 'application/octet-stream',
      content_base64: bytes.toString('base64'),
    })),
  });
  const read = await listAttachmentBytes(app.pool, id);
  expect(read.map((bytes, index) => files[index]?.equals(bytes))).toEqual(files.map(() => true));
});

test('an attachment with a content_id is an image within the HTML', async () => {
  const logo = { filename: 'logo.png', content_type: 'image/png', content_base64: 'iVBORw0KGgo=' };
  const html_body = '<img src="cid:logo@acme">';
  const sent = await send('delivered@sandbox.test', {
    html_body,
    attachments: [{ ...logo, content_id: 'logo@acme' }, logo],
  });
  expect(sent.attachments.map((file: { content_id: string | null }) => file.content_id)).toEqual([
    'logo@acme',
    null,
  ]);
  await app.waitFor(sent.id, (n) => n.status === 'delivered');
  const { body } = await app.request('GET', `/v1/sandbox/messages?notification_id=${sent.id}`);
  const { attachments } = await PostalMime.parse(body.data[0].payload.mime);
  expect(attachments).toMatchObject([
    { contentId: '<logo@acme>', disposition: 'inline', related: true },
    { disposition: 'attachment' },
  ]);

  for (const content_id of ['a b', 'a<b', 'a"b', 'ä', 'a\r\nb', 'a'.repeat(128)]) {
    const { status, body: refused } = await app.request('POST', '/v1/notifications', {
      body: {
        channel: 'email',
        recipient: { address: 'ada@example.com' },
        subject: 'Hello',
        html_body,
        attachments: [{ ...logo, content_id }],
      },
    });
    expect([status, refused.error.param]).toEqual([400, 'attachments[0].content_id']);
  }
});
