import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { query } from '../../../db/sql.ts';
import { readAudience } from './filter.ts';
import { countAudience, countMembers, firstMember, isEverybody, listMembers } from './members.ts';
import type { Audience } from './schema.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  for (const key of ['cats', 'dogs', 'birds'])
    await app.request('POST', '/v1/topics', { body: { key, name: key } });
  const users: Record<string, [body: object, topics: string[]]> = {
    ada: [{ locale: 'en-GB', timezone: 'Europe/London', attributes: { plan: 'pro', seats: 5 } }, ['cats']],
    bea: [{ locale: 'en', attributes: { plan: 'free', seats: 1, beta: true } }, ['cats', 'dogs']],
    cem: [{ locale: 'tr', timezone: 'Europe/Istanbul', attributes: { plan: 'team' } }, ['dogs', 'birds']],
    dan: [{ attributes: { plan: '5' } }, []],
  };
  for (const [id, [body, topics]] of Object.entries(users)) {
    await app.request('PUT', `/v1/users/${id}`, { body });
    for (const topic of topics) await app.request('PUT', `/v1/topics/${topic}/subscribers/${id}`);
  }
  // The same ids in Live: no audience of Test may contain them twice, nor their attributes.
  for (const id of ['ada', 'zoe'])
    await app.request('PUT', `/v1/users/${id}`, { body: { attributes: { plan: 'pro' } }, key: app.liveKey });
});
afterAll(() => app.stop());

const preview = (audience: object) => app.request('POST', '/v1/audiences/preview', { body: { audience } });

test.each<[Audience, string[]]>([
  [{ all: true }, ['ada', 'bea', 'cem', 'dan']],
  [{ filter: {} }, ['ada', 'bea', 'cem', 'dan']],
  [{ topic: 'cats' }, ['ada', 'bea']],
  [{ filter: { locales: ['EN'] } }, ['ada', 'bea']],
  [{ filter: { locales: ['en-GB', 'tr'] } }, ['ada', 'cem']],
  [{ filter: { locales: ['e'.repeat(2)], timezones: ['Europe/London'] } }, []],
  [{ filter: { timezones: ['Europe/London', 'Europe/Istanbul'] } }, ['ada', 'cem']],
  [{ filter: { topics_any: ['cats', 'birds'] } }, ['ada', 'bea', 'cem']],
  [{ filter: { topics_all: ['cats', 'dogs'] } }, ['bea']],
  [{ filter: { topics_none: ['cats'] } }, ['cem', 'dan']],
  [{ filter: { topics_any: ['dogs'], topics_none: ['birds'] } }, ['bea']],
  [{ filter: { attributes: { plan: 'pro' } } }, ['ada']],
  [{ filter: { attributes: { plan: ['pro', 'team'] } } }, ['ada', 'cem']],
  [{ filter: { attributes: { seats: [1, 5], plan: ['free'] } } }, ['bea']],
  [{ filter: { attributes: { plan: 5 } } }, []],
  [{ filter: { attributes: { beta: true } } }, ['bea']],
  [{ filter: { attributes: { beta: false } } }, []],
])('%j is %j', async (audience, expected) => {
  const { status, body } = await preview(audience);
  expect([status, body]).toEqual([200, { count: expected.length, is_capped: false, sample: expected }]);
});

