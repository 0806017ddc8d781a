import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../test/harness/app.ts';
import { startWebhookSink } from '../../../test/simulators/webhook-sink.ts';
import { transaction } from '../../db/sql.ts';
import { newId } from '../../kernel/ids.ts';
import { insertItems } from './changes-store.ts';
import { mintToken } from './token.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

let users = 0;
const newUser = (): string => `user-${++users}`;

async function tokenFor(externalUserId: string, options: object = {}, key = app.testKey): Promise<string> {
  const body = { external_user_id: externalUserId, ...options };
  const { status, body: answer } = await app.request('POST', '/v1/inbox/tokens', { key, body });
  expect(status).toBe(201);
  return answer.token;
}

async function send(user: string, fields: object = {}, key = app.testKey): Promise<string> {
  const { status, body } = await app.request('POST', '/v1/notifications', {
    key,
    body: { channel: 'in_app', recipient: { external_user_id: user }, html_body: '<p>Hi</p>', ...fields },
  });
  expect([status, body.error]).toEqual([202, undefined]);
  return body.id;
}

async function deliver(user: string, fields: object = {}, key = app.testKey): Promise<string> {
  const id = await send(user, fields, key);
  await app.waitFor(id, ({ status }) => status === 'delivered');
  return id;
}

const get = (token: string, path: string) => app.request('GET', `/inbox/v1${path}`, { key: token });
const post = (token: string, path: string, body?: unknown) =>
  app.request('POST', `/inbox/v1${path}`, { key: token, body });

