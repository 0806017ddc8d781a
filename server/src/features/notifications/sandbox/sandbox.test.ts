import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import type { EmailMessage } from '../../../channels/message.ts';
import { createSandboxCarrier, createSandboxStore } from '../../../channels/sandbox/index.ts';
import { lowestIdAt, newId } from '../../../kernel/ids.ts';
import { eraseSandboxMessages } from './index.ts';
import { deleteExcess } from './store.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.stop();
});

const signal = (): AbortSignal => new AbortController().signal;
const carrier = (name = 'sandbox') => createSandboxCarrier(name, createSandboxStore(app.pool), Date.now);

function message(changes: Partial<EmailMessage> = {}): EmailMessage {
  return {
    channel: 'email',
    notificationId: newId(),
    environmentId: app.testEnvironmentId,
    attempt: 1,
    to: { address: 'ada@example.com', name: 'Ada' },
    from: { address: 'no-reply@sandbox.test', name: 'Acme' },
    replyTo: 'help@acme.example',
    subject: 'Grüße "quoted" \\ \u2028',
    html: '<p>Hello <b>Ada</b></p>',
    text: 'Hello Ada',
    attachments: [],
    headers: { 'X-Order': '7' },
    ...changes,
  };
}

const list = (query = '', key = app.testKey) => app.request('GET', `/v1/sandbox/messages${query}`, { key });
const find = async (id: string) => (await list(`?notification_id=${id}`)).body.data;

describe('what the sandbox received', () => {
  it('is shown as it would have been sent', async () => {
    const sent = message();
    expect(await carrier().send(sent, signal())).toMatchObject({
      kind: 'accepted',
      receipts: [{ type: 'Delivered' }],
    });
    const [found] = await find(sent.notificationId);
    expect(found).toEqual({
      id: expect.any(String),
      notification_id: sent.notificationId,
      channel: 'email',
      provider: 'sandbox',
      to: 'ada@example.com',
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      payload: {
        message_id: `<${sent.notificationId}@sandbox.test>`,
        from: { address: 'no-reply@sandbox.test', name: 'Acme' },
        to: { address: 'ada@example.com', name: 'Ada' },
        reply_to: 'help@acme.example',
        subject: sent.subject,
        html: sent.html,
        text: 'Hello Ada',
        headers: { 'X-Order': '7' },
        attachments: [],
        mime: expect.any(String),
        mime_complete: true,
      },
    });
    const mail = await PostalMime.parse(found.payload.mime);
    expect(mail).toMatchObject({
      subject: 'Grüße "quoted" \\',
      messageId: found.payload.message_id,
      from: { address: 'no-reply@sandbox.test', name: 'Acme' },
      date: `${found.created_at.slice(0, 19)}.000Z`,
    });
    expect((await find(sent.notificationId))[0].payload.mime).toBe(found.payload.mime);
  });

  it('has no bytes of attachments, and says so', async () => {
    const sent = message({
      attachments: [{ filename: 'a.pdf', contentType: 'application/pdf', bytes: Buffer.alloc(5000, 1) }],
    });
    await carrier().send(sent, signal());
    const [{ payload }] = await find(sent.notificationId);
    expect(payload).toMatchObject({
      attachments: [{ filename: 'a.pdf', content_type: 'application/pdf', size_bytes: 5000 }],
      mime_complete: false,
    });
    const [attachment] = (await PostalMime.parse(payload.mime)).attachments;
    expect(attachment?.filename).toBe('a.pdf');
    expect(Buffer.from(attachment?.content as ArrayBuffer).toString()).toBe(
      '[5000 bytes, not kept by the sandbox]',
    );
  });

  it('is there once, however often it is handed over', async () => {
    const sent = message({ to: { address: 'refused-once@sandbox.test', name: null } });
    expect(await carrier().send(sent, signal())).toMatchObject({ kind: 'retry' });
    expect(await carrier().send({ ...sent, attempt: 2 }, signal())).toMatchObject({ kind: 'accepted' });
    await carrier('sandbox-2').send({ ...sent, attempt: 3 }, signal());
    expect((await find(sent.notificationId)).map(({ provider }: { provider: string }) => provider)).toEqual([
      'sandbox-2',
      'sandbox',
    ]);
  });

  it('is written in batches: hundreds at once are all there', async () => {
    const one = carrier();
    const sent = Array.from({ length: 700 }, () => message());
    await Promise.all(sent.map((each) => one.send(each, signal())));
    const { rows } = await app.pool.query(
      'select count(*)::int as found from sandbox_messages where notification_id = any($1)',
      [sent.map(({ notificationId }) => notificationId)],
    );
    expect(rows[0].found).toBe(700);
  });

  it('is erased with its notification, and with no other', async () => {
    const [erased, kept] = [message(), message()];
    await Promise.all([carrier().send(erased, signal()), carrier().send(kept, signal())]);
    await eraseSandboxMessages(app.pool, [
      { environmentId: app.liveEnvironmentId, id: erased.notificationId },
    ]);
    expect(await find(erased.notificationId)).toHaveLength(1);
    await eraseSandboxMessages(app.pool, [
      { environmentId: app.testEnvironmentId, id: erased.notificationId },
    ]);
    expect(await find(erased.notificationId)).toHaveLength(0);
    expect(await find(kept.notificationId)).toHaveLength(1);
  });
});

