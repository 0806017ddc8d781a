import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

let count = 0;
async function create(more: object = {}): Promise<string> {
  const key = `guarded-${++count}`;
  const made = await app.request('POST', '/v1/templates', {
    body: { key, name: 'Guarded', subject_template: 'One', html_body_template: '<p>One</p>', ...more },
  });
  expect(made.status).toBe(201);
  return key;
}

const get = async (key: string) => (await app.request('GET', `/v1/templates/${key}`)).body;
const write = (method: string, path: string, version: string | null, body?: object) =>
  app.request(method, `/v1/templates/${path}`, {
    body,
    headers: version === null ? {} : { 'if-match': version },
  });

/** Every way to save a template. */
const saves: [string, string, object | undefined][] = [
  ['PATCH', '', { name: 'Other' }],
  ['PUT', '/bodies/sms', { text_template: 'Hi' }],
  ['DELETE', '/bodies/email', undefined],
  ['POST', '/versions/1/restore', undefined],
];

describe('If-Match', () => {
  test.each(saves)(
    '%s %s is made to the version that it names, or not at all',
    async (method, rest, body) => {
      const key = await create();
      await write('PATCH', key, null, { name: 'Changed by somebody else' });
      const before = await get(key);
      expect(before.version).toBe(2);

      const stale = await write(method, key + rest, '"1"', body);
      expect(stale).toMatchObject({
        status: 409,
        body: { error: { type: 'conflict_error', code: 'version_conflict', param: 'If-Match' } },
      });
      expect(stale.body.error.message).toContain('at version 2, not 1');
      expect(await get(key)).toEqual(before);
      const log = await app.request('GET', `/v1/audit-log?target=template:${before.id}`);
      expect(log.body.data).toHaveLength(2);

      expect((await write(method, key + rest, '"2"', body)).status).toBeLessThan(300);
      expect((await get(key)).version).toBe(3);
    },
  );

  test('of twenty who save the same version one wins', async () => {
    const key = await create();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => write('PATCH', key, '"1"', { name: `Save ${turn}` })),
    );
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(all.filter(({ status }) => status === 409)).toHaveLength(19);
    expect((await get(key)).version).toBe(2);
  });

  test('left out, the last save wins', async () => {
    const key = await create();
    await Promise.all(Array.from({ length: 5 }, () => write('PATCH', key, null, { name: 'Any' })));
    expect((await get(key)).version).toBe(6);
  });

  test('a put body answers with the version that it made', async () => {
    const key = await create();
    const put = await write('PUT', `${key}/bodies/sms`, '"1"', { text_template: 'Hi' });
    expect(put).toMatchObject({ status: 201, body: { channel: 'sms', text_template: 'Hi', version: 2 } });
    const again = await write('PUT', `${key}/bodies/sms`, `"${put.body.version}"`, { text_template: 'Ho' });
    expect(again).toMatchObject({ status: 200, body: { version: 3 } });
  });

  test.each([
    '1',
    '*',
    '""',
    '"0"',
    '"01"',
    '"-1"',
    '"1.0"',
    'W/"1"',
    '"1", "2"',
    '"x"',
    `"${'9'.repeat(11)}"`,
  ])('%s is refused', async (version) => {
    const key = await create();
    expect(await write('PATCH', key, version, { name: 'Other' })).toMatchObject({
      status: 400,
      body: { error: { code: 'parameter_invalid', param: 'If-Match' } },
    });
    expect((await get(key)).version).toBe(1);
  });
});

describe('a version', () => {
  test('is read with all that it says', async () => {
    const key = await create();
    const first = await get(key);
    await write('PUT', `${key}/bodies/sms`, null, { text_template: 'Hi' });
    await write('PATCH', key, null, { name: 'Renamed', subject_template: 'Two' });
    expect(await write('GET', `${key}/versions/1`, null)).toMatchObject({
      status: 200,
      body: { version: 1, name: 'Guarded', created_at: first.updated_at, bodies: first.bodies },
    });
    const { name, version, bodies, push, updated_at } = await get(key);
    const current = await write('GET', `${key}/versions/3`, null);
    expect(current.body).toEqual({ name, version, bodies, push, created_at: updated_at });
  });

  test('that is not there is not found', async () => {
    const key = await create();
    for (const path of [`${key}/versions/2`, `${key}/versions/0`, `${key}/versions/x`, 'none/versions/1']) {
      expect((await write('GET', path, null)).status).toBe(404);
    }
    const live = await app.request('GET', `/v1/templates/${key}/versions/1`, { key: app.liveKey });
    expect(live.status).toBe(404);
  });
});

test('the list is searched by a part of the key or the name', async () => {
  await create({ key: 'find-me_50', name: 'Über uns' });
  await create({ key: 'other', name: 'Find me too' });
  const found = async (search: string) =>
    (await app.request('GET', `/v1/templates?search=${encodeURIComponent(search)}`)).body.data.map(
      ({ key }: { key: string }) => key,
    );
  expect(await found('FIND')).toEqual(['other', 'find-me_50']);
  expect(await found('me_5')).toEqual(['find-me_50']);
  expect(await found('uns')).toEqual(['find-me_50']);
  expect(await found('me%5')).toEqual([]);
  expect(await found('too')).toEqual(['other']);
  for (const search of ['', 'x'.repeat(201), '\0']) {
    const refused = await app.request('GET', `/v1/templates?search=${encodeURIComponent(search)}`);
    expect(refused).toMatchObject({ status: 400, body: { error: { param: 'search' } } });
  }
});
