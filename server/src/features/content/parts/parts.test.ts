import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const put = (path: string, body: object, key = app.testKey) =>
  app.request('PUT', `/v1/${path}`, { body, key });
const get = async (path: string, key = app.testKey) =>
  (await app.request('GET', `/v1/${path}`, { key })).body;
const remove = (path: string) => app.request('DELETE', `/v1/${path}`);
const promote = (key: string, body: object = {}) =>
  app.request('POST', `/v1/templates/${key}/promote`, { body });
const render = async (key: string, body: object = {}, apiKey = app.testKey) =>
  (await app.request('POST', `/v1/templates/${key}/render`, { body, key: apiKey })).body;
const preview = async (body: object) => (await app.request('POST', '/v1/templates/preview', { body })).body;

let count = 0;
async function template(bodies: object[], key = app.testKey): Promise<string> {
  const name = `t-${++count}`;
  const { status, body } = await app.request('POST', '/v1/templates', {
    body: { key: name, name, bodies },
    key,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return name;
}
const email = (html: string, more: object = {}) => ({
  channel: 'email',
  subject_template: 'S',
  html_template: html,
  ...more,
});

describe('a layout', () => {
  test('is created, replaced with a new version, listed, restored and deleted', async () => {
    const first = { channel: 'email', html_template: '<main>{{ content }}</main>' };
    const made = await put('layouts/plain', first);
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.any(String),
      key: 'plain',
      channel: 'email',
      is_default: false,
      html_template: first.html_template,
      text_template: '',
      version: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await put('layouts/plain', first)).toMatchObject({ status: 200, body: { version: 1 } });
    const second = await put('layouts/plain', { ...first, text_template: '{{ content }}\n--\nUs' });
    expect(second.body).toMatchObject({ version: 2, text_template: '{{ content }}\n--\nUs' });
    expect((await get('layouts')).data.map((each: { key: string }) => each.key)).toContain('plain');
    expect(
      (await get('layouts/plain/versions')).data.map((each: { version: number }) => each.version),
    ).toEqual([2, 1]);
    expect(await get('layouts/plain/versions/1')).toMatchObject({ version: 1, text_template: '' });
    const restored = await app.request('POST', '/v1/layouts/plain/versions/1/restore');
    expect(restored.body).toMatchObject({ version: 3, text_template: '' });
    const stale = await app.request('PUT', '/v1/layouts/plain', {
      body: first,
      headers: { 'If-Match': '"2"' },
    });
    expect(stale).toMatchObject({ status: 409, body: { error: { code: 'version_conflict' } } });
    const headers = { 'If-None-Match': '*' };
    const again = await app.request('PUT', '/v1/layouts/plain', { body: first, headers });
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'duplicate_key', param: 'key' } } });
    expect(await get('layouts/plain')).toMatchObject({ version: 3 });
    expect((await remove('layouts/plain')).status).toBe(204);
    expect((await app.request('GET', '/v1/layouts/plain')).status).toBe(404);
    expect((await app.request('PUT', '/v1/layouts/plain', { body: first, headers })).status).toBe(201);
    await remove('layouts/plain');
  });

  test.each([
    [{ channel: 'email', html_template: '<p></p>' }, 'html_template', /must contain \{\{ content \}\}/],
    [{ channel: 'sms', text_template: '{{ content' }, 'text_template', /not closed/],
    [{ channel: 'sms', html_template: '{{ content }}' }, 'text_template', /required/],
    [{ channel: 'chatone', html_template: '{{ content }}' }, 'channel', /must be/],
    [{ channel: 'email', html_template: "{{ content }}{% render 'no' %}" }, 'html_template', /no partial no/],
  ])('names the field at fault: %j', async (body, param, message) => {
    const { status, body: answer } = await put('layouts/wrong', body);
    expect(status).toBe(400);
    expect(answer.error).toMatchObject({ param, message: expect.stringMatching(message) });
  });

  test('surrounds the HTML and the text of bodies that name it, escaped once, with their data', async () => {
    await put('layouts/frame', {
      channel: 'email',
      html_template: '<h1>{{ team }}</h1>{{ content }}',
      text_template: '{{ team }}: {{ content }}',
    });
    const key = await template([email('<p>{{ x }}</p>', { text_template: '{{ x }}', layout: 'frame' })]);
    expect(await render(key, { data: { x: 'a&b', team: '<T>' } })).toMatchObject({
      html_body: '<h1>&lt;T&gt;</h1><p>a&amp;b</p>',
      text_body: '<T>: a&b',
    });
    expect(await get(`templates/${key}`)).toMatchObject({ bodies: [{ layout: 'frame' }] });
    expect(await remove('layouts/frame')).toMatchObject({
      status: 409,
      body: { error: { code: 'part_in_use', message: `The layout is used by ${key}.` } },
    });
    const strict = await render(key, { data: { x: 1 }, strict: true });
    expect(strict.error).toMatchObject({ message: 'These variables are undefined: team.' });
  });

  test('is the default of its channel for bodies that name none; documents and “none” stay as they are', async () => {
    const key = await template([
      email('<p>mail</p>'),
      { ...email('<p>Post</p>'), locale: 'de' },
      { channel: 'sms', text_template: 'sms' },
    ]);
    const whole = await template([email('<!DOCTYPE html><html><p>whole</p></html>')]);
    const bare = await template([email('<p>bare</p>', { layout: 'none' })]);
    await put('layouts/house', { channel: 'email', html_template: '[{{ content }}]', is_default: true });
    await put('layouts/house-sms', { channel: 'sms', text_template: '{{ content }} STOP', is_default: true });
    try {
      expect((await render(key)).html_body).toBe('[<p>mail</p>]');
      expect((await render(key, { locale: 'de' })).html_body).toBe('[<p>Post</p>]');
      expect((await render(key, { channel: 'sms' })).text_body).toBe('sms STOP');
      expect((await render(whole)).html_body).toBe('<!DOCTYPE html><html><p>whole</p></html>');
      expect((await render(bare)).html_body).toBe('<p>bare</p>');
      await put('layouts/other', { channel: 'email', html_template: '({{ content }})', is_default: true });
      expect(await get('layouts/house')).toMatchObject({ is_default: false });
      expect((await render(key)).html_body).toBe('(<p>mail</p>)');
    } finally {
      for (const each of ['house', 'house-sms', 'other']) await remove(`layouts/${each}`);
    }
  });

  test('must exist for the channel of the body, and cannot surround a document', async () => {
    const wrong = (body: object) =>
      app.request('POST', '/v1/templates', { body: { key: 'x', name: 'x', bodies: [body] } });
    expect((await wrong(email('<p>', { layout: 'nowhere' }))).body.error).toMatchObject({ param: 'layout' });
    expect((await wrong(email('<html>', { layout: 'frame' }))).body.error).toMatchObject({
      param: 'bodies[0].layout',
    });
  });
});

