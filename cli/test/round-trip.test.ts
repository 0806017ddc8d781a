import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@carillon/sdk';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/harness/app.ts';
import { randomBody } from '../../server/test/harness/random-workflows.ts';
import { channels } from '../src/channels.ts';
import { categories } from '../src/configuration/categories.ts';
import { hashOf } from '../src/configuration/kind.ts';
import { filesOf } from '../src/configuration/templates.ts';
import { createWorld, type World } from './world.ts';

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await startTestApp();
  world = createWorld({ CARILLON_URL: app.url, CARILLON_API_KEY: app.testKey });
});
afterAll(async () => {
  world.remove();
  await app.stop();
});

/** Text that a template may hold: line breaks of every kind at every place, other scripts, blanks; no Liquid and no NUL. */
const text = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          '\n',
          '\r\n',
          '\r',
          ' ',
          '\t',
          '\\n',
          '"',
          '\ufeff',
          '\u2028',
          'é',
          '漢',
          '😀',
          '{{ x }}',
        ),
      },
      { weight: 5, arbitrary: fc.string({ maxLength: 8 }) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.map((part) => (part === '{{ x }}' ? part : part.replaceAll(/[{}\0]/g, ''))).join(''));
const content = text.filter((value) => value.trim() !== '');
const line = content.map((value) => value.replaceAll(/\p{Cc}/gu, ' ')).filter((value) => value.trim() !== '');
const name = line.map((value) => [...value].slice(0, 200).join(''));
const key = fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,20}$/);
const locale = fc.constantFrom('de', 'de-AT', 'zh-Hant', 'sr-Latn-RS', 'subject', 'es-419');
const json = (value: fc.Arbitrary<unknown>, spaces: fc.Arbitrary<number>) =>
  fc.tuple(value, spaces).map(([each, indent]) => JSON.stringify(each, null, indent));

const fieldsOf = (channel: (typeof channels)[number]): fc.Arbitrary<Record<string, string>> => {
  const blocks = json(fc.constantFrom([{ type: 'divider' }], []), fc.nat(2));
  const card = json(fc.constant({ type: 'AdaptiveCard', version: '1.5', body: [] }), fc.nat(2));
  const embed = json(fc.constant({ title: 'x' }), fc.nat(2));
  switch (channel) {
    case 'email':
      return fc.record({ subject_template: line, html_template: content, text_template: text });
    case 'in_app':
      return fc.record({ subject_template: text, html_template: text, text_template: content });
    case 'sms':
      return fc.record({ text_template: content });
    case 'webhook':
      return fc.record({ subject_template: text, text_template: content, structured_template: embed });
    case 'chatone':
      return fc.record({ structured_template: blocks });
    case 'chattwo':
      return fc.record({ structured_template: card });
    case 'chatthree':
      return fc.record({ text_template: text, structured_template: embed });
  }
};

const bodies = fc
  .subarray([...channels])
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((channel) =>
        fc
          .tuple(
            fieldsOf(channel),
            fc.uniqueArray(fc.tuple(locale, fieldsOf(channel)), { maxLength: 2, selector: ([tag]) => tag }),
          )
          .map(([own, others]) => [
            { channel, ...own },
            ...others.map(([tag, fields]) => ({ channel, locale: tag, ...fields })),
          ]),
      ),
    ),
  )
  .map((each) => each.flat());

