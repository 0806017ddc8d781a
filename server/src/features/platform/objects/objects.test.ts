import { createHash, randomBytes } from 'node:crypto';
import PostalMime from 'postal-mime';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestResponse, waitUntil } from '../../../../test/harness/app.ts';
import { startObjectStore, type TestObjectStore } from '../../../../test/harness/object-store.ts';
import { type SmtpSimulator, startSmtpSimulator } from '../../../../test/simulators/smtp.ts';
import { query, transaction } from '../../../db/sql.ts';
import { forget } from '../../../housekeeping.ts';
import { idTime } from '../../../kernel/ids.ts';
import { measureStorage } from '../../control/usage/index.ts';
import { tidyAttachments } from '../../notifications/notifications/index.ts';
import { startWorkflows, type Workflows } from '../../workflows/runs/test-harness.ts';
import { markStored, tidyObjects } from './index.ts';
import { releaseOrphanedObjects } from './store.ts';

const threshold = 5_000;
let app: Workflows;
let store: TestObjectStore;
let smtp: SmtpSimulator;
beforeAll(async () => {
  [store, smtp] = await Promise.all([startObjectStore(), startSmtpSimulator()]);
  app = await startWorkflows({
    settings: {
      ...store.settings,
      CARILLON_S3_SSE: 'aws:kms:key-1',
      CARILLON_S3_PREFIX: '/mail/',
      CARILLON_S3_BODY_THRESHOLD: String(threshold),
    },
  });
  const path = `/v1/environments/${app.liveEnvironmentId}/email-settings`;
  const providers = [{ kind: 'smtp', name: 'smtp', config: { host: 'localhost', port: smtp.port } }];
  await app.request('PUT', path, {
    key: app.liveKey,
    body: { from_address: 'hello@acme.example', providers },
  });
});
afterAll(async () => {
  await app.stop();
  await Promise.all([store.stop(), smtp.stop()]);
});
afterEach(async () => {
  [store.answerWith, store.answerAfter] = [null, null];
  smtp.received.splice(0);
});

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const fileOf = (bytes: Buffer, index = 0) => ({
  filename: `${index}.bin`,
  content_type: 'application/octet-stream',
  content_base64: bytes.toString('base64'),
});
const email = {
  channel: 'email',
  recipient: { address: 'ada@example.com' },
  subject: 'Hello',
  text_body: 'It rings.',
};
const post = (more: object = {}, options: { key?: string; headers?: Record<string, string> } = {}) =>
  app.request('POST', '/v1/notifications', { body: { ...email, ...more }, ...options });
const live = { key: '' };
const send = async (more: object = {}, options: { key?: string } = {}): Promise<TestResponse['body']> => {
  const answer = await post(more, options);
  expect(answer.status).toBe(202);
  return answer.body;
};
beforeAll(() => {
  live.key = app.liveKey;
});
const find = async (id: string) => (await app.request('GET', `/v1/notifications/${id}`)).body;
const settled = (id: string) => app.waitFor(id, ({ status }) => !['queued', 'sending'].includes(status));
const traceOf = async (id: string, key = app.testKey) =>
  (await app.request('GET', `/v1/notifications/${id}/trace`, { key })).body;
const objectsOf = async (id: string): Promise<{ key: string; state: string; position: number | null }[]> =>
  (
    await app.pool.query(
      'select key, state, position from stored_objects where notification_id = $1 order by position',
      [id],
    )
  ).rows;
const keysOf = async (id: string) => (await objectsOf(id)).map(({ key }) => key);
const tidy = () => tidyObjects(app.deps, () => false);
const long = (word: string) => `<p>${word} ${'x'.repeat(threshold)}</p>`;

