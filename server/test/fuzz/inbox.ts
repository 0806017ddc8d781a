import { createECDH, randomBytes } from 'node:crypto';
import type { FuzzTarget } from './target.ts';
import type { Area, Trial } from './trial.ts';
import { entriesOf, hostileData, hostileText, type Json, type JsonObject, spelled } from './values.ts';

/** Users whose devices ring; each has as many as a user may have. */
const users = ['ada', 'bob', 'cyd', 'dan', 'eve'];
const devicesOfOne = 100;
const maxHtml = 262_144;
const someTime = '2027-01-01T00:00:00Z';

interface Fixture {
  key: string;
  token: string;
}

const fixtures = new WeakMap<FuzzTarget, Fixture>();

/** In Live, so that devices are called: in Test, pushes end in the sandbox. */
async function prepare(target: FuzzTarget, devices: number): Promise<Fixture> {
  const known = fixtures.get(target);
  if (known) return known;
  const by = { key: target.liveKey };
  const me = await target.request('GET', '/v1/me', undefined, by);
  const settings = `/v1/environments/${me.body.environment_id}/push-settings`;
  await target.request('PUT', settings, { web_push: { contact: 'ops@example.com' } }, by);
  for (const user of users)
    for (let number = 0; number < devices; number += 1)
      await target.request('PUT', `/v1/users/${user}/devices`, deviceOf(target, `${user}/${number}`), by);
  const issued = await target.request(
    'POST',
    '/v1/inbox/tokens',
    { external_user_id: 'ada', ttl_seconds: 86_400 },
    by,
  );
  const fixture = { key: target.liveKey, token: String(issued.body.token) };
  fixtures.set(target, fixture);
  return fixture;
}

const browser = createECDH('prime256v1');
const p256dh = browser.generateKeys().toString('base64url');
const deviceOf = ({ gateway }: FuzzTarget, path: string): JsonObject => ({
  kind: 'web_push',
  endpoint: `${gateway.url}/${path}`,
  keys: { p256dh, auth: randomBytes(16).toString('base64url') },
});

const action = (n: number): JsonObject => ({
  key: `a${n}`,
  label: 'Yes',
  url: `https://example.com/${n}`,
  style: 'primary',
});
const item = (html: Json, more: JsonObject = {}): JsonObject => ({
  notification: { html_body: html, tags: ['news', 'other'], actions: [action(0), action(1)], ...more },
});

