import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beforeStatement, startTestApp, type TestApp, waitUntil } from '../../../../test/harness/app.ts';
import { query, transaction } from '../../../db/sql.ts';
import { deleteExpiredKeys } from '../../platform/idempotency/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const email = {
  channel: 'email',
  recipient: { address: 'delivered@sandbox.test', name: 'Ada' },
  subject: 'Hello',
  html_body: '<p>It rings.</p>',
};

const send = (body: unknown, headers: Record<string, string> = {}) =>
  app.request('POST', '/v1/notifications', { body, headers });
const types = (notification: { events: { type: string }[] }) =>
  notification.events.map((event) => event.type);

/** As PostgreSQL refuses what needs more space than there is: the first `times` tries. */
async function withFullDisk<Result>(
  operation: 'insert' | 'update',
  times: number,
  work: () => Promise<Result>,
): Promise<Result> {
  // A sequence counts across the transactions that fail.
  await app.deps.pool.query(`
    create sequence tries;
    create function refuse_for_space() returns trigger language plpgsql as $$ begin
      if nextval('tries') <= ${times} then
        raise exception 'No space left on device' using errcode = 'disk_full';
      end if;
      return new;
    end $$;
    create trigger full_disk before ${operation} on notifications for each row execute function refuse_for_space()`);
  try {
    const result = await work();
    const { rows } = await app.deps.pool.query('select last_value::int as tries from tries');
    expect(rows[0].tries).toBeGreaterThanOrEqual(times);
    return result;
  } finally {
    await app.deps.pool.query('drop function refuse_for_space cascade; drop sequence tries');
  }
}

