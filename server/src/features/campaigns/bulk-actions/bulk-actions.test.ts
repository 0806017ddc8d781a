import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestResponse, waitUntil } from '../../../../test/harness/app.ts';
import { query } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Claim, workKinds } from '../../../queue/index.ts';
import { createBulkActionJob } from './index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

type Body = TestResponse['body'];

async function send(address: string, more: object = {}): Promise<Body> {
  const { body, status } = await app.request('POST', '/v1/notifications', {
    body: { channel: 'email', recipient: { address }, subject: 'Hello', text_body: 'Hi', ...more },
  });
  expect(status).toBe(202);
  return body;
}

const ask = (action: 'redrive' | 'cancel', body: object, key = app.testKey) =>
  app.request('POST', `/v1/notifications/${action}`, { body, key });

async function preview(action: 'redrive' | 'cancel', filter: object): Promise<Body> {
  const { status, body } = await ask(action, { filter });
  expect(status).toBe(200);
  return body;
}

async function perform(action: 'redrive' | 'cancel', filter: object): Promise<Body> {
  const { confirm_token } = await preview(action, filter);
  const started = await ask(action, { filter, confirm_token });
  expect(started.status).toBe(202);
  return ended(started.body.id);
}

const ended = (id: string): Promise<Body> =>
  waitUntil(async () => {
    const { body } = await app.request('GET', `/v1/bulk-actions/${id}`);
    return body.status === 'running' ? new Error(JSON.stringify(body)) : body;
  }, 20_000);

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

/** Notifications for tomorrow. */
async function schedule(count: number, address: string): Promise<string[]> {
  const one = {
    ...{ channel: 'email', recipient: { address }, subject: 'Hello', text_body: 'Hi' },
    send_at: tomorrow(),
  };
  const notifications = Array.from({ length: count }, () => one);
  const { body } = await app.request('POST', '/v1/notifications/batch', { body: { notifications } });
  return body.data.map(({ notification }: Body) => notification.id);
}

/** Failed notifications of a category of their own. */
async function failures(
  count: number,
  category: string,
  address = 'refused@sandbox.test',
): Promise<string[]> {
  await app.request('POST', '/v1/preferences/categories', {
    body: { key: category, name: category, default_channels: ['email'] },
  });
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push((await send(address, { category })).id);
  for (const id of ids) await app.waitFor(id, ({ status }) => status === 'failed');
  return ids;
}

const resends = (ids: string[]) =>
  query<{ id: string; resent_from: string }>(
    app.pool,
    'select id, resent_from from notifications where resent_from = any ($1::uuid[])',
    [ids],
  );

