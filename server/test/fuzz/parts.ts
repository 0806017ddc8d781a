import type { Random } from './random.ts';
import { channels, liquid, send } from './templates.ts';
import type { Area, Trial } from './trial.ts';
import { entriesOf, hostileData, hostileText, type Json, type JsonObject, spelled } from './values.ts';

/** The most characters of a source. */
const maxSource = 262_144;
const key = 'fuzzed_parts';
const locales = ['en', 'de', 'de-AT', 'ar', 'zh-Hant-TW'];

const mjmlTags = [
  'section',
  'column',
  'text',
  'button',
  'image',
  'divider',
  'table',
  'wrapper',
  'group',
].concat(...['hero', 'navbar', 'navbar-link', 'social', 'carousel', 'accordion', 'raw', 'spacer', 'nothing']);
const attributes = [
  'padding="1px"',
  'css-class="a"',
  'width="50%"',
  'color="red"',
  'href="{{ a }}"',
  'x="<"',
];

function mjmlElement(random: Random, depth: number): string {
  const name = `mj-${random.pick(mjmlTags)}`;
  const inner = depth === 0 ? '' : mjmlElement(random, depth - 1).repeat(random.size(20));
  const list = ` ${random.pick(attributes)}`.repeat(random.size(30));
  const text = random.chance(0.3) ? liquid(random, 1).slice(0, 2_000) : 'x';
  return `<${name}${random.chance(0.4) ? list : ''}>${inner || text}</${name}>`;
}

const mjmlHeads = [
  '',
  '<mj-head><mj-attributes><mj-all padding="0" /><mj-text color="red" /></mj-attributes></mj-head>',
  '<mj-head><mj-style>{{ a | raw }}</mj-style><mj-title>{{ a }}</mj-title></mj-head>',
  '<mj-head><mj-style inline="inline">.a { color: red }</mj-style></mj-head>',
];

function mjml(random: Random): string {
  if (random.chance(0.1)) return `<mjml>${hostileText(random, 60_000)}`;
  const body = mjmlElement(random, random.below(6)).repeat(random.size(60)).slice(0, 80_000);
  return `<mjml>${random.pick(mjmlHeads)}<mj-body>${body}${random.chance(0.9) ? '</mj-body></mjml>' : ''}`;
}

const rendering = (random: Random): string =>
  random.pick([
    "{% render 'p0', a: a %}",
    "{% render 'p1', items: items %}",
    "{% render 'p2' for items as i %}",
    "{% for i in (1..1000) %}{% render 'p0', a: i %}{% endfor %}",
    "{{ 'm0' | t }}",
    "{{ 'g.m1' | t: name: a, count: items.size }}",
    "{% for i in (1..5000) %}{{ 'g.m1' | t: name: a, count: i }}{% endfor %}",
    "{{ 'none' | t }}",
    '{{ a | t }}',
    "{{ 'm_html' | t: name: a }}",
  ]);

function source(random: Random, most: number): Json {
  if (random.chance(0.1))
    return { unit: random.pick([' ', '<!---->', '{{ a }}', 'é', '<b>']), times: maxSource };
  const text = random.chance(0.6) ? rendering(random) : liquid(random);
  const many = text.repeat(random.chance(0.5) ? random.size(Math.max(1, most / text.length)) : 1);
  return many.slice(0, most);
}

function catalogue(random: Random): JsonObject {
  const message = (): Json =>
    random.chance(0.3)
      ? { one: 'One %{count}', few: 'Few', other: hostileText(random, 500) }
      : random.pick(['x', 'Hi %{name}', '%{name}'.repeat(random.size(500)), hostileText(random, 3_000)]);
  const many = Object.fromEntries(
    Array.from({ length: random.size(3_000) }, (_, n) => [`k${n}`, 'x %{name}']),
  );
  return { m0: message(), g: { m1: message(), deep: { er: { still: message() } } }, m_html: message(), many };
}

const wide = (length: number, name: (n: number) => string = (n) => `k${n}`): JsonObject =>
  Object.fromEntries(Array.from({ length }, (_, n) => [name(n), 'x']));
const plain = { html_template: '<p>{{ content }}</p>', text_template: '{{ content }}' };
const body = { subject_template: 'x', html_template: "{% render 'p0', a: a %}{{ 'm0' | t: name: a }}" };
const mjmlOf = (inner: string, head = ''): string =>
  `<mjml>${head && `<mj-head>${head}</mj-head>`}<mj-body>${inner}</mj-body></mjml>`;
