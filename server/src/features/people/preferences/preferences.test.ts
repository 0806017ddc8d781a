import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { type Channel, channels } from '../../../channels/contract.ts';
import type { Principal } from '../../../http/principal.ts';
import { newId } from '../../../kernel/ids.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  for (const category of [
    { key: 'news', name: 'News for you', default_channels: ['email'] },
    { key: 'offers', default_channels: ['email', 'sms'], default_opt_in: false },
    { key: 'alarm', default_channels: ['email'], is_critical: true },
    { key: 'gone', default_channels: ['email'] },
  ])
    await app.request('POST', '/v1/preferences/categories', { body: { name: category.key, ...category } });
  await app.request('DELETE', '/v1/preferences/categories/gone');
});
afterAll(() => app.stop());

let users = 0;
const newUser = () => `user-${++users}`;
const of = (user: string) => `/v1/preferences/users/${encodeURIComponent(user)}`;
const put = (user: string, preferences: unknown) => app.request('PUT', of(user), { body: { preferences } });
const patch = (user: string, cell: string, body: unknown) =>
  app.request('PATCH', `${of(user)}/${cell}`, { body });

/** The values that are on, as `category/channel`, and those that somebody decided, with who. */
async function state(user: string) {
  const { body } = await app.request('GET', of(user));
  const cells: { category_key: string; channel: string; opted_in: boolean; source: string }[] = body.data;
  const name = (cell: { category_key: string; channel: string }) => `${cell.category_key}/${cell.channel}`;
  return {
    size: cells.length,
    on: cells.filter((cell) => cell.opted_in).map(name),
    decided: Object.fromEntries(
      cells.filter((cell) => cell.source !== 'default').map((cell) => [name(cell), cell.source]),
    ),
  };
}

