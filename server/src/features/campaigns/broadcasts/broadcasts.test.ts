import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { managedEmail, startTestApp, type TestApp, waitUntil } from '../../../../test/harness/app.ts';
import { query, transaction } from '../../../db/sql.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: managedEmail });
  await app.request('POST', '/v1/preferences/categories', {
    body: { key: 'news', name: 'News', default_channels: ['email', 'sms', 'in_app'] },
  });
  await app.request('POST', '/v1/templates', {
    body: {
      key: 'release',
      name: 'Release',
      bodies: [
        {
          channel: 'email',
          subject_template: 'Hello {{ user.name }}',
          html_template: '<p>{{ version }} for {{ user.attributes.plan }}</p>',
        },
        { channel: 'sms', text_template: '{{ version }}' },
        { channel: 'in_app', text_template: '{{ version }}' },
      ],
    },
  });
});
afterAll(() => app.stop());

let topics = 0;
const nextTopic = (): string => {
  topics += 1;
  return `topic${topics}`;
};

/** A topic with these users, named after it. */
async function topicOf(users: Record<string, object>): Promise<string> {
  const key = nextTopic();
  await app.request('POST', '/v1/topics', { body: { key, name: key } });
  for (const [id, body] of Object.entries(users))
    await app.request('PUT', `/v1/users/${key}-${id}`, { body });
  const external_user_ids = Object.keys(users).map((id) => `${key}-${id}`);
  await app.request('POST', `/v1/topics/${key}/subscribers`, { body: { external_user_ids } });
  return key;
}

/** A topic with so many users, of whom each or one of `every` has an email address. */
async function crowdOf(count: number, every = 1): Promise<string> {
  const key = nextTopic();
  await app.request('POST', '/v1/topics', { body: { key, name: key } });
  await query(
    app.pool,
    `with users as (
       insert into end_users (environment_id, external_user_id, email)
       select $1, $2 || '-' || lpad(n::text, 6, '0'), case when n % $4 = 0 then $2 || n || '@example.com' end
       from generate_series(1, $3) n
       returning external_user_id)
     insert into topic_subscribers (topic_id, external_user_id, environment_id)
     select t.id, u.external_user_id, $1 from users u, topics t where t.environment_id = $1 and t.key = $2`,
    [app.testEnvironmentId, key, count, every],
  );
  return key;
}

const inline = { channels: ['email'], subject: 'Hi', text_body: 'Hello', name: 'Test' };
const create = (body: object, headers: Record<string, string> = {}, key = app.testKey) =>
  app.request('POST', '/v1/broadcasts', { body: { ...inline, ...body }, headers, key });
const dryRun = (body: object) =>
  app.request('POST', '/v1/broadcasts/dry-run', { body: { ...inline, ...body } });
const get = async (id: string) => (await app.request('GET', `/v1/broadcasts/${id}`)).body;
const act = (id: string, action: string) => app.request('POST', `/v1/broadcasts/${id}/${action}`);
const ended = (id: string, status = 'done') =>
  waitUntil(async () => {
    const broadcast = await get(id);
    return broadcast.status === status ? broadcast : new Error(JSON.stringify(broadcast));
  }, 40_000);
const recipientsOf = (id: string) =>
  query<{ user: string; channel: string; status: string; reason: string | null; send_at: Date | null }>(
    app.pool,
    `select external_user_id as user, channel, status, suppression_reason as reason, send_at from notifications
     where broadcast_id = $1 order by external_user_id`,
    [id],
  );