const withMjml = (html_template: Json): JsonObject => ({
  layout: { ...plain, html_template: mjmlOf('<mj-raw>{{ content }}</mj-raw>') },
  body: { subject_template: 'x', html_template },
  data: { a: '<title>'.repeat(10_000) },
});
const cell = '<mj-section><mj-column><mj-text>{{ a }}</mj-text></mj-column></mj-section>';

async function put(trial: Trial, name: string, path: string, body: Json): Promise<boolean> {
  return (await trial.ask(`PUT ${name}`, 'PUT', path, body)).status < 300;
}

async function savePartsOf(trial: Trial, { layout, partials, translations }: JsonObject): Promise<void> {
  for (const [index, [, template]] of entriesOf(partials).slice(0, 60).entries())
    await put(trial, 'partial', `/v1/partials/p${index}`, { template: spelled(template, maxSource) });
  const { html_template: html, text_template: text, ...rest } = (layout ?? {}) as JsonObject;
  await put(trial, 'layout', '/v1/layouts/fuzz', {
    channel: 'email',
    ...rest,
    html_template: spelled(html, maxSource),
    text_template: spelled(text, maxSource),
  });
  for (const [locale, messages] of entriesOf(translations).slice(0, 8))
    await put(
      trial,
      'translation',
      `/v1/translations/${encodeURIComponent(locale.slice(0, 50).toWellFormed())}`,
      {
        messages,
      },
    );
}

async function readParts(trial: Trial): Promise<void> {
  await trial.ask('GET missing translations', 'GET', '/v1/translations/missing?limit=100');
  await trial.ask('GET translations', 'GET', '/v1/translations?limit=100');
  await trial.ask('GET layouts', 'GET', '/v1/layouts?limit=100');
  await trial.ask('GET partials', 'GET', '/v1/partials?limit=100');
  for (const part of ['layouts/fuzz', 'partials/p0', 'translations/en']) {
    await trial.ask('GET part versions', 'GET', `/v1/${part}/versions`);
    await trial.ask('GET part version', 'GET', `/v1/${part}/versions/1`);
    await trial.ask('POST restore part', 'POST', `/v1/${part}/versions/1/restore`);
  }
}