test('attachments go to the bucket and to the recipient byte for byte, and the database has none of them', async () => {
  const files = [0, 1, 700_001].map((size) => randomBytes(size));
  const { id } = await send({ attachments: files.map(fileOf) }, live);
  const { rows } = await app.pool.query('select from attachment_bytes where notification_id = $1', [id]);
  expect(rows).toEqual([]);
  expect(await settled(id)).toMatchObject({ status: 'sent', attempt_count: 1 });
  const { attachments } = await PostalMime.parse(smtp.received[0]?.raw ?? '');
  const received = attachments.map(({ content }) => Buffer.from(content as ArrayBuffer));
  expect(received.map((bytes, index) => files[index]?.equals(bytes))).toEqual([true, true, true]);
});

test('keys name the environment and the day, and every object is encrypted by the store', async () => {
  const { id } = await send({ attachments: [fileOf(randomBytes(10))], send_at: inAnHour() });
  const [key = ''] = await keysOf(id);
  const day = new Date(idTime(id)).toISOString().slice(0, 10);
  expect(key.startsWith(`mail/${app.testEnvironmentId}/${day}/`)).toBe(true);
  expect(store.keys()).toContain(key);
  const puts = store.requests.filter(({ method }) => method === 'PUT');
  for (const { headers } of puts)
    expect(headers).toMatchObject({
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': 'key-1',
    });
});

test('objects are deleted once the notification has ended, and the audit log says what they were', async () => {
  const bytes = Buffer.from('It rings.');
  const sent = await send({ attachments: [fileOf(bytes)], recipient: { address: 'delivered@sandbox.test' } });
  expect(sent.attachments[0].purged).toBe(false);
  const [key = ''] = await keysOf(sent.id);
  await app.waitFor(sent.id, ({ status }) => status === 'delivered');
  expect((await find(sent.id)).attachments[0].purged).toBe(true);
  const { body } = await app.request(
    'GET',
    `/v1/audit-log?action=attachments.purged&target=notification:${sent.id}`,
  );
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(body.data).toMatchObject([{ before: { attachments: [{ size_bytes: 9, sha256 }] } }]);

  store.answerWith = 503;
  await tidy();
  expect(await objectsOf(sent.id)).toMatchObject([{ state: 'unused' }]);
  store.answerWith = null;
  await app.pool.query('update stored_objects set delete_at = now() where notification_id = $1', [sent.id]);
  await waitUntil(async () => {
    await tidy();
    return store.keys().includes(key) ? new Error('still there') : true;
  });
  expect(await objectsOf(sent.id)).toEqual([]);
});

test('attachments that grew old are deleted from the bucket too', async () => {
  const { id } = await send({ attachments: [fileOf(randomBytes(10))], send_at: inAnHour() });
  await tidyAttachments({ ...app.deps, clock: () => idTime(id) + 1 + 7 * 86_400_000 }, () => false);
  expect((await find(id)).attachments[0].purged).toBe(true);
  expect(await objectsOf(id)).toMatchObject([{ state: 'unused' }]);
});

test('while the store does not answer a send is refused with 503, and its replay is not', async () => {
  const headers = { 'idempotency-key': 'outage' };
  const request = { attachments: [fileOf(randomBytes(10))], send_at: inAnHour() };
  const first = await post(request, { headers });
  store.answerWith = 500;
  const refused = await post({ ...request, subject: 'Another' });
  expect(refused).toMatchObject({
    status: 503,
    body: { error: { code: 'temporarily_unavailable', message: expect.stringContaining('object store') } },
  });
  expect(refused.headers.get('retry-after')).toBe('5');
  const replayed = await post(request, { headers });
  expect([replayed.status, replayed.body.id]).toEqual([200, first.body.id]);
  expect((await post({ send_at: inAnHour() })).status).toBe(202); // it needs no object
});