describe('a broadcast', () => {
  test('reaches every user of its audience once, and counts what happened', async () => {
    const topic = await topicOf({
      ada: { email: 'ada@example.com', name: 'Ada', attributes: { plan: 'pro' } },
      bob: { email: 'bounced@sandbox.test' },
      eve: { phone: '+14155550100' }, // has no email address
      opt: { email: 'opt@example.com' },
    });
    await app.request('PATCH', `/v1/preferences/users/${topic}-opt/news/email`, {
      body: { opted_in: false },
    });
    const body = {
      audience: { topic },
      template_key: 'release',
      template_data: { version: 'v4' },
      category: 'news',
    };
    const made = await create({ ...body, subject: undefined, text_body: undefined });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'Test', status: 'preparing', audience: { topic }, progress: { total: 0, done: 0 } },
    });
    const done = await ended(made.body.id);
    expect(done.progress).toMatchObject({ total: 4, done: 4, skipped: 1, estimated_end_at: null });
    expect(Object.values(done.progress.counts).reduce((sum: number, n) => sum + Number(n), 0)).toBe(3);
    await waitUntil(async () => {
      const { counts } = (await get(made.body.id)).progress;
      const expected = { delivered: 1, bounced: 1, suppressed: 1 };
      return JSON.stringify(Object.entries(counts).sort()) === JSON.stringify(Object.entries(expected).sort())
        ? true
        : new Error(JSON.stringify(counts));
    }, 20_000);
    const rows = await recipientsOf(made.body.id);
    expect(rows.map(({ user }) => user)).toEqual([`${topic}-ada`, `${topic}-bob`, `${topic}-opt`]);
    expect(rows[2]).toMatchObject({ status: 'suppressed', reason: 'category_opt_out' });
    const { body: sent } = await app.request('GET', `/v1/notifications?broadcast_id=${made.body.id}&limit=5`);
    expect(sent.data).toHaveLength(3);
    const ada = sent.data.find(
      (n: { recipient: { address: string } }) => n.recipient.address === 'ada@example.com',
    );
    expect(ada).toMatchObject({
      subject: 'Hello Ada',
      html_body: '<p>v4 for pro</p>',
      priority: 'bulk',
      broadcast_id: made.body.id,
      recipient: { name: 'Ada' },
    });
  });

  test('falls back to the next channel that the user has an address on and has not opted out of', async () => {
    const email = 'x@example.com';
    const phone = '+14155550101';
    const topic = await topicOf({
      both: { email, phone },
      phone: { phone },
      none: {},
      optedout: { email, phone },
      bounced: { email: 'listed@example.com', phone },
      never: { email },
    });
    for (const user of ['optedout', 'never'])
      await app.request('PATCH', `/v1/preferences/users/${topic}-${user}/news/email`, {
        body: { opted_in: false },
      });
    await app.request('POST', '/v1/suppressions', { body: { address: 'listed@example.com' } });
    const { body } = await create({ audience: { topic }, channels: ['email', 'sms'], category: 'news' });
    expect(body).toMatchObject({ status: 'preparing' });
    const done = await ended(body.id);
    expect(done.progress).toMatchObject({ total: 6, skipped: 1 });
    const rows = await recipientsOf(body.id);
    expect(Object.fromEntries(rows.map((row) => [row.user.split('-')[1], row.channel]))).toEqual({
      both: 'email',
      phone: 'sms',
      optedout: 'sms',
      bounced: 'sms',
      never: 'email', // suppressed there, with its reason
    });
    const all = await create({ audience: { topic }, channels: ['email', 'in_app'], template_key: 'release' });
    expect((await ended(all.body.id)).progress.skipped).toBe(0);
  });

  test('is started once for an Idempotency-Key, also by requests at the same time', async () => {
    const topic = await crowdOf(3);
    const headers = { 'Idempotency-Key': 'launch' };
    const answers = await Promise.all([1, 2, 3].map(() => create({ audience: { topic } }, headers)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const other = await create({ audience: { topic }, name: 'Other' }, headers);
    expect(other.body.error.code).toBe('idempotency_key_reused');
    const id = answers[0]?.body.id;
    await ended(id);
    await app.request('DELETE', `/v1/topics/${topic}`);
    expect((await create({ audience: { topic } }, headers)).body.id).toBe(id);
    expect(await recipientsOf(id)).toHaveLength(3);
  });

  test('refuses the recipient of a single send, and keeps its content in one place', async () => {
    const topic = await crowdOf(1);
    const refused = await create({ audience: { topic }, recipient: null });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'recipient']);
    const { status, body } = await create({ audience: { topic } });
    expect(status).toBe(201);
    const [row] = await query(app.pool, 'select request from broadcasts where id = $1', [body.id]);
    expect(row).toEqual({ request: { audience: { topic }, send_at: null } });
  });

  test('goes on when its template is deleted meanwhile', async () => {
    await app.request('POST', '/v1/templates', {
      body: {
        key: 'gone',
        name: 'Gone',
        bodies: [{ channel: 'email', subject_template: 'S', text_template: 'T' }],
      },
    });
    const topic = await crowdOf(1_200);
    const body = {
      audience: { topic },
      template_key: 'gone',
      send_at: new Date(Date.now() + 1_500).toISOString(),
    };
    const made = await create({ ...body, subject: undefined, text_body: undefined });
    expect(made.body.status).toBe('scheduled');
    expect((await app.request('DELETE', '/v1/templates/gone')).status).toBe(204);
    const done = await ended(made.body.id);
    expect(done.progress).toMatchObject({ total: 1_200, done: 1_200 });
    const rows = await recipientsOf(made.body.id);
    expect([rows.length, new Set(rows.map(({ user }) => user)).size]).toEqual([1_200, 1_200]);
    expect(rows.filter(({ status }) => status === 'failed')).toEqual([]);
  }, 60_000);

  test('can be started by another feature, in its transaction', async () => {
    const topic = await crowdOf(2);
    const sender = {
      kind: 'job',
      environmentId: app.testEnvironmentId,
      environmentKind: 'test',
      organizationId: (await app.request('GET', '/v1/me')).body.organization_id,
      plan: 'unmetered',
    } as const;
    const definition = { ...inline, channels: ['email' as const], audience: { topic } };
    const { broadcasts } = app.services;
    const checked = await broadcasts.check(sender, definition);
    const start = (fails: boolean) =>
      transaction(app.pool, async (tx) => {
        await broadcasts.start(tx, checked);
        if (fails) throw new Error('planted');
      });
    await expect(start(true)).rejects.toThrow('planted');
    await start(false);
    const { id } = checked;
    app.services.queue.ring('broadcast');
    expect((await ended(id)).progress.done).toBe(2);
  });

  test('counts for the limits of the key that started it', async () => {
    const topic = await crowdOf(3);
    const made = await app.request('POST', '/v1/api-keys', { body: { name: 'Loop', preset: 'full_access' } });
    const { id, key } = made.body;
    const limit = {
      name: 'Two',
      match: { key_id: id },
      scope: 'key',
      window: 'day',
      limit: 2,
      action: 'suppress',
    };
    expect((await app.request('PUT', '/v1/brake/rules/of_key', { body: limit })).status).toBe(201);
    const body = { ...inline, audience: { topic } };
    const dry = await app.request('POST', '/v1/broadcasts/dry-run', { body, key });
    expect(dry.body).toMatchObject({ would_send: 2, suppressed: { frequency_capped: 1 } });
    const limited = await create(body, {}, key);
    await ended(limited.body.id);
    const other = await create(body);
    await ended(other.body.id);
    const suppressed = async (broadcast: string) =>
      (await recipientsOf(broadcast)).filter(({ reason }) => reason === 'frequency_capped').length;
    expect([await suppressed(limited.body.id), await suppressed(other.body.id)]).toEqual([1, 0]);
    await app.request('DELETE', '/v1/brake/rules/of_key');
  });

  test('tells webhook endpoints when it is done', async () => {
    const endpoint = await app.request('POST', '/v1/webhook-endpoints', {
      body: { url: `${app.url}/nowhere`, event_filters: ['broadcast.completed'] },
    });
    expect(endpoint.status).toBe(201);
    const { body } = await create({ audience: { topic: await crowdOf(1) } });
    await ended(body.id);
    const events = await query<{ body: string }>(
      app.pool,
      `select body from webhook_events where type = 'broadcast.completed'`,
    );
    const found = events
      .map((event) => JSON.parse(event.body).data.broadcast)
      .find(({ id }) => id === body.id);
    expect(found).toMatchObject({ status: 'done', progress: { done: 1 } });
    await app.request('DELETE', `/v1/webhook-endpoints/${endpoint.body.id}`);
  });
});