describe('a redrive', () => {
  test('is shown first, and then resends each failed notification once', async () => {
    const ids = await failures(3, 'redriven');
    await send('delivered@sandbox.test', { category: 'redriven' });
    const filter = { category: 'redriven' };
    const shown = await preview('redrive', filter);
    expect(shown).toMatchObject({ action: 'redrive', count: 3, count_is_exact: true });
    expect(shown.sample.map(({ id }: Body) => id).sort()).toEqual([...ids].sort());
    expect(shown.sample[0]).toMatchObject({ channel: 'email', recipient: 'refused@sandbox.test' });
    expect(await resends(ids)).toEqual([]);

    const [one, two] = await Promise.all(
      [1, 2].map(() => ask('redrive', { filter, confirm_token: shown.confirm_token })),
    );
    expect([one?.status, two?.status]).toEqual([202, 202]);
    expect(two?.body.id).toBe(one?.body.id);
    expect(await ended(one?.body.id)).toMatchObject({
      ...{ action: 'redrive', status: 'completed', total: 3, done: 3, skipped: 0 },
      completed_at: expect.any(String),
    });
    const made = await resends(ids);
    expect(made.map((row) => row.resent_from).sort()).toEqual([...ids].sort());
    const { body: trace } = await app.request('GET', `/v1/notifications/${made[0]?.resent_from}/trace`);
    expect(trace.entries.at(-1)).toMatchObject({ name: 'redriven', detail: `Sent again as ${made[0]?.id}.` });
  });

  test('skips originals that an earlier redrive has resent', async () => {
    const ids = await failures(2, 'twice');
    expect(await perform('redrive', { category: 'twice' })).toMatchObject({ done: 2 });
    for (const { id } of await resends(ids)) await app.waitFor(id, ({ status }) => status === 'failed');
    // The resent ones have failed too, and match now.
    expect(await perform('redrive', { category: 'twice' })).toMatchObject({ done: 2, skipped: 2 });
    expect(await resends(ids)).toHaveLength(2);
  });

  test('works on what existed at the preview', async () => {
    await failures(1, 'later');
    const filter = { category: 'later' };
    const { confirm_token } = await preview('redrive', filter);
    const [late = ''] = await failures(1, 'later');
    const { body } = await ask('redrive', { filter, confirm_token });
    expect(await ended(body.id)).toMatchObject({ total: 1, done: 1 });
    expect(await resends([late])).toEqual([]);
  });

  test('sends again although the category is gone, and asks the suppression list first', async () => {
    const [open = '', suppressed = ''] = await Promise.all([
      failures(1, 'outdated'),
      failures(1, 'outdated', 'refused+suppressed@sandbox.test'),
    ]).then((ids) => ids.flat());
    await app.request('DELETE', '/v1/preferences/categories/outdated');
    await app.request('POST', '/v1/suppressions', { body: { address: 'refused+suppressed@sandbox.test' } });
    expect(await perform('redrive', { category: 'outdated' })).toMatchObject({ done: 2, skipped: 0 });
    const statusOfResend = async (original: string): Promise<string> => {
      const [made] = await resends([original]);
      const end = await app.waitFor(made?.id ?? '', ({ status }) => !/queued|sending/.test(status));
      return end.suppression_reason ?? end.status;
    };
    expect(await statusOfResend(open)).toBe('failed');
    expect(await statusOfResend(suppressed)).toBe('manual_add');
  });

  test('sends rendered content again after its template was deleted', async () => {
    const template = {
      key: 'gone',
      name: 'Gone',
      subject_template: 'Hi {{ name }}',
      html_body_template: 'Hi',
    };
    expect((await app.request('POST', '/v1/templates', { body: template })).status).toBe(201);
    const { body: sent } = await app.request('POST', '/v1/notifications', {
      body: {
        ...{ channel: 'email', recipient: { address: 'refused@sandbox.test' } },
        ...{ template_key: 'gone', template_data: { name: 'Ada' } },
      },
    });
    const { id } = sent;
    await app.waitFor(id, ({ status }) => status === 'failed');
    expect((await app.request('DELETE', '/v1/templates/gone')).status).toBe(204);
    expect(await perform('redrive', { template_key: 'gone' })).toMatchObject({ done: 1 });
    const [made] = await resends([id]);
    const again = await app.waitFor(made?.id ?? '', ({ status }) => status === 'failed');
    expect(again.subject).toBe('Hi Ada');
  });

  test('takes fewer at a time when their bodies are large', async () => {
    const text_body = 'x'.repeat(1_500_000);
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1)
      ids.push((await send('refused@sandbox.test', { text_body, subject: 'Large' })).id);
    for (const id of ids) await app.waitFor(id, ({ status }) => status === 'failed');
    const first = (await app.request('GET', `/v1/notifications/${ids[0]}`)).body.created_at;
    const filter = {
      recipient: 'refused@sandbox.test',
      created_after: new Date(Date.parse(first) - 1).toISOString(),
    };
    expect(await perform('redrive', filter)).toMatchObject({ done: 3, skipped: 0 });
    const transactions = await query<{ xid: string }>(
      app.pool,
      'select distinct xmin::text as xid from notification_contents where notification_id in (select id from notifications where resent_from = any ($1::uuid[]))',
      [ids],
    );
    expect(transactions.length).toBe(2);
  });

  test('is left alone by a worker that lost its claim, and by one whose slice another worker has done', async () => {
    const ids = await failures(1, 'stale');
    const id = newId();
    const environmentId = app.testEnvironmentId;
    await query(
      app.pool,
      `insert into bulk_actions (id, environment_id, action, filter, status, before, total)
       values ($1, $2, 'redrive', '{"category": "stale"}', 'running', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 1)`,
      [id, environmentId],
    );
    const claim: Claim = {
      ...{ kind: 'bulk_action', id, lane: 'bulk', environmentId },
      ...{ note: null, leasedAt: new Date(), unparkedFrom: null },
    };
    const run = async (job: ReturnType<typeof createBulkActionJob>) =>
      job.run(claim, (await job.load([claim])).get(id));

    await run(createBulkActionJob(app.services));
    expect(await resends(ids)).toEqual([]);
    expect((await app.request('GET', `/v1/bulk-actions/${id}`)).body).toMatchObject({
      status: 'running',
      done: 0,
    });

    const { drafts } = app.services;
    const overtaken: typeof drafts = {
      ...drafts,
      async resend(...original) {
        // Meanwhile another worker does the slice, and this one gets the lease back.
        await query(app.pool, 'update bulk_actions set before = $2 where id = $1', [id, ids[0]]);
        await query(
          app.pool,
          `insert into queue_leased (kind, id, lane, environment_id, worker_id)
           select $1, $2, 2, $3, id from workers order by alive_until limit 1`,
          [workKinds.bulk_action, id, environmentId],
        );
        return drafts.resend(...original);
      },
    };
    await run(createBulkActionJob({ ...app.services, drafts: overtaken }));
    expect(await ended(id)).toMatchObject({ status: 'completed', done: 0, skipped: 0 });
    expect(await resends(ids)).toEqual([]);
  });

  test('counts for the limits of the key that started it, or of the workflow that sent the originals', async () => {
    const [sent = '', ofRun = ''] = await failures(2, 'limited');
    const workflow = newId();
    await query(app.pool, "update notifications set source_id = $2, chain = 'chain' where id = $1", [
      ofRun,
      workflow,
    ]);
    const filter = { category: 'limited' };
    const { body: made } = await app.request('POST', '/v1/api-keys', {
      body: { name: 'Redrives', preset: 'full_access' },
    });
    const { body: shown } = await ask('redrive', { filter }, made.key);
    const { body } = await ask('redrive', { filter, confirm_token: shown.confirm_token }, made.key);
    expect(await ended(body.id)).toMatchObject({ done: 2 });
    const rows = await query(
      app.pool,
      'select resent_from, source_id, chain from notifications where resent_from = any ($1::uuid[]) order by 1',
      [[sent, ofRun]],
    );
    expect(rows).toEqual([
      { resent_from: sent, source_id: made.id, chain: null },
      { resent_from: ofRun, source_id: workflow, chain: 'chain' },
    ]);
  });

  test('needs the scope to send', async () => {
    const { body } = await app.request('POST', '/v1/api-keys', {
      body: { name: 'No sends', scopes: ['notifications:read', 'notifications:write'] },
    });
    const refused = await ask('redrive', { filter: { all: true } }, body.key);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'insufficient_scope']);
    expect((await ask('cancel', { filter: { all: true } }, body.key)).status).toBe(200);
  });

  test('filters by the provider and the reason of the last attempt', async () => {
    const [id] = await failures(1, 'reasons');
    const error = (await app.request('GET', `/v1/notifications/${id}`)).body.last_error as string;
    const { body: trace } = await app.request('GET', `/v1/notifications/${id}/trace`);
    const { name, provider_kind } = trace.entries.find(({ kind }: Body) => kind === 'attempt');
    const count = async (more: object) => (await preview('redrive', { category: 'reasons', ...more })).count;
    expect(await count({ reason: error.slice(3, 12).toUpperCase() })).toBe(1);
    expect(await count({ reason: 'no such reason' })).toBe(0);
    expect(await count({ provider: name })).toBe(1);
    expect(await count({ provider: provider_kind })).toBe(1);
    expect(await count({ provider: 'another' })).toBe(0);
    expect(await count({ status: 'bounced' })).toBe(0);
    expect(await count({ broadcast_id: id })).toBe(0);
    expect(await count({ created_before: '2020-01-01T00:00:00Z' })).toBe(0);
  });
});