describe('an in_app notification', () => {
  test('may be plain text, and names the stored user', async () => {
    await app.request('PUT', '/v1/users/named', { body: { name: 'Ada Lovelace' } });
    for (const recipient of [{ external_user_id: 'named' }, { address: 'named' }]) {
      const body = { channel: 'in_app', recipient, text_body: 'It <rings>.' };
      const sent = await app.request('POST', '/v1/notifications', { body });
      expect([sent.status, sent.body.recipient]).toEqual([202, { address: 'named', name: 'Ada Lovelace' }]);
      expect(await app.waitFor(sent.body.id, ({ status }) => status === 'delivered')).toMatchObject({
        html_body: null,
        text_body: 'It <rings>.',
      });
    }
    const own = { external_user_id: 'named', name: 'Ada' };
    const body = { channel: 'in_app', recipient: own, html_body: '<p>Hi</p>', text_body: 'ignored' };
    const sent = await app.request('POST', '/v1/notifications', { body });
    expect(sent.body).toMatchObject({ recipient: { name: 'Ada' }, html_body: '<p>Hi</p>', text_body: null });
  });

  test('is delivered when it is in the feed, in Test and in Live', async () => {
    for (const key of [app.testKey, app.liveKey]) {
      const user = newUser();
      const id = await deliver(
        user,
        { subject: 'Hello', action_url: '/orders/1', template_data: { order: 1 } },
        key,
      );
      const token = await tokenFor(user, {}, key);
      const { status, body } = await get(token, '/feed');
      expect(status).toBe(200);
      expect(body).toEqual({
        data: [
          {
            id,
            subject: 'Hello',
            html_body: '<p>Hi</p>',
            text_body: null,
            action_url: '/orders/1',
            is_read: false,
            created_at: expect.stringMatching(/^\d{4}-.*Z$/),
            read_at: null,
            data: { order: 1 },
            category: null,
            tags: [],
            actions: [],
            action_taken: null,
            snoozed_until: null,
          },
        ],
        next_cursor: null,
        unread_count: 1,
      });
      const sent = await app.request('GET', `/v1/notifications/${id}`, { key });
      expect(sent.body.events.map(({ type }: { type: string }) => type)).toEqual([
        'Queued',
        'Sending',
        'Sent',
        'Delivered',
      ]);
    }
  });

  test('reaches the user named by address too, and in Test shows in the sandbox', async () => {
    const user = newUser();
    const id = await deliver('', { recipient: { address: user } });
    expect((await get(await tokenFor(user), '/feed')).body.data[0].id).toBe(id);
    const { body } = await app.request('GET', `/v1/sandbox/messages?notification_id=${id}`);
    expect(body.data).toEqual([
      expect.objectContaining({
        channel: 'in_app',
        to: user,
        payload: {
          ...{ subject: null, html_body: '<p>Hi</p>', text_body: null, action_url: null, data: {} },
          ...{ tags: [], actions: [] },
        },
      }),
    ]);
  });

  test('is sanitised on the way in', async () => {
    const user = newUser();
    const id = await deliver(user, {
      html_body: '<p onclick="x()">Hi<script>alert(1)</script> <a href="javascript:x()">there</a></p>',
    });
    const { body } = await get(await tokenFor(user), `/notifications/${id}`);
    expect(body.html_body).toBe('<p>Hi <a rel="noopener noreferrer nofollow">there</a></p>');
  });

  test('that leads to a script, or is too much to look at, is refused at once', async () => {
    const refusals: [object, string][] = [
      [{ action_url: 'javascript:alert(1)' }, 'action_url'],
      [{ action_url: '//evil.test' }, 'action_url'],
      [{ html_body: 'x'.repeat(262_145) }, 'html_body'],
      [{ html_body: '<b>'.repeat(10_001) }, 'html_body'],
      [{ html_body: null }, 'html_body'],
    ];
    for (const [fields, param] of refusals) {
      const { status, body } = await app.request('POST', '/v1/notifications', {
        body: { channel: 'in_app', recipient: { external_user_id: 'u' }, html_body: '<p>x</p>', ...fields },
      });
      expect([status, body.error?.param]).toEqual([400, param]);
    }
  });

  test('made by a template may be plain text, and its HTML is sanitised after rendering', async () => {
    const create = (key: string, body: object) =>
      app.request('POST', '/v1/templates', {
        body: { key, name: key, bodies: [{ channel: 'in_app', ...body }] },
      });
    expect(
      (await create('plain', { subject_template: 'Hi {{ name }}', text_template: '1 < {{ n }}' })).status,
    ).toBe(201);
    expect((await create('rich', { html_template: '<p>{{ html | raw }}</p>' })).status).toBe(201);
    const user = newUser();
    const template_data = { name: 'Ada', n: 2, html: '<img src=x onerror=alert(1)>' };
    const plain = await deliver(user, { html_body: null, template_key: 'plain', template_data });
    const rich = await deliver(user, { html_body: null, template_key: 'rich', template_data });
    const token = await tokenFor(user);
    expect((await get(token, `/notifications/${plain}`)).body).toMatchObject({
      subject: 'Hi Ada',
      html_body: null,
      text_body: '1 < 2',
      data: template_data,
    });
    expect((await get(token, `/notifications/${rich}`)).body.html_body).toBe('<p><img src="x" /></p>');

    const huge = await send(user, {
      html_body: null,
      template_key: 'rich',
      template_data: { html: '<b>'.repeat(10_001) },
    });
    const failed = await app.waitFor(huge, ({ status }) => status === 'failed');
    expect(failed.last_error).toBe('content_refused: The HTML must have at most 10000 tags.');
  });

  test('that was scheduled stands where it arrived, not where it was accepted', async () => {
    const user = newUser();
    const scheduled = await send(user, { send_at: new Date(Date.now() + 1_500).toISOString() });
    const early = await deliver(user);
    await app.waitFor(scheduled, ({ status }) => status === 'delivered');
    const { body } = await get(await tokenFor(user), '/feed');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([scheduled, early]);
  });

  test('leaves the inbox when it is deleted', async () => {
    const user = newUser();
    const id = await deliver(user);
    const token = await tokenFor(user);
    expect((await app.request('DELETE', `/v1/notifications/${id}`)).status).toBe(204);
    expect((await get(token, '/feed')).body).toEqual({ data: [], next_cursor: null, unread_count: 0 });
    expect((await get(token, `/notifications/${id}`)).status).toBe(404);
  });

  test('leaves the inbox when its user is erased', async () => {
    const user = newUser();
    const [first] = await Promise.all([deliver(user), deliver(user)]);
    await post(await tokenFor(user), `/notifications/${first}/archive`);
    expect((await app.request('DELETE', `/v1/users/${user}`)).status).toBe(204);
    const token = await tokenFor(user);
    expect((await get(token, '/feed')).body).toEqual({ data: [], next_cursor: null, unread_count: 0 });
    for (const table of ['inbox_items', 'inbox_events', 'inboxes']) {
      const { rows } = await app.pool.query(`select from ${table} where external_user_id = $1`, [user]);
      expect([table, rows.length]).toEqual([table, 0]);
    }
  });
});