const push = fc.option(
  fc.oneof(
    fc.record({ mode: fc.constantFrom('always', 'never') }),
    fc.record({ mode: fc.constant('unseen'), after_seconds: fc.integer({ min: 1, max: 86_400 }) }),
  ),
);
const template = fc.record({ key, name, bodies, push });
const category = fc.record({
  key,
  name,
  description: fc.option(text.map((value) => value.slice(0, 500))),
  is_critical: fc.boolean(),
  default_channels: fc.subarray([...channels]),
  default_opt_in: fc.boolean(),
  push,
});
const workflow = fc.record({
  key: fc.stringMatching(/^[a-z0-9_]{1,20}$/).filter((each) => each !== 'runs'),
  name,
  description: fc.option(text.map((value) => value.slice(0, 500))),
  versions: fc.array(fc.tuple(randomBody({ maxSteps: 3 }), fc.nat(2)), { maxLength: 2 }),
  activate: fc.boolean(),
});
const brand = fc.record({
  name: fc.option(name),
  logo_url: fc.option(fc.webUrl({ validSchemes: ['https'] })),
  accent_color: fc.option(fc.stringMatching(/^#[0-9a-fA-F]{6}$/)),
});
const configuration = fc.record({
  templates: fc.uniqueArray(template, { maxLength: 3, selector: (each) => each.key }),
  categories: fc.uniqueArray(category, { maxLength: 3, selector: (each) => each.key }),
  workflows: fc.uniqueArray(workflow, { maxLength: 2, selector: (each) => each.key }),
  brand,
});

/** What the service refuses is no configuration: the property is about what it holds. */
async function establish(
  wanted: typeof configuration extends fc.Arbitrary<infer Value> ? Value : never,
): Promise<number> {
  let held = 0;
  const post = async (path: string, body?: unknown) => {
    const { status } = await app.request('POST', path, body === undefined ? {} : { body });
    if (status >= 500) throw new Error(`${path}: ${status}`);
    if (status === 201) held++;
  };
  await app.pool.query('truncate workflows, templates, categories, brands cascade');
  await app.request('PUT', '/v1/brand', { body: wanted.brand });
  for (const each of wanted.categories) await post('/v1/preferences/categories', each);
  for (const each of wanted.templates) await post('/v1/templates', each);
  for (const { versions, activate, ...each } of wanted.workflows) {
    await post('/v1/workflows', each);
    for (const [body, indent] of versions)
      await post(`/v1/workflows/${each.key}/versions`, { body_json: JSON.stringify(body, null, indent) });
    if (activate && versions.length > 0) await post(`/v1/workflows/${each.key}/versions/1/activate`);
  }
  return held;
}

const writes = async (): Promise<number> =>
  (await app.pool.query('select count(*)::int as count from audit_entries')).rows[0].count;

test('pull, then push: a no-op, for whatever the service holds; and into an empty environment it all comes back', {
  timeout: 120_000,
}, async () => {
  let held = 0;
  await fc.assert(
    fc.asyncProperty(configuration, async (wanted) => {
      held += await establish(wanted);
      rmSync(join(world.folder, 'carillon'), { recursive: true, force: true });
      expect(await world.run(['pull'])).toMatchObject({ code: 0, err: '' });
      const before = await writes();
      const push = await world.json(['push', '--yes']);
      expect(push).toMatchObject({ applied: false, changes: [], kept: [] });
      expect((await world.json(['pull', '--yes'])).changes).toEqual([]);
      expect(await writes()).toBe(before);
    }),
    { numRuns: 25 },
  );
  expect(held).toBeGreaterThan(50); // the random ones are mostly accepted

  const env = { CARILLON_API_KEY: app.liveKey };
  expect((await world.run(['push', '--yes'], { env })).err).toBe('');
  const [test, live] = [app.testKey, app.liveKey].map((api_key) =>
    createClient({ base_url: app.url, api_key }),
  );
  for (const list of ['categories', 'templates', 'workflows'] as const)
    expect((await live?.[list].list().page())?.data.length).toBe(
      (await test?.[list].list().page())?.data.length,
    );
  expect(await live?.preferences.getBrand()).toEqual(await test?.preferences.getBrand());
});

test('files are equal exactly when the resources are', () => {
  const body = {
    channel: 'email' as const,
    locale: null,
    subject_template: 's',
    html_template: '',
    text_template: 'a',
    structured_template: '',
    layout: null as string | null,
  };
  const hash = (changes: Partial<typeof body>, called = 'n') =>
    hashOf(filesOf({ key: 'k', name: called, bodies: [{ ...body, ...changes }], push: null }));
  const all = [
    hash({}),
    hash({ text_template: 'a\n' }),
    hash({ text_template: 'a\r' }),
    hash({ subject_template: 's ' }),
    hash({}, 'm'),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(hash({})).toBe(hash({}));
  expect(categories.read(join(world.folder, 'nowhere'))).toMatchObject({ exists: false });
});
