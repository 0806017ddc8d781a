import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../test/harness/app.ts';
import { isRecord } from '../../../kernel/json.ts';
import { notificationEraser } from '../../notifications/notifications/index.ts';
import { wakeRunsOf } from '../../workflows/runs/index.ts';
import { erasePerson } from './erasure.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const of = (user: string) => `/v1/users/${encodeURIComponent(user)}`;
const put = (user: string, body: object, key = app.testKey) => app.request('PUT', of(user), { body, key });
const send = (body: object, key = app.testKey) =>
  app.request('POST', '/v1/notifications', {
    body: { channel: 'email', subject: 'Hello', text_body: 'Hi', ...body },
    key,
  });

const ada = {
  email: 'Ada@example.com',
  phone: '+14155550123',
  name: 'Ada Lovelace',
  locale: 'en-GB',
  timezone: 'Europe/London',
  chatone_user_id: 'U024BE7LH',
  attributes: { plan: 'pro', seats: 5, is_admin: true },
};

describe('a user', () => {
  test('is stored, read and replaced as a whole', async () => {
    expect((await app.request('GET', of('ada'))).status).toBe(404);
    const made = await put('ada', { ...ada, email: 'Ada@EXAMPLE.com', locale: 'en-gb' });
    expect(made.status).toBe(200);
    expect(made.body).toEqual({
      external_user_id: 'ada',
      ...ada,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await app.request('GET', of('ada'))).body).toEqual(made.body);
    const replaced = await put('ada', { name: 'Ada', email: null, phone: '' });
    expect(replaced.body).toMatchObject({
      name: 'Ada',
      email: null,
      phone: null,
      locale: null,
      attributes: {},
    });
    expect((await app.request('GET', of('ada'), { key: app.liveKey })).status).toBe(404);
  });

  test.each([
    [{ email: 'ada' }, 'email'],
    [{ email: 'Ada <ada@example.com>' }, 'email'],
    [{ email: 5 }, 'email'],
    [{ phone: '0171' }, 'phone'],
    [{ name: 'A\nB' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ locale: 'klingon language' }, 'locale'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
    [{ chatone_user_id: 'C024BE7LH' }, 'chatone_user_id'],
    [{ attributes: [] }, 'attributes'],
    [{ attributes: { '1st': 'x' } }, 'attributes'],
    [{ attributes: { tags: ['a'] } }, 'attributes.tags'],
    [{ attributes: { nested: {} } }, 'attributes.nested'],
    [{ attributes: { long: 'x'.repeat(501) } }, 'attributes.long'],
    [{ attributes: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`a${n}`, n])) }, 'attributes'],
    [
      { attributes: Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`a${n}`, 'x'.repeat(450)])) },
      'attributes',
    ],
  ])('%j is refused', async (body, param) => {
    const answer = await put('bad', body);
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
      400,
      'parameter_invalid',
      param,
    ]);
    expect((await app.request('GET', of('bad'))).status).toBe(404);
  });
});