describe('a cancellation', () => {
  test('suppresses scheduled notifications, which are never sent', async () => {
    const ids = await schedule(450, 'cancelled@example.com');
    const kept = (await send('kept@example.com', { send_at: tomorrow() })).id;
    const done = await perform('cancel', { recipient: 'Cancelled@Example.com' });
    expect(done).toMatchObject({ status: 'completed', total: 450, done: 450, skipped: 0 });
    const { body } = await app.request('GET', `/v1/notifications/${ids[0]}`);
    expect(body).toMatchObject({ status: 'suppressed', suppression_reason: 'cancelled' });
    expect(body.events.at(-1)).toMatchObject({ type: 'Suppressed', suppression_reason: 'cancelled' });
    const [left] = await query<{ works: number }>(
      app.pool,
      'select count(*)::int as works from queue_later where id = any ($1::uuid[])',
      [ids],
    );
    expect(left?.works).toBe(0);
    expect((await app.request('GET', `/v1/notifications/${kept}`)).body.status).toBe('queued');
  });

  test('skips and counts notifications that are being sent', async () => {
    const { id } = await send('leased@example.com', { send_at: tomorrow() });
    await send('leased@example.com', { send_at: tomorrow() });
    // A worker of another process has claimed the first one.
    await query(
      app.pool,
      `with worker as (insert into workers (id, alive_until) values (gen_random_uuid(), now() + interval '1 hour') returning id),
       work as (delete from queue_later where id = $1 returning *)
       insert into queue_leased (kind, id, lane, environment_id, note, worker_id)
       select kind, work.id, lane, environment_id, note, worker.id from work, worker`,
      [id],
    );
    const done = await perform('cancel', { recipient: 'leased@example.com' });
    expect(done).toMatchObject({ total: 2, done: 1, skipped: 1 });
    expect((await app.request('GET', `/v1/notifications/${id}`)).body.status).toBe('sending');
  });

  test('can be stopped, and what is done stays done', async () => {
    await schedule(450, 'stopped@example.com');
    const filter = { recipient: 'stopped@example.com' };
    const { confirm_token } = await preview('cancel', filter);
    const { body } = await ask('cancel', { filter, confirm_token });
    await waitUntil(async () => {
      const { body: action } = await app.request('GET', `/v1/bulk-actions/${body.id}`);
      return action.done > 0 ? action : new Error(JSON.stringify(action));
    }, 20_000);
    const stopped = await app.request('POST', `/v1/bulk-actions/${body.id}/cancel`);
    expect(stopped.body).toMatchObject({ status: 'cancelled', completed_at: expect.any(String) });
    expect(stopped.body.done).toBeLessThan(450);
    const { body: again } = await app.request('POST', `/v1/bulk-actions/${body.id}/cancel`);
    expect(again).toEqual(stopped.body);
    expect((await preview('cancel', filter)).count).toBe(450 - stopped.body.done);
  });
});