describe('a dry run', () => {
  test('counts, judges and renders, and sends nothing', async () => {
    const clock = (offsetMs: number) => new Date(Date.now() + offsetMs).toISOString().slice(11, 16);
    const topic = await topicOf({
      a: { email: 'a@example.com', name: 'Ann', attributes: { plan: 'pro' } },
      b: { email: 'on-list@example.com' },
      c: { email: 'c@example.com' },
      d: { email: 'd@example.com' },
      e: {},
    });
    await app.request('POST', '/v1/suppressions', { body: { address: 'on-list@example.com' } });
    await app.request('PATCH', `/v1/preferences/users/${topic}-c/news/email`, { body: { opted_in: false } });
    await app.request('PUT', `/v1/preferences/users/${topic}-d/quiet-hours`, {
      body: { start_local: clock(-3_600_000), end_local: clock(3_600_000), timezone: 'UTC' },
    });
    const body = {
      audience: { topic },
      template_key: 'release',
      template_data: { version: 'v4' },
      category: 'news',
    };
    const run = await dryRun({ ...body, subject: undefined, text_body: undefined });
    expect(run).toMatchObject({
      status: 200,
      body: {
        count: 5,
        is_capped: false,
        is_everybody: false,
        checked: 5,
        would_send: 2,
        channels: { email: 4 },
        skipped: 1,
        suppressed: { manual_add: 1, category_opt_out: 1 },
        delayed: { quiet_hours: 1 },
      },
    });
    expect(run.body.samples).toHaveLength(2);
    expect(run.body.samples[0]).toEqual({
      external_user_id: `${topic}-a`,
      channel: 'email',
      address: 'a@example.com',
      send_at: null,
      subject: 'Hello Ann',
      html_body: '<p>v4 for pro</p>',
      text_body: expect.stringContaining('v4 for pro'),
      undefined_variables: [],
      error: null,
    });
    const [row] = await query(app.pool, 'select from notifications where external_user_id = $1', [
      `${topic}-a`,
    ]);
    expect(row).toBeUndefined();
  });

  test('counts what the rules of the brake would stop, and uses up none of their limits', async () => {
    await app.request('POST', '/v1/preferences/categories', {
      body: { key: 'offers', name: 'Offers', default_channels: ['email'] },
    });
    const rule = (key: string, body: object) =>
      app.request('PUT', `/v1/brake/rules/${key}`, {
        body: { name: key, match: { category: 'offers' }, window: 'day', ...body },
      });
    await rule('offers_cap', { scope: 'recipient', limit: 1, action: 'suppress' });
    const email = (name: string) => ({ email: `${name}@offers.example` });
    const topic = await topicOf({ a: email('a'), b: email('b'), c: email('c'), d: email('d') });
    const recipient = { external_user_id: `${topic}-a` };
    const send = { channel: 'email', recipient, category: 'offers', subject: 'Hi', text_body: 'Hi' };
    const { id } = (await app.request('POST', '/v1/notifications', { body: send })).body;
    await waitUntil(async () => {
      const { status } = (await app.request('GET', `/v1/notifications/${id}`)).body;
      return status === 'delivered' || new Error(status);
    });
    await rule('offers_limit', { scope: 'category', limit: 2, action: 'hold' });
    const offers = { audience: { topic }, category: 'offers' };
    for (let runs = 0; runs < 2; runs += 1)
      expect((await dryRun(offers)).body).toMatchObject({
        would_send: 2,
        suppressed: { frequency_capped: 1 },
        delayed: {},
        held: { offers_limit: 1 },
      });
    await rule('offers_limit', { scope: 'category', limit: 2, action: 'delay' });
    expect((await dryRun(offers)).body).toMatchObject({ would_send: 3, delayed: { brake: 1 }, held: {} });
    const tomorrow = new Date(Date.now() + 26 * 3_600_000).toISOString();
    expect((await dryRun({ ...offers, send_at: tomorrow })).body.suppressed).toEqual({}); // the window has passed
  });

  test('judges an even sample of a large audience', async () => {
    const topic = await crowdOf(25_000);
    const limit = { name: 'Half', scope: 'environment', window: 'day', limit: 12_500, action: 'hold' };
    await app.request('PUT', '/v1/brake/rules/half', { body: limit });
    const limited = (await dryRun({ audience: { topic } })).body;
    expect(limited.held.half / limited.checked).toBeCloseTo(0.5, 1);
    await app.request('DELETE', '/v1/brake/rules/half');
    const { body } = await dryRun({ audience: { topic } });
    expect(body.count).toBe(25_000);
    expect(body.checked).toBeGreaterThan(7_000);
    expect(body.checked).toBeLessThan(10_000);
    expect(body.would_send).toBe(body.checked);
    expect(body.samples).toHaveLength(5);
  }, 30_000);
});