test('while the store does not answer a notification waits without an attempt, and is sent afterwards', async () => {
  const { id } = await send({ attachments: [fileOf(Buffer.from('later'))], send_at: inAnHour() }, live);
  store.answerWith = 500;
  await app.request('PATCH', `/v1/notifications/${id}`, { body: { send_at: null }, ...live });
  const waiting = await waitUntil(async () => {
    const trace = await traceOf(id, live.key);
    return trace.entries.at(-1)?.name === 'object_store' ? trace : new Error(JSON.stringify(trace));
  });
  expect(waiting.entries.at(-1)).toMatchObject({ verdict: 'defer' });
  const asked = () => store.requests.filter(({ method }) => method === 'GET').length;
  const before = asked();
  await waitUntil(async () => (asked() > before + 4 ? true : new Error('not asked again')));
  expect(
    (await traceOf(id, live.key)).entries.filter(({ name }: { name: string }) => name === 'object_store'),
  ).toHaveLength(1);
  store.answerWith = null;
  expect(await settled(id)).toMatchObject({ status: 'sent', attempt_count: 1 });
  expect(smtp.received).toHaveLength(1);
});

test('bytes that are not those that were stored are not sent', async () => {
  const { id } = await send({ attachments: [fileOf(Buffer.from('right'))], send_at: inAnHour() }, live);
  const [key = ''] = await keysOf(id);
  store.alter(key, Buffer.from('wrong'));
  await app.request('PATCH', `/v1/notifications/${id}`, { body: { send_at: null }, ...live });
  await waitUntil(async () => {
    const seen = await traceOf(id, live.key);
    const isSeen = seen.entries.at(-1)?.name === 'object_store' && seen.summary.includes('SHA-256');
    return isSeen || new Error(JSON.stringify(seen));
  });
  expect(smtp.received).toEqual([]);
  store.alter(key, Buffer.from('right'));
  expect(await settled(id)).toMatchObject({ status: 'sent' });
});

test('the objects of an organization on the move are not deleted, because two installations share them', async () => {
  const notificationId = '0190b9a4-0000-7000-8000-000000000002';
  const content = { attachments: [randomBytes(10)], bodies: null };
  const { ids } = await app.services.objects.upload(app.testEnvironmentId, notificationId, content);
  const [key = ''] = await keysOf(notificationId);
  await app.pool.query(
    "update stored_objects set delete_at = now() - interval '1 hour' where id = any ($1)",
    [ids],
  );
  await app.pool.query(
    `insert into organization_moves (organization_id, move_id, state, activation_hash)
     select organization_id, id, 'leaving', '' from environments where id = $1`,
    [app.testEnvironmentId],
  );
  await tidy();
  expect(store.keys()).toContain(key);
  await app.pool.query('delete from organization_moves');
  await tidy();
  expect(store.keys()).not.toContain(key);
});

test('an upload whose notification was never written is deleted after an hour, and can no longer be committed', async () => {
  const notificationId = '0190b9a4-0000-7000-8000-000000000001';
  const content = { attachments: [randomBytes(10)], bodies: null };
  const { ids } = await app.services.objects.upload(app.testEnvironmentId, notificationId, content);
  const [key = ''] = await keysOf(notificationId);
  await tidy();
  expect(store.keys()).toContain(key);
  await app.pool.query(
    "update stored_objects set delete_at = delete_at - interval '1 hour' where id = any ($1)",
    [ids],
  );
  await tidy();
  expect(store.keys()).not.toContain(key);
  await expect(transaction(app.deps.pool, (tx) => markStored(tx, ids))).rejects.toThrow('division by zero');
});

test('of two sends with one Idempotency-Key at the same time, the objects of the one that is not written are deleted after an hour', async () => {
  let answer = (): void => {};
  store.answerAfter = new Promise((resolve) => {
    answer = resolve;
  });
  const seen = store.requests.length;
  const uploads = () => store.requests.slice(seen).filter(({ method }) => method === 'PUT');
  const request = { attachments: [fileOf(randomBytes(10))], send_at: inAnHour() };
  const headers = { 'idempotency-key': 'at the same time' };
  const both = [post(request, { headers }), post(request, { headers })];
  await waitUntil(async () => uploads().length === 2 || new Error(`${uploads().length} uploads`));
  answer();
  store.answerAfter = null;
  const ids = (await Promise.all(both)).map(({ body }) => body.id);
  expect(new Set(ids).size).toBe(1);

  const { rows } = await app.pool.query(
    `update stored_objects set delete_at = delete_at - interval '1 hour'
     where split_part(key, '/', -1) = any ($1) returning key, state, notification_id`,
    [uploads().map(({ path }) => path.split('/').at(-1))],
  );
  const written = rows.filter(({ notification_id }) => notification_id === ids[0]);
  expect(written).toMatchObject([{ state: 'stored' }]);
  const other = rows.filter(({ notification_id }) => notification_id !== ids[0]);
  expect(other).toMatchObject([{ state: 'uploading' }]);
  expect(store.keys()).toEqual(expect.arrayContaining([written[0].key, other[0].key]));
  await tidy();
  expect(store.keys()).toContain(written[0].key);
  expect(store.keys()).not.toContain(other[0].key);
});

