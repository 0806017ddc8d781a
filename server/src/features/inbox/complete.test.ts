import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../../test/harness/app.ts';
import { openStream } from '../../../test/harness/event-stream.ts';
import { startWebhookSink, type WebhookSink } from '../../../test/simulators/webhook-sink.ts';
import { extrasProblem } from '../../channels/in-app/extras.ts';
import { workKinds } from '../../queue/index.ts';
import { startWorkflows, type Workflows } from '../workflows/runs/test-harness.ts';

let app: Workflows;
let sink: WebhookSink;
beforeAll(async () => {
  app = await startWorkflows();
  sink = await startWebhookSink();
  const { status } = await app.request('POST', '/v1/webhook-endpoints', {
    body: { url: sink.url('/'), event_filters: ['inbox.action'] },
  });
  expect(status).toBe(201);
  for (const key of ['billing', 'social'])
    await app.request('POST', '/v1/preferences/categories', {
      body: { key, name: key, default_channels: ['in_app'] },
    });
});
afterAll(async () => {
  await app.stop();
  await sink.stop();
});

let users = 0;

/** A user with a token, and what the tests do for them. */
async function newInbox() {
  const user = `reader-${++users}`;
  const { body: issued } = await app.request('POST', '/v1/inbox/tokens', {
    body: { external_user_id: user },
  });
  const token: string = issued.token;
  const get = (path: string) => app.request('GET', `/inbox/v1${path}`, { key: token });
  const post = (path: string, body?: unknown) =>
    app.request('POST', `/inbox/v1${path}`, { key: token, body });
  return {
    user,
    token,
    get,
    post,
    async deliver(fields: object = {}): Promise<string> {
      const { status, body } = await app.request('POST', '/v1/notifications', {
        body: { channel: 'in_app', recipient: { external_user_id: user }, html_body: '<p>Hi</p>', ...fields },
      });
      expect([status, body.error]).toEqual([202, undefined]);
      await app.waitFor(body.id, (notification) => notification.status === 'delivered');
      return body.id;
    },
    async ids(query = ''): Promise<string[]> {
      const { status, body } = await get(`/feed${query}`);
      expect([status, body.error]).toEqual([200, undefined]);
      return body.data.map(({ id }: { id: string }) => id);
    },
  };
}

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();
const approve = { key: 'approve', label: 'Approve', style: 'primary' };
const decline = { key: 'decline', label: 'Decline', url: '/why' };