describe('the list', () => {
  it('goes newest first, page by page, and ends', async () => {
    const one = carrier();
    for (let index = 0; index < 5; index += 1) await one.send(message({ subject: `n${index}` }), signal());
    const first = (await list('?limit=3')).body;
    expect(first.data.map(({ payload }: { payload: { subject: string } }) => payload.subject)).toEqual([
      'n4',
      'n3',
      'n2',
    ]);
    const second = (await list(`?limit=3&cursor=${first.next_cursor}`)).body;
    expect(
      second.data.slice(0, 2).map(({ payload }: { payload: { subject: string } }) => payload.subject),
    ).toEqual(['n1', 'n0']);
  });

  it('has shorter pages when the messages are large, and loses none', async () => {
    const one = carrier();
    const html = `<p>${'x'.repeat(800_000)}</p>`;
    const sent = Array.from({ length: 4 }, () => message({ html, text: 'x' }));
    for (const each of sent) await one.send(each, signal());
    const first = (await list('?limit=4')).body;
    const second = (await list(`?limit=2&cursor=${first.next_cursor}`)).body;
    expect([first.data.length, second.data.length]).toEqual([2, 2]);
    const seen = [...first.data, ...second.data].map((entry) => entry.notification_id);
    expect(seen).toEqual(sent.map(({ notificationId }) => notificationId).reverse());
  });

  it('shows an environment only its own', async () => {
    expect((await list('', app.liveKey)).body).toEqual({ data: [], next_cursor: null });
    const { next_cursor } = (await list('?limit=1')).body;
    expect((await list(`?cursor=${next_cursor}`, app.liveKey)).body.error.code).toBe('invalid_cursor');
  });

  it('finds messages by how the recipient begins, and by when they came', async () => {
    const [ada, adam] = [
      message({ to: { address: 'Ada.Search@example.com', name: null } }),
      message({ to: { address: 'adam.search@example.com', name: null } }),
    ];
    await carrier().send(ada, signal());
    await carrier().send(adam, signal());
    const found = async (query: string): Promise<string[]> =>
      (await list(`?${query}`)).body.data.map((entry: { to: string }) => entry.to);
    expect(await found('to=ADA.s')).toEqual(['Ada.Search@example.com']);
    expect(await found('to=ada.s%25')).toEqual([]); // a wildcard is a character
    expect(await found('to=search@')).toEqual([]);
    const [first] = await find(ada.notificationId);
    expect(await found(`to=ada&created_after=${first.created_at}`)).not.toContain('Ada.Search@example.com');
    const before = new Date(Date.parse(first.created_at) - 1).toISOString();
    expect(await found(`to=ada.search&created_after=${before}`)).toEqual(['Ada.Search@example.com']);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'notification_id=1',
    'channel=fax',
    'cursor=%00',
    'to=',
    'to=%00',
    `to=${'x'.repeat(321)}`,
    'created_after=yesterday',
  ])('refuses %s', async (query) => {
    expect((await list(`?${query}`)).status).toBe(400);
  });
});