describe('sending', () => {
  test('answers 202 with every documented field, queued', async () => {
    const { status, body } = await send({
      ...email,
      template_data: { a: 1 },
      action_url: 'https://example.com/x',
    });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      status: 'queued',
      channel: 'email',
      recipient: { address: 'delivered@sandbox.test', name: 'Ada' },
      subject: 'Hello',
      html_body: '<p>It rings.</p>',
      text_body: null,
      template_key: null,
      template_data: { a: 1 },
      idempotency_key: null,
      action_url: 'https://example.com/x',
      attempt_count: 0,
      environment_id: app.testEnvironmentId,
      category: null,
      suppression_reason: null,
      sent_at: null,
      last_error: null,
      events: [{ type: 'Queued', detail: null, suppression_reason: null }],
    });
    expect(body).not.toHaveProperty('attachments');
    expect(new Date(body.created_at).toISOString()).toBe(body.created_at);
  });

  test('goes queued, sending, sent, delivered, and the trace says how', async () => {
    const { body } = await send(email);
    const done = await app.waitFor(body.id, (n) => n.status === 'delivered');
    expect(types(done)).toEqual(['Queued', 'Sending', 'Sent', 'Delivered']);
    expect(done.attempt_count).toBe(1);
    expect(done.sent_at).toEqual(expect.any(String));
    const trace = await app.request('GET', `/v1/notifications/${body.id}/trace`);
    expect(trace.body).toMatchObject({
      status: 'delivered',
      summary: 'Delivered after 1 attempt.',
      entries: [
        { kind: 'gate', name: 'still_wanted', verdict: 'pass' },
        { kind: 'gate', name: 'suppression_list', verdict: 'pass' },
        { kind: 'gate', name: 'category_preference', verdict: 'pass' },
        { kind: 'gate', name: 'quiet_hours', verdict: 'pass' },
        { kind: 'attempt', name: 'sandbox', verdict: 'accepted', latency_ms: expect.any(Number) },
      ],
    });
  });

  test('a refusal that may pass is tried again', async () => {
    const { body } = await send({ ...email, recipient: { address: 'refused-once@sandbox.test' } });
    const done = await app.waitFor(body.id, (n) => n.status === 'delivered');
    expect(types(done)).toEqual([
      'Queued',
      'Sending',
      'AttemptFailed',
      'Retrying',
      'Sending',
      'Sent',
      'Delivered',
    ]);
    expect(done.attempt_count).toBe(2);
  });

  test('a refusal for good fails, and can be resent as a new notification', async () => {
    const { body } = await send({ ...email, recipient: { address: 'refused@sandbox.test' } });
    const failed = await app.waitFor(body.id, (n) => n.status === 'failed');
    expect(types(failed)).toEqual(['Queued', 'Sending', 'AttemptFailed', 'Failed']);
    const again = await app.request('POST', `/v1/notifications/${body.id}/resend`);
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ resent_from: body.id, subject: 'Hello' });
    expect(again.body.id).not.toBe(body.id);
    await app.waitFor(again.body.id, (n) => n.status === 'failed');
  });

  test('what never gets through is given up after eight rounds', async () => {
    const { body } = await send({ ...email, recipient: { address: 'retry@sandbox.test' } });
    const failed = await waitUntil(async () => {
      const seen = (await app.request('GET', `/v1/notifications/${body.id}`)).body;
      if (seen.status === 'failed') return seen;
      // Pull what waits for its next round forward instead of waiting for it.
      await app.pool.query(`update queue_later set run_at = now(), note = note - 'due' where id = $1`, [
        body.id,
      ]);
      return new Error(seen.status);
    });
    expect(failed.attempt_count).toBe(8);
    expect(types(failed).filter((type) => type === 'Retrying')).toHaveLength(7);
    expect(failed.last_error).toMatch(/^Gave up after 8 rounds/);
  });

  test.each([
    ['bounced@sandbox.test', 'bounced', ['Queued', 'Sending', 'Sent', 'Bounced']],
    ['complained@sandbox.test', 'complained', ['Queued', 'Sending', 'Sent', 'Delivered', 'Complained']],
    ['opened@sandbox.test', 'delivered', ['Queued', 'Sending', 'Sent', 'Delivered', 'Opened']],
    ['no-such-user@sandbox.test', 'bounced', ['Queued', 'Sending', 'Bounced']],
  ])('%s ends %s', async (address, status, events) => {
    const { body } = await send({ ...email, recipient: { address } });
    const done = await app.waitFor(body.id, (n) => n.status === status && n.events.length === events.length);
    expect(types(done)).toEqual(events);
  });

  test('an unknown outcome is said: others fail, critical ones are sent again', async () => {
    const normal = await send({ ...email, recipient: { address: 'ambiguous@sandbox.test' } });
    const critical = await send({
      ...email,
      priority: 'critical',
      recipient: { address: 'ambiguous@sandbox.test' },
    });
    // The sandbox recognises repeats, so both are handed over again; the decision stands in the trace.
    for (const id of [normal.body.id, critical.body.id]) {
      await app.waitFor(id, (n) => types(n).includes('Retrying'));
      const { body } = await app.request('GET', `/v1/notifications/${id}/trace`);
      expect(body.entries).toContainEqual(
        expect.objectContaining({ kind: 'decision', name: 'outcome_unknown', verdict: 'retry' }),
      );
    }
  });

  test('a delayed one is delivered after word of the delay', async () => {
    const { body } = await send({ ...email, recipient: { address: 'delayed@sandbox.test' } });
    await app.waitFor(body.id, (n) => types(n).includes('DeliveryDelayed'));
    await app.pool.query('update queue_later set run_at = now() where kind = 2');
    const done = await app.waitFor(body.id, (n) => n.status === 'delivered');
    expect(types(done)).toEqual(['Queued', 'Sending', 'Sent', 'DeliveryDelayed', 'Delivered']);
  });

  test('while the disk of the database is full is refused for now, and the same request works once there is room', async () => {
    const key = { 'idempotency-key': 'full-disk' };
    const refused = await withFullDisk('insert', 1, () => send(email, key));
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'temporarily_unavailable' } } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await send(email, key)).toMatchObject({ status: 202 });
  });

  test('an outcome that finds the disk full is written once there is room, and nothing is sent twice', async () => {
    const done = await withFullDisk('update', 3, async () => {
      const { body } = await send(email);
      return app.waitFor(body.id, (n) => n.status === 'delivered');
    });
    expect(types(done)).toEqual(['Queued', 'Sending', 'Sent', 'Delivered']);
  });
});