describe('tags and actions', () => {
  test('come with the item, from the send, the template or both, and the send wins', async () => {
    const inbox = await newInbox();
    await app.request('POST', '/v1/templates', {
      body: {
        key: 'invoice',
        name: 'Invoice',
        bodies: [
          {
            channel: 'in_app',
            html_template: '<p>Pay</p>',
            structured_template:
              '{"tags": ["invoice", "{{ region }}"], "actions": [{"key": "pay", "label": "Pay {{ amount }}", "url": "{{ url }}"}]}',
          },
        ],
      },
    });
    const templated = { html_body: null, template_key: 'invoice' };
    const data = { region: 'eu', amount: '4 "€"', url: 'https://example.com/pay?a=1' };
    const rendered = await inbox.deliver({ ...templated, template_data: data });
    const own = await inbox.deliver({
      ...templated,
      template_data: data,
      category: 'billing',
      tags: ['mine', 'mine'],
    });
    const inline = await inbox.deliver({ actions: [approve, decline] });

    const pay = { key: 'pay', label: 'Pay 4 "€"', url: 'https://example.com/pay?a=1', style: 'default' };
    const item = async (id: string) => (await inbox.get(`/notifications/${id}`)).body;
    expect(await item(rendered)).toMatchObject({ category: null, tags: ['invoice', 'eu'], actions: [pay] });
    expect(await item(own)).toMatchObject({ category: 'billing', tags: ['mine'], actions: [pay] });
    const both = [
      { ...approve, url: null },
      { ...decline, style: 'default' },
    ];
    expect(await item(inline)).toMatchObject({ tags: [], actions: both, action_taken: null });

    const content = await app.request('GET', `/v1/notifications/${own}/content`);
    expect(content.body.structured).toMatchObject({ tags: ['mine'], actions: [pay] });
    const sent = await app.request('GET', `/v1/notifications/${inline}`);
    expect(sent.body.actions).toEqual(both);
    expect(sent.body.tags).toEqual([]);
  });

  test('can be changed while the notification waits', async () => {
    const inbox = await newInbox();
    const { body } = await app.request('POST', '/v1/notifications', {
      body: {
        channel: 'in_app',
        recipient: { external_user_id: inbox.user },
        html_body: '<p>Hi</p>',
        tags: ['a'],
        actions: [approve],
        send_at: inAnHour(),
      },
    });
    const path = `/v1/notifications/${body.id}`;
    await app.request('PATCH', path, { body: { actions: [], send_at: inAnHour() } });
    const { body: after } = await app.request('GET', path);
    expect([after.tags, after.actions]).toEqual([['a'], []]);
  });

  test('that an inbox could not show are refused, with the field', async () => {
    const cases: [object, string][] = [
      [{ tags: Array.from({ length: 11 }, (_, index) => `t${index}`) }, 'tags'],
      [{ tags: ['a\nb'] }, 'tags[0]'],
      [{ actions: [approve, decline, { key: 'x', label: 'X' }] }, 'actions'],
      [{ actions: [approve, approve] }, 'actions[1].key'],
      [{ actions: [{ key: 'Approve!', label: 'A' }] }, 'actions[0].key'],
      [{ actions: [{ ...approve, url: 'javascript:alert(1)' }] }, 'actions[0].url'],
      [{ actions: [{ ...approve, label: ' ' }] }, 'actions[0].label'],
    ];
    for (const [fields, param] of cases) {
      const { status, body } = await app.request('POST', '/v1/notifications', {
        body: { channel: 'in_app', recipient: { external_user_id: 'u' }, html_body: 'x', ...fields },
      });
      expect([status, body.error?.param]).toEqual([400, param]);
    }
    // Liquid can cut a character in half.
    expect(extrasProblem({ tags: ['a\ud800'] })).toBe('tags[0] must be one line, without control characters');
    const template = (structured: string) =>
      app.request('POST', '/v1/templates', {
        body: {
          key: 'refused',
          name: 'x',
          bodies: [{ channel: 'in_app', structured_template: structured, html_template: '<p>x</p>' }],
        },
      });
    const refused = await template('{"actions": [{"key": "a", "label": "A", "url": "javascript:x()"}]}');
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      'bodies[0].structured_template: with placeholders for the data, actions[0].url must be an http or https URL, or a relative one.',
    ]);
    const alone = await app.request('POST', '/v1/templates', {
      body: { key: 'alone', name: 'x', bodies: [{ channel: 'in_app', structured_template: '{"tags": []}' }] },
    });
    expect([alone.status, alone.body.error.param]).toEqual([400, 'bodies[0].html_template']);
  });

  test('reach every inbox of a broadcast', async () => {
    const inbox = await newInbox();
    await app.request('PUT', `/v1/users/${inbox.user}`, { body: { name: 'Reader' } });
    await app.request('POST', '/v1/topics', { body: { key: 'poll', name: 'Poll' } });
    await app.request('POST', '/v1/topics/poll/subscribers', { body: { external_user_ids: [inbox.user] } });
    const body = {
      name: 'Poll',
      channels: ['in_app'],
      audience: { topic: 'poll' },
      html_body: '<p>Coming?</p>',
      tags: ['poll'],
      actions: [approve],
    };
    const tried = await app.request('POST', '/v1/broadcasts/dry-run', { body });
    expect(tried.body.samples).toMatchObject([{ tags: ['poll'], actions: [{ ...approve, url: null }] }]);
    const { status } = await app.request('POST', '/v1/broadcasts', { body });
    expect(status).toBe(201);
    const item = await waitUntil(async () => {
      const { body } = await inbox.get('/feed');
      return body.data[0] ?? new Error('not there yet');
    });
    expect([item.tags, item.actions]).toEqual([['poll'], [{ ...approve, url: null }]]);
  });
});