describe('a send by external_user_id alone', () => {
  test('goes to what is stored, with the stored name unless another is given', async () => {
    await put('stored', { email: 'stored@example.com', phone: '+14155550188', name: 'Stored' });
    const email = await send({ recipient: { external_user_id: 'stored' } });
    expect(email.body.recipient).toEqual({ address: 'stored@example.com', name: 'Stored' });
    const named = await send({ recipient: { external_user_id: 'stored', name: 'Other' } });
    expect(named.body.recipient).toEqual({ address: 'stored@example.com', name: 'Other' });
    const sms = await send({ channel: 'sms', recipient: { external_user_id: 'stored' } });
    expect(sms.body.recipient.address).toBe('+14155550188');
  });

  test('is refused when nothing is stored for the channel, in any environment but its own', async () => {
    await put('half', { email: 'half@example.com' });
    for (const [body, key] of [
      [{ recipient: { external_user_id: 'nobody' } }, app.testKey],
      [{ channel: 'sms', recipient: { external_user_id: 'half' } }, app.testKey],
      [{ recipient: { external_user_id: 'half' } }, app.liveKey],
    ] as const) {
      const { status, body: answer } = await send(body, key);
      expect([status, answer.error.code, answer.error.param]).toEqual([
        400,
        'recipient_unresolvable',
        'recipient.external_user_id',
      ]);
    }
  });

  test('works after one that named both, and follows the last address named', async () => {
    expect((await send({ recipient: { external_user_id: 'eve', address: 'eve@one.example' } })).status).toBe(
      202,
    );
    expect((await send({ recipient: { external_user_id: 'eve' } })).body.recipient.address).toBe(
      'eve@one.example',
    );
    await send({ channel: 'sms', recipient: { external_user_id: 'eve', address: '+14155550177' } });
    await send({ recipient: { external_user_id: 'eve', address: 'eve@two.example' } });
    expect((await app.request('GET', of('eve'))).body).toMatchObject({
      email: 'eve@two.example',
      phone: '+14155550177',
      name: null,
    });
  });

  test('costs a batch no query of its own', async () => {
    const { body } = await app.request('POST', '/v1/notifications/batch', {
      body: {
        notifications: Array.from({ length: 200 }, (_, n) => ({
          channel: 'email',
          recipient: { external_user_id: `many-${n % 50}`, address: `many-${n % 50}@example.com` },
          subject: 'Hello',
          text_body: 'Hi',
        })),
      },
    });
    expect(body.data.every((entry: { error?: unknown }) => !entry.error)).toBe(true);
    const { rows } = await app.pool.query(`select from end_users where external_user_id like 'many-%'`);
    expect(rows).toHaveLength(50);
    let queries = 0;
    const { pool } = app.deps;
    const { query } = pool;
    Object.assign(pool, {
      query(...given: unknown[]) {
        if (isRecord(given[0]) && String(given[0].name).startsWith('users_')) queries += 1;
        return Reflect.apply(query, pool, given);
      },
    });
    const alone = await app.request('POST', '/v1/notifications/batch', {
      body: {
        notifications: Array.from({ length: 500 }, (_, n) => ({
          channel: 'email',
          recipient: { external_user_id: `many-${n % 60}` },
          subject: 'Hello',
          text_body: 'Hi',
        })),
      },
    });
    Object.assign(pool, { query });
    const unknown = alone.body.data.filter((entry: { error?: { code: string } }) => entry.error);
    expect(unknown).toHaveLength(80);
    // The elements are taken in slices of 20 ms, so that other work comes in between; each slice asks once.
    expect(queries).toBeLessThan(50);
  });

  test('nothing is written for a pair that is known', async () => {
    const version = async () =>
      (await app.pool.query(`select xmin::text, updated_at from end_users where external_user_id = 'same'`))
        .rows[0];
    await send({ recipient: { external_user_id: 'same', address: 'same@example.com' } });
    const before = await version();
    await send({ recipient: { external_user_id: 'same', address: 'same@example.com' } });
    expect(await version()).toEqual(before);
  });
});