describe('scheduling and editing', () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

  test('send_at keeps it queued until then; it can be changed and deleted', async () => {
    const { body } = await send({ ...email, send_at: inAnHour() });
    expect(body.status).toBe('queued');
    const changed = await app.request('PATCH', `/v1/notifications/${body.id}`, {
      body: { subject: 'Changed' },
    });
    expect(changed.body).toMatchObject({ subject: 'Changed', status: 'queued', send_at: body.send_at });
    const trace = await app.request('GET', `/v1/notifications/${body.id}/trace`);
    expect(trace.body.next_attempt_at).toBe(body.send_at);
    expect((await app.request('DELETE', `/v1/notifications/${body.id}`)).status).toBe(204);
    expect((await app.request('GET', `/v1/notifications/${body.id}`)).status).toBe(404);
    const { rows } = await app.pool.query('select from queue_later where id = $1', [body.id]);
    expect(rows).toEqual([]);
  });

  test('send_at: null sends it now', async () => {
    const { body } = await send({ ...email, send_at: inAnHour() });
    await app.request('PATCH', `/v1/notifications/${body.id}`, { body: { send_at: null, subject: 'Now' } });
    const done = await app.waitFor(body.id, (n) => n.status === 'delivered');
    expect(done.subject).toBe('Now');
  });

  test('an edit cannot leave it without content', async () => {
    const { body } = await send({ ...email, send_at: inAnHour() });
    const refused = await app.request('PATCH', `/v1/notifications/${body.id}`, { body: { subject: '' } });
    expect(refused.body.error).toMatchObject({ code: 'parameter_missing', param: 'subject' });
    const injected = await app.request('PATCH', `/v1/notifications/${body.id}`, {
      body: { subject: 'a\r\nBcc: x@y.z' },
    });
    expect(injected.body.error).toMatchObject({ code: 'parameter_invalid', param: 'subject' });
    expect((await app.request('GET', `/v1/notifications/${body.id}`)).body.subject).toBe('Hello');
  });

  test('finished ones cannot be edited, and deleting erases them everywhere', async () => {
    const { body } = await send(email);
    await app.waitFor(body.id, (n) => n.status === 'delivered');
    const edit = await app.request('PATCH', `/v1/notifications/${body.id}`, { body: { subject: 'Late' } });
    expect(edit).toMatchObject({ status: 409, body: { error: { code: 'notification_not_editable' } } });
    expect((await app.request('POST', `/v1/notifications/${body.id}/resend`)).body.error.code).toBe(
      'notification_not_resendable',
    );
    expect((await app.request('DELETE', `/v1/notifications/${body.id}`)).status).toBe(204);
    for (const table of ['notification_contents', 'sandbox_messages']) {
      const { rows } = await app.pool.query(`select from ${table} where notification_id = $1`, [body.id]);
      expect(rows).toEqual([]);
    }
  });

  test('one that is being sent can be neither edited nor deleted', async () => {
    const { body } = await send({ ...email, recipient: { address: 'slow@sandbox.test' } });
    const sending = await app.waitFor(body.id, (n) => n.status === 'sending');
    expect(types(sending)).toEqual(['Queued', 'Sending']);
    const listed = await app.request('GET', '/v1/notifications?status=sending');
    expect(listed.body.data.map((n: { id: string }) => n.id)).toContain(body.id);
    expect((await app.request('DELETE', `/v1/notifications/${body.id}`)).status).toBe(409);
    expect(
      (await app.request('PATCH', `/v1/notifications/${body.id}`, { body: { subject: 'x' } })).status,
    ).toBe(409);
    await app.waitFor(body.id, (n) => n.status === 'delivered');
  });
});