describe('reading', () => {
  test('marks the item, and the first time says Opened on the notification', async () => {
    const user = newUser();
    const id = await deliver(user);
    const token = await tokenFor(user);
    const read = await post(token, `/notifications/${id}/read`);
    expect([read.status, read.body.is_read, read.body.id]).toEqual([200, true, id]);
    expect((await get(token, '/unread-count')).body).toEqual({ unread_count: 0 });
    const opened = ({ events }: { events: { type: string; occurred_at: string }[] }) =>
      events.filter(({ type }) => type === 'Opened');
    const first = await app.waitFor(id, (found) => opened(found).length > 0);
    expect(first.status).toBe('delivered');
    expect(opened(first)[0]?.occurred_at).toBe(read.body.read_at);

    expect((await post(token, `/notifications/${id}/read`)).body.read_at).toBe(read.body.read_at);
    const unread = await post(token, `/notifications/${id}/unread`);
    expect([unread.body.is_read, unread.body.read_at]).toEqual([false, null]);
    expect((await get(token, '/unread-count')).body).toEqual({ unread_count: 1 });
    await post(token, `/notifications/${id}/read`);
    // A later one of the same kind has come through, so the others would have too.
    const other = await deliver(user);
    await post(token, `/notifications/${other}/read`);
    await app.waitFor(other, (found) => opened(found).length > 0);
    expect(opened((await app.request('GET', `/v1/notifications/${id}`)).body)).toHaveLength(1);
  });

  test('tells webhook endpoints, once, that the notification was read', async () => {
    const sink = await startWebhookSink();
    const { status, body: endpoint } = await app.request('POST', '/v1/webhook-endpoints', {
      body: { url: sink.url('/read'), event_filters: ['notification.read', 'notification.opened'] },
    });
    expect(status).toBe(201);
    const user = newUser();
    const id = await deliver(user);
    const token = await tokenFor(user);
    for (const verb of ['read', 'unread', 'read']) await post(token, `/notifications/${id}/${verb}`);
    const last = await deliver(user);
    await post(token, `/notifications/${last}/read`);
    const told = await waitUntil(async () => {
      const bodies = sink.received.map(({ body }) => body);
      return bodies.some(({ data }) => data.id === last) ? bodies : new Error(`${bodies.length} calls`);
    });
    expect(told.map(({ type, data }) => `${type} ${data.id}`).sort()).toEqual([
      `notification.read ${id}`,
      `notification.read ${last}`,
    ]);
    await app.request('DELETE', `/v1/webhook-endpoints/${endpoint.id}`);
    await sink.stop();
  });

  test('all at once counts what it marked, and leaves what came later', async () => {
    const user = newUser();
    const token = await tokenFor(user);
    const first = await deliver(user);
    await deliver(user);
    const { body: feed } = await get(token, '/feed');
    const before = feed.data[0].created_at;
    expect((await post(token, '/notifications/mark-all-read', { before })).body).toEqual({
      marked_count: 1,
      unread_count: 1,
    });
    expect((await get(token, `/notifications/${first}`)).body.is_read).toBe(true);
    expect((await post(token, '/notifications/mark-all-read')).body).toEqual({
      marked_count: 1,
      unread_count: 0,
    });
    expect((await post(token, '/notifications/mark-all-read', {})).body).toEqual({
      marked_count: 0,
      unread_count: 0,
    });
    await app.waitFor(first, ({ events }) => events.some(({ type }: { type: string }) => type === 'Opened'));
    const bad = await post(token, '/notifications/mark-all-read', { before: 'yesterday' });
    expect([bad.status, bad.body.error.param]).toEqual([400, 'before']);
  });

  test('ten thousand items at once is one request', async () => {
    const owner = { environmentId: app.testEnvironmentId, externalUserId: newUser() };
    const extras = { category: null, tags: [], actions: [] };
    const blank = {
      subject: null,
      htmlBody: '<p>x</p>',
      textBody: null,
      actionUrl: null,
      data: {},
      ...extras,
    };
    const items = Array.from({ length: 10_500 }, () => ({ ...owner, ...blank, id: newId() }));
    await transaction(app.pool, (tx) => insertItems(tx, items, Date.now()));
    const { status, body } = await post(await tokenFor(owner.externalUserId), '/notifications/mark-all-read');
    expect([status, body]).toEqual([200, { marked_count: 10_500, unread_count: 0 }]);
  });

  test('archived items leave the feed and the count, and can still be got', async () => {
    const user = newUser();
    const token = await tokenFor(user);
    const id = await deliver(user);
    expect((await post(token, `/notifications/${id}/archive`)).status).toBe(200);
    expect((await get(token, '/feed')).body).toEqual({ data: [], next_cursor: null, unread_count: 0 });
    expect((await get(token, `/notifications/${id}`)).body.id).toBe(id);
    await post(token, `/notifications/${id}/read`);
    await post(token, `/notifications/${id}/unread`);
    expect((await get(token, '/unread-count')).body).toEqual({ unread_count: 0 });
  });
});