test.each<[object, string]>([
  [{ audience: { all: true } }, 'audience.confirm'],
  [{ audience: { filter: {} } }, 'audience.confirm'],
  [{ audience: { filter: { topics_none: [] } } }, 'audience.confirm'],
  [{ audience: { topic: 'no-such-topic' } }, 'audience'],
  [{ audience: {} }, 'audience'],
  [{ audience: { topic: 'topic1' }, channels: [] }, 'channels'],
  [{ audience: { topic: 'topic1' }, channels: ['email', 'email'] }, 'channels'],
  [{ audience: { topic: 'topic1' }, channels: ['webhook'] }, 'channels[0]'],
  [{ audience: { topic: 'topic1' }, template_key: 'missing' }, 'template_key'],
  [{ audience: { topic: 'topic1' }, category: 'missing' }, 'category'],
  [{ audience: { topic: 'topic1' }, attachments: [] }, 'attachments'],
  [{ audience: { topic: 'topic1' }, subject: '', text_body: '' }, 'subject'],
  [{ audience: { topic: 'topic1' }, rate_per_second: 0 }, 'rate_per_second'],
  [{ audience: { topic: 'topic1' }, rate_per_second: 1e12 }, 'rate_per_second'],
  [{ audience: { topic: 'topic1' }, timezone: 'Mars/Olympus' }, 'timezone'],
  [{ audience: { topic: 'topic1' }, send_at: '2099-01-01T00:00:00Z' }, 'send_at'],
  [{ audience: { topic: 'topic1' }, send_at_local: '2020-01-01T09:00' }, 'send_at_local'],
  [{ audience: { topic: 'topic1' }, send_at_local: '2026-02-30T09:00' }, 'send_at_local'],
  [{ audience: { topic: 'topic1' }, send_at_local: '2026-13-01T09:00' }, 'send_at_local'],
  [{ audience: { topic: 'topic1' }, send_at_local: '2026-00-01T09:00' }, 'send_at_local'],
  [{ audience: { topic: 'topic1' }, send_at_local: '9 o’clock' }, 'send_at_local'],
])('%j is refused', async (body, param) => {
  const answer = await create(body);
  expect([answer.status, answer.body.error?.param]).toEqual([400, param]);
});