describe('idempotency', () => {
  const key = () => ({ 'idempotency-key': crypto.randomUUID() });

  test('a replay answers 200 with the original as it is now', async () => {
    const headers = key();
    const first = await send(email, headers);
    await app.waitFor(first.body.id, (n) => n.status === 'delivered');
    const reordered = Object.fromEntries(Object.entries(email).reverse());
    const replay = await send(reordered, headers);
    expect(replay.status).toBe(200);
    expect(replay.body).toMatchObject({
      id: first.body.id,
      status: 'delivered',
      idempotency_key: headers['idempotency-key'],
    });
  });

  test('a key in the body is the same as one in the header', async () => {
    const headers = key();
    const idempotency_key = headers['idempotency-key'];
    const first = await send(email, headers);
    for (const [body, given] of [
      [{ ...email, idempotency_key }, {}],
      [{ ...email, idempotency_key }, headers],
      [{ ...email, idempotency_key: null }, headers],
    ] as const) {
      const replay = await send(body, given);
      expect([replay.status, replay.body.id]).toEqual([200, first.body.id]);
    }
    const { status, body } = await send({ ...email, idempotency_key }, key());
    expect([status, body.error.code, body.error.param]).toEqual([
      400,
      'parameter_invalid',
      'idempotency_key',
    ]);
  });

  test('a key that is sent twice is refused', async () => {
    const headers = {
      authorization: `Bearer ${app.testKey}`,
      'content-type': 'application/json',
      'idempotency-key': ['one', 'two'],
    };
    const sending = httpRequest(`${app.url}/v1/notifications`, { method: 'POST', headers });
    sending.end(JSON.stringify(email));
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(400);
    expect((await send(email, { 'idempotency-key': 'one, two' })).status).toBe(202);
  });

  test.each(['category', 'template_key', 'recipient.endpoint'])('an empty %s is refused', async (param) => {
    const body =
      param === 'recipient.endpoint' ? { recipient: { ...email.recipient, endpoint: '' } } : { [param]: '' };
    const { status, body: answer } = await send({ ...email, ...body });
    expect([status, answer.error.code, answer.error.param]).toEqual([400, 'parameter_invalid', param]);
  });

  test('the same key with another body is a conflict', async () => {
    const headers = key();
    await send(email, headers);
    const { status, body } = await send({ ...email, subject: 'Other' }, headers);
    expect([status, body.error.code]).toEqual([409, 'idempotency_key_reused']);
  });

  test('a request that fails its checks does not burn the key', async () => {
    const headers = key();
    expect((await send({ ...email, subject: null }, headers)).status).toBe(400);
    expect((await send(email, headers)).status).toBe(202);
  });

  test('a key older than 24 hours is free again', async () => {
    const headers = key();
    const first = await send(email, headers);
    await app.pool.query(
      `update idempotency_claims set created_at = now() - interval '25 hours' where resource_id = $1`,
      [first.body.id],
    );
    const second = await send(email, headers);
    expect(second.status).toBe(202);
    expect(second.body.id).not.toBe(first.body.id);
  });

  test('a key whose day ends between two looks at it is as good as new', async () => {
    const headers = key();
    const first = await send(email, headers);
    beforeStatement(app, 'idempotency_find', () =>
      app.pool.query('delete from idempotency_claims where resource_id = $1', [first.body.id]),
    );
    const second = await send(email, headers);
    expect(second.status).toBe(202);
    expect(second.body.id).not.toBe(first.body.id);
    expect((await send(email, headers)).body.id).toBe(second.body.id);
  });

  test('keys past their day are removed, but none that somebody is just taking', async () => {
    const answers = await Promise.all([0, 1, 2].map(() => send(email, key())));
    const [kept, old, taken] = answers.map(({ body }) => body.id);
    await app.pool.query(
      `update idempotency_claims set created_at = now() - interval '25 hours' where resource_id = any ($1)`,
      [[old, taken]],
    );
    await transaction(app.pool, async (tx) => {
      await query(tx, 'update idempotency_claims set created_at = now() where resource_id = $1', [taken]);
      expect(await deleteExpiredKeys(app.pool, 0, 1_000)).toBe(1);
      expect(await deleteExpiredKeys(app.pool, 0, 1_000)).toBe(0);
    });
    const left = await query<{ id: string }>(
      app.pool,
      'select resource_id as id from idempotency_claims where resource_id = any ($1)',
      [[kept, old, taken]],
    );
    expect(left.map(({ id }) => id).sort()).toEqual([kept, taken].sort());
  });

  test('a replay after deletion does not send again', async () => {
    const headers = key();
    const first = await send(email, headers);
    await app.waitFor(first.body.id, (n) => n.status === 'delivered');
    await app.request('DELETE', `/v1/notifications/${first.body.id}`);
    expect((await send(email, headers)).status).toBe(404);
  });

  test('one that is sent again with a key is sent again once, and another one under the same key too', async () => {
    const headers = key();
    const resend = (id: string) => app.request('POST', `/v1/notifications/${id}/resend`, { headers });
    const bouncing = { ...email, recipient: { address: 'bounced@sandbox.test' } };
    const ids = [(await send(bouncing)).body.id, (await send(bouncing)).body.id];
    for (const id of ids) await app.waitFor(id, (n) => n.status === 'bounced');
    const answers = await Promise.all([...ids, ...ids, ...ids].map(resend));
    const made = answers.filter(({ status }) => status === 202);
    expect(made.map(({ body }) => body.resent_from).toSorted()).toEqual(ids.toSorted());
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
    expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set(made.map(({ body }) => body.id)));
    // Also when what was sent again is gone since.
    await app.request('DELETE', `/v1/notifications/${ids[0]}`);
    expect((await resend(ids[0])).status).toBe(200);
    const wrong = await app.request('POST', `/v1/notifications/${ids[1]}/resend`, {
      headers: { 'idempotency-key': 'x'.repeat(256) },
    });
    expect([wrong.status, wrong.body.error.param]).toEqual([400, 'Idempotency-Key']);
  });

  test('that a batch has in its header is refused: it would protect nothing', async () => {
    const { status, body } = await app.request('POST', '/v1/notifications/batch', {
      body: { notifications: [email] },
      headers: key(),
    });
    expect([status, body.error]).toMatchObject([
      400,
      {
        code: 'parameter_invalid',
        param: 'Idempotency-Key',
        message: 'This operation has no header Idempotency-Key: give each element an idempotency_key.',
      },
    ]);
  });

  test('fifty at once over two processes make exactly one', async () => {
    const second = await startTestApp({ database: app.database });
    const headers = key();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 ? app : second).request('POST', '/v1/notifications', { body: email, headers }),
      ),
    );
    await second.stop();
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(answers.filter((answer) => answer.status === 202)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(49);
    const { rows } = await app.pool.query('select from notifications where idempotency_key = $1', [
      headers['idempotency-key'],
    ]);
    expect(rows).toHaveLength(1);
  });
});