describe('a tab', () => {
  test('has the items of its category or tag, with a count of its own', async () => {
    const inbox = await newInbox();
    const bill = await inbox.deliver({ category: 'billing', tags: ['urgent'] });
    const plain = await inbox.deliver();
    const post = await inbox.deliver({ category: 'social', tags: ['urgent', 'team'] });
    expect(await inbox.ids()).toEqual([post, plain, bill]);
    expect(await inbox.ids('?category=billing')).toEqual([bill]);
    expect(await inbox.ids('?tag=urgent')).toEqual([post, bill]);
    expect(await inbox.ids('?tag=urgent&category=billing')).toEqual([bill]);
    expect(await inbox.ids('?tag=Urgent')).toEqual([]);

    await inbox.post(`/notifications/${post}/read`);
    expect(await inbox.ids('?tag=urgent&status=unread')).toEqual([bill]);
    expect((await inbox.get('/unread-counts')).body).toEqual({
      unread_count: 2,
      categories: [{ category: 'billing', unread_count: 1 }],
      tags: [{ tag: 'urgent', unread_count: 1 }],
      is_exact: true,
    });
  });

  test('of a large inbox is read in bounded pages, and misses nothing', async () => {
    const inbox = await newInbox();
    await inbox.deliver();
    // 2,500 items, of which only the oldest and the newest have the tag.
    await app.pool.query(
      `insert into inbox_items (id, environment_id, external_user_id, position, data, bytes, tags, read_at)
       select gen_random_uuid(), $1, $2, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '{}', 0,
         case when n in (1, 2500) then array['rare'] else '{}' end, case when n > 5 then now() end
       from generate_series(1, 2500) n`,
      [app.testEnvironmentId, inbox.user],
    );
    const pages: number[] = [];
    let cursor = '';
    do {
      const { body } = await inbox.get(`/feed?tag=rare&limit=10${cursor}`);
      pages.push(body.data.length);
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : '';
    } while (cursor);
    expect(pages).toEqual([1, 0, 1]);
  });
});