describe('erasing a user', () => {
  test('takes everything that tells who it was and what was said, everywhere', async () => {
    const user = 'gone';
    const address = 'bounced+gone@sandbox.test';
    await app.request('POST', '/v1/preferences/categories', {
      body: { key: 'news', name: 'News', default_channels: ['email'] },
    });
    await app.request('PATCH', `/v1/preferences/users/${user}/news/sms`, { body: { opted_in: true } });
    await app.request('PUT', `/v1/preferences/users/${user}/quiet-hours`, {
      body: { start_local: '03:00', end_local: '03:01', timezone: 'UTC' },
    });
    const bounced = await send({
      recipient: { external_user_id: user, address, name: 'Gone Girl' },
      subject: 'Secret subject',
      text_body: 'Secret text',
      template_data: { secret: 1 },
      action_url: 'https://example.com/secret',
      attachments: [{ filename: 'secret.txt', content_type: 'text/plain', content_base64: 'YQ==' }],
    });
    await app.waitFor(bounced.body.id, (n) => n.status === 'bounced');
    // Sent before anybody knew the user's id.
    await app.request('DELETE', `/v1/suppressions/${encodeURIComponent(address)}`);
    const byAddress = await send({ recipient: { address } });
    await app.waitFor(byAddress.body.id, (n) => n.status === 'bounced');
    const queued = await send({
      recipient: { external_user_id: user },
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const stranger = await send({
      recipient: { external_user_id: 'stranger', address: 'delivered@sandbox.test' },
    });
    await app.waitFor(stranger.body.id, (n) => n.status === 'delivered');

    expect((await app.request('DELETE', of(user))).status).toBe(204);

    expect((await app.request('GET', of(user))).status).toBe(404);
    expect((await send({ recipient: { external_user_id: user } })).body.error.code).toBe(
      'recipient_unresolvable',
    );
    expect((await app.request('GET', `/v1/notifications/${queued.body.id}`)).status).toBe(404);
    expect((await app.request('GET', `/v1/preferences/users/${user}/quiet-hours`)).status).toBe(404);
    const matrix = await app.request('GET', `/v1/preferences/users/${user}`);
    expect(matrix.body.data.every((cell: { source: string }) => cell.source === 'default')).toBe(true);
    for (const { body } of [bounced, byAddress]) {
      const { body: left } = await app.request('GET', `/v1/notifications/${body.id}`);
      expect(left).toMatchObject({
        status: 'bounced',
        recipient: { address: null, name: null },
        subject: null,
        text_body: null,
        template_data: {},
        action_url: null,
        last_error: null,
      });
      expect(left.events.map((event: { type: string }) => event.type)).toEqual([
        'Queued',
        'Sending',
        'Sent',
        'Bounced',
      ]);
      expect(left.events.every((event: { detail: string | null }) => event.detail === null)).toBe(true);
      expect((await app.request('GET', `/v1/notifications/${body.id}/trace`)).status).toBe(200);
      expect((await app.request('POST', `/v1/notifications/${body.id}/resend`)).body.error.code).toBe(
        'notification_not_resendable',
      );
      expect((await app.request('GET', `/v1/sandbox/messages?notification_id=${body.id}`)).body.data).toEqual(
        [],
      );
    }
    expect((await app.request('GET', `/v1/suppressions/${encodeURIComponent(address)}`)).status).toBe(200);
    expect((await app.request('GET', `/v1/notifications/${stranger.body.id}`)).body.subject).toBe('Hello');

    await app.request('DELETE', `/v1/suppressions/${encodeURIComponent(address)}`);
    const { rows: tables } = await app.pool.query(
      `select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    for (const { table_name: table } of tables) {
      const { rows } = await app.pool.query(
        `select t::text from ${table} t where t::text ~* 'bounced.gone@|Gone Girl|secret'`,
      );
      expect([table, rows]).toEqual([table, []]);
    }
  });

  test.each([
    ['rev1@example.com', ['Rev1@Example.com', 'REV1@example.com']],
    ['Rev2@Example.com', ['rev2@example.com']],
    ['x@xn--bcher-kva.de', ['x@bücher.de', 'X@XN--BCHER-KVA.DE', 'x@bu\u0308cher.de']],
    ['Jörg@bücher.de', ['JÖRG@xn--bcher-kva.de', 'jo\u0308rg@bücher.de']],
  ])('finds what was sent to other spellings of %s, and what was going to be', async (email, spellings) => {
    await put('speller', { email });
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    for (const address of spellings) {
      const past = await send({ recipient: { address } });
      await app.waitFor(past.body.id, (n) => n.status === 'delivered');
      const queued = await send({ recipient: { address }, send_at });
      expect((await app.request('DELETE', of('speller'))).status).toBe(204);
      const { body: left } = await app.request('GET', `/v1/notifications/${past.body.id}`);
      expect([address, left.recipient.address, left.subject]).toEqual([address, null, null]);
      const { status } = await app.request('GET', `/v1/notifications/${queued.body.id}`);
      expect([address, status]).toEqual([address, 404]);
      await put('speller', { email });
    }
  });

  test('takes an id that is no email address to the letter', async () => {
    const { rows } = await app.pool.query(
      `insert into notifications (id, environment_id, channel, status, priority, address, events)
       values (gen_random_uuid(), $1, 'chatthree', 'sent', 'normal', 'ops', '[]') returning id`,
      [app.testEnvironmentId],
    );
    expect((await app.request('DELETE', of('OPS'))).status).toBe(204);
    const left = await app.pool.query('select address from notifications where id = $1', [rows[0].id]);
    expect(left.rows).toEqual([{ address: 'ops' }]);
  });

  describe('with an inbox and opt-outs under an address', () => {
    const phone = '+14155550166';
    const inboxOf = async (user: string) => {
      const { body } = await app.request('POST', '/v1/inbox/tokens', { body: { external_user_id: user } });
      return (await app.request('GET', '/inbox/v1/feed', { key: body.token })).body.data.length;
    };
    const sourceOf = async (user: string) => {
      const { body } = await app.request('GET', `/v1/preferences/users/${encodeURIComponent(user)}`);
      const isBells = (cell: { category_key: string; channel: string }) =>
        cell.category_key === 'bells' && cell.channel === 'email';
      return body.data.find(isBells).source;
    };
    const subjectOf = async (id: string) =>
      (await app.request('GET', `/v1/notifications/${id}`)).body.subject;
    const leftOf = async ([user, id]: [string, string]) => [
      user,
      await inboxOf(user),
      await subjectOf(id),
      await sourceOf(user),
    ];

    beforeAll(async () => {
      const body = { key: 'bells', name: 'Bells', default_channels: ['email'] };
      await app.request('POST', '/v1/preferences/categories', { body });
    });
    async function setUp(users: string[]): Promise<[string, string][]> {
      const items: [string, string][] = [];
      for (const user of users) {
        const item = await send({ channel: 'in_app', recipient: { address: user }, html_body: 'Hi' });
        await app.waitFor(item.body.id, (n) => n.status === 'delivered');
        const path = `/v1/preferences/users/${encodeURIComponent(user)}/bells/email`;
        expect((await app.request('PATCH', path, { body: { opted_in: false } })).status).toBe(200);
        items.push([user, item.body.id]);
      }
      return items;
    }

    test('takes those that are nobody else’s', async () => {
      const items = await setUp(['two@example.com', 'Two@Example.com', 'two', phone]);
      await put('two', { email: 'two@example.com', phone });
      await app.request('DELETE', of('two'));
      for (const item of items) expect(await leftOf(item)).toEqual([item[0], 0, null, 'default']);
    });

    test('leaves those of whoever has the address as id, and any under a chatone id', async () => {
      const users = ['U777A', 'Shared@example.com', 'x@bücher.example', phone];
      const items = await setUp(users);
      for (const user of users.slice(1)) await put(user, { name: 'Somebody else' });
      for (const email of ['shared@example.com', 'x@xn--bcher-kva.example']) {
        await put('one', { email, phone, chatone_user_id: 'U777A' });
        await app.request('DELETE', of('one'));
      }
      for (const item of items) expect(await leftOf(item)).toEqual([item[0], 1, 'Hello', 'api']);
    });
  });

  test('leaves what is being sent to a worker, and what comes later alone', async () => {
    const address = 'slow+x@sandbox.test';
    const { body } = await send({ recipient: { external_user_id: 'busy', address } });
    await app.waitFor(body.id, (n) => n.status === 'sending');
    expect((await app.request('DELETE', of('busy'))).status).toBe(204);
    const later = await send({ recipient: { external_user_id: 'busy', address: 'delivered@sandbox.test' } });
    await app.waitFor(body.id, (n) => n.status === 'delivered');
    const left = await waitUntil(async () => {
      await app.pool.query('update queue_later set run_at = now() where kind = 4');
      const seen = (await app.request('GET', `/v1/notifications/${body.id}`)).body;
      return seen.subject === null ? seen : new Error(JSON.stringify(seen));
    });
    expect(left.recipient.address).toBeNull();
    expect((await app.request('GET', `/v1/notifications/${later.body.id}`)).body.subject).toBe('Hello');
    await waitUntil(async () => {
      const { rows } = await app.pool.query(
        'select kind from queue_later where kind = 4 union all select kind from queue_leased where kind = 4',
      );
      return rows.length === 0 ? true : new Error('the work is not done');
    });
  });

  test('of somebody unknown is no error, and is in the log without the id', async () => {
    expect((await app.request('DELETE', of('never-seen'))).status).toBe(204);
    const { body } = await app.request('GET', '/v1/audit-log?action=user.erased');
    expect(body.data.length).toBeGreaterThan(0);
    expect(JSON.stringify(body)).not.toContain('never-seen');
  });

  test('a long history is done in slices, and goes on where it was', async () => {
    await app.pool.query(
      `with made as (
         insert into notifications (id, environment_id, channel, status, priority, address, external_user_id, events)
         select gen_random_uuid(), $1, 'email', 'sent', 'normal', 'long@example.com', 'long', '[]' from generate_series(1, 600)
         returning id)
       insert into notification_contents (notification_id, subject) select id, 'Hello' from made`,
      [app.testEnvironmentId],
    );
    const left = async () =>
      Number(
        (await app.pool.query(`select count(*) from notifications where external_user_id = 'long'`)).rows[0]
          .count,
      );
    const person = {
      environmentId: app.testEnvironmentId,
      externalUserId: 'long',
      addresses: [],
      aliases: [],
      before: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    };
    const erasers = [notificationEraser(app.deps.queue, wakeRunsOf)];
    expect(await erasePerson(app.deps.pool, erasers, person, 1)).toBe(false);
    expect(await left()).toBe(350);
    expect(await erasePerson(app.deps.pool, erasers, person, 40)).toBe(true);
    expect(await left()).toBe(0);
  });
});