describe('lists', () => {
  test('are newest first, in pages, and filter', async () => {
    const marker = crypto.randomUUID();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { body } = await send({
        ...email,
        recipient: { address: 'delivered@sandbox.test', external_user_id: marker },
      });
      ids.unshift(body.id);
    }
    const first = await app.request('GET', `/v1/notifications?external_user_id=${marker}&limit=3`);
    expect(first.body.data.map((n: { id: string }) => n.id)).toEqual(ids.slice(0, 3));
    const next = await app.request(
      'GET',
      `/v1/notifications?external_user_id=${marker}&limit=3&cursor=${first.body.next_cursor}`,
    );
    expect(next.body.data.map((n: { id: string }) => n.id)).toEqual(ids.slice(3));
    expect(next.body.next_cursor).toBeNull();
    const middle = first.body.data[2].created_at;
    const after = await app.request(
      'GET',
      `/v1/notifications?external_user_id=${marker}&created_after=${middle}`,
    );
    expect(after.body.data.every((n: { created_at: string }) => n.created_at > middle)).toBe(true);
    const none = await app.request('GET', `/v1/notifications?external_user_id=${marker}&channel=sms`);
    expect(none.body.data).toEqual([]);
  });

  test('pages of large notifications end early, and the next one goes on from there', async () => {
    const marker = crypto.randomUUID();
    const recipient = { address: 'delivered@sandbox.test', external_user_id: marker };
    const ids: string[] = [];
    for (let left = 5; left > 0; left -= 1) {
      const { body } = await send({ ...email, recipient, html_body: 'x'.repeat(900_000) });
      ids.unshift(body.id);
    }
    const seen: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = `external_user_id=${marker}&limit=100${cursor && `&cursor=${cursor}`}`;
      const { body } = await app.request('GET', `/v1/notifications?${query}`);
      seen.push(body.data.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    }
    expect(seen.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(seen.flat()).toEqual(ids);
  });

  test('by recipient ignore upper and lower case', async () => {
    const local = crypto.randomUUID();
    const { body } = await send({ ...email, recipient: { address: `Ada-${local}@example.com` } });
    for (const address of [`Ada-${local}@example.com`, `ada-${local}@EXAMPLE.com`]) {
      const listed = await app.request('GET', `/v1/notifications?recipient=${address}`);
      expect(listed.body.data.map((n: { id: string }) => n.id)).toEqual([body.id]);
    }
  });

  test.each([
    ['limit=0', 'parameter_invalid'],
    ['limit=101', 'parameter_invalid'],
    ['limit=ten', 'parameter_invalid'],
    ['status=gone', 'parameter_invalid'],
    ['created_after=yesterday', 'parameter_invalid'],
    ['cursor=nonsense', 'invalid_cursor'],
  ])('?%s is %s', async (query, code) => {
    const { status, body } = await app.request('GET', `/v1/notifications?${query}`);
    expect([status, body.error.code]).toEqual([400, code]);
  });

  test('a filter that is given empty is none', async () => {
    const all = await app.request('GET', '/v1/notifications?limit=5');
    expect(all.body.data).not.toEqual([]);
    const empty = 'recipient=&category=&template_key=&external_user_id=';
    const filtered = await app.request('GET', `/v1/notifications?limit=5&${empty}`);
    expect(filtered.body.data.map(({ id }: { id: string }) => id)).toEqual(
      all.body.data.map(({ id }: { id: string }) => id),
    );
  });

  test('a cursor of another environment is refused', async () => {
    for (let n = 0; n < 2; n += 1) await send(email);
    const { body } = await app.request('GET', '/v1/notifications?limit=1');
    const other = await app.request('GET', `/v1/notifications?cursor=${body.next_cursor}`, {
      key: app.liveKey,
    });
    expect(other.body.error.code).toBe('invalid_cursor');
  });
});