test('a large body is in the bucket, and every read shows it', async () => {
  const html_body = long('Ring');
  const headers = { 'idempotency-key': 'large' };
  const request = { html_body, text_body: 'Ring', send_at: inAnHour() };
  const { body: sent } = await post(request, { headers });
  expect(sent).toMatchObject({ html_body, text_body: 'Ring' });
  const { rows } = await app.pool.query(
    'select html_body, text_body from notification_contents where notification_id = $1',
    [sent.id],
  );
  expect(rows).toEqual([{ html_body: null, text_body: null }]);
  const [key = ''] = await keysOf(sent.id);
  expect(JSON.parse(store.read(key).toString())).toEqual({ html_body, text_body: 'Ring' });

  expect(await find(sent.id)).toMatchObject({ html_body, text_body: 'Ring' });
  expect((await post(request, { headers })).body).toMatchObject({ id: sent.id, html_body });
  const list = await app.request('GET', '/v1/notifications?limit=1');
  expect(list.body.data).toMatchObject([{ id: sent.id, html_body }]);
  const preview = await app.request('GET', `/v1/notifications/${sent.id}/content`);
  expect(preview.body).toMatchObject({ html: html_body, text: 'Ring' });

  store.answerWith = 500;
  for (const path of [`/${sent.id}`, '?limit=1', `/${sent.id}/content`])
    expect((await app.request('GET', `/v1/notifications${path}`)).status).toBe(503);
});

test('a page of the list holds no more bodies than it would from the database', async () => {
  const html_body = `<p>${'x'.repeat(1_500_000)}</p>`;
  for (let number = 0; number < 2; number += 1) await send({ html_body, send_at: inAnHour() });
  const { body } = await app.request('GET', '/v1/notifications?limit=2');
  expect(body.data).toHaveLength(1);
  expect(body.next_cursor).not.toBeNull();
});

test('a large body reaches the recipient, and can be sent again', async () => {
  const html_body = long('Once more');
  smtp.script = { rcpt: () => ({ code: 550, text: '5.7.1 No' }) };
  const { id } = await send({ html_body }, live);
  expect((await settled(id)).status).not.toBe('sent');
  smtp.script = {};
  const again = await app.request('POST', `/v1/notifications/${id}/resend`, live);
  expect(again.status).toBe(202);
  expect(await settled(again.body.id)).toMatchObject({ status: 'sent', html_body });
  const mail = await PostalMime.parse(smtp.received.at(-1)?.raw ?? '');
  expect(mail.html).toContain(html_body);
  expect(await objectsOf(again.body.id)).toMatchObject([{ state: 'stored', position: null }]);
});

test('the sandbox keeps a large body of its own, and shows it while the store does not answer', async () => {
  const html_body = long('Boxed');
  const { id } = await send({ html_body });
  expect((await settled(id)).status).toBe('delivered');
  store.answerWith = 503;
  const { body } = await app.request('GET', `/v1/sandbox/messages?notification_id=${id}`);
  expect(body.data).toMatchObject([{ payload: { subject: 'Hello', html: html_body, text: 'It rings.' } }]);
});