describe('a snoozed item', () => {
  /** Time passes for the queue. */
  const makeDue = () =>
    app.pool.query('update queue_later set run_at = now() where kind = $1', [workKinds.inbox_return]);

  test('is hidden and not counted, and returns unread to the top, with its time of arrival', async () => {
    const inbox = await newInbox();
    const first = await inbox.deliver({ tags: ['a'] });
    const second = await inbox.deliver();
    const { body: before } = await inbox.get(`/notifications/${first}`);
    const stream = await openStream(`${app.url}/inbox/v1/stream`, {
      authorization: `Bearer ${inbox.token}`,
    });
    const until = inAnHour();
    const snoozed = await inbox.post(`/notifications/${first}/snooze`, { until });
    expect([snoozed.status, snoozed.body.snoozed_until]).toEqual([200, until]);
    expect(await inbox.ids()).toEqual([second]);
    expect(await inbox.ids('?tag=a')).toEqual([]);
    expect(await inbox.ids('?status=read')).toEqual([]);
    expect(await inbox.ids('?status=snoozed')).toEqual([first]);
    expect((await inbox.get('/unread-counts')).body).toMatchObject({ unread_count: 1, tags: [] });
    expect((await inbox.post('/notifications/mark-all-read')).body.marked_count).toBe(1);

    await makeDue();
    await waitUntil(async () => (await inbox.ids())[0] === first || new Error('not back yet'));
    const { body: after } = await inbox.get(`/notifications/${first}`);
    expect(after).toEqual(before);
    expect(await inbox.ids('?status=unread')).toEqual([first]);
    const early = { before: before.created_at };
    expect((await inbox.post('/notifications/mark-all-read', early)).body.marked_count).toBe(0);
    expect((await inbox.get('/unread-count')).body.unread_count).toBe(1);
    await waitUntil(
      async () => stream.events.some(({ event }) => event === 'notification.returned') || new Error('untold'),
    );
    stream.close();
    const frames = stream.events.filter(({ data }) => data.id === first).map(({ event }) => event);
    expect(frames).toEqual(['notification.snoozed', 'notification.returned']);
    const { body: opened } = await app.request('GET', `/v1/notifications/${first}`);
    expect(opened.events.map(({ type }: { type: string }) => type)).not.toContain('Opened');
  });

  test('returns at its last time, at once when asked, and not at all when it is archived', async () => {
    const inbox = await newInbox();
    const [moved, ended, archived, listed] = [
      await inbox.deliver(),
      await inbox.deliver(),
      await inbox.deliver(),
      await inbox.deliver(),
    ];
    for (const id of [moved, ended, archived, listed])
      await inbox.post(`/notifications/${id}/snooze`, { until: inAnHour() });
    await inbox.post(`/notifications/${moved}/snooze`, { until: inAnHour() });
    const unsnoozed = await inbox.post(`/notifications/${ended}/unsnooze`);
    expect([unsnoozed.body.is_read, unsnoozed.body.snoozed_until]).toEqual([false, null]);
    expect((await inbox.post(`/notifications/${ended}/unsnooze`)).status).toBe(200);
    await inbox.post(`/notifications/${archived}/archive`);
    await inbox.post('/notifications/archive-all');
    await inbox.post('/notifications/archive-all', { ids: [listed] });
    const { rows } = await app.pool.query(
      `select note ->> 'item_id' as id from queue_later where kind = $1 and note ->> 'item_id' = any ($2)`,
      [workKinds.inbox_return, [moved, ended, archived, listed]],
    );
    expect(rows).toEqual([{ id: moved }]);
    expect(await inbox.ids('?status=snoozed')).toEqual([moved]);
    await makeDue();
    await waitUntil(async () => (await inbox.ids())[0] === moved || new Error('not back yet'));
    expect(await inbox.ids()).toEqual([moved]);
  });

  test('must return in the future, within a year, to its own inbox', async () => {
    const inbox = await newInbox();
    const id = await inbox.deliver();
    for (const until of ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z']) {
      const { status, body } = await inbox.post(`/notifications/${id}/snooze`, { until });
      expect([status, body.error.param]).toEqual([400, 'until']);
    }
    const other = await newInbox();
    await other.deliver();
    expect((await other.post(`/notifications/${id}/snooze`, { until: inAnHour() })).status).toBe(404);
    expect((await other.post(`/notifications/${id}/unsnooze`)).status).toBe(404);
    expect(await inbox.ids()).toEqual([id]);
  });

  test('is one of a thousand at most', async () => {
    const inbox = await newInbox();
    const id = await inbox.deliver();
    await app.pool.query(
      `insert into inbox_items (id, environment_id, external_user_id, position, data, bytes, snoozed_until, read_at)
       select gen_random_uuid(), $1, $2, gen_random_uuid(), '{}', 0, now() + interval '1 day', now()
       from generate_series(1, 1000)`,
      [app.testEnvironmentId, inbox.user],
    );
    const { status, body } = await inbox.post(`/notifications/${id}/snooze`, { until: inAnHour() });
    expect([status, body.error.code]).toEqual([409, 'snooze_limit_reached']);
    expect(await inbox.ids('?limit=1')).toEqual([id]);
  });
});