describe('MJML', () => {
  const mjml = (inner: string, head = '') =>
    `<mjml><mj-head>${head}</mj-head><mj-body><mj-section><mj-column>${inner}</mj-column></mj-section></mj-body></mjml>`;

  test('is compiled when a body is saved, kept as its source, and rendered with the data', async () => {
    const source = mjml('<mj-text>Hi {{ name }}{% if a < b %}!{% endif %}</mj-text>');
    const key = await template([email(source)]);
    expect((await get(`templates/${key}`)).bodies[0]).toMatchObject({ html_template: source });
    expect((await get(`templates/${key}`)).bodies[0]).not.toHaveProperty('derived');
    const { html_body: html } = await render(key, { data: { name: '<Ada>', a: 1, b: 2 } });
    expect(html).toContain('Hi &lt;Ada&gt;!');
    expect(html).toMatch(/^<!doctype html>/i);
    const wrong = await preview({
      channel: 'email',
      html_template: '<mjml><mj-body><mj-x/></mj-body></mjml>',
    });
    expect(wrong.error).toMatchObject({ code: 'template_syntax_error', param: 'html_template' });
  }, 30_000);

  test('goes into a layout, which may be MJML, too: its styles into the head', async () => {
    const layout = '<mjml><mj-body><mj-raw><b>Top</b>{{ content }}</mj-raw></mj-body></mjml>';
    expect((await put('layouts/mj', { channel: 'email', html_template: layout })).body).toMatchObject({
      html_template: layout,
    });
    const key = await template([
      email(mjml('<mj-text>In</mj-text>', '<mj-style>.in{top:0}</mj-style>'), { layout: 'mj' }),
    ]);
    const { html_body: html } = await render(key);
    expect(html.match(/<html/g)).toHaveLength(1);
    expect(html).toMatch(/\.in\{top:0\}[\s\S]*<\/head>[\s\S]*<b>Top<\/b>[\s\S]*In/);
    await put('layouts/mj', { channel: 'email', html_template: '<b>Top</b>{{ content }}' });
    expect((await render(key)).html_body).toMatch(/^<b>Top<\/b>[\s\S]*\.in\{top:0\}[\s\S]*In/);
  }, 30_000);
});