test('a redrive skips a body that is lost, and resends the others', async () => {
  const recipient = { address: 'refused@sandbox.test' };
  const [lost, kept] = await Promise.all(
    ['Lost', 'Kept'].map(async (word) => {
      const { id } = await send({ recipient, html_body: long(word) });
      return settled(id);
    }),
  );
  const [key = ''] = await keysOf(lost?.id ?? '');
  store.lose(key);
  const filter = { recipient: recipient.address };
  const redrive = (body: object) => app.request('POST', '/v1/notifications/redrive', { body });
  const { confirm_token } = (await redrive({ filter })).body;
  const { id } = (await redrive({ filter, confirm_token })).body;
  await waitUntil(async () => {
    const { body } = await app.request('GET', `/v1/bulk-actions/${id}`);
    const isDone = body.status === 'completed' && body.done === 1 && body.skipped === 1;
    return isDone || new Error(JSON.stringify(body));
  });
  const resent = await query(app.pool, 'select resent_from from notifications where resent_from = any ($1)', [
    [lost?.id, kept?.id],
  ]);
  expect(resent).toEqual([{ resent_from: kept?.id }]);
});

test('a changed notification keeps the parts that the change does not name', async () => {
  const html_body = long('Old');
  const { id } = await send({ html_body, send_at: inAnHour() });
  const edited = await app.request('PATCH', `/v1/notifications/${id}`, { body: { subject: 'New' } });
  expect(edited.body).toMatchObject({ subject: 'New', html_body });
  expect(await objectsOf(id)).toMatchObject([{ state: 'unused' }]);
});

test('a large rendered template is in the bucket', async () => {
  const template = {
    key: 'large',
    name: 'Large',
    subject_template: 'Hi',
    html_body_template: long('{{ word }}'),
  };
  expect((await app.request('POST', '/v1/templates', { body: template })).status).toBe(201);
  const { id } = await send({
    recipient: { address: 'delivered@sandbox.test' },
    template_key: 'large',
    template_data: { word: 'Bell' },
  });
  await app.waitFor(id, ({ status }) => status === 'delivered');
  expect(await objectsOf(id)).toMatchObject([{ state: 'stored', position: null }]);
  expect(await find(id)).toMatchObject({ html_body: long('Bell') });
});

test('a run whose large send meets an unavailable store goes on, with the body in the database', async () => {
  await app.define('large', [
    {
      id: 'send',
      kind: 'send',
      ...email,
      text_body: null,
      html_body: long('Run'),
      recipient: { address: 'delivered@sandbox.test' },
    },
  ]);
  for (const [answerWith, count] of [
    [null, 1],
    [500, 0],
  ] as const) {
    store.answerWith = answerWith;
    const run = await app.reaches(await app.trigger('large'), 'completed');
    store.answerWith = null;
    const { notification_id: id } = run.steps[0];
    const stored = (await objectsOf(id)).filter(({ state }) => state === 'stored');
    expect(stored).toHaveLength(count);
    expect(await find(id)).toMatchObject({ html_body: long('Run') });
  }
});

test('deleting, erasing a person and retention delete the objects', async () => {
  const content = { attachments: [fileOf(randomBytes(10))], html_body: long('Gone') };
  const deleted = await send({ ...content, send_at: inAnHour() });
  const erased = await send({
    ...content,
    send_at: inAnHour(),
    recipient: { address: 'erin@example.com', external_user_id: 'erin' },
  });
  const old = await send({ ...content, recipient: { address: 'delivered@sandbox.test' } });
  await app.waitFor(old.id, ({ status }) => status === 'delivered');
  const keys = (await Promise.all([deleted, erased, old].map(({ id }) => keysOf(id)))).flat();
  expect(keys).toHaveLength(6);

  expect((await app.request('DELETE', `/v1/notifications/${deleted.id}`)).status).toBe(204);
  const erasure = await app.request('DELETE', '/v1/users/erin');
  expect(erasure.status).toBeLessThan(300);
  await waitUntil(async () => {
    const states = await objectsOf(erased.id);
    return states.every(({ state }) => state === 'unused') ? true : new Error(JSON.stringify(states));
  });
  const config = { ...app.deps.config, CARILLON_RETENTION_DAYS: 7 };
  await forget({ ...app.deps, config, clock: () => Date.now() + 8 * 86_400_000 }, () => false);
  await app.pool.query(
    "update stored_objects set delete_at = now() - interval '1 second' where state = 'unused'",
  );
  await tidy();
  expect(keys.filter((key) => store.keys().includes(key))).toEqual([]);
  for (const { id } of [deleted, erased, old]) expect(await objectsOf(id)).toEqual([]);
});