describe('an action', () => {
  test('is recorded once, however often and at once it is chosen, and tells webhook endpoints', async () => {
    const inbox = await newInbox();
    const id = await inbox.deliver({
      category: 'billing',
      tags: ['po'],
      actions: [approve, decline],
      template_data: { order: 7 },
    });
    const choices = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        inbox.post(`/notifications/${id}/actions/${index % 2 ? 'decline' : 'approve'}`),
      ),
    );
    const taken = choices.find(({ status }) => status === 200)?.body.action_taken;
    const other = taken.key === 'approve' ? 'decline' : 'approve';
    expect(choices.map(({ status }) => status).sort()).toEqual([
      ...Array(5).fill(200),
      ...Array(5).fill(409),
    ]);
    expect((await inbox.post(`/notifications/${id}/actions/${other}`)).body.error.code).toBe(
      'action_already_taken',
    );
    const { body: item } = await inbox.get(`/notifications/${id}`);
    expect(item).toMatchObject({ is_read: true, action_taken: taken });
    expect((await inbox.get('/unread-count')).body.unread_count).toBe(0);

    const about = () => sink.received.filter(({ body }) => body.data.notification_id === id);
    await waitUntil(async () => about().length > 0 || new Error('no webhook yet'));
    const label = taken.key === 'approve' ? 'Approve' : 'Decline';
    expect(about().map(({ body }) => [body.type, body.data])).toEqual([
      [
        'inbox.action',
        {
          notification_id: id,
          external_user_id: inbox.user,
          action: taken.key,
          label,
          category: 'billing',
          tags: ['po'],
          taken_at: taken.at,
          data: { order: 7 },
        },
      ],
    ]);
    const sent = await app.waitFor(id, ({ events }) =>
      events.some(({ type }: { type: string }) => type === 'Clicked'),
    );
    const later = sent.events.filter(({ type }: { type: string }) => ['Opened', 'Clicked'].includes(type));
    expect(later.map(({ type }: { type: string }) => type).sort()).toEqual(['Clicked', 'Opened']);
  });

  test('ends the snooze of its item, which does not return', async () => {
    const inbox = await newInbox();
    const id = await inbox.deliver({ actions: [approve] });
    await inbox.post(`/notifications/${id}/snooze`, { until: inAnHour() });
    const { body: item } = await inbox.post(`/notifications/${id}/actions/approve`);
    expect(item).toMatchObject({ is_read: true, snoozed_until: null, action_taken: { key: 'approve' } });
    expect([await inbox.ids(), await inbox.ids('?status=snoozed')]).toEqual([[id], []]);
    const { rows } = await app.pool.query(
      `select from queue_later where kind = $1 and note ->> 'item_id' = $2`,
      [workKinds.inbox_return, id],
    );
    expect(rows).toEqual([]);
  });

  test('that the item does not have, or of the item of another user, is not found', async () => {
    const inbox = await newInbox();
    const id = await inbox.deliver({ actions: [approve] });
    const other = await newInbox();
    expect((await inbox.post(`/notifications/${id}/actions/decline`)).status).toBe(404);
    expect((await other.post(`/notifications/${id}/actions/approve`)).status).toBe(404);
    expect((await inbox.get(`/notifications/${id}`)).body.action_taken).toBe(null);
  });

  test('wakes the run that sent the item, and no other, also when it comes before the wait', async () => {
    const ask = {
      id: 'ask',
      kind: 'send',
      channel: 'in_app',
      recipient: { external_user_id: '{{ trigger.user }}' },
      html_body: '<p>Order {{ trigger.order }}</p>',
      tags: ['order-{{ trigger.order }}'],
      actions: [approve, { ...decline, label: 'Decline {{ trigger.order }}' }],
    };
    const answer = { id: 'answer', kind: 'wait_for_event', event: 'inbox.action', timeout: '1d' };
    await app.define('approval', [ask, answer]);
    await app.define('late_approval', [
      ask,
      { id: 'nap', kind: 'wait_for_event', event: 'go', timeout: '1d' },
      { ...answer, match: { action: 'approve' }, lookback: true },
    ]);
    const inbox = await newInbox();
    const itemOf = (order: number): Promise<string> =>
      waitUntil(async () => (await inbox.ids(`?tag=order-${order}`))[0] ?? new Error('not there yet'));

    const first = await app.trigger('approval', { user: inbox.user, order: 1 });
    const second = await app.trigger('approval', { user: inbox.user, order: 2 });
    const id = await itemOf(1);
    await app.runUntil(
      first,
      ({ current_step_id, status }) => current_step_id === 'answer' && status === 'waiting',
    );
    await app.runUntil(
      second,
      ({ current_step_id, status }) => current_step_id === 'answer' && status === 'waiting',
    );
    expect((await inbox.get(`/notifications/${id}`)).body.actions[1].label).toBe('Decline 1');
    await inbox.post(`/notifications/${id}/actions/decline`);
    const run = await app.reaches(first, 'completed');
    expect(run.steps.at(-1).outcome).toBe('event_received');
    expect(JSON.parse(run.steps.at(-1).output_json)).toMatchObject({
      ...{ action: 'decline', label: 'Decline 1', notification_id: id },
      ...{ external_user_id: inbox.user, category: null, tags: ['order-1'] },
    });
    expect((await app.run(second)).status).toBe('waiting');

    const early = await app.trigger('late_approval', { user: inbox.user, order: 3 });
    await inbox.post(`/notifications/${await itemOf(3)}/actions/approve`);
    await app.runUntil(
      early,
      ({ status, current_step_id }) => current_step_id === 'nap' && status === 'waiting',
    );
    await app.postToRun(early, 'go');
    expect((await app.reaches(early, 'completed')).steps.at(-1).outcome).toBe('event_received');
  });

  test('is announced to open inboxes', async () => {
    const inbox = await newInbox();
    const id = await inbox.deliver({ actions: [approve] });
    const stream = await openStream(`${app.url}/inbox/v1/stream`, {
      authorization: `Bearer ${inbox.token}`,
    });
    await waitUntil(async () => stream.events.length > 0 || new Error('not open yet'));
    const { body } = await inbox.post(`/notifications/${id}/actions/approve`);
    await waitUntil(
      async () => stream.events.some(({ event }) => event === 'notification.acted') || new Error('untold'),
    );
    stream.close();
    const { data } = stream.events.find(({ event }) => event === 'notification.acted') ?? {};
    expect(data).toEqual({ id, action_taken: body.action_taken, read_at: body.read_at });
  });
});