describe('one message', () => {
  it('is shown alone, to its environment', async () => {
    const sent = message();
    await carrier().send(sent, signal());
    const [listed] = await find(sent.notificationId);
    const path = `/v1/sandbox/messages/${listed.id}`;
    expect((await app.request('GET', path)).body).toEqual(listed);
    expect((await app.request('GET', path, { key: app.liveKey })).status).toBe(404);
    expect((await app.request('GET', `/v1/sandbox/messages/${newId()}`)).status).toBe(404);
  });
});

describe('the sandbox', () => {
  const countOf = async (environmentId: string): Promise<number> => {
    const { rows } = await app.pool.query(
      'select count(*)::int as count from sandbox_messages where environment_id = $1',
      [environmentId],
    );
    return rows[0].count;
  };
  const fill = (environmentId: string, count: number, daysAgo: number) =>
    app.pool.query(
      `insert into sandbox_messages (environment_id, id, notification_id, channel, provider, recipient, payload, payload_bytes)
       select $1, id, id, 'sms', 'sandbox', '+1', '{}', 2 from unnest($2::uuid[]) as id`,
      [
        environmentId,
        Array.from({ length: count }, (_, index) =>
          lowestIdAt(Date.now() - daysAgo * 86_400_000 + index).replace(/0{12}$/, newId().slice(-12)),
        ),
      ],
    );

  it('is emptied by a call, and only that of the environment', async () => {
    await fill(app.testEnvironmentId, 5_010, 1);
    await fill(app.liveEnvironmentId, 3, 1);
    const { status } = await app.request('DELETE', '/v1/sandbox/messages');
    expect(status).toBe(204);
    expect(await countOf(app.testEnvironmentId)).toBe(0);
    expect(await countOf(app.liveEnvironmentId)).toBe(3);
    expect((await app.request('DELETE', '/v1/sandbox/messages')).status).toBe(204);
    const log = await app.request('GET', '/v1/audit-log?action=sandbox.emptied');
    expect(log.body.data).toHaveLength(2);
  });

  it('keeps messages for a time, and no more than so many, in each environment', async () => {
    await app.pool.query('delete from sandbox_messages');
    await fill(app.testEnvironmentId, 10, 31);
    await fill(app.testEnvironmentId, 30, 1);
    await fill(app.liveEnvironmentId, 5, 31);
    await fill(app.liveEnvironmentId, 20, 1);
    const bounds = { since: Date.now() - 30 * 86_400_000, most: { messages: 25, bytes: 1e9 } };
    expect(await deleteExcess(app.pool, bounds, 8)).toBe(8); // a portion
    let deleted = 8;
    for (let last = 8; last === 8; deleted += last) last = await deleteExcess(app.pool, bounds, 8);
    expect(deleted).toBe(20);
    expect(await countOf(app.testEnvironmentId)).toBe(25);
    expect(await countOf(app.liveEnvironmentId)).toBe(20);
  });

  it('keeps no more than so many bytes, and the oldest messages go first', async () => {
    await app.pool.query('delete from sandbox_messages');
    await fill(app.testEnvironmentId, 30, 1);
    await fill(app.liveEnvironmentId, 4, 1);
    const { rows: newest } = await app.pool.query(
      'select id from sandbox_messages where environment_id = $1 order by id desc limit 12',
      [app.testEnvironmentId],
    );
    const bounds = { since: 0, most: { messages: 100, bytes: 25 } }; // of 2 each
    while ((await deleteExcess(app.pool, bounds, 8)) === 8) {}
    const { rows: kept } = await app.pool.query(
      'select id from sandbox_messages where environment_id = $1 order by id desc',
      [app.testEnvironmentId],
    );
    expect(kept).toEqual(newest);
    expect(await countOf(app.liveEnvironmentId)).toBe(4);
  });
});

describe('the carrier', () => {
  it('of slow@ can be stopped', async () => {
    const slow = message({ to: { address: 'slow@sandbox.test', name: null } });
    expect(await carrier().send(slow, AbortSignal.timeout(50))).toMatchObject({
      kind: 'retry',
      code: 'stopped',
    });
  });
});