test('two processes that give up orphaned objects do not wait for each other', async () => {
  const ids = ['0190b9a4-0000-7000-8000-000000000002', '0190b9a4-0000-7000-8000-000000000003'];
  for (const id of ids) {
    const content = { attachments: [randomBytes(10)], bodies: null };
    const uploaded = await app.services.objects.upload(app.testEnvironmentId, id, content);
    await markStored(app.pool, uploaded.ids);
  }
  const before = '0190b9a4-0000-7000-8000-000000000004';
  await transaction(app.pool, async (first) => {
    await query(first, 'select from stored_objects where notification_id = $1 for update', [ids[0]]);
    await transaction(app.pool, async (second) => {
      await query(second, `set local lock_timeout = '1s'`);
      expect(await releaseOrphanedObjects(second, before)).toBe(1);
    });
  });
  expect(await releaseOrphanedObjects(app.pool, before)).toBe(1);
});

test('the quota counts what is in the bucket', async () => {
  const stored = async () => {
    await app.deps.storage.flush();
    await app.pool.query(
      "insert into environment_storage (environment_id) values ($1) on conflict (environment_id) do update set measure_after = '-infinity', measured_at = '-infinity'",
      [app.testEnvironmentId],
    );
    await measureStorage(app.deps, () => false);
    const { rows } = await app.pool.query(
      'select measured_bytes from environment_storage where environment_id = $1',
      [app.testEnvironmentId],
    );
    return Number(rows[0].measured_bytes);
  };
  const before = await stored();
  await send({ attachments: [fileOf(randomBytes(100_000))], html_body: long('Q'), send_at: inAnHour() });
  expect((await stored()) - before).toBeGreaterThan(100_000 + threshold);
});

test('a process without the settings says so, at its start and when it needs an object', async () => {
  const { id } = await send({ attachments: [fileOf(randomBytes(10))], send_at: inAnHour() });
  const lines: string[] = [];
  const other = await startTestApp({
    database: app.database,
    settings: { CARILLON_ROLES: 'api', LOG_LEVEL: 'warn' },
    logTo: { write: (line) => lines.push(line) },
  });
  await expect(other.services.objects.readAttachments(id)).rejects.toThrow(
    'no settings for the object store',
  );
  await other.stop();
  expect(lines.join()).toContain('this process has no settings for it');
});

test('wrong settings stop the start with one sentence, and a store that is down does not', async () => {
  const start = (settings: Record<string, string>) =>
    startTestApp({
      database: app.database,
      settings: { ...store.settings, CARILLON_ROLES: 'api', ...settings },
    });
  await expect(start({ CARILLON_S3_SECRET_ACCESS_KEY: 'wrong' })).rejects.toThrow(
    /^The object store in CARILLON_S3_BUCKET cannot be used: .* 403 SignatureDoesNotMatch\.$/,
  );
  await expect(start({ CARILLON_S3_BUCKET: 'no-such-bucket' })).rejects.toThrow('404 NoSuchBucket');
  store.answerWith = 503;
  const started = await start({});
  await started.stop();
});

test('rendered content of a request replaces the object of its source', async () => {
  const html_body = `{{ name }} ${long('rendered')}`;
  const { id } = await send({ html_body, template_data: { name: 'Ada' } });
  const done = await settled(id);
  expect(done.html_body).toBe(`Ada ${long('rendered')}`);
  const states = (await objectsOf(id)).map(({ state }) => state).sort();
  expect(states).toEqual(['stored', 'unused']);
});