test.each([
  [{}, 'audience'],
  [{ all: false }, 'audience'],
  [{ topic: 'cats', all: true }, 'audience'],
  [{ topic: 'fish' }, 'audience'],
  [{ filter: { topics_none: ['fish'] } }, 'audience'],
  [{ filter: { timezones: ['Mars/Olympus'] } }, 'audience.filter.timezones[0]'],
  [{ filter: { locales: ['en', 'no such tag'] } }, 'audience.filter.locales[1]'],
  [{ filter: { attributes: { plan: [] } } }, 'audience.filter.attributes.plan'],
  [{ filter: { attributes: { plan: { in: ['a'] } } } }, 'audience.filter.attributes.plan'],
  [{ filter: { attributes: { "plan' or true --": 'x' } } }, 'audience.filter.attributes'],
  [{ filter: { topic_any: ['cats'] } }, 'audience.filter.topic_any'],
  [{ filter: { locales: ['it'], plan: 'pro' } }, 'audience.filter.plan'],
  [{ topic: 'cats', country: 'it' }, 'audience.country'],
])('%j is refused', async (audience, param) => {
  const { status, body } = await preview(audience);
  expect([status, body.error.param]).toEqual([400, param]);
});

test('without a topic that was deleted, those who followed it are still not reached', async () => {
  await app.request('POST', '/v1/topics', { body: { key: 'opted_out', name: 'Opted out' } });
  await app.request('PUT', '/v1/topics/opted_out/subscribers/ada');
  const filter = readAudience({ filter: { topics_any: ['cats'], topics_none: ['opted_out', 'birds'] } });
  const members = async () =>
    (
      await listMembers(app.pool, app.testEnvironmentId, filter, { after: firstMember, limit: 10 })
    ).result.map((member) => member.external_user_id);
  expect(await members()).toEqual(['bea']);
  await app.request('DELETE', '/v1/topics/opted_out');
  expect(await members()).toEqual([]);
});

describe('slices', () => {
  beforeAll(() =>
    query(
      app.pool,
      `insert into end_users (environment_id, external_user_id, attributes)
       select $1, 'row-' || lpad(n::text, 5, '0'), jsonb_build_object('group', n % 97) from generate_series(0, 9999) n`,
      [app.testEnvironmentId],
    ),
  );

  test('read every member once, also when few users match', async () => {
    for (const [audience, expected] of [
      [{ filter: { attributes: { group: 3 } } }, 104],
      [{ filter: { attributes: { group: [3, 4] }, topics_none: ['cats'] } }, 208],
      [{ all: true }, 10_004],
    ] as [Audience, number][]) {
      const filter = readAudience(audience);
      const seen: string[] = [];
      let after: string | null = firstMember;
      while (after !== null) {
        const slice: Awaited<ReturnType<typeof listMembers>> = await listMembers(
          app.pool,
          app.testEnvironmentId,
          filter,
          { after, limit: 30 },
        );
        expect(slice.result.length).toBeLessThanOrEqual(30);
        seen.push(...slice.result.map((member) => member.external_user_id));
        after = slice.next;
      }
      expect([seen.length, new Set(seen).size]).toEqual([expected, expected]);
      expect(await countMembers(app.pool, app.testEnvironmentId, filter, firstMember)).toEqual({
        result: expected,
        next: null,
      });
    }
  });

  test('a count that takes too long says so', async () => {
    await query(
      app.pool,
      `insert into end_users (environment_id, external_user_id) select $1, 'x-' || n from generate_series(1, 50000) n`,
      [app.liveEnvironmentId],
    );
    const everybody = readAudience({ all: true });
    const count = (isLate: boolean) =>
      countAudience(app.pool, app.liveEnvironmentId, everybody, () => isLate);
    expect(await count(true)).toEqual({ count: 50_000, isCapped: true });
    expect(await count(false)).toEqual({ count: 50_002, isCapped: false });
  });

  test('a filter that every user meets is everybody', async () => {
    const is = (audience: Audience, environmentId = app.testEnvironmentId) =>
      isEverybody(app.pool, environmentId, readAudience(audience));
    expect(await is({ all: true })).toBe(true);
    expect(await is({ filter: { topics_none: [] } })).toBe(true);
    expect(await is({ filter: { topics_none: ['birds'] } })).toBe(false);
    expect(await is({ filter: { topics_all: ['cats'] } })).toBe(false);
    expect(await is({ filter: { locales: ['tr'] } })).toBe(false);
  });
});