describe('bad input', () => {
  test.each([
    ['redrive', { filter: {} }, 'filter'],
    ['redrive', { filter: { status: 'failed' } }, 'filter'],
    ['cancel', { filter: {} }, 'filter'],
    ['redrive', {}, 'filter'],
    ['redrive', { filter: { status: 'sent' } }, 'filter.status'],
    ['cancel', { filter: { all: 'yes' } }, 'filter.all'],
    ['cancel', { filter: { created_after: 'yesterday' } }, 'filter.created_after'],
    [
      'cancel',
      { filter: { created_after: '2026-01-02T00:00:00Z', created_before: '2026-01-01T00:00:00Z' } },
      'filter.created_before',
    ],
    ['cancel', { filter: { all: true }, confirm_token: 'made up' }, 'confirm_token'],
    ['cancel', { filter: { templatekey: 'spring_sale' } }, 'filter.templatekey'],
    ['cancel', { filter: { channel: 'email', sent_after: '2026-01-01T00:00:00Z' } }, 'filter.sent_after'],
    ['cancel', { filter: { channel: 'email', status: 'failed' } }, 'filter.status'],
    ['redrive', { filter: { broadcast_id: "' or true or '' = '" } }, 'filter.broadcast_id'],
  ] as const)('%s %j is refused with the name of the field', async (action, body, param) => {
    const refused = await ask(action, body);
    expect([refused.status, refused.body.error.param]).toEqual([400, param]);
  });

  test('a token belongs to its action, filter and environment', async () => {
    const filter = { recipient: 'token@example.com' };
    const { confirm_token } = await preview('redrive', filter);
    const attempts = [
      ask('cancel', { filter, confirm_token }),
      ask('redrive', { filter: { recipient: 'other@example.com' }, confirm_token }),
      ask('redrive', { filter, confirm_token }, app.liveKey),
    ];
    for (const refused of await Promise.all(attempts))
      expect([refused.status, refused.body.error.param]).toEqual([400, 'confirm_token']);
  });

  test('a token is short, however long the filter is', async () => {
    const filter = { recipient: '鐘'.repeat(2_048), reason: '鐘'.repeat(255) };
    const { confirm_token } = await preview('cancel', filter);
    expect((await ask('cancel', { filter, confirm_token })).status).toBe(202);
  });

  test('another environment sees no action', async () => {
    const { id } = await perform('redrive', { recipient: 'nothing@example.com' });
    const options = { key: app.liveKey };
    expect((await app.request('GET', `/v1/bulk-actions/${id}`, options)).status).toBe(404);
    expect((await app.request('POST', `/v1/bulk-actions/${id}/cancel`, options)).status).toBe(404);
    expect((await app.request('GET', '/v1/bulk-actions', options)).body.data).toEqual([]);
  });

  test('at most ten actions run at a time', async () => {
    await query(
      app.pool,
      `insert into bulk_actions (id, environment_id, action, filter, status, before)
       select gen_random_uuid(), $1, 'cancel', '{}', 'running', gen_random_uuid() from generate_series(1, 10)`,
      [app.liveEnvironmentId],
    );
    const filter = { recipient: 'full@example.com' };
    const { body } = await ask('cancel', { filter }, app.liveKey);
    const refused = await ask('cancel', { filter, confirm_token: body.confirm_token }, app.liveKey);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'bulk_action_limit_reached']);
  });
});