describe('a partial', () => {
  test('is rendered by templates, layouts and partials, and checked when it is saved', async () => {
    expect(await put('partials/footer', { template: '<i>{{ name }}</i>' })).toMatchObject({ status: 201 });
    await put('partials/card', { template: "{% render 'footer', name: who %}" });
    const key = await template([email("{% render 'card', who: user.name %}")]);
    expect((await render(key, { data: { user: { name: '<A>' } } })).html_body).toBe('<i>&lt;A&gt;</i>');
    await put('partials/footer', { template: '<u>{{ name }}</u>' });
    expect((await render(key, { data: { user: { name: 'A' } } })).html_body).toBe('<u>A</u>');
    const loop = await put('partials/footer', { template: "{% render 'card' %}" });
    expect(loop.body.error).toMatchObject({
      code: 'template_syntax_error',
      message: expect.stringContaining('renders itself'),
    });
    expect((await remove('partials/footer')).body.error).toMatchObject({
      message: 'The partial is used by card.',
    });
    const missing = await app.request('POST', '/v1/templates', {
      body: { key: 'm', name: 'm', bodies: [email("\n{% render 'gone' %}")] },
    });
    expect(missing.body.error).toMatchObject({
      param: 'bodies[0].html_template',
      message: 'bodies[0].html_template: there is no partial gone (line 2, column 1).',
    });
  });

  test('is part of the check of structured bodies', async () => {
    await put('partials/block', { template: '{"type": "divider"}' });
    const key = await template([
      { channel: 'chatone', structured_template: `{"blocks": [{% render 'block' %}]}` },
    ]);
    expect((await render(key)).structured).toEqual({ blocks: [{ type: 'divider' }] });
  });
});

test('partials that are too much for one template are refused before they are read', async () => {
  const names = Array.from({ length: 8 }, (_, n) => `big${n}`);
  for (const name of names) await put(`partials/${name}`, { template: 'x'.repeat(262_000) });
  const source = names.map((name) => `{% comment %}render '${name}'{% endcomment %}`).join('');
  const message = expect.stringContaining('more than 2000000 characters in total');
  const draft = await preview({ channel: 'sms', text_template: source });
  expect(draft.error).toMatchObject({ code: 'template_render_failed', message });
  const body = { key: 'big', name: 'big', bodies: [{ channel: 'sms', text_template: source }] };
  const saved = await app.request('POST', '/v1/templates', { body });
  expect(saved.body.error).toMatchObject({ param: 'bodies[0].text_template', message });
  expect((await put('partials/all', { template: source })).body.error).toMatchObject({
    param: 'template',
    message,
  });
});

