import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { query } from '../../../db/sql.ts';
import { tidyTopics } from './store.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

const create = (key: string, apiKey = app.testKey) =>
  app.request('POST', '/v1/topics', { body: { key, name: `About ${key}` }, key: apiKey });
const add = (key: string, external_user_ids: string[]) =>
  app.request('POST', `/v1/topics/${key}/subscribers`, { body: { external_user_ids } });
const remove = (key: string, external_user_ids: string[]) =>
  app.request('POST', `/v1/topics/${key}/subscribers/remove`, { body: { external_user_ids } });
const countOf = async (key: string): Promise<number> =>
  (await app.request('GET', `/v1/topics/${key}`)).body.subscriber_count;
async function subscribersOf(key: string, limit = 2): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const search = new URLSearchParams({ limit: String(limit), ...(cursor ? { cursor } : {}) });
    const page = await app.request('GET', `/v1/topics/${key}/subscribers?${search}`);
    expect(page.status).toBe(200);
    ids.push(...page.body.data.map((row: { external_user_id: string }) => row.external_user_id));
    cursor = page.body.next_cursor;
  } while (cursor);
  return ids;
}

describe('a topic', () => {
  test('is created, read, listed, changed and deleted in its environment, and every change is audited', async () => {
    const made = await create('releases');
    expect(made).toMatchObject({
      status: 201,
      body: { key: 'releases', name: 'About releases', description: null, subscriber_count: 0 },
    });
    expect((await create('releases')).body.error).toMatchObject({ code: 'duplicate_key', param: 'key' });
    expect((await app.request('GET', '/v1/topics/releases', { key: app.liveKey })).status).toBe(404);
    const changed = await app.request('PUT', '/v1/topics/releases', { body: { name: 'Releases' } });
    expect(changed.body).toEqual({ ...made.body, name: 'Releases' });
    expect((await app.request('GET', '/v1/topics')).body.data).toContainEqual(changed.body);
    expect((await app.request('DELETE', '/v1/topics/releases')).status).toBe(204);
    expect((await app.request('GET', '/v1/topics/releases')).status).toBe(404);
    const { body } = await app.request('GET', '/v1/audit-log?limit=10');
    expect(body.data.map((entry: { action: string }) => entry.action)).toEqual(
      expect.arrayContaining(['topic.created', 'topic.updated', 'topic.deleted']),
    );
  });

  test('frees its key at once when it is deleted, and its subscribers do not come back', async () => {
    await create('again');
    await add('again', ['one', 'two']);
    await app.request('DELETE', '/v1/topics/again');
    expect((await create('again')).body.subscriber_count).toBe(0);
    expect(await subscribersOf('again')).toEqual([]);
    expect((await app.request('GET', '/v1/users/one/topics')).body.data).toEqual([]);
    await query(
      app.pool,
      `update topics set deleted_at = now() - interval '2 minutes' where deleted_at is not null`,
    );
    await tidyTopics(app.deps, () => false);
    const left =
      'select (select count(*) from topics where deleted_at is not null)::int as topics, (select count(*) from topic_subscribers where external_user_id = $1)::int as rows';
    expect(await query(app.pool, left, ['one'])).toEqual([{ topics: 0, rows: 0 }]);
  });

  test('are found by a part of the key or the name', async () => {
    await create('found.by_key');
    await app.request('POST', '/v1/topics', { body: { key: 'other', name: 'Found by name, 100 %' } });
    const search = async (text: string) => {
      const { body } = await app.request('GET', `/v1/topics?search=${encodeURIComponent(text)}`);
      return body.data.map(({ key }: { key: string }) => key);
    };
    expect(await search('FOUND')).toEqual(['other', 'found.by_key']);
    expect(await search('found_')).toEqual([]);
    expect(await search('100 %')).toEqual(['other']);
  });

  test.each([
    [{ key: 'Über', name: 'x' }, 'key'],
    [{ key: 'x', name: '' }, 'name'],
    [{ key: 'x' }, 'name'],
    [{ key: 'x', name: 'a\nb' }, 'name'],
  ])('%j is refused', async (body, param) => {
    const answer = await app.request('POST', '/v1/topics', { body });
    expect([answer.status, answer.body.error.param]).toEqual([400, param]);
  });
});

describe('subscribers', () => {
  test('are counted once however often they are added, and become users', async () => {
    await create('crowd');
    const ids = Array.from({ length: 10_000 }, (_, n) => `crowd-${String(n).padStart(5, '0')}`);
    const answers = await Promise.all([add('crowd', ids), add('crowd', ids.toReversed()), add('crowd', ids)]);
    expect(answers.map(({ body }) => body.added).reduce((sum, added) => sum + added, 0)).toBe(10_000);
    expect((await add('crowd', [...ids.slice(0, 5), 'crowd-new', 'crowd-new'])).body).toEqual({ added: 1 });
    expect(await countOf('crowd')).toBe(10_001);
    expect((await app.request('GET', '/v1/users/crowd-00042')).status).toBe(200);
    const removals = await Promise.all([remove('crowd', ids), remove('crowd', ids.toReversed())]);
    expect(removals.map(({ body }) => body.removed).reduce((sum, removed) => sum + removed, 0)).toBe(10_000);
    expect(await countOf('crowd')).toBe(1);
  });

  test('are listed in pages that lose and repeat nobody', async () => {
    await create('pages');
    const ids = ['a', 'b', 'ß', 'z', 'Ω/1'];
    await add('pages', ids);
    expect((await subscribersOf('pages')).sort()).toEqual([...ids].sort());
    const bad = await app.request('GET', '/v1/topics/pages/subscribers?cursor=nonsense');
    expect(bad.body.error.code).toBe('invalid_cursor');
  });

  test('can be added and removed one by one, and a user shows the topics', async () => {
    await create('single');
    await create('double');
    const path = '/v1/topics/single/subscribers/ada%2Fone';
    for (let time = 0; time < 2; time += 1) expect((await app.request('PUT', path)).status).toBe(204);
    await add('double', ['ada/one']);
    const { body } = await app.request('GET', '/v1/users/ada%2Fone/topics');
    expect(body.data.map((topic: { key: string }) => topic.key)).toEqual(['double', 'single']);
    for (let time = 0; time < 2; time += 1) expect((await app.request('DELETE', path)).status).toBe(204);
    expect(await countOf('single')).toBe(0);
  });

  test('leave with the erasure of the user', async () => {
    await create('leaving');
    await add('leaving', ['gone', 'stays']);
    expect((await app.request('DELETE', '/v1/users/gone')).status).toBe(204);
    expect(await subscribersOf('leaving')).toEqual(['stays']);
    expect(await countOf('leaving')).toBe(1);
  });

  test('a call without ids, with too many, with a bad one or for an unknown topic is refused', async () => {
    await create('strict');
    const tooMany = Array.from({ length: 10_001 }, (_, n) => `u${n}`);
    for (const ids of [[], tooMany, [''], ['x'.repeat(256)], ['a\u0007b'], [5]]) {
      const { status, body } = await add('strict', ids as string[]);
      expect([status, body.error.param]).toEqual([400, expect.stringMatching(/^external_user_ids/)]);
    }
    expect((await add('unknown', ['a'])).status).toBe(404);
    expect(await countOf('strict')).toBe(0);
  });
});
