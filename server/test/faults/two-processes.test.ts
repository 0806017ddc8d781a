import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { query, transaction } from '../../src/db/sql.ts';
import { startTestApp, type TestApp, waitUntil } from '../harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { startSmtpSimulator } from '../simulators/smtp.ts';
import { startWebhookSink } from '../simulators/webhook-sink.ts';

/** Several processes of the service on one database. They share nothing else, so here each is an app in this process. */
let database: TestDatabase;
let apps: TestApp[];
beforeEach(async () => {
  database = await createTestDatabase();
  apps = [];
});
afterEach(async () => {
  for (const app of apps) await app.stop();
  await database.drop();
});

async function start(roles: string, settings: Record<string, string> = {}): Promise<TestApp> {
  const app = await startTestApp({ database, settings: { CARILLON_ROLES: roles, ...settings } });
  apps.push(app);
  return app;
}

async function stop(app: TestApp): Promise<void> {
  apps.splice(apps.indexOf(app), 1);
  await app.stop();
}

const email = (address = 'delivered@sandbox.test') => ({
  channel: 'email',
  recipient: { address },
  subject: 'Hello',
  text_body: 'It rings.',
});

async function send(app: TestApp, body: object, key = app.testKey): Promise<string> {
  const response = await app.request('POST', '/v1/notifications', { body, key });
  expect(response.status).toBeLessThan(300);
  return response.body.id;
}

interface Life {
  [column: string]: unknown;
  id: string;
  environment_id: string;
  priority: string;
  status: string;
  attempt_count: number;
  sent_events: number;
  kept: number;
}

/** Everything, once nothing is open any more. */
function allSettled(count: number): Promise<Life[]> {
  return waitUntil(async () => {
    const lives = await query<Life>(
      database.pool,
      `select n.id, n.environment_id, n.priority, n.status, n.attempt_count,
         (select count(*)::int from jsonb_array_elements(n.events) e where e->>'type' = 'Sent') as sent_events,
         (select count(*)::int from sandbox_messages s where s.notification_id = n.id) as kept
       from notifications_readable n`,
    );
    const open = lives.filter(({ status }) => status === 'queued').length;
    return lives.length === count && open === 0 ? lives : new Error(`${open} of ${lives.length} are open`);
  }, 20_000);
}

const sentOnce = { status: 'delivered', attempt_count: 1, sent_events: 1, kept: 1 };

