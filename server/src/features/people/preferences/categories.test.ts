import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

const path = '/v1/preferences/categories';
const create = (body: object, key = app.testKey) =>
  app.request('POST', path, { body: { name: 'News', default_channels: ['email'], ...body }, key });
const email = {
  channel: 'email',
  recipient: { address: 'delivered@sandbox.test' },
  subject: 'Hello',
  text_body: 'Hi',
};
const send = (body: object, key = app.testKey) =>
  app.request('POST', '/v1/notifications', { body: { ...email, ...body }, key });

describe('a category', () => {
  test('is created with its defaults, read, listed, changed', async () => {
    const made = await create({ key: 'news', default_channels: ['in_app', 'email', 'email'] });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.any(String),
      key: 'news',
      name: 'News',
      description: null,
      is_critical: false,
      default_channels: ['email', 'in_app'],
      default_opt_in: true,
      is_archived: false,
      push: null,
    });
    expect((await app.request('GET', `${path}/news`)).body).toEqual(made.body);
    expect((await app.request('GET', path)).body.data[0]).toEqual(made.body);
    const changed = await app.request('PUT', `${path}/news`, {
      body: { name: 'Letters', description: 'Monthly', default_channels: [], default_opt_in: false },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        id: made.body.id,
        name: 'Letters',
        description: 'Monthly',
        default_channels: [],
        default_opt_in: false,
      },
    });
    const log = await app.request('GET', '/v1/audit-log?target=category:news');
    expect(log.body.data).toMatchObject([
      { action: 'category.updated', before: { name: 'News' }, after: { name: 'Letters' } },
      { action: 'category.created', before: null, after: { key: 'news' } },
    ]);
  });

  test('is archived: sends that name it are refused, lists hide it, its key stays taken, and it can come back', async () => {
    await create({ key: 'old' });
    const headers = { 'idempotency-key': 'before the archive' };
    const earlier = { ...email, category: 'old' };
    const first = await app.request('POST', '/v1/notifications', { body: earlier, headers });
    expect(first.status).toBe(202);
    expect((await app.request('DELETE', `${path}/old`)).status).toBe(204);
    expect((await app.request('DELETE', `${path}/old`)).status).toBe(204);
    const replay = await app.request('POST', '/v1/notifications', { body: earlier, headers });
    expect([replay.status, replay.body.id]).toEqual([200, first.body.id]);
    const refused = await send({ category: 'old' });
    expect(refused.body.error).toMatchObject({ code: 'category_archived', param: 'category' });
    const keys = async (search: string) =>
      (await app.request('GET', `${path}?${search}`)).body.data.map((row: { key: string }) => row.key);
    expect(await keys('')).not.toContain('old');
    expect(await keys('include_archived=true')).toContain('old');
    expect((await create({ key: 'old' })).body.error).toMatchObject({ code: 'duplicate_key', param: 'key' });
    const body = { name: 'Old', default_channels: ['email'], default_opt_in: true };
    expect((await app.request('PUT', `${path}/old`, { body })).body.is_archived).toBe(true);
    const back = await app.request('PUT', `${path}/old`, { body: { ...body, is_archived: false } });
    expect(back.body.is_archived).toBe(false);
    expect((await send({ category: 'old' })).status).toBe(202);
  });

  test('that is critical stays so, and makes every send critical', async () => {
    await create({ key: 'alarm', is_critical: true });
    expect((await send({ category: 'alarm', priority: 'bulk' })).body).toMatchObject({
      priority: 'critical',
      category: 'alarm',
    });
    const body = { name: 'Alarm', default_channels: [], default_opt_in: true };
    const changed = await app.request('PUT', `${path}/alarm`, { body: { ...body, is_critical: false } });
    expect(changed.body.error).toMatchObject({ code: 'parameter_invalid', param: 'is_critical' });
    expect((await app.request('PUT', `${path}/alarm`, { body })).body.is_critical).toBe(true);
  });

  test('can be used the moment it exists, also when it was asked for before', async () => {
    expect((await send({ category: 'soon' })).body.error.code).toBe('category_not_found');
    await create({ key: 'soon' });
    expect((await send({ category: 'soon' })).status).toBe(202);
  });

  test('belongs to its environment', async () => {
    await create({ key: 'wall' });
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { name: 'x', default_channels: [], default_opt_in: true }],
      ['DELETE', undefined],
    ] as const) {
      expect((await app.request(method, `${path}/wall`, { key: app.liveKey, body })).status).toBe(404);
    }
    expect((await send({ category: 'wall' }, app.liveKey)).body.error.code).toBe('category_not_found');
    expect((await create({ key: 'wall' }, app.liveKey)).status).toBe(201);
  });

  test('is created once by twenty who try', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ key: 'race' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  test('lists come in pages', async () => {
    const first = await app.request('GET', `${path}?limit=1`);
    const second = await app.request('GET', `${path}?limit=1&cursor=${first.body.next_cursor}`);
    expect(second.body.data[0].id < first.body.data[0].id).toBe(true);
    expect(
      (await app.request('GET', `${path}?cursor=${first.body.next_cursor}`, { key: app.liveKey })).body.error
        .code,
    ).toBe('invalid_cursor');
  });
});