describe('environments are walls', () => {
  test('what belongs to another environment does not exist', async () => {
    const { body } = await send(email);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/resend'],
      ['GET', '/trace'],
    ] as const) {
      const answer = await app.request(method, `/v1/notifications/${body.id}${path}`, {
        key: app.liveKey,
        ...(method === 'PATCH' ? { body: {} } : {}),
      });
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
  });
});

describe('batches', () => {
  test('what no body may hold is the fault of its element alone', async () => {
    const good = { ...email, text_body: 'fine' };
    const deep = JSON.parse(`${'['.repeat(101)}${']'.repeat(101)}`);
    const elements = [
      { ...good, text_body: 'a\0b' },
      { ...good, template_data: { deep } },
      JSON.parse(JSON.stringify({ ...good, template_data: { x: 1 } }).replace('"x"', '"__proto__"')),
      null,
      good,
    ];
    const { status, body } = await app.request('POST', '/v1/notifications/batch', {
      body: { notifications: elements },
    });
    expect(status).toBe(202);
    expect(body.data.map(({ error }: { error?: { code: string } }) => error?.code ?? 'fine')).toEqual([
      'parameter_invalid',
      'invalid_json',
      'parameter_invalid',
      'parameter_invalid',
      'fine',
    ]);
    expect(body.data[0].error.param).toBe('notifications[0].text_body');
    // Beside the list there is nobody else whose fault it could be.
    const beside = await app.request('POST', '/v1/notifications/batch', {
      body: { notifications: [good], x: 'a\0b' },
    });
    expect([beside.status, beside.body.error.param]).toEqual([400, 'x']);
  });

  test('one bad element never fails the others', async () => {
    const { status, body } = await app.request('POST', '/v1/notifications/batch', {
      body: {
        notifications: [
          email,
          { ...email, channel: 'pigeon' },
          null,
          { ...email, idempotency_key: 5 },
          { ...email, priority: 'normal' },
        ],
      },
    });
    expect(status).toBe(202);
    expect(
      body.data.map((entry: { index: number; error?: { code: string } }) => entry.error?.code ?? 'ok'),
    ).toEqual(['ok', 'parameter_invalid', 'parameter_invalid', 'parameter_invalid', 'ok']);
    expect(body.data[0].notification.priority).toBe('bulk');
    expect(body.data[4].notification.priority).toBe('normal');
  });

  test('an element whose key was seen before does not hold up the others, nor do they take its place', async () => {
    const seen = { ...email, idempotency_key: crypto.randomUUID() };
    const first = await app.request('POST', '/v1/notifications/batch', { body: { notifications: [seen] } });
    const { id } = first.body.data[0].notification;
    // The first time keys are taken for new and the batch has to be written again; the second time with care at once.
    for (let time = 0; time < 2; time += 1) {
      const others = Array.from({ length: 20 }, () => ({ ...email, idempotency_key: crypto.randomUUID() }));
      const { status, body } = await app.request('POST', '/v1/notifications/batch', {
        body: { notifications: [...others.slice(0, 10), seen, ...others.slice(10)] },
      });
      expect(status).toBe(202);
      const ids: string[] = body.data.map((entry: { notification: { id: string } }) => entry.notification.id);
      expect(ids[10]).toBe(id);
      expect(new Set(ids).size).toBe(21);
      const { rows } = await app.pool.query('select id from notifications where id = any ($1::uuid[])', [
        ids,
      ]);
      expect(rows).toHaveLength(21);
    }
  });

  test('elements with the same key make one', async () => {
    const idempotency_key = crypto.randomUUID();
    const element = { ...email, idempotency_key };
    const { body } = await app.request('POST', '/v1/notifications/batch', {
      body: { notifications: [element, element, element] },
    });
    expect(
      new Set(body.data.map((entry: { notification: { id: string } }) => entry.notification.id)).size,
    ).toBe(1);
  });

  test.each([[[]], [Array(501).fill(email)], ['many']])(
    '%# elements out of bounds are refused',
    async (notifications) => {
      const { status, body } = await app.request('POST', '/v1/notifications/batch', {
        body: { notifications },
      });
      expect([status, body.error.param]).toEqual([400, 'notifications']);
    },
  );
});