test('actions are listed newest first, in pages', async () => {
  await perform('redrive', { recipient: 'listed@example.com' });
  const { body: first } = await app.request('GET', '/v1/bulk-actions?limit=1');
  expect(first.data[0]).toMatchObject({ action: 'redrive', filter: { recipient: 'listed@example.com' } });
  const { body: next } = await app.request('GET', `/v1/bulk-actions?limit=1&cursor=${first.next_cursor}`);
  expect(next.data[0].id < first.data[0].id).toBe(true);
});

test('erasing a person waits for a running action that names them', async () => {
  const { id } = await perform('cancel', { external_user_id: 'named' });
  await query(app.pool, `update bulk_actions set status = 'running' where id = $1`, [id]);
  expect((await app.request('DELETE', '/v1/users/named')).status).toBe(204);
  const { body } = await app.request('GET', `/v1/bulk-actions/${id}`);
  expect(body.filter).toEqual({ external_user_id: 'named' });
  const left = await query(app.pool, `select from queue_later where kind = ${workKinds.erasure}`);
  expect(left).toHaveLength(1); // the erasure comes back
});

test('erasing a person removes them from the filters', async () => {
  const { id } = await perform('cancel', { external_user_id: 'gone' });
  expect((await app.request('DELETE', '/v1/users/gone')).status).toBe(204);
  await waitUntil(async () => {
    const { body } = await app.request('GET', `/v1/bulk-actions/${id}`);
    return Object.keys(body.filter).length === 0 ? true : new Error(JSON.stringify(body.filter));
  }, 10_000);
});