describe('preferences of a user', () => {
  test('are the defaults of every category and channel for somebody never seen', async () => {
    expect(await state(newUser())).toEqual({
      size: 3 * channels.length,
      on: ['alarm/email', 'news/email'],
      decided: {},
    });
  });

  test('are set one by one, with the API as their source', async () => {
    const user = newUser();
    const off = await patch(user, 'news/email', { opted_in: false });
    expect(off).toMatchObject({
      status: 200,
      body: { category_key: 'news', channel: 'email', opted_in: false, source: 'api', is_critical: false },
    });
    await patch(user, 'offers/in-app', { opted_in: true });
    expect(await state(user)).toMatchObject({
      on: ['alarm/email', 'offers/in_app'],
      decided: { 'news/email': 'api', 'offers/in_app': 'api' },
    });
  });

  test('say what their category is called and when they were decided', async () => {
    const user = newUser();
    const { body: set } = await patch(user, 'news/email', { opted_in: false });
    expect(set).toMatchObject({ category_name: 'News for you', updated_at: expect.any(String) });
    const { body } = await app.request('GET', of(user));
    const cells: { category_key: string; channel: string; updated_at: string | null }[] = body.data;
    expect(cells.filter(({ updated_at }) => updated_at !== null)).toEqual([set]);
    expect(cells.find(({ category_key }) => category_key === 'offers')).toMatchObject({
      category_name: 'offers',
      updated_at: null,
    });
  });

  test('are set together, and those not named stay', async () => {
    const user = newUser();
    await patch(user, 'news/email', { opted_in: false });
    const answer = await put(user, [
      { category_key: 'offers', channel: 'sms', opted_in: true },
      { category_key: 'alarm', channel: 'email', opted_in: true },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual((await app.request('GET', of(user))).body);
    expect(await state(user)).toMatchObject({ on: ['alarm/email', 'offers/sms'] });
  });

  test('are set all or not at all', async () => {
    const user = newUser();
    const good = { category_key: 'news', channel: 'email', opted_in: false };
    const bad: [unknown, number, string, string | null][] = [
      [{ ...good, category_key: 'none' }, 400, 'category_not_found', 'preferences[1].category_key'],
      [{ ...good, category_key: 'gone' }, 400, 'category_archived', 'preferences[1].category_key'],
      [{ ...good, channel: 'pigeon' }, 400, 'parameter_invalid', 'preferences[1].channel'],
      [{ ...good, opted_in: 'no' }, 400, 'parameter_invalid', 'preferences[1].opted_in'],
      [{ ...good, category_key: 'alarm' }, 409, 'category_critical', 'preferences[1].opted_in'],
      [{ ...good, opted_in: true }, 400, 'parameter_invalid', 'preferences[1]'],
      [{}, 400, 'parameter_missing', 'preferences[1].category_key'],
    ];
    for (const [element, status, code, param] of bad) {
      const answer = await put(user, [good, element]);
      expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([status, code, param]);
    }
    expect((await state(user)).decided).toEqual({});
    expect((await put(user, [])).status).toBe(200);
    expect((await put(user, 'all')).body.error.param).toBe('preferences');
  });

  test('of an address hold for all its spellings', async () => {
    await patch('Ada@Example.com', 'news/email', { opted_in: false });
    expect((await state('ada@EXAMPLE.COM')).decided).toEqual({ 'news/email': 'api' });
    await patch('CaseMatters', 'news/email', { opted_in: false });
    expect((await state('casematters')).decided).toEqual({});
  });

  test('belong to their environment', async () => {
    const user = newUser();
    await patch(user, 'news/email', { opted_in: false });
    const { body } = await app.request('GET', of(user), { key: app.liveKey });
    expect(body).toEqual({ data: [] });
  });

  test.each([
    ['alarm/email', { opted_in: false }, 409, 'category_critical', 'opted_in'],
    ['none/email', { opted_in: false }, 404, 'resource_not_found', null],
    ['gone/email', { opted_in: false }, 400, 'category_archived', null],
    ['news/pigeon', { opted_in: false }, 400, 'parameter_invalid', 'channel'],
    ['news/email', {}, 400, 'parameter_missing', 'opted_in'],
    ['news/email', { opted_in: null }, 400, 'parameter_invalid', 'opted_in'],
  ])('PATCH %s %j is %i %s', async (cell, body, status, code, param) => {
    const answer = await patch(newUser(), cell, body);
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([status, code, param]);
  });

  test.each(['%00', 'a%0Ab', 'x'.repeat(256)])('nobody is called %j', async (user) => {
    expect((await app.request('GET', `/v1/preferences/users/${user}`)).status).toBe(404);
  });

  test('written by twenty at once end as one of them wrote, in full', async () => {
    const user = newUser();
    const both = (opted_in: boolean) => [
      { category_key: 'news', channel: 'email', opted_in },
      { category_key: 'offers', channel: 'email', opted_in },
      { category_key: 'news', channel: 'sms', opted_in },
    ];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        put(user, n % 3 === 0 ? both(n % 2 === 0).reverse() : both(n % 2 === 0)),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { on } = await state(user);
    const mine = on.filter((name) => name !== 'alarm/email').sort();
    expect([[], ['news/email', 'news/sms', 'offers/email']]).toContainEqual(mine);
    const single = await Promise.all(
      Array.from({ length: 20 }, (_, n) => patch(user, 'news/email', { opted_in: n % 2 === 0 })),
    );
    expect(new Set(single.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('quiet hours', () => {
  const hours = { start_local: '22:00', end_local: '07:00', timezone: 'Europe/Rome' };
  const quiet = (user: string) => `${of(user)}/quiet-hours`;

  test('are set, read, replaced and removed', async () => {
    const user = newUser();
    expect((await app.request('GET', quiet(user))).status).toBe(404);
    expect(await app.request('PUT', quiet(user), { body: hours })).toMatchObject({
      status: 200,
      body: hours,
    });
    const other = { ...hours, end_local: '06:30' };
    await app.request('PUT', quiet(user), { body: other });
    expect((await app.request('GET', quiet(user))).body).toEqual(other);
    expect((await app.request('DELETE', quiet(user))).status).toBe(204);
    expect((await app.request('DELETE', quiet(user))).status).toBe(404);
  });

  test.each([
    [{ ...hours, timezone: 'Europe/Atlantis' }, 'parameter_invalid', 'timezone'],
    [{ ...hours, timezone: '+02:00' }, 'parameter_invalid', 'timezone'],
    [{ ...hours, timezone: undefined }, 'parameter_missing', 'timezone'],
    [{ ...hours, start_local: '24:00' }, 'parameter_invalid', 'start_local'],
    [{ ...hours, start_local: '7:00' }, 'parameter_invalid', 'start_local'],
    [{ ...hours, end_local: '22:00' }, 'parameter_invalid', 'end_local'],
    [{ ...hours, end_local: 7 }, 'parameter_invalid', 'end_local'],
  ])('%j are refused', async (body, code, param) => {
    const answer = await app.request('PUT', quiet(newUser()), { body });
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, code, param]);
  });
});

describe('over any history', () => {
  const keys = ['a', 'b', 'c'];
  const channel = fc.constantFrom<Channel>('email', 'sms', 'in_app');
  const key = fc.constantFrom(...keys);
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('category' as const),
      key,
      default_channels: fc.uniqueArray(channel),
      default_opt_in: fc.boolean(),
      is_archived: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('set' as const),
      user: fc.constantFrom('u', 'U', 'v@x.io', 'V@X.io'),
      source: fc.constantFrom('api' as const, 'recipient' as const, 'unsubscribe' as const),
      changes: fc.uniqueArray(fc.record({ category_key: key, channel, opted_in: fc.boolean() }), {
        maxLength: 4,
        selector: (change) => `${change.category_key} ${change.channel}`,
      }),
    }),
  );

  test('the effective value is what a plain model says', async () => {
    const { preferences, categories } = app.services;
    const me = (await app.request('GET', '/v1/me')).body;

    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (history) => {
        const environmentId = newId();
        await app.pool.query(
          `insert into environments (id, organization_id, kind, name) values ($1, $2, 'test', 'model')`,
          [environmentId, me.organization_id],
        );
        const principal = {
          kind: 'key',
          id: me.key_id,
          organizationId: me.organization_id,
          environmentId,
        } as Principal;
        const caller = { principal, requestId: 'r' };
        // The model: categories as last written, and per person and place the last word.
        const model = new Map(
          keys.map((name) => [
            name,
            { default_channels: ['email'] as Channel[], default_opt_in: true, is_archived: false },
          ]),
        );
        const words = new Map<string, { opted_in: boolean; source: string }>();
        for (const name of keys)
          await categories.create(caller, { key: name, name, default_channels: ['email'] });

        for (const event of history) {
          if (event.kind === 'category') {
            const { kind: _, key: name, ...next } = event;
            await categories.replace(caller, name, { name, ...next });
            model.set(name, next);
            continue;
          }
          const refused = event.changes.some((change) => model.get(change.category_key)?.is_archived);
          const setting = preferences.set(environmentId, event.user, event.changes, event.source);
          if (refused) {
            await expect(setting).rejects.toMatchObject({ code: 'category_archived' });
            continue;
          }
          await setting;
          const person = event.user.includes('@') ? event.user.toLowerCase() : event.user;
          for (const change of event.changes)
            words.set(`${person} ${change.category_key} ${change.channel}`, {
              opted_in: change.opted_in,
              source: event.source,
            });
        }

        for (const user of ['u', 'U', 'v@x.io', 'nobody']) {
          const expected = keys.flatMap((name) => {
            const category = model.get(name);
            if (!category || category.is_archived) return [];
            return channels.map((each) => ({
              category_key: name,
              channel: each,
              is_critical: false,
              ...(words.get(`${user} ${name} ${each}`) ?? {
                opted_in: category.default_opt_in && category.default_channels.includes(each),
                source: 'default',
              }),
            }));
          });
          expect(await preferences.matrix(environmentId, user)).toMatchObject(expected);
        }
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