describe('translations', () => {
  const en = {
    order: { shipped: 'Shipped to %{city}', items: { one: 'one item', other: '%{count} items' } },
    only: { english: 'English' },
  };
  const de = {
    order: { shipped: 'Versendet nach %{city}', items: { one: 'ein Artikel', other: '%{count} Artikel' } },
  };

  test('belong to a locale; the first is the default, and missing keys are listed', async () => {
    const made = await put('translations/en', { messages: en });
    expect(made).toMatchObject({
      status: 201,
      body: { locale: 'en', is_default: true, message_count: 3, missing_count: 0 },
    });
    expect((await put('translations/de', { messages: de })).body).toMatchObject({
      is_default: false,
      missing_count: 1,
    });
    expect(
      (await put('translations/de_at', { messages: { order: { shipped: 'Nach %{city}' } } })).body,
    ).toMatchObject({
      locale: 'de-AT',
      missing_count: 1,
    });
    expect(await get('translations/missing')).toEqual({
      data: [
        { locale: 'de', key: 'only.english', in_default: true },
        { locale: 'de-AT', key: 'only.english', in_default: true },
      ],
      next_cursor: null,
    });
    const page = await get('translations/missing?limit=1');
    expect(page.next_cursor).not.toBeNull();
    expect((await get(`translations/missing?limit=1&cursor=${page.next_cursor}`)).data).toMatchObject([
      { locale: 'de-AT' },
    ]);
    expect((await get('translations')).data.map((each: { locale: string }) => each.locale)).toEqual([
      'de-AT',
      'de',
      'en',
    ]);
    expect(await get('translations/en')).toMatchObject({ messages: en });
  });

  test('are chosen by the locale of the recipient, then its parents, then the default', async () => {
    const key = await template([
      email(
        "{{ 'order.shipped' | t: city: city }}; {{ 'order.items' | t: count: n }}; {{ 'only.english' | t }}; {{ 'no.key' | t }}",
      ),
    ]);
    const html = async (locale?: string) =>
      (await render(key, { data: { city: '<B>', n: 1 }, ...(locale ? { locale } : {}) })).html_body;
    expect(await html()).toBe('Shipped to &lt;B&gt;; one item; English; no.key');
    expect(await html('de-CH')).toBe('Versendet nach &lt;B&gt;; ein Artikel; English; no.key');
    expect(await html('de-AT')).toBe('Nach &lt;B&gt;; ein Artikel; English; no.key');
    expect(await html('en-XA')).toMatch(
      /^\[Šhîppéd tö &lt;B&gt; ·+\]; \[öñé îtém ·+\]; \[Éñgłîšh ·+\]; no.key$/,
    );
    const long = `zz.${'x'.repeat(197)}`;
    await template([
      email(`{{ 'a\\0b' | t }}{{ '${'y'.repeat(500)}' | t }}{{ '${long}' | t }}{{ 'zzz' | t }}`),
    ]);
    const page = await get('translations/missing?locale=de-AT&limit=3');
    expect(page.data.at(-1)).toMatchObject({ key: long });
    const next = await get(`translations/missing?locale=de-AT&limit=3&cursor=${page.next_cursor}`);
    expect(next.data).toMatchObject([{ key: 'zzz' }]);
    const missing = await get('translations/missing');
    expect(missing.data).toContainEqual({ locale: 'en', key: 'no.key', in_default: false });
    const strict = await render(key, { data: { city: 'B', n: 1 }, locale: 'de', strict: true });
    expect(strict.error).toMatchObject({
      param: 'locale',
      message: 'These translations are missing: only.english, no.key.',
    });
    const draft = await preview({ channel: 'sms', text_template: "{{ 'only.english' | t }}", locale: 'de' });
    expect(draft).toMatchObject({ text_body: 'English', missing_translations: ['only.english'] });
  });

  test('set the language of dates, except for a body in a language that they lack', async () => {
    const source = "{{ 'only.english' | t }} {{ '2026-03-01' | date: '%B' }}";
    const sms = (locale: string | null) => ({ channel: 'sms', locale, text_template: source });
    const key = await template([sms(null), sms('fr')]);
    const text = async (locale: string) => (await render(key, { locale })).text_body;
    expect(await text('fr')).toBe('English mars');
    expect(await text('de')).toBe('English März');
    expect(await text('es')).toBe('English March');
  });

  test.each([
    [{ a: 1 }, 'messages: a must be a text'],
    [{ 'a.b': 'x' }, 'names consist of letters'],
    [{ a: { one: 1, other: 'x' } }, 'plural forms that are texts'],
    [{ a: 'x'.repeat(10_001) }, 'longer than 10000 characters'],
    [Object.fromEntries(Array.from({ length: 5_001 }, (_, n) => [`k${n}`, ''])), 'at most 5000 messages'],
  ])('name the key at fault: %#', async (messages, message) => {
    const { body } = await put('translations/fr', { messages });
    expect(body.error).toMatchObject({ param: 'messages', message: expect.stringContaining(message) });
  });

  test('need a locale, and keep the default while there are others', async () => {
    expect((await put('translations/not_a_locale!', { messages: {} })).body.error).toMatchObject({
      param: 'locale',
    });
    expect((await put('translations/en-XA', { messages: {} })).body.error).toMatchObject({ param: 'locale' });
    expect((await remove('translations/en')).body.error).toMatchObject({ code: 'part_in_use' });
    expect((await put('translations/en', { messages: en, is_default: false })).body.error).toMatchObject({
      param: 'is_default',
    });
    await put('translations/de', { messages: de, is_default: true });
    expect(await get('translations/en')).toMatchObject({ is_default: false });
    const alone = { messages: {}, is_default: false };
    for (const status of [201, 200]) {
      const answer = await put('translations/it', alone, app.liveKey);
      expect(answer).toMatchObject({ status, body: { is_default: true } });
    }
    await app.request('DELETE', '/v1/translations/it', { key: app.liveKey });
    await put('translations/en', { messages: en, is_default: true });
  });
});

