import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { query } from '../../../db/sql.ts';
import { encodeOffset } from '../../../kernel/page.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

const put = (user: string, body: object = {}, key = app.testKey) =>
  app.request('PUT', `/v1/users/${encodeURIComponent(user)}`, { body, key });
const list = (search: Record<string, string>, key = app.testKey) =>
  app.request('GET', `/v1/users?${new URLSearchParams(search)}`, { key });
const idsOf = ({ body }: { body: { data: { external_user_id: string }[] } }) =>
  body.data.map((user) => user.external_user_id);

/** All pages, one after the other. */
async function allIds(search: Record<string, string>, limit = 2): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await list({ ...search, limit: String(limit), ...(cursor ? { cursor } : {}) });
    expect(page.status).toBe(200);
    expect(idsOf(page).length).toBeLessThanOrEqual(limit);
    ids.push(...idsOf(page));
    cursor = page.body.next_cursor;
  } while (cursor);
  return ids;
}

test('users are listed newest first, as they are read one by one, and only those of the environment', async () => {
  for (const user of ['first', 'second', 'third']) await put(user, { email: `${user}@order.test` });
  await put('elsewhere', { email: 'elsewhere@order.test' }, app.liveKey);
  const page = await list({});
  expect(idsOf(page)).toEqual(['third', 'second', 'first']);
  expect(page.body.data[0]).toEqual((await app.request('GET', '/v1/users/third')).body);
  expect(page.body.next_cursor).toBeNull();
  expect(idsOf(await list({}, app.liveKey))).toEqual(['elsewhere']);
  await put('first', { name: 'Changed' }); // changing somebody does not make them new
  expect(idsOf(await list({}))).toEqual(['third', 'second', 'first']);
});

test('pages lose and repeat nobody, also of users who became known at the same instant', async () => {
  await query(
    app.pool,
    `insert into end_users (environment_id, external_user_id, created_at)
     select $1, 'same-' || n, '2024-05-06 07:08:09.123456+00' from generate_series(1, 7) n`,
    [app.testEnvironmentId],
  );
  const long = `same-${'ß'.repeat(250)}`;
  await put(long);
  const ids = await allIds({ search: 'same-' });
  expect(ids).toEqual([long, ...[7, 6, 5, 4, 3, 2, 1].map((n) => `same-${n}`)]);
});

test('search finds what an id or an email begins with, in either case, and takes every sign for itself', async () => {
  await put('Zoe', { email: 'Someone@Prefix.test' });
  await put('someone-else', { email: 'zo@prefix.test' });
  await put('50%_off', {});
  await put('50 off', {});
  await put('back\\slash', {});
  expect(idsOf(await list({ search: 'zo' }))).toEqual(['someone-else', 'Zoe']);
  expect(idsOf(await list({ search: 'ZOE' }))).toEqual(['Zoe']);
  expect(idsOf(await list({ search: 'SomeOne@' }))).toEqual(['Zoe']);
  expect(idsOf(await list({ search: '50%' }))).toEqual(['50%_off']);
  expect(idsOf(await list({ search: '50__off' }))).toEqual([]);
  expect(idsOf(await list({ search: 'back\\' }))).toEqual(['back\\slash']);
  expect(idsOf(await list({ search: '%' }))).toEqual([]);
  expect(idsOf(await list({ search: 'prefix' }))).toEqual([]); // the beginning, not a part
  expect(await allIds({ search: 'zo' }, 1)).toEqual(['someone-else', 'Zoe']);
});

test('bad input is refused, also a cursor that somebody made', async () => {
  for (const [search, param] of [
    [{ search: '' }, 'search'],
    [{ search: 'x'.repeat(201) }, 'search'],
    [{ search: 'a\0b' }, 'search'],
    [{ limit: '0' }, 'limit'],
    [{ limit: '101' }, 'limit'],
  ] as const) {
    expect(await list(search)).toMatchObject({ status: 400, body: { error: { param } } });
  }
  const own = `users:${app.testEnvironmentId}`;
  for (const cursor of [
    'nonsense',
    encodeOffset(`users:${app.liveEnvironmentId}`, '1 ada'),
    encodeOffset(own, 'ada'),
    encodeOffset(own, '-1 ada'),
    encodeOffset(own, `${'9'.repeat(17)} ada`),
    encodeOffset(own, '1 '),
    encodeOffset(own, '1 a\0b'),
  ]) {
    expect(await list({ cursor })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_cursor' } },
    });
  }
  const farOff = await list({ cursor: encodeOffset(own, `${'9'.repeat(16)} ada`) });
  expect(farOff.status).toBe(200);
});