describe('control', () => {
  test('a paused broadcast sends nothing, and a resumed one reaches everyone once', async () => {
    const topic = await crowdOf(1_500);
    const { body } = await create({ audience: { topic }, rate_per_second: 500 });
    await waitUntil(async () => (await recipientsOf(body.id)).length > 0 || new Error('none yet'));
    const pauses = await Promise.all([act(body.id, 'pause'), act(body.id, 'pause')]);
    expect(pauses.map(({ status, body: { status: state } }) => [status, state])).toEqual([
      [200, 'paused'],
      [200, 'paused'],
    ]);
    const created = (await recipientsOf(body.id)).length;
    expect(created).toBeLessThan(1_500);
    expect((await get(body.id)).progress.estimated_end_at).toBeNull();
    await waitUntil(async () => {
      const work = await query(
        app.pool,
        `select from queue_ready where note->>'broadcastId' = $1 union all
         select from queue_later where note->>'broadcastId' = $1 union all
         select from queue_leased where note->>'broadcastId' = $1`,
        [body.id],
      );
      return work.length === 0 || new Error('a slice is left');
    });
    expect((await recipientsOf(body.id)).length).toBe(created);
    const resumed = await Promise.all([act(body.id, 'resume'), act(body.id, 'resume')]);
    expect(resumed.map(({ body: { status } }) => status)).toEqual(['running', 'running']);
    const done = await ended(body.id);
    expect(done.progress).toMatchObject({ total: 1_500, done: 1_500, counts: { delivered: 1_500 } });
    const users = (await recipientsOf(body.id)).map(({ user }) => user);
    expect([users.length, new Set(users).size]).toEqual([1_500, 1_500]);
    expect((await act(body.id, 'pause')).body.error.code).toBe('broadcast_ended');
  }, 60_000);

  test('a rate limit is that of the recipients, however many users have no address', async () => {
    const topic = await crowdOf(3_000, 20);
    const { body } = await create({ audience: { topic }, rate_per_second: 100 });
    const { progress } = await ended(body.id);
    expect(progress).toMatchObject({ total: 3_000, done: 3_000, skipped: 2_850 });
    const rows = await query<{ at: number }>(
      app.pool,
      `select ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint::float8 as at
       from notifications where broadcast_id = $1 order by id`,
      [body.id],
    );
    expect(rows).toHaveLength(150);
    const tookMs = (rows.at(-1)?.at ?? 0) - (rows[0]?.at ?? 0);
    expect(tookMs).toBeGreaterThan(900); // the last 50 a second after the first 50
    expect(tookMs).toBeLessThan(6_000); // 50 users each half a second took 30 s
  }, 60_000);

  test('what is in the queue waits while the broadcast is paused', async () => {
    const topic = await crowdOf(50);
    const soon = new Date(Date.now() + 3_600_000).toISOString().slice(0, 16);
    const { body } = await create({ audience: { topic }, send_at_local: soon });
    await waitUntil(async () => (await recipientsOf(body.id)).length === 50 || new Error('not yet'));
    await act(body.id, 'pause');
    await query(app.pool, `update notifications set send_at = null where broadcast_id = $1`, [body.id]);
    await query(
      app.pool,
      `update queue_later set run_at = now() where id in (select id from notifications where broadcast_id = $1)`,
      [body.id],
    );
    const waits = () =>
      query(app.pool, 'select from queue_later where waits_for = $1', [`broadcast:${body.id}`]);
    await waitUntil(async () => (await waits()).length === 50 || new Error('not yet'));
    expect((await get(body.id)).progress.counts).toEqual({ queued: 50 });
    await act(body.id, 'resume');
    expect((await ended(body.id)).progress.done).toBe(50);
  }, 60_000);

  test('a cancelled broadcast suppresses what is in the queue, also what waits for a local time', async () => {
    const topic = await crowdOf(600);
    const tomorrow = new Date(Date.now() + 40 * 3_600_000).toISOString().slice(0, 16);
    const local = await create({ audience: { topic }, send_at_local: tomorrow });
    expect(local.body.status).toBe('scheduled');
    await query(app.pool, `update broadcasts set starts_at = now() where id = $1`, [local.body.id]);
    await query(app.pool, `update queue_later set run_at = now() where note->>'broadcastId' = $1`, [
      local.body.id,
    ]);
    await waitUntil(async () => (await recipientsOf(local.body.id)).length === 600 || new Error('not yet'));
    const { progress } = await get(local.body.id);
    expect(Date.parse(progress.estimated_end_at)).toBeGreaterThan(Date.now() + 20 * 3_600_000);
    const cancelled = await act(local.body.id, 'cancel');
    expect(cancelled.body).toMatchObject({
      status: 'cancelled',
      progress: { completed_at: expect.any(String) },
    });
    await waitUntil(async () => {
      const { counts } = (await get(local.body.id)).progress;
      return counts.suppressed === 600 ? true : new Error(JSON.stringify(counts));
    }, 20_000);
    const [row] = await recipientsOf(local.body.id);
    expect(row?.reason).toBe('broadcast_cancelled');
    expect((await act(local.body.id, 'cancel')).status).toBe(200);
    expect((await act(local.body.id, 'resume')).body.error.code).toBe('broadcast_ended');
  }, 60_000);

  test('can be cancelled and paused before it starts', async () => {
    const topic = await crowdOf(5);
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    const first = await create({ audience: { topic }, send_at });
    expect((await act(first.body.id, 'cancel')).body.status).toBe('cancelled');
    const second = await create({ audience: { topic }, send_at });
    expect((await act(second.body.id, 'pause')).body.status).toBe('paused');
    expect((await act(second.body.id, 'resume')).body.status).toBe('scheduled');
    await query(app.pool, `update broadcasts set starts_at = now() where id = $1`, [second.body.id]);
    await act(second.body.id, 'pause');
    await act(second.body.id, 'resume');
    expect((await ended(second.body.id)).progress.done).toBe(5);
    expect(await recipientsOf(first.body.id)).toEqual([]);
  }, 60_000);

  test('is refused beyond the limit of open ones, also when several are created at the same time', async () => {
    const topic = await topicOf({});
    await query(
      app.pool,
      `insert into broadcasts (id, environment_id, status, name, request, filter, channels, contents, template_data, timezone)
       select gen_random_uuid(), $1, 'paused', 'Open', '{}', '{}', '{email}', '{}', '{}', 'UTC' from generate_series(1, 99)`,
      [app.liveEnvironmentId],
    );
    await app.request('POST', '/v1/topics', { body: { key: topic, name: topic }, key: app.liveKey });
    // One that has ended is not open any more, and an empty audience ends at once.
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create({ audience: { topic }, send_at: later }, {}, app.liveKey)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.find(({ status }) => status !== 201)?.body.error.code).toBe('broadcast_limit_reached');
    await query(app.pool, `delete from broadcasts where environment_id = $1`, [app.liveEnvironmentId]);
  });

  test('belongs to its environment', async () => {
    const { body } = await create({ audience: { topic: await crowdOf(1) } });
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/pause'],
      ['POST', '/cancel'],
    ] as const)
      expect(
        (await app.request(method, `/v1/broadcasts/${body.id}${path}`, { key: app.liveKey })).status,
      ).toBe(404);
    const live = await app.request('GET', '/v1/broadcasts', { key: app.liveKey });
    expect(live.body.data).toEqual([]);
    const listed = await app.request('GET', '/v1/broadcasts?limit=100');
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toContain(body.id);
  });
});