describe('Live', () => {
  const live = (path: string) => get(path, app.liveKey);
  const liveHtml = async (key: string) => (await render(key, {}, app.liveKey)).html_body;

  test('gets the parts with the promotion of a template, and keeps them until the next', async () => {
    await put('partials/sig', { template: '-- {{ "sign" | t }}' });
    await put('layouts/pinned', { channel: 'email', html_template: "v1 {{ content }}{% render 'sig' %}" });
    await put('translations/en', { messages: { sign: 'Us', body: 'Hello' } });
    const key = await template([email("{{ 'body' | t }}", { layout: 'pinned' })]);
    const other = await template([email("{{ 'body' | t }}", { layout: 'pinned' })]);

    const dry = await promote(key, { dry_run: true });
    expect(dry.body.template_diff.parts).toContainEqual({ kind: 'layout', key: 'pinned', status: 'added' });
    expect((await app.request('GET', '/v1/layouts/pinned', { key: app.liveKey })).status).toBe(404);

    expect((await promote(key)).body).toMatchObject({ applied: true, status: 'new' });
    expect((await promote(other)).body.template_diff.parts).toContainEqual({
      kind: 'layout',
      key: 'pinned',
      status: 'unchanged',
    });
    expect(await liveHtml(key)).toBe('v1 Hello-- Us');
    expect((await promote(key)).body).toMatchObject({ applied: false, status: 'identical' });

    await put('layouts/pinned', { channel: 'email', html_template: "v2 {{ content }}{% render 'sig' %}" });
    await put('partials/sig', { template: '~~ {{ "sign" | t }}' });
    await put('translations/en', { messages: { sign: 'We', body: 'Hi' } });
    expect((await render(key)).html_body).toBe('v2 Hi~~ We');
    expect(await liveHtml(key)).toBe('v1 Hello-- Us');

    const again = await promote(key);
    expect(again.body).toMatchObject({
      applied: true,
      status: 'changed',
      template_diff: { status: 'modified' },
    });
    expect(await liveHtml(key)).toBe('v2 Hi~~ We');
    expect(await liveHtml(other)).toBe('v1 Hello-- Us');
    expect(await live('layouts/pinned')).toMatchObject({ version: 2 });
    const { data: audited } = await get('audit-log?limit=20', app.liveKey);
    expect(audited.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining([
        'layout.promoted',
        'partial.promoted',
        'translation.promoted',
        'template.promoted',
      ]),
    );
  });

  test('follows a default layout and a locale that Test has no more', async () => {
    const house = { channel: 'email', html_template: '[{{ content }}]' };
    await put('layouts/house', { ...house, is_default: true });
    await put('translations/en', { messages: { word: 'Word' } });
    await put('translations/fr', { messages: { word: 'Mot' } });
    const key = await template([email("{{ 'word' | t }}")]);
    await promote(key);
    const french = async () => (await render(key, { locale: 'fr' }, app.liveKey)).html_body;
    expect(await french()).toBe('[Mot]');
    await put('layouts/house', { ...house, is_default: false });
    await remove('translations/fr');
    const removed = expect.arrayContaining([
      { kind: 'layout', key: 'house', status: 'removed' },
      { kind: 'translation', key: 'fr', status: 'removed' },
    ]);
    for (const dry_run of [true, false])
      expect((await promote(key, { dry_run })).body).toMatchObject({
        status: 'changed',
        template_diff: { parts: removed },
      });
    expect(await french()).toBe('Word');
    expect((await promote(key)).body).toMatchObject({ applied: false, status: 'identical' });
    expect(await live('layouts/house')).toMatchObject({ is_default: true });
    await app.request('DELETE', '/v1/layouts/house', { key: app.liveKey });
  });

  test('pins what is current when a template is saved there, and restores it with its version', async () => {
    await put('partials/live-only', { template: 'one' }, app.liveKey);
    const key = await template([email("{% render 'live-only' %}")], app.liveKey);
    await put('partials/live-only', { template: 'two' }, app.liveKey);
    expect(await liveHtml(key)).toBe('one');
    await app.request('PATCH', `/v1/templates/${key}`, { body: { name: 'saved again' }, key: app.liveKey });
    expect(await liveHtml(key)).toBe('two');
    await app.request('POST', `/v1/templates/${key}/versions/1/restore`, { key: app.liveKey });
    expect(await liveHtml(key)).toBe('one');
  });

  test('is not seen from Test, nor the other way', async () => {
    expect((await app.request('GET', '/v1/partials/live-only')).status).toBe(404);
    const body = { key: 'stranger', name: 's', bodies: [email("{% render 'live-only' %}")] };
    expect((await app.request('POST', '/v1/templates', { body })).body.error).toMatchObject({
      code: 'template_syntax_error',
    });
  });
});

