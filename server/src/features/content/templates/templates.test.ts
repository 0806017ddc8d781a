import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

let count = 0;
const newKey = () => `template-${++count}`;

const post = (body: object, key?: string) =>
  app.request('POST', '/v1/templates', { body, ...(key ? { key } : {}) });
const get = async (key: string) => (await app.request('GET', `/v1/templates/${key}`)).body;
const put = (key: string, channel: string, body: object) =>
  app.request('PUT', `/v1/templates/${key}/bodies/${channel}`, { body });
const render = (key: string, body: object) => app.request('POST', `/v1/templates/${key}/render`, { body });

async function create(more: object = {}): Promise<string> {
  const key = newKey();
  const { status } = await post({
    key,
    name: 'Welcome',
    subject_template: 'Hi {{ name }}',
    html_body_template: '<p>{{ name }}</p>',
    ...more,
  });
  expect(status).toBe(201);
  return key;
}

describe('the resource', () => {
  test('is created with the flat fields, which are the email body', async () => {
    const key = newKey();
    const { status, body } = await post({
      key,
      name: 'Welcome',
      subject_template: 'Hi {{ name }}',
      html_body_template: '<p>{{ name }}</p>',
      text_body_template: '{{ name }}',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key,
      name: 'Welcome',
      version: 1,
      subject_template: 'Hi {{ name }}',
      html_body_template: '<p>{{ name }}</p>',
      text_body_template: '{{ name }}',
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      bodies: [
        {
          channel: 'email',
          locale: null,
          subject_template: 'Hi {{ name }}',
          text_template: '{{ name }}',
          html_template: '<p>{{ name }}</p>',
          structured_template: '',
          layout: null,
        },
      ],
      body_channels: ['email'],
      push: null,
    });
    expect(await get(key)).toEqual(body);
    expect(await get(body.id)).toEqual(body);
  });

  test('may be created with bodies alone', async () => {
    const key = newKey();
    const { status, body } = await post({
      key,
      name: 'Chat',
      bodies: [
        { channel: 'sms', text_template: 'Hi {{ name }}', html_template: 'ignored' },
        { channel: 'in-app', text_template: 'Hi' },
        { channel: 'in_app', locale: 'de_at', html_template: 'Servus' },
      ],
    });
    expect(status).toBe(201);
    expect(body.body_channels).toEqual(['in-app', 'sms']);
    expect(
      body.bodies.map((each: { channel: string; locale: string }) => [each.channel, each.locale]),
    ).toEqual([
      ['in_app', null],
      ['in_app', 'de-AT'],
      ['sms', null],
    ]);
    expect(body.bodies[2].html_template).toBe('');
    expect(body).toMatchObject({
      subject_template: '',
      html_body_template: '',
      text_body_template: 'Hi {{ name }}',
    });
  });

  test('flat fields and the email body are the same thing, both ways', async () => {
    const key = await create();
    const patched = await app.request('PATCH', `/v1/templates/${key}`, {
      body: { html_body_template: '<b>{{ name }}</b>' },
    });
    expect(patched.status).toBe(200);
    expect(patched.body.bodies[0].html_template).toBe('<b>{{ name }}</b>');
    expect(patched.body.bodies[0].subject_template).toBe('Hi {{ name }}');
    expect(patched.body.version).toBe(2);
    expect(patched.body.updated_at >= patched.body.created_at).toBe(true);

    expect((await put(key, 'email', { subject_template: 'New', html_template: '<i></i>.' })).status).toBe(
      200,
    );
    expect(await get(key)).toMatchObject({
      subject_template: 'New',
      html_body_template: '<i></i>.',
      text_body_template: '',
    });

    expect((await put(key, 'sms', { text_template: 'short' })).status).toBe(201);
    const { subject_template, html_body_template, text_body_template, bodies } = await get(key);
    expect(text_body_template).toBe('short');
    await app.request('PATCH', `/v1/templates/${key}`, {
      body: { subject_template, html_body_template, text_body_template },
    });
    expect((await get(key)).bodies).toEqual(bodies);
    await app.request('PATCH', `/v1/templates/${key}`, { body: { text_body_template: 'long' } });
    expect((await get(key)).bodies).toMatchObject([{ text_template: 'long' }, { text_template: 'short' }]);

    expect((await app.request('DELETE', `/v1/templates/${key}/bodies/email`)).status).toBe(204);
    expect(await get(key)).toMatchObject({
      subject_template: '',
      html_body_template: '',
      text_body_template: 'short',
      body_channels: ['sms'],
    });
    await app.request('PATCH', `/v1/templates/${key}`, { body: { text_body_template: 'shorter' } });
    expect((await get(key)).bodies).toMatchObject([{ channel: 'sms', text_template: 'shorter' }]);
  });

  test('a body is put with 201 first and 200 then, by key or id, in-app or in_app', async () => {
    const key = await create();
    const { id } = await get(key);
    const first = await put(id, 'in-app', { html_template: '<p>a</p>', subject_template: 'Title' });
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      channel: 'in_app',
      locale: null,
      subject_template: 'Title',
      text_template: '',
      html_template: '<p>a</p>',
      structured_template: '',
      layout: null,
      version: 2,
    });
    expect((await put(key, 'in_app', { text_template: 'plain' })).status).toBe(200);
    expect((await get(key)).body_channels).toEqual(['email', 'in-app']);
    expect((await app.request('DELETE', `/v1/templates/${id}/bodies/in_app`)).status).toBe(204);
    expect((await app.request('DELETE', `/v1/templates/${id}/bodies/in_app`)).status).toBe(404);
  });

  test('lists are newest first, in pages that stay small', async () => {
    const big = 'x'.repeat(250_000);
    const bodies = ['', 'de', 'it', 'fr'].map((locale) => ({
      channel: 'sms',
      locale: locale || null,
      text_template: big,
    }));
    const keys: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const key = newKey();
      keys.unshift(key);
      expect((await post({ key, name: 'Big', bodies })).status).toBe(201);
    }
    const seen: string[] = [];
    let cursor: string | null = '';
    let pages = 0;
    while (cursor !== null && pages < 5) {
      const { body } = await app.request('GET', `/v1/templates?limit=6${cursor && `&cursor=${cursor}`}`);
      expect(JSON.stringify(body).length).toBeLessThan(9_000_000);
      seen.push(...body.data.map((each: { key: string }) => each.key));
      cursor = body.next_cursor;
      pages += 1;
    }
    expect(seen.slice(0, 6)).toEqual(keys);
    expect(pages).toBeGreaterThan(1);
    for (const key of keys) await app.request('DELETE', `/v1/templates/${key}`);
  });

  test('a deleted one is gone, and its key can be used again', async () => {
    const key = await create();
    expect((await app.request('DELETE', `/v1/templates/${key}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE'])
      expect((await app.request(method, `/v1/templates/${key}`)).status).toBe(404);
    const again = await post({ key, name: 'Again', bodies: [] });
    expect(again.body).toMatchObject({ version: 1, bodies: [], body_channels: [] });
  });

  test('a key that looks like the id of another one is the key', async () => {
    const one = await create();
    const { id } = await get(one);
    expect((await post({ key: id, name: 'Lookalike', bodies: [] })).status).toBe(201);
    expect((await get(id)).name).toBe('Lookalike');
    await app.request('PATCH', `/v1/templates/${one}`, { body: { name: 'Still me' } });
    expect((await get(one)).name).toBe('Still me');
    await app.request('DELETE', `/v1/templates/${id}`);
    expect((await get(id)).key).toBe(one);
  });

  test('another environment does not see it', async () => {
    const key = await create();
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['PUT', '/bodies/sms'],
      ['POST', '/render'],
      ['GET', '/versions'],
      ['POST', '/versions/1/restore'],
    ] as const) {
      const { status } = await app.request(method, `/v1/templates/${key}${path}`, {
        key: app.liveKey,
        ...(method === 'PUT' ? { body: { text_template: 'x' } } : method === 'GET' ? {} : { body: {} }),
      });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
  });

  test('a key exists once, also when twenty ask at the same time', async () => {
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post({ key, name: 'Race', bodies: [] })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(19);
    expect(refused[0]?.body.error).toMatchObject({ code: 'duplicate_key', param: 'key' });
  });

  test('twenty saves at once make twenty versions, and none is lost', async () => {
    const key = await create();
    const locales = Array.from({ length: 20 }, (_, n) => `en-x-p${n}`);
    const answers = await Promise.all(
      locales.map((locale) =>
        put(key, `email?locale=${locale}`, { subject_template: locale, html_template: 'x' }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(locales.map(() => 201));
    const saved = await get(key);
    expect(saved.version).toBe(21);
    expect(saved.bodies).toHaveLength(21);
  });
});

describe('versions', () => {
  test('each save keeps the one before, and an old one can be restored', async () => {
    const key = await create();
    await app.request('PATCH', `/v1/templates/${key}`, { body: { name: 'Second', subject_template: 'Two' } });
    await put(key, 'sms', { text_template: 'three' });
    const { body } = await app.request('GET', `/v1/templates/${key}/versions`);
    expect(body.data).toEqual(
      [3, 2, 1].map((version) => ({
        version,
        name: version === 1 ? 'Welcome' : 'Second',
        created_at: expect.stringMatching(/Z$/),
      })),
    );
    const page = await app.request('GET', `/v1/templates/${key}/versions?limit=2`);
    const rest = await app.request(
      'GET',
      `/v1/templates/${key}/versions?limit=2&cursor=${page.body.next_cursor}`,
    );
    expect(rest.body).toMatchObject({ data: [{ version: 1 }], next_cursor: null });

    const restored = await app.request('POST', `/v1/templates/${key}/versions/1/restore`);
    expect(restored.status).toBe(200);
    expect(restored.body).toMatchObject({
      version: 4,
      name: 'Welcome',
      subject_template: 'Hi {{ name }}',
      body_channels: ['email'],
    });
    for (const version of ['9', '0', 'x', '99999999999'])
      expect((await app.request('POST', `/v1/templates/${key}/versions/${version}/restore`)).status).toBe(
        404,
      );
  });

  test('changes are in the audit log, without what the templates say', async () => {
    const key = await create();
    const { id } = await get(key);
    await put(key, 'sms', { text_template: 'very secret words' });
    await app.request('DELETE', `/v1/templates/${key}`);
    const { body } = await app.request('GET', `/v1/audit-log?target=template:${id}`);
    expect(body.data.map((entry: { action: string }) => entry.action)).toEqual([
      'template.deleted',
      'template.updated',
      'template.created',
    ]);
    expect(body.data[1]).toMatchObject({
      before: { version: 1 },
      after: { version: 2, body_channels: ['email', 'sms'] },
    });
    expect(JSON.stringify(body)).not.toContain('secret words');
  });
});

describe('rendering without sending', () => {
  test('gives subject, HTML and text; missing text is derived from the HTML', async () => {
    const key = await create();
    const { status, body } = await render(key, { data: { name: '<Ada> & "co"' } });
    expect(status).toBe(200);
    expect(body).toEqual({
      subject: 'Hi <Ada> & "co"',
      html_body: '<p>&lt;Ada&gt; &amp; &#34;co&#34;</p>',
      text_body: '<Ada> & "co"',
      structured: null,
      undefined_variables: [],
    });
    const { body: bare } = await app.request('POST', `/v1/templates/${key}/render`);
    expect([bare.subject, bare.undefined_variables]).toEqual(['Hi', ['name']]);
  });

  test('picks the channel and the locale, with fallback', async () => {
    const key = await create();
    await put(key, 'sms', { text_template: 'Hello' });
    await put(key, 'sms?locale=de', { text_template: 'Hallo' });
    await put(key, 'sms?locale=zh-Hant', { text_template: '您好' });
    await put(key, 'chatthree', { text_template: 'Hi', structured_template: '{"title": "{{ name }}"}' });
    const text = async (body: object) => (await render(key, { channel: 'sms', ...body })).body.text_body;
    expect(await text({})).toBe('Hello');
    expect(await text({ locale: 'de-AT' })).toBe('Hallo');
    expect(await text({ locale: 'zh_hant_tw' })).toBe('您好');
    expect(await text({ locale: 'zh' })).toBe('Hello');
    expect(await text({ data: { locale: 'DE' } })).toBe('Hallo');
    expect(await text({ data: { locale: 'DE' }, locale: 'fr' })).toBe('Hello');
    expect(await text({ data: { locale: 'not a locale!' } })).toBe('Hello');
    expect((await render(key, { channel: 'chatthree', data: { name: '"' } })).body).toEqual({
      subject: '',
      html_body: '',
      text_body: 'Hi',
      structured: { title: '"' },
      undefined_variables: [],
    });
    expect((await render(key, { channel: 'chattwo' })).body.error).toMatchObject({
      code: 'template_body_missing',
      param: 'channel',
    });
  });

  test('strict refuses undefined variables, and lists them', async () => {
    const key = await create({
      html_body_template: '{{ name }}{{ order.id }}{% if vip %}{% endif %}{{ x | default: 1 }}.',
    });
    const { status, body } = await render(key, { data: { order: {} }, strict: true });
    expect(status).toBe(400);
    expect(body.error).toEqual({
      type: 'invalid_request_error',
      code: 'parameter_invalid',
      message: 'These variables are undefined: name, order.id.',
      param: 'data',
    });
    expect((await render(key, { data: { name: 'a', order: { id: 1 } }, strict: true })).status).toBe(200);
  });

  test('a bomb is an answer, not an outage', async () => {
    const key = await create({
      html_body_template: '{% for i in (1..99999) %}{% for j in (1..99999) %}{{ j }}{% endfor %}{% endfor %}',
    });
    const { status, body } = await render(key, {});
    expect([status, body.error.code]).toEqual([400, 'template_render_failed']);
    expect(body.error.message).toBe(
      'The template cannot be rendered: html_template: it exceeds the work or memory limit of a template (line 1, column 26).',
    );
    expect((await app.request('GET', '/healthz')).status).toBe(200);
  });
});

describe('refusals', () => {
  const long = 'x'.repeat(262_145);
  test.each<[string, object, string, string | null]>([
    ['no key', { key: undefined }, 'parameter_missing', 'key'],
    ['a key with a space', { key: 'a b' }, 'parameter_invalid', 'key'],
    ['a key with a capital', { key: 'Welcome' }, 'parameter_invalid', 'key'],
    ['a long key', { key: 'a'.repeat(101) }, 'parameter_invalid', 'key'],
    ['a key with a line break', { key: 'a\n' }, 'parameter_invalid', 'key'],
    ['an empty name', { name: '' }, 'parameter_invalid', 'name'],
    ['a blank name', { name: ' ' }, 'parameter_invalid', 'name'],
    ['no subject', { subject_template: undefined }, 'parameter_missing', 'subject_template'],
    ['no HTML', { html_body_template: null }, 'parameter_missing', 'html_body_template'],
    ['a number', { html_body_template: 5 }, 'parameter_invalid', 'html_body_template'],
    ['a very long field', { html_body_template: long }, 'parameter_invalid', 'html_body_template'],
    ['an unclosed output', { subject_template: '{{ a' }, 'template_syntax_error', 'subject_template'],
    ['an unknown tag', { text_body_template: '{% foo %}' }, 'template_syntax_error', 'text_body_template'],
    [
      'a file',
      { html_body_template: '{% include "/etc/passwd" %}' },
      'template_syntax_error',
      'html_body_template',
    ],
    ['an unknown channel', { bodies: [{ channel: 'pigeon' }] }, 'parameter_invalid', 'bodies[0].channel'],
    [
      'a body without content',
      { bodies: [{ channel: 'sms' }] },
      'parameter_missing',
      'bodies[0].text_template',
    ],
    [
      'an email without subject',
      { bodies: [{ channel: 'email', html_template: 'x' }] },
      'parameter_missing',
      'bodies[0].subject_template',
    ],
    [
      'the same body twice',
      {
        bodies: [
          { channel: 'sms', text_template: 'x' },
          { channel: 'sms', text_template: 'y' },
        ],
      },
      'parameter_invalid',
      'bodies[1]',
    ],
    [
      'a locale that is none',
      { bodies: [{ channel: 'sms', locale: '!', text_template: 'x' }] },
      'parameter_invalid',
      'bodies[0].locale',
    ],
    [
      'a locale without a default',
      { bodies: [{ channel: 'sms', locale: 'de', text_template: 'x' }] },
      'parameter_invalid',
      'bodies[0].locale',
    ],
    [
      'broken syntax in a body',
      { bodies: [{ channel: 'sms', text_template: 'a\n{{ x | shout }}' }] },
      'template_syntax_error',
      'bodies[0].text_template',
    ],
  ])('%s is refused', async (_name, change, code, param) => {
    const { status, body } = await post({
      key: newKey(),
      name: 'Name',
      subject_template: 'Subject',
      html_body_template: 'Body',
      ...change,
    });
    expect([status, body.error?.code, body.error?.param]).toEqual([400, code, param]);
  });

  test('bodies that are too much together are refused', async () => {
    const key = await create();
    const sms = { text_template: 'x'.repeat(262_144) };
    for (const place of ['sms', 'sms?locale=de', 'sms?locale=it'])
      expect((await put(key, place, sms)).status).toBe(201);
    const { status, body } = await put(key, 'sms?locale=fr', sms);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'parameter_invalid', 'bodies']);
  });

  test('a mistake is named with its line and column', async () => {
    const key = await create();
    const { body } = await put(key, 'sms', { text_template: 'a\n  {{ x | shout }}' });
    expect(body.error).toEqual({
      type: 'invalid_request_error',
      code: 'template_syntax_error',
      message: 'text_template: undefined filter: shout (line 2, column 3).',
      param: 'text_template',
    });
    expect((await get(key)).version).toBe(1);
  });

  test('a template of 1 MB is refused before it is read', async () => {
    const { status } = await post({
      key: newKey(),
      name: 'x',
      subject_template: 'x',
      html_body_template: 'x'.repeat(1_100_000),
    });
    expect(status).toBe(413);
  });

  test('bodies of unknown channels and orphan locales are refused', async () => {
    const key = await create();
    expect((await put(key, 'pigeon', { text_template: 'x' })).body.error).toMatchObject({
      code: 'parameter_invalid',
      param: 'channel',
    });
    expect((await put(key, 'sms?locale=de', { text_template: 'x' })).body.error).toMatchObject({
      code: 'parameter_invalid',
      param: 'locale',
    });
    expect(
      (await put(key, 'email?locale=%20', { subject_template: 'x', html_template: 'x' })).body.error,
    ).toMatchObject({ param: 'locale' });
  });

  test('the default takes its locales with it', async () => {
    const key = await create();
    await put(key, 'email?locale=it', { subject_template: 'Ciao', html_template: 'x' });
    expect((await app.request('DELETE', `/v1/templates/${key}/bodies/email?locale=de`)).status).toBe(404);
    expect((await app.request('DELETE', `/v1/templates/${key}/bodies/email?locale=it`)).status).toBe(204);
    await put(key, 'email?locale=it', { subject_template: 'Ciao', html_template: 'x' });
    await app.request('DELETE', `/v1/templates/${key}/bodies/email`);
    expect((await get(key)).bodies).toEqual([]);
  });
});

describe('structured bodies', () => {
  const blocks = '[{"type": "section", "text": {"type": "mrkdwn", "text": "{{ x }}"}}]';
  const card =
    '{"type": "AdaptiveCard", "version": "1.5", "body": [{"type": "TextBlock", "text": "{{ x }}"}]}';
  const embed = '{"title": "{{ x }}", "color": {{ color }}}';
  const loop =
    '{"fields": [{% for f in fields %}{"name": "{{ f.name }}", "value": "{{ f.value | upcase }}"}{% unless forloop.last %},{% endunless %}{% endfor %}]}';

  test.each([
    ['chatone', blocks],
    ['chatone', `{"blocks": ${blocks}}`],
    ['chattwo', card],
    ['chatthree', embed],
    ['chatthree', '{"title": "Order {{ order.id }}", "color": {{ color }}, "fields": {{ fields }}}'],
    ['chatthree', '[{{ embed }}]'],
    ['chatone', '{"blocks": {{ blocks }}}'],
    ['chattwo', '{"type": "AdaptiveCard", "version": "1.5", "body": {{ body }}}'],
    [
      'chattwo',
      '{"type": "AdaptiveCard", "version": "1.5", "body": [{"type": "FactSet", "facts": {{ facts }}}]}',
    ],
    [
      'chattwo',
      '{"type": "AdaptiveCard", "version": "1.5", "body": [{% for i in items %}{"type": "TextBlock", "text": {{ i.name | json }}}{% endfor %}]}',
    ],
    ['chatthree', `[${embed}, ${loop}]`],
    ['webhook', '{"anything": [{{ x }}]}'],
  ])('%s takes %s', async (channel, structured_template) => {
    const key = await create();
    const { status, body } = await put(key, channel, { structured_template });
    expect([status, body.error?.message]).toEqual([201, undefined]);
  });

  test.each([
    ['chatone', '{"type": "section"', 'template_syntax_error', 'not valid JSON'],
    [
      'chatone',
      '[{% for x in xs %}{"type": "divider"},{% endfor %}]',
      'template_syntax_error',
      'not valid JSON',
    ],
    ['chatone', '{"type": "section"}', 'parameter_invalid', 'blocks must be a list'],
    [
      'chatone',
      `[${Array.from({ length: 51 }, () => '{"type": "divider"}')}]`,
      'parameter_invalid',
      'at most 50',
    ],
    [
      'chatone',
      `[{"type": "header", "text": {"type": "plain_text", "text": "${'x'.repeat(151)}"}}]`,
      'parameter_invalid',
      'blocks[0].text.text must have at most 150',
    ],
    ['chattwo', '[]', 'parameter_invalid', 'one card object'],
    ['chattwo', '{"type": "AdaptiveCard", "version": "1.6", "body": []}', 'parameter_invalid', 'at most 1.5'],
    [
      'chattwo',
      '{"type": "AdaptiveCard", "version": "1.5", "body": [{"type": "TextBlock"}]}',
      'parameter_invalid',
      'body[0].text must be text',
    ],
    ['chattwo', card.replace('{{ x }}', 'x'.repeat(28_672)), 'parameter_invalid', '28672 bytes'],
    ['chatthree', '{}', 'parameter_invalid', 'embeds[0] is empty'],
    ['chatthree', `[${Array.from({ length: 11 }, () => embed)}]`, 'parameter_invalid', 'at most 10'],
    ['chatthree', '{"title": "x", "color": 16777216}', 'parameter_invalid', 'embeds[0].color'],
    ['chatthree', '"text"', 'parameter_invalid', 'embeds must be a list'],
  ])('%s refuses %.60s', async (channel, structured_template, code, message) => {
    const key = await create();
    const { status, body } = await put(key, channel, { structured_template });
    expect([status, body.error?.code, body.error?.param]).toEqual([400, code, 'structured_template']);
    expect(body.error.message).toContain(message);
  });
});

describe('promotion', () => {
  const promote = (key: string, body: object | undefined = undefined, as?: string) =>
    app.request('POST', `/v1/templates/${key}/promote`, {
      ...(body ? { body } : {}),
      ...(as ? { key: as } : {}),
    });
  const live = (key: string) => app.request('GET', `/v1/templates/${key}`, { key: app.liveKey });

  test('goes from Test to Live with a diff, dry or not', async () => {
    const key = await create({ text_body_template: 'text' });
    await put(key, 'sms', { text_template: 'short' });
    const dry = await promote(key, { dry_run: true });
    const added = {
      status: 'added',
      subject: 'added',
      text: 'added',
      html: 'added',
      structured: 'unchanged',
      layout: 'unchanged',
    };
    expect(dry).toMatchObject({ status: 200 });
    expect(dry.body).toEqual({
      applied: false,
      status: 'new',
      template_diff: {
        key,
        status: 'added',
        name: 'added',
        push: 'unchanged',
        bodies: [
          { channel: 'email', locale: null, ...added },
          { channel: 'sms', locale: null, ...added, subject: 'unchanged', html: 'unchanged' },
        ],
        parts: [],
      },
    });
    expect((await live(key)).status).toBe(404);

    expect((await promote(key)).body).toMatchObject({ applied: true, status: 'new' });
    const { body: there } = await live(key);
    const here = await get(key);
    expect(there).toMatchObject({ key, name: here.name, bodies: here.bodies, version: 1 });
    expect(there.id).not.toBe(here.id);

    const same = await promote(key, { dry_run: false });
    expect(same.body).toMatchObject({
      applied: false,
      status: 'identical',
      template_diff: { status: 'unchanged', name: 'unchanged' },
    });
    expect((await live(key)).body.version).toBe(1);

    await app.request('PATCH', `/v1/templates/${key}`, {
      body: { name: 'New name', text_body_template: '' },
    });
    await app.request('DELETE', `/v1/templates/${key}/bodies/sms`);
    await put(key, 'in-app', { text_template: 'in' });
    const changed = await promote(key, {});
    expect(changed.body).toEqual({
      applied: true,
      status: 'changed',
      template_diff: {
        key,
        status: 'modified',
        name: 'modified',
        push: 'unchanged',
        bodies: [
          {
            channel: 'email',
            locale: null,
            status: 'modified',
            subject: 'unchanged',
            text: 'removed',
            html: 'unchanged',
            structured: 'unchanged',
            layout: 'unchanged',
          },
          {
            channel: 'in_app',
            locale: null,
            status: 'added',
            subject: 'unchanged',
            text: 'added',
            html: 'unchanged',
            structured: 'unchanged',
            layout: 'unchanged',
          },
          {
            channel: 'sms',
            locale: null,
            status: 'removed',
            subject: 'unchanged',
            text: 'removed',
            html: 'unchanged',
            structured: 'unchanged',
            layout: 'unchanged',
          },
        ],
        parts: [],
      },
    });
    expect((await live(key)).body).toMatchObject({
      version: 2,
      name: 'New name',
      body_channels: ['email', 'in-app'],
    });
    const audit = await app.request(
      'GET',
      `/v1/audit-log?action=template.promoted&target=template:${there.id}`,
      { key: app.liveKey },
    );
    expect(audit.body.data).toHaveLength(2);
  });

  test('never goes from Live', async () => {
    const key = await create();
    await promote(key);
    const { status, body } = await promote(key, {}, app.liveKey);
    expect([status, body.error.code]).toEqual([400, 'promotion_source_must_be_test']);
  });

  test('of nothing is not found', async () => {
    expect((await promote('nothing')).status).toBe(404);
  });

  test('ten at once make one template', async () => {
    const key = await create();
    const answers = await Promise.all(Array.from({ length: 10 }, () => promote(key)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.filter(({ body }) => body.applied)).toHaveLength(1);
    expect((await live(key)).body.version).toBe(1);
  });
});