describe('bad input', () => {
  test.each([
    [{ key: undefined }, 'parameter_missing', 'key'],
    [{ key: 'With Spaces' }, 'parameter_invalid', 'key'],
    [{ key: 'Capitals' }, 'parameter_invalid', 'key'],
    [{ key: '-dash' }, 'parameter_invalid', 'key'],
    [{ key: 'x'.repeat(101) }, 'parameter_invalid', 'key'],
    [{ name: '' }, 'parameter_invalid', 'name'],
    [{ name: undefined }, 'parameter_missing', 'name'],
    [{ name: 'x'.repeat(201) }, 'parameter_invalid', 'name'],
    [{ default_channels: undefined }, 'parameter_missing', 'default_channels'],
    [{ default_channels: ['email', 'pigeon'] }, 'parameter_invalid', 'default_channels[1]'],
    [{ default_channels: 'email' }, 'parameter_invalid', 'default_channels'],
    [{ is_critical: 'yes' }, 'parameter_invalid', 'is_critical'],
    [{ default_opt_in: 1 }, 'parameter_invalid', 'default_opt_in'],
    [{ description: 5 }, 'parameter_invalid', 'description'],
  ])('%j is refused', async (body, code, param) => {
    const answer = await create({ key: 'fine', ...body });
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, code, param]);
  });

  test.each([
    ['name', { default_channels: [], default_opt_in: true }],
    ['default_channels', { name: 'x', default_opt_in: true }],
    ['default_opt_in', { name: 'x', default_channels: [] }],
  ])('a change without %s is refused', async (param, body) => {
    const answer = await app.request('PUT', `${path}/news`, { body });
    expect(answer.body.error).toMatchObject({ code: 'parameter_missing', param });
  });

  test('an unknown one is 404', async () => {
    const body = { name: 'x', default_channels: [], default_opt_in: true };
    expect((await app.request('GET', `${path}/none`)).status).toBe(404);
    expect((await app.request('PUT', `${path}/none`, { body })).status).toBe(404);
    expect((await app.request('DELETE', `${path}/none`)).status).toBe(404);
    expect((await app.request('GET', `${path}/No%00ne`)).status).toBe(404);
  });

  test('an environment cannot have a category too many', async () => {
    await app.pool.query(
      `insert into categories (environment_id, key, id, name, is_critical, default_channels, default_opt_in)
       select $1, 'filler' || n, gen_random_uuid(), 'x', false, '{}', true from generate_series(1, 1000) n`,
      [app.liveEnvironmentId],
    );
    expect((await create({ key: 'one_more' }, app.liveKey)).body.error).toMatchObject({
      code: 'parameter_invalid',
      param: 'key',
    });
  });
});

test('a batch of sends asks for its categories together', async () => {
  await create({ key: 'batch' });
  const { body } = await app.request('POST', '/v1/notifications/batch', {
    body: {
      notifications: ['batch', 'none', 'batch', null].map((category) => ({ ...email, category })),
    },
  });
  expect(body.data.map((entry: { error?: { code: string } }) => entry.error?.code ?? 'ok')).toEqual([
    'ok',
    'category_not_found',
    'ok',
    'ok',
  ]);
});