async function attemptsBy(app: TestApp): Promise<number> {
  const { values } = await app.deps.metrics.attempts.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

describe('keys', () => {
  test('a key revoked through one process is refused by the other within 2 s', async () => {
    const [one, two] = [await start('api'), await start('api')];
    const made = await one.request('POST', '/v1/api-keys', {
      body: { name: 'Short-lived', preset: 'read_only' },
    });
    const { id, key } = made.body;
    expect((await two.request('GET', '/v1/me', { key })).status).toBe(200);
    expect((await one.request('DELETE', `/v1/api-keys/${id}`)).status).toBe(204);
    const revoked = Date.now();
    const refused = await waitUntil(async () => {
      const { status, body } = await two.request('GET', '/v1/me', { key });
      return status === 401 ? body : new Error(`still ${status}`);
    });
    expect(Date.now() - revoked).toBeLessThan(2_000);
    expect(refused.error.code).toBe('revoked_credentials');
  });
});

describe('a change made through one process', () => {
  const ok = async (app: TestApp, method: string, path: string, body?: object, key = app.testKey) => {
    const answer = await app.request(method, path, { body, key });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const isOver = ({ status }: { status: string }) => status === 'delivered' || status === 'failed';

  test('of email settings is used by the next send, whichever process carries it', async () => {
    const [api, worker] = [await start('api'), await start('worker')];
    const path = `/v1/environments/${api.liveEnvironmentId}/email-settings`;
    for (const from_address of ['one@acme.example', 'two@acme.example']) {
      await ok(api, 'PUT', path, { from_address, providers: [{ kind: 'sandbox' }] }, api.liveKey);
      const id = await send(api, email(), api.liveKey);
      expect(await api.waitFor(id, isOver)).toMatchObject({ status: 'delivered' });
      const { rows } = await database.pool.query(
        `select payload -> 'from' ->> 'address' as address from sandbox_messages where notification_id = $1`,
        [id],
      );
      expect(rows).toEqual([{ address: from_address }]);
    }
    expect(await attemptsBy(worker)).toBe(2);
  });

  test('of SMS settings is used by the next send, whichever process carries it', async () => {
    const api = await start('api');
    await start('worker');
    const text = { channel: 'sms', recipient: { address: '+447700900123' }, text_body: 'It rings.' };
    const sender = async () => {
      const id = await send(api, text);
      await api.waitFor(id, isOver);
      const { body } = await api.request('GET', '/v1/sandbox/messages');
      return body.data.find((message: { notification_id: string }) => message.notification_id === id).payload
        .from;
    };
    expect(await sender()).toBe('+15005550000');
    for (const name of ['First', 'Second']) {
      await database.pool.query(
        `insert into sms_settings (environment_id, id, kind, from_sender_id, config, credentials_detail)
         values ($1, gen_random_uuid(), 'managed', $2, '{}', '')
         on conflict (environment_id) do update set from_sender_id = excluded.from_sender_id`,
        [api.testEnvironmentId, name],
      );
      expect(await sender()).toBe(name);
    }
  });

  test('is never followed by a refusal from what the other remembers', async () => {
    const [one, two] = [await start('api'), await start('api')];
    const category = { name: 'News', default_channels: ['email'], default_opt_in: true };
    const inCategory = { ...email(), category: 'news' };
    expect((await two.request('POST', '/v1/notifications', { body: inCategory })).status).toBe(400);
    await ok(one, 'POST', '/v1/preferences/categories', { key: 'news', ...category });
    await send(two, inCategory);
    await ok(two, 'DELETE', '/v1/preferences/categories/news');
    expect((await two.request('POST', '/v1/notifications', { body: inCategory })).status).toBe(400);
    await ok(one, 'PUT', '/v1/preferences/categories/news', { ...category, is_archived: false });
    await send(two, inCategory);

    const template = { key: 'hello', name: 'Hello', subject_template: 'Hi', html_body_template: '<p>Hi</p>' };
    const named = { channel: 'email', recipient: { address: 'ada@example.com' }, template_key: 'hello' };
    expect((await two.request('POST', '/v1/notifications', { body: named })).status).toBe(400);
    await ok(one, 'POST', '/v1/templates', template);
    await send(two, named);
    const chat = { channel: 'sms', recipient: { address: '+447700900123' }, template_key: 'hello' };
    expect((await two.request('POST', '/v1/notifications', { body: chat })).status).toBe(400);
    await ok(one, 'PUT', '/v1/templates/hello/bodies/sms', { text_template: 'Hi' });
    await send(two, chat);

    const needs = (field: string) => ({
      trigger_data_schema: { type: 'object', required: [field] },
      steps: [{ id: 'only', kind: 'noop' }],
    });
    const trigger = (data: object) =>
      two.request('POST', '/v1/workflows/welcome/trigger', { body: { trigger_data: data } });
    await ok(one, 'POST', '/v1/workflows', { key: 'welcome', name: 'Welcome' });
    expect((await trigger({ old: 1 })).status).toBe(404);
    for (const field of ['old', 'new']) {
      const { version } = await ok(one, 'POST', '/v1/workflows/welcome/versions', { body: needs(field) });
      await ok(one, 'POST', `/v1/workflows/welcome/versions/${version}/activate`);
      expect((await trigger({ [field]: 1 })).status).toBe(202);
    }
    expect((await trigger({ other: 1 })).body.error.code).toBe('trigger_data_invalid');
  });
});

describe('working', () => {
  test('work that one process accepts wakes the worker in another long before it would look by itself', async () => {
    const api = await start('api');
    const worker = await start('worker');
    const tookMs: number[] = [];
    for (let count = 0; count < 15; count += 1) {
      const id = await send(api, email());
      const { created_at, sent_at } = await api.waitFor(id, ({ status }) => status === 'delivered');
      tookMs.push(Date.parse(sent_at) - Date.parse(created_at));
    }
    expect(await attemptsBy(worker)).toBe(15);
    // Looking every 500 ms without a bell would take 250 ms half of the time.
    expect(tookMs.sort((a, b) => a - b)[7]).toBeLessThan(150);
  });

  test('two workers share what waits; critical goes first, and environments alternate', async () => {
    const api = await start('api');
    await api.request('PUT', `/v1/environments/${api.liveEnvironmentId}/email-settings`, {
      key: api.liveKey,
      body: { from_address: 'bells@example.com', providers: [{ kind: 'sandbox' }] },
    });
    for (let batch = 0; batch < 4; batch += 1) {
      await api.request('POST', '/v1/notifications/batch', {
        body: { notifications: Array.from({ length: 500 }, () => ({ ...email(), priority: 'normal' })) },
      });
    }
    for (let count = 0; count < 20; count += 1) await send(api, email(), api.liveKey);
    const critical = await send(api, { ...email(), priority: 'critical' });
    // The first claims: on a busy machine some are parked and claimed again, because their provider is slow.
    await query(database.pool, 'create table claims (position bigint generated always as identity, id uuid)');
    await query(
      database.pool,
      `create function note_claim() returns trigger language plpgsql as
       $$ begin insert into claims (id) values (new.id); return new; end $$`,
    );
    await query(
      database.pool,
      'create trigger note_claim after insert on queue_leased for each row execute function note_claim()',
    );

    // No worker claims before both are there: the first could have done everything by then.
    const workers = await transaction(database.pool, async (tx) => {
      await query(tx, 'lock table queue_ready in share mode');
      return Promise.all([start('worker'), start('worker')]);
    });
    const lives = await allSettled(2_021);
    expect(
      lives.filter((life) => life.sent_events !== 1 || life.kept !== 1 || life.attempt_count !== 1),
    ).toEqual([]);
    for (const worker of workers) expect(await attemptsBy(worker)).toBeGreaterThan(0);
    const claims = await query<{ id: string }>(
      database.pool,
      'select id from claims group by id order by min(position)',
    );
    const positionOf = new Map(claims.map(({ id }, position) => [id, position]));
    // Claims are batches of a hundred: what came last is in one of the first of them.
    expect(positionOf.get(critical)).toBeLessThan(300);
    const ofLive = lives.filter(({ environment_id }) => environment_id === api.liveEnvironmentId);
    expect(Math.max(...ofLive.map(({ id }) => positionOf.get(id) ?? Infinity))).toBeLessThan(500);
  });
});

describe('stopping', () => {
  async function slowOnes(api: TestApp, count: number): Promise<void> {
    await api.request('POST', '/v1/notifications/batch', {
      body: { notifications: Array.from({ length: count }, () => email('slow@sandbox.test')) },
    });
    await waitUntil(async () => {
      const leases = await query(database.pool, 'select from queue_leased');
      return leases.length === count ? true : new Error(`${leases.length} of ${count} are being sent`);
    });
  }

  test('lets what is under way finish', async () => {
    const one = await start('api,worker');
    await slowOnes(one, 10);
    await stop(one);
    expect(await allSettled(10)).toEqual(Array(10).fill(expect.objectContaining(sentOnce)));
    expect(await query(database.pool, 'select from workers')).toEqual([]);
  });

  test('hands back at the deadline what is not finished, uncounted, and another process does it', async () => {
    const one = await start('api,worker');
    await slowOnes(one, 10);
    await one.deps.queue.stop(100);
    const two = await start('worker');
    expect(await allSettled(10)).toEqual(Array(10).fill(expect.objectContaining(sentOnce)));
    expect(await attemptsBy(two)).toBe(10);
  });

  test('leaves an outcome that could not be written on its lease: another process writes it and sends nothing', async () => {
    const mailbox = await startSmtpSimulator();
    try {
      const loopback = { CARILLON_ALLOW_PRIVATE_NETWORK: 'loopback' };
      const one = await start('api,worker', loopback);
      const config = { host: '127.0.0.1', port: mailbox.port, secure: false };
      const { status } = await one.request(
        'PUT',
        `/v1/environments/${one.liveEnvironmentId}/email-settings`,
        {
          key: one.liveKey,
          body: { from_address: 'bells@example.com', providers: [{ kind: 'smtp', config }] },
        },
      );
      expect(status).toBe(200);
      await query(
        database.pool,
        `create function refuse() returns trigger language plpgsql as 'begin raise exception $$no outcome$$; end'`,
      );
      await query(
        database.pool,
        `create trigger refuse before update of status on notifications for each row
         when (new.status = 'sent' and new.address = 'ada@example.com') execute function refuse()`,
      );
      const ids = await Promise.all(
        ['ada@example.com', 'bob@example.com'].map((to) => send(one, email(to), one.liveKey)),
      );
      await one.waitFor(ids[1] ?? '', (notification) => notification.status === 'sent');
      await waitUntil(async () => {
        const [lease] = await query(database.pool, 'select note from queue_leased');
        return lease?.note?.settled ? true : new Error(JSON.stringify(lease));
      });
      await one.deps.queue.stop(100);
      await query(database.pool, 'drop trigger refuse on notifications');
      await start('worker', loopback);
      const ended = await one.waitFor(ids[0] ?? '', (notification) => notification.status !== 'sending');
      expect(ended).toMatchObject({ status: 'sent', attempt_count: 1, last_error: null });
      expect(mailbox.received.flatMap(({ to }) => to).sort()).toEqual(['ada@example.com', 'bob@example.com']);
    } finally {
      await mailbox.stop();
    }
  });
});

describe('a migration that adds columns beside running workers', () => {
  test('costs no outcome and no call: each notification is mailed, sent and announced once', {
    timeout: 60_000,
  }, async () => {
    const [mailbox, sink] = await Promise.all([startSmtpSimulator(), startWebhookSink()]);
    try {
      const loopback = { CARILLON_ALLOW_PRIVATE_NETWORK: 'loopback' };
      const api = await start('api', loopback);
      const key = api.liveKey;
      const config = { host: '127.0.0.1', port: mailbox.port, secure: false };
      const settings = { from_address: 'bells@example.com', providers: [{ kind: 'smtp', config }] };
      const path = `/v1/environments/${api.liveEnvironmentId}/email-settings`;
      expect((await api.request('PUT', path, { key, body: settings })).status).toBe(200);
      const endpoint = { url: sink.url(), event_filters: ['notification.sent'] };
      expect((await api.request('POST', '/v1/webhook-endpoints', { key, body: endpoint })).status).toBe(201);
      await Promise.all([start('worker', loopback), start('worker', loopback)]);

      const batches = 3;
      const size = 40;
      for (let batch = 0; batch < batches; batch += 1) {
        const notifications = Array.from({ length: size }, (_, index) => ({
          ...email(`user${index}@example.com`),
          priority: index % 8 === 0 ? 'critical' : 'normal',
        }));
        const sent = await api.request('POST', '/v1/notifications/batch', { key, body: { notifications } });
        expect(sent.status).toBe(202);
        // Once statements are prepared, and while others are being sent.
        for (const table of ['notifications', 'notification_contents', 'webhook_deliveries', 'queue_leased'])
          await query(database.pool, `alter table ${table} add added_${batch} text`);
      }
      const rows = await waitUntil(async () => {
        const found = await query(
          database.pool,
          `select status, last_error, attempt_count, count(*)::int as count,
             (select count(*)::int from webhook_deliveries where status = 'succeeded') as announced
           from notifications group by 1, 2, 3`,
        );
        const isDone = found.every(
          ({ status, announced }) => status !== 'queued' && announced === batches * size,
        );
        return isDone ? found : new Error(JSON.stringify(found));
      }, 45_000);
      const count = batches * size;
      expect(rows).toEqual([{ status: 'sent', last_error: null, attempt_count: 1, count, announced: count }]);
      expect(mailbox.received).toHaveLength(count);
    } finally {
      await Promise.all([mailbox.stop(), sink.stop()]);
    }
  });
});