describe('a bulk change', () => {
  test('reads or archives the items of a tab, of a time, or of a list', async () => {
    const inbox = await newInbox();
    const bill = await inbox.deliver({ category: 'billing' });
    const urgent = await inbox.deliver({ tags: ['urgent'] });
    const plain = await inbox.deliver();
    const other = await newInbox();
    const foreign = await other.deliver();

    const read = await inbox.post('/notifications/mark-all-read', { category: 'billing' });
    expect(read.body).toEqual({ marked_count: 1, unread_count: 2 });
    const byId = await inbox.post('/notifications/mark-all-read', { ids: [plain, bill, foreign] });
    expect(byId.body).toEqual({ marked_count: 1, unread_count: 1 });
    expect((await other.get('/unread-count')).body.unread_count).toBe(1);

    const archived = await inbox.post('/notifications/archive-all', { status: 'read', category: 'billing' });
    expect(archived.body).toEqual({ archived_count: 1, unread_count: 1 });
    expect(await inbox.ids()).toEqual([plain, urgent]);
    expect((await inbox.post('/notifications/archive-all', { tag: 'urgent' })).body).toEqual({
      archived_count: 1,
      unread_count: 0,
    });
    expect(await inbox.ids()).toEqual([plain]);
    const { status, body } = await inbox.post('/notifications/archive-all', {
      ids: Array.from({ length: 501 }, () => plain),
    });
    expect([status, body.error.param]).toEqual([400, 'ids']);
  });
});