describe('the feed', () => {
  test('is paged by keyset, newest first, and by status', async () => {
    const user = newUser();
    const token = await tokenFor(user);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.unshift(await deliver(user));
    await post(token, `/notifications/${ids[1]}/read`);
    await post(token, `/notifications/${ids[3]}/read`);
    const pageThrough = async (status: string): Promise<string[]> => {
      const seen: string[] = [];
      let cursor = '';
      do {
        const { body } = await get(token, `/feed?status=${status}&limit=2${cursor && `&cursor=${cursor}`}`);
        expect(body.unread_count).toBe(3);
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        cursor = body.next_cursor ?? '';
      } while (cursor);
      return seen;
    };
    expect(await pageThrough('all')).toEqual(ids);
    expect(await pageThrough('read')).toEqual([ids[1], ids[3]]);
    expect(await pageThrough('unread')).toEqual([ids[0], ids[2], ids[4]]);
  });

  test('ends a page early rather than answer with megabytes', async () => {
    const user = newUser();
    const large = `<p>${'x'.repeat(250_000)}</p>`;
    await Promise.all(Array.from({ length: 12 }, () => deliver(user, { html_body: large })));
    const token = await tokenFor(user);
    const { body } = await get(token, '/feed?limit=100');
    expect(body.data.length).toBeLessThan(12);
    const rest = await get(token, `/feed?limit=100&cursor=${body.next_cursor}`);
    expect(body.data.length + rest.body.data.length).toBe(12);
    expect(rest.body.next_cursor).toBe(null);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['status=new', 'status'],
    ['cursor=nonsense', 'cursor'],
  ])('refuses ?%s', async (search, param) => {
    const { status, body } = await get(await tokenFor('user'), `/feed?${search}`);
    expect([status, body.error.param]).toEqual([400, param]);
  });

  test('of somebody else cannot be reached', async () => {
    const [mine, theirs] = [newUser(), newUser()];
    const id = await deliver(theirs);
    const token = await tokenFor(mine);
    const live = await tokenFor(theirs, {}, app.liveKey); // the same name in another environment
    const theirFeed = await get(await tokenFor(theirs), '/feed?limit=1');
    await deliver(theirs);
    const { body: page } = await get(await tokenFor(theirs), '/feed?limit=1');
    for (const stranger of [token, live]) {
      expect((await get(stranger, '/feed')).body.data).toEqual([]);
      expect((await get(stranger, `/notifications/${id}`)).status).toBe(404);
      for (const verb of ['read', 'unread', 'archive']) {
        const { status, body } = await post(stranger, `/notifications/${id}/${verb}`);
        expect([verb, status, body.error.code]).toEqual([verb, 404, 'resource_not_found']);
      }
      expect((await post(stranger, '/notifications/mark-all-read')).body.marked_count).toBe(0);
      expect((await get(stranger, `/feed?cursor=${page.next_cursor}`)).body.error.code).toBe(
        'invalid_cursor',
      );
    }
    expect(theirFeed.body.unread_count).toBe(1);
    expect((await get(await tokenFor(theirs), '/unread-count')).body.unread_count).toBe(2);
  });
});