/** Layouts, partials and translations, and templates that use them; MJML in both. */
export const parts: Area = {
  name: 'parts',
  sampleEvery: 5,
  known: [
    {
      partials: ['{{ a }}'],
      layout: plain,
      translations: { en: { m0: 'Hi %{name}' } },
      body,
      data: { a: 'x' },
    },
    // A source that begins with a long space or many comments: its first tag decides whether it is MJML or a document.
    ...[' ', '\n', '<!---->'].map((unit) => ({
      layout: plain,
      body: { subject_template: 'x', html_template: { unit, times: maxSource, after: 'x' } },
      data: {},
      copies: 8,
    })),
    withMjml({ before: '<mjml><mj-body>', unit: cell, times: 300, after: '</mj-body></mjml>' }),
    withMjml(mjmlOf('<mj-section>'.repeat(4_000))),
    withMjml(mjmlOf(`${'<mj-wrapper>'.repeat(300)}${'</mj-wrapper>'.repeat(300)}`)),
    withMjml(mjmlOf('<mj-include path="/etc/passwd" />')),
    withMjml(mjmlOf(cell, '<mj-style>{{ a | raw }}</mj-style>')),
    withMjml(mjmlOf(cell, '<mj-raw>{{ a | raw }}</mj-raw>')),
    withMjml(mjmlOf(cell, `<mj-attributes>${'<mj-all padding="1px" />'.repeat(2_000)}</mj-attributes>`)),
    withMjml({ before: '<mjml>', unit: '{{', times: maxSource }),
    withMjml(mjmlOf(`<mj-text ${'a="b" '.repeat(10_000)}>x</mj-text>`)),
    // Partials within partials: each doubles the one before.
    {
      partials: [1, 2, 3, 4, 5].map((n) => `{% render 'p${n}' %}`.repeat(n === 5 ? 0 : 40) || '{{ a }}x'),
      layout: { ...plain, html_template: "{{ content }}{% render 'p0' %}" },
      body,
      data: {},
    },
    {
      partials: Array.from({ length: 50 }, () => ({ unit: '字', times: maxSource })),
      body: {
        subject_template: 'x',
        html_template: Array.from({ length: 50 }, (_, n) => `{% render 'p${n}' %}`).join(''),
      },
      data: {},
    },
    {
      partials: Array.from({ length: 50 }, () => ({ unit: '{{ a }}', times: maxSource })),
      body: {
        subject_template: 'x',
        html_template: Array.from({ length: 50 }, (_, n) => `{% render 'p${n}' %}`).join(''),
      },
      data: {},
    },
    { partials: [{ unit: "{% render 'p1' %}", times: maxSource }, 'x'], layout: plain, body, data: {} },
    { partials: [{ unit: 'render ', times: maxSource }], layout: plain, body, data: {} },
    {
      partials: ['{{ i }}'],
      body: { ...body, html_template: "{% render 'p0' for a as i %}" },
      data: { a: wide(9_000) },
    },
    // Catalogues at their limits.
    ...[
      wide(4_900),
      wide(1_200, (n) => `${'k'.repeat(190)}${n}`),
      Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`k${n}`, '%{name}'.repeat(1_400)])),
      Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`k${n}`, '<'.repeat(9_900)])),
    ].map((messages) => ({
      translations: { en: messages, de: messages, 'de-AT': messages },
      body: {
        ...body,
        html_template: "{% for i in (1..2000) %}{{ 'k0' | t: name: a, count: i }}{% endfor %}",
      },
      data: { a: '&'.repeat(300) },
      locale: 'de-AT',
    })),
    { body: { ...body, html_template: `{{ '${'k.'.repeat(40_000)}' | t }}` }, data: {} },
    {
      layout: { ...plain, html_template: '{{ content }}'.repeat(3_000) },
      body: { ...body, html_template: 'a'.repeat(60_000) },
      data: {},
    },
    { body, data: { locale: `de-x-${'abcdefgh-'.repeat(10_000)}a` } },
    { body, data: { locale: 'de_'.repeat(30_000) } },
  ],
  fresh: (random) => ({
    layout: {
      channel: random.pick(['email', 'in_app', 'sms', 'email']),
      html_template: random.chance(0.4)
        ? mjml(random)
        : `${spelled(source(random, 20_000), 20_000)}{{ content }}`,
      text_template: '{{ content }}',
      is_default: random.chance(0.5),
    },
    partials: Array.from({ length: random.size(20) }, () => source(random, 5_000)),
    translations: Object.fromEntries(
      locales.filter(() => random.chance(0.5)).map((locale) => [locale, catalogue(random)]),
    ),
    channel: random.chance(0.7) ? 'email' : random.pick(channels),
    body: {
      subject_template: random.chance(0.7) ? 'x' : source(random, 1_000),
      html_template: random.chance(0.5) ? mjml(random) : source(random, 30_000),
      ...(random.chance(0.5) ? { text_template: source(random, 10_000) } : {}),
      ...(random.chance(0.5) ? { layout: random.pick(['fuzz', 'none', 'lacking']) } : {}),
    },
    locale: random.pick([...locales, 'x']),
    data: hostileData(random, 20_000),
    copies: random.size(4),
  }),
  async run(trial, input) {
    await savePartsOf(trial, input);
    await readParts(trial);
    const channel = String(input.channel ?? 'email');
    const given = (input.body ?? {}) as JsonObject;
    const fields = Object.fromEntries(
      Object.entries(given).map(([name, text]) => [name, spelled(text, maxSource)]),
    );
    const data = input.data ?? {};
    const locale = String(input.locale ?? 'de').slice(0, 35);
    for (const shown of [locale, 'en-XA'])
      await trial.ask(
        `POST preview in ${shown === 'en-XA' ? shown : 'a locale'}`,
        'POST',
        '/v1/templates/preview',
        {
          ...{ ...fields, channel, locale: shown, data },
        },
      );
    const path = `/v1/templates/${key}`;
    if ((await trial.target.request('GET', path)).status === 404)
      await trial.target.request('POST', '/v1/templates', {
        ...{ key, name: 'Fuzzed', subject_template: 'x', html_body_template: '<p>x' },
      });
    if (!(await put(trial, 'template body', `${path}/bodies/${channel}`, fields))) return;
    const request = { channel, data };
    await trial.ask('POST template render', 'POST', `${path}/render`, {
      ...request,
      locale: 'en-XA',
      strict: true,
    });
    await trial.ask('POST template promote', 'POST', `${path}/promote`, { dry_run: true });
    const notification = { channel, template_key: key, template_data: data };
    // Several at once: they are rendered one after the other.
    const more = Array.from({ length: Math.min(30, Number(input.copies) || 0) }, () => ({
      ...notification,
      recipient: { address: 'delivered@sandbox.test', external_user_id: 'ada' },
    }));
    if (more.length > 0)
      await trial.ask('POST batch', 'POST', '/v1/notifications/batch', { notifications: more });
    await send(trial, notification);
  },
};