describe('a send', () => {
  test('has layout, partial and the translations of its recipient, and follows changes in Test', async () => {
    await put('partials/end', { template: '<hr>{{ "end" | t }}' });
    await put('layouts/sent', {
      channel: 'email',
      html_template: "<b>{{ content }}</b>{% render 'end' %}",
      text_template: '> {{ content }}',
    });
    await put('translations/en', { messages: { end: 'End', hi: 'Hi %{name}' } });
    await put('translations/de', { messages: { end: 'Ende', hi: 'Hallo %{name}' } });
    const key = await template([
      email("{{ 'hi' | t: name: name }}", { layout: 'sent', text_template: "{{ 'hi' | t: name: name }}" }),
    ]);
    const send = async (data: object) => {
      const { body } = await app.request('POST', '/v1/notifications', {
        body: {
          channel: 'email',
          recipient: { address: 'delivered@sandbox.test' },
          template_key: key,
          template_data: data,
        },
      });
      await app.waitFor(body.id, ({ status }) => status === 'delivered');
      return get(`notifications/${body.id}/content`);
    };
    expect(await send({ name: 'A&B', locale: 'de-CH' })).toMatchObject({
      html: '<b>Hallo A&amp;B</b><hr>Ende',
      text: '> Hallo A&B',
    });
    expect((await send({ name: 'x', locale: 'fr' })).html).toBe('<b>Hi x</b><hr>End');
    const heavy = await send({ name: '<'.repeat(70_000), locale: 'de' });
    expect(heavy.html).toMatch(/^<b>Hallo (?:&lt;){70000}<\/b><hr>Ende$/);
    await put('partials/end', { template: '<br>' });
    await expect
      .poll(async () => (await send({ name: 'x' })).html, { timeout: 10_000 })
      .toBe('<b>Hi x</b><br>');
  }, 30_000);
});