describe('tokens', () => {
  test('say whom they stand for', async () => {
    const token = await tokenFor('ada', { scope: 'inbox', ttl_seconds: 60 });
    const { status, body } = await post(token, '/tokens/verify');
    expect(status).toBe(200);
    expect(body).toEqual({
      external_user_id: 'ada',
      organization_id: (await app.request('GET', '/v1/me')).body.organization_id,
      environment_id: app.testEnvironmentId,
      scopes: ['inbox'],
      expires_at: expect.stringMatching(/Z$/),
    });
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now() + 50_000);
    expect(Date.parse(body.expires_at)).toBeLessThan(Date.now() + 70_000);
  });

  test.each([
    [{}, 'external_user_id'],
    [{ external_user_id: '' }, 'external_user_id'],
    [{ external_user_id: 'x'.repeat(256) }, 'external_user_id'],
    [{ external_user_id: 'a\u0000b' }, 'external_user_id'],
    [{ external_user_id: 'a', scope: 'admin' }, 'scope'],
    [{ external_user_id: 'a', ttl_seconds: 59 }, 'ttl_seconds'],
    [{ external_user_id: 'a', ttl_seconds: 86_401 }, 'ttl_seconds'],
    [{ external_user_id: 'a', ttl_seconds: '60' }, 'ttl_seconds'],
  ])('are not made for %j', async (body, param) => {
    const { status, body: answer } = await app.request('POST', '/v1/inbox/tokens', { body });
    expect([status, answer.error.param]).toEqual([400, param]);
  });

  test('of one scope do not open the other', async () => {
    const inbox = await tokenFor('ada', { scope: 'inbox' });
    const prefs = await tokenFor('ada', { scope: 'prefs' });
    for (const [token, path, scope] of [
      [inbox, '/preferences', 'prefs'],
      [prefs, '/feed', 'inbox'],
      [prefs, '/stream', 'inbox'],
    ] as const) {
      const { status, body } = await get(token, path);
      expect([path, status, body.error.code]).toEqual([path, 403, 'insufficient_scope']);
      expect(body.error.message).toContain(scope);
    }
  });

  test('are not API keys, nor API keys tokens', async () => {
    const token = await tokenFor('ada');
    expect((await app.request('GET', '/v1/notifications', { key: token })).body.error.code).toBe(
      'invalid_credentials',
    );
    expect((await get(app.testKey, '/feed')).body.error.code).toBe('invalid_credentials');
    const { status, headers } = await app.request('GET', '/inbox/v1/feed', { key: null });
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  test('signed with a key that was rotated work for the overlap, and the new key works at once', async () => {
    const before = await tokenFor('ada');
    const rotate = (environmentId: string, body?: object) =>
      app.request('POST', `/v1/environments/${environmentId}/inbox-key/rotate`, { body });
    const { status, body } = await rotate(app.testEnvironmentId);
    expect(status).toBe(200);
    expect(body.signing_key).toMatch(/^csi_[0-9A-Za-z]{43}$/);
    expect(Date.parse(body.previous_valid_until)).toBeGreaterThan(Date.now() + 86_000_000);
    const minted = await mintToken(
      body.signing_key,
      { environmentId: app.testEnvironmentId, externalUserId: 'ada', scope: 'inbox', ttlSeconds: 900 },
      Date.now(),
    );
    const after = await tokenFor('ada');
    for (const token of [before, minted.token, after]) expect((await get(token, '/feed')).status).toBe(200);

    // The key of one environment signs nothing for the other.
    const forged = await mintToken(
      body.signing_key,
      { environmentId: app.liveEnvironmentId, externalUserId: 'ada', scope: 'inbox', ttlSeconds: 900 },
      Date.now(),
    );
    expect((await get(forged.token, '/feed')).body.error.code).toBe('invalid_credentials');
    expect((await rotate(app.liveEnvironmentId)).status).toBe(404);

    await rotate(app.testEnvironmentId, { overlap_seconds: 0 });
    await waitUntil(async () => {
      const { status } = await get(before, '/feed');
      return status === 401 ? status : new Error(String(status));
    });
    expect((await get(await tokenFor('ada'), '/feed')).status).toBe(200);
    const { body: audit } = await app.request('GET', '/v1/audit-log');
    expect(JSON.stringify(audit)).toContain('inbox_key.rotated');
    expect(JSON.stringify(audit)).not.toContain('csi_');
  });

  test('of many first callers come from one key', async () => {
    await app.pool.query('delete from inbox_keys where environment_id = $1', [app.liveEnvironmentId]);
    const tokens = await Promise.all(Array.from({ length: 20 }, () => tokenFor('ada', {}, app.liveKey)));
    for (const token of tokens) expect((await get(token, '/feed')).status).toBe(200);
    const { rows } = await app.pool.query('select from inbox_keys where environment_id = $1', [
      app.liveEnvironmentId,
    ]);
    expect(rows).toHaveLength(1);
  });
});

describe('pages from anywhere', () => {
  test('may call the inbox, without cookies', async () => {
    const preflight = await fetch(`${app.url}/inbox/v1/notifications/x/read`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
    expect(preflight.headers.get('access-control-allow-credentials')).toBe(null);
    for (const path of ['/inbox/v1/feed', '/inbox/v1/nowhere']) {
      const { headers } = await app.request('GET', path, { key: null });
      expect([path, headers.get('access-control-allow-origin')]).toEqual([path, '*']);
    }
    const { headers } = await app.request('GET', '/v1/me');
    expect(headers.get('access-control-allow-origin')).toBe(null);
  });
});

describe('the preference centre', () => {
  test('lets users decide for themselves, and for nobody else', async () => {
    for (const category of [
      { key: 'news', name: 'News', default_channels: ['email', 'in_app'] },
      { key: 'security', name: 'Security', default_channels: ['email'], is_critical: true },
    ])
      expect((await app.request('POST', '/v1/preferences/categories', { body: category })).status).toBe(201);
    const token = await tokenFor('grace', { scope: 'prefs' });
    const cell = async (category: string, channel: string, as = token) =>
      (await get(as, '/preferences')).body.data.find(
        (found: { category_key: string; channel: string }) =>
          found.category_key === category && found.channel === channel,
      );
    expect(await cell('news', 'in_app')).toMatchObject({ opted_in: true, source: 'default' });
    expect((await get(token, '/preferences')).body.categories).toContainEqual({
      key: 'news',
      name: 'News',
      description: null,
      default_channels: ['email', 'in_app'],
    });
    const patch = (path: string, body: unknown) =>
      app.request('PATCH', `/inbox/v1/preferences/${path}`, { key: token, body });
    expect((await patch('news/in-app', { opted_in: false })).body).toMatchObject({
      category_key: 'news',
      channel: 'in_app',
      opted_in: false,
      source: 'recipient',
    });
    expect((await patch('security/email', { opted_in: false })).body.error.code).toBe('category_critical');
    expect((await patch('nothing/email', { opted_in: false })).status).toBe(404);
    expect((await patch('news/pigeon', { opted_in: false })).status).toBe(400);
    expect((await patch('news/email', {})).body.error.param).toBe('opted_in');

    expect(await cell('news', 'email')).toMatchObject({ opted_in: true });
    const { status, body } = await post(token, '/preferences/unsubscribe-all');
    expect(status).toBe(200);
    for (const { category_key, opted_in, source } of body.data) {
      if (category_key === 'news') expect([opted_in, source]).toEqual([false, 'recipient']);
    }
    expect(await cell('security', 'email')).toMatchObject({ opted_in: true });
    expect(await cell('news', 'email', await tokenFor('ada', { scope: 'prefs' }))).toMatchObject({
      opted_in: true,
    });

    const suppressed = await send('grace', { category: 'news' });
    const { suppression_reason } = await app.waitFor(suppressed, ({ status: now }) => now === 'suppressed');
    expect(suppression_reason).toBe('category_opt_out');
  });
});