/** Everything that goes on with an item once it is there. */
async function use(trial: Trial, { token: key }: Fixture, id: string, input: JsonObject): Promise<void> {
  const by = { key };
  const query = entriesOf(input.query)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value).slice(0, 300).toWellFormed())}`)
    .join('&');
  await trial.ask('GET inbox feed', 'GET', `/inbox/v1/feed?limit=100&${query}`, undefined, by);
  await trial.ask('GET unread counts', 'GET', '/inbox/v1/unread-counts', undefined, by);
  const path = `/inbox/v1/notifications/${id}`;
  await trial.ask('POST snooze', 'POST', `${path}/snooze`, (input.snooze ?? { until: someTime }) as Json, by);
  await trial.ask('GET snoozed', 'GET', '/inbox/v1/feed?status=snoozed&limit=100', undefined, by);
  await trial.ask('POST unsnooze', 'POST', `${path}/unsnooze`, undefined, by);
  await trial.ask('POST action', 'POST', `${path}/actions/a0`, undefined, by);
  await trial.ask(
    'POST mark all read',
    'POST',
    '/inbox/v1/notifications/mark-all-read',
    input.bulk ?? {},
    by,
  );
  await trial.ask('POST archive all', 'POST', '/inbox/v1/notifications/archive-all', input.bulk ?? {}, by);
}

/** Items of an inbox, with tags and actions, and the devices that they ring. */
export const inbox: Area = {
  name: 'inbox and push',
  sampleEvery: 4,
  known: [
    item('<p>Hello</p>'),
    { ...item('<p>Hello</p>'), copies: 50 },
    ...['<b>', '<p>', '&amp;', 'a ', 'é', '😀', '\n', ' ', '<br>\n', '"'].map((unit) => ({
      ...item({ unit, times: 30_000 }),
      copies: 10,
    })),
    {
      ...item(
        { unit: 'word ', times: 50_000 },
        { subject: '"'.repeat(900), action_url: `https://example.com/${'a'.repeat(2_000)}` },
      ),
      copies: 50,
    },
    item('<p>x', { subject: '😀'.repeat(400), action_url: `https://example.com/${'%41'.repeat(600)}` }),
    {
      ...item('<p>x'),
      bulk: { ids: Array.from({ length: 500 }, () => '01890000-0000-7000-8000-000000000000') },
    },
    { ...item('<p>x'), bulk: { tag: 'news', category: 'news', before: someTime } },
    {
      ...item('<p>x', { tags: Array.from({ length: 10 }, (_, n) => `${n}${'字'.repeat(60)}`) }),
      query: { tag: 'news' },
    },
    {
      ...item('<p>x'),
      template: { before: '{"tags":[', unit: '"a",', times: 60_000, after: '"b"],"actions":[]}' },
    },
    { ...item('<p>x'), template: `{"tags":["{% for i in (1..90000) %}{{ i }}{% endfor %}"]}` },
    {
      ...item('<p>x'),
      template: '{"actions":[{"key":"{{ a }}","label":"{{ a }}","url":"{{ a }}"}]}',
      data: { a: 'a'.repeat(90_000) },
    },
    { ...item('<p>x'), answer: { unit: '<b>', times: 20_000 } },
    { ...item('<p>x'), answer: { unit: '\u0007', times: 60_000 } },
  ],
  fresh: (random) => ({
    notification: {
      ...(random.chance(0.7) ? { subject: hostileText(random, 900) } : {}),
      html_body: random.chance(0.5)
        ? hostileText(random, 60_000)
        : { unit: random.pick(['<p>x ', '&lt;', 'word ', '<li>']), times: 60_000 },
      tags: Array.from({ length: random.size(10) }, () => hostileText(random, 60)),
      actions: Array.from({ length: random.below(3) }, (_, n) => ({
        ...action(n),
        label: hostileText(random, 70),
        url: hostileText(random, 1_900),
      })),
      ...(random.chance(0.3) ? { action_url: `https://example.com/${hostileText(random, 1_900)}` } : {}),
      ...(random.chance(0.3) ? { template_data: hostileData(random, 20_000) } : {}),
    },
    copies: random.size(50),
    query: {
      tag: hostileText(random, 60),
      category: hostileText(random, 100),
      status: random.pick(['all', 'read', 'unread', 'snoozed']),
    },
    bulk: random.chance(0.5) ? {} : { tag: hostileText(random, 60), before: hostileText(random, 100) },
    snooze: { until: random.chance(0.7) ? someTime : hostileText(random, 100) },
    device: {
      kind: random.pick(['web_push', 'apns', 'fcm']),
      endpoint: hostileText(random, 1_900),
      token: hostileText(random, 900),
      label: hostileText(random, 90),
      keys: { p256dh: hostileText(random, 190), auth: hostileText(random, 90) },
    },
    ...(random.chance(0.3)
      ? { template: hostileText(random, 20_000), data: hostileData(random, 20_000) }
      : {}),
    ...(random.chance(0.3) ? { answer: hostileText(random, 20_000) } : {}),
  }),
  async run(trial, input) {
    const { target } = trial;
    const fixture = await prepare(target, devicesOfOne);
    const by = { key: fixture.key };
    if (input.device) await trial.ask('PUT device', 'PUT', '/v1/users/fay/devices', input.device, by);
    const { html_body: html, ...rest } = (input.notification ?? {}) as JsonObject;
    const notification: JsonObject = { ...rest, html_body: spelled(html, maxHtml) };
    let words: JsonObject = notification;
    if (input.template !== undefined) {
      const key = 'fuzzed_inbox';
      const body = {
        subject_template: 'x',
        html_template: '<p>{{ a }}',
        structured_template: spelled(input.template, maxHtml),
      };
      const saved = await trial.ask(
        'PUT template body',
        'PUT',
        `/v1/templates/${key}/bodies/in_app`,
        body,
        by,
      );
      if (saved.status === 404)
        await trial.ask(
          'POST template',
          'POST',
          '/v1/templates',
          { key, name: 'x', bodies: [{ channel: 'in_app', ...body }] },
          by,
        );
      words = { template_key: key, template_data: input.data ?? {} };
    }
    target.gateway.answers(input.answer === undefined ? 201 : 400, spelled(input.answer, 60_000));
    const copies = Math.max(1, Math.min(50, Number(input.copies) || 1));
    const notifications = Array.from({ length: copies }, (_, n) => ({
      ...words,
      channel: 'in_app',
      recipient: { external_user_id: users[n % users.length] ?? 'ada' },
    }));
    const sent = await trial.ask('POST batch', 'POST', '/v1/notifications/batch', { notifications }, by);
    const id = sent.body.data?.[0]?.notification?.id;
    if (!id) return;
    await trial.afterwards('ring', async () => {
      const { body } = await target.request('GET', `/v1/notifications/${id}/trace`, undefined, by);
      return body.entries?.some((entry: JsonObject) => entry.name === 'push');
    });
    await trial.ask('GET trace', 'GET', `/v1/notifications/${id}/trace`, undefined, by);
    await trial.ask('GET devices', 'GET', '/v1/users/ada/devices', undefined, by);
    await use(trial, fixture, id, input);
  },
};