test('the source of a partial that was refused, or belongs to Test, is unknown in Live', async () => {
  const secret = { template: "Our secret. {% render 'not_there' %}" };
  expect(await put('partials/leaking', secret)).toMatchObject({ status: 400 });
  const commented = "Ours. {% comment %}render 'not_there'{% endcomment %}";
  expect(await put('partials/of_test', { template: commented })).toMatchObject({ status: 201 });
  for (const name of ['leaking', 'of_test']) {
    const body = { channel: 'email', subject_template: 'S', html_template: `{% render '${name}' %}` };
    const answer = await app.request('POST', '/v1/templates/preview', { body, key: app.liveKey });
    expect(JSON.stringify(answer.body)).not.toContain('Our');
    expect(answer.body.error).toMatchObject({ message: expect.stringContaining(name) });
  }
});

test('what needs a deleted partial is not restored', async () => {
  await put('partials/gone', { template: 'Soon gone.' });
  await put('partials/stays', { template: "{% render 'gone' %}" });
  await put('partials/stays', { template: 'Alone.' });
  const key = await template([email("{% render 'gone' %}")]);
  await app.request('PATCH', `/v1/templates/${key}`, { body: { bodies: [email('Nothing')] } });
  expect((await remove('partials/gone')).status).toBe(204);
  const restored = await app.request('POST', '/v1/partials/stays/versions/1/restore', { body: {} });
  expect(restored).toMatchObject({ status: 400, body: { error: { param: 'version' } } });
  const back = await app.request('POST', `/v1/templates/${key}/versions/1/restore`, { body: {} });
  expect(back).toMatchObject({
    status: 400,
    body: {
      error: { param: 'bodies', message: 'The template cannot be rendered: there is no partial gone.' },
    },
  });
});

describe('a change that something could not be compiled with', () => {
  const source = (...names: string[]) => ({
    template: names.map((name) => `{% render '${name}' %}`).join(''),
  });

  test('is refused for what is saved, and for what uses it', async () => {
    for (const n of [6, 5, 4, 3, 2])
      await put(`partials/deep${n}`, source(...(n < 6 ? [`deep${n + 1}`] : [])));
    const key = await template([email("<p>{% render 'deep2' %}")]);
    await put('partials/deeper', { template: '' });
    const refused = await put('partials/deep6', source('deeper'));
    expect(refused).toMatchObject({ status: 400, body: { error: { param: 'template' } } });
    expect(refused.body.error.message).toMatch(/deep2.* nests partials more than 5 levels deep/);
    expect((await get('partials/deep6')).version).toBe(1);

    const many = Array.from({ length: 46 }, (_, n) => `few${n}`);
    for (const name of many) await put(`partials/${name}`, { template: '' });
    const tooMany = await put('partials/deep5', source('deep6', ...many));
    expect(tooMany.body.error.message).toBe(
      'With this change, the partial deep2 cannot be rendered: it uses more than 50 different partials.',
    );
    expect(await put('partials/deep5', source('deep6', ...many.slice(1)))).toMatchObject({ status: 200 });
    await put('layouts/deep', { channel: 'email', html_template: '{{ content }}' });
    const bodies = [email("<p>{% render 'deep2' %}", { layout: 'deep' })];
    const patched = await app.request('PATCH', `/v1/templates/${key}`, { body: { bodies } });
    expect(patched.status, JSON.stringify(patched.body)).toBe(200);
    const layout = { channel: 'email', html_template: "{{ content }}{% render 'few0' %}" };
    expect((await put('layouts/deep', layout)).body.error.message).toContain(`the template ${key} cannot be`);
    expect((await render(key)).html_body).toBe('<p>');
  });

  test('is refused when an old version returns, and when two are saved at once', async () => {
    await put('partials/one', { template: '' });
    await put('partials/two', source('one'));
    await put('partials/two', { template: '' });
    await put('partials/one', source('two'));
    const restored = await app.request('POST', '/v1/partials/two/versions/1/restore');
    expect(restored.body.error).toMatchObject({
      param: 'version',
      message: expect.stringContaining('renders itself'),
    });
    await put('partials/one', { template: 'again' });
    const answers = await Promise.all([
      put('partials/one', source('two')),
      put('partials/two', source('one')),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});
