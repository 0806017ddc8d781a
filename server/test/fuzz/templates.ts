import type { Random } from './random.ts';
import type { Area, Trial } from './trial.ts';
import { hostileData, hostileText, type JsonObject } from './values.ts';

/** Texts in Liquid: every tag and filter, nested, repeated and fed with hostile data. */
const filters =
  `abs at_least at_most ceil divided_by floor minus modulo plus round times append capitalize downcase lstrip prepend
  remove remove_first remove_last replace replace_first replace_last rstrip slice split squish strip strip_newlines truncate
  truncatewords upcase array_to_sentence_string number_of_words slugify escape escape_once newline_to_br strip_html xml_escape
  url_decode url_encode cgi_escape uri_escape base64_encode base64_decode sha256 compact concat find find_index first group_by
  has join last map reject reverse size sort sort_natural sum uniq where date date_to_rfc822 date_to_xmlschema default json
  to_integer raw`
    .trim()
    .split(/\s+/);
const variables = [
  'a',
  'b',
  'name',
  'items',
  'order',
  'a.a',
  'items.first',
  'a[0]',
  'i',
  'x',
  'forloop.index',
  'a.size',
];
const literals = [
  '""',
  '"a"',
  '"%B %c %x"',
  '"Europe/Rome"',
  '1',
  '3',
  '1000',
  '-1',
  'nil',
  'true',
  '"latin"',
  '"cjk"',
  '","',
];
const operators = ['==', '!=', '<', '>', '<=', '>=', 'contains'];

const value = (random: Random): string =>
  random.chance(0.6) ? random.pick(variables) : random.pick(literals);

function expression(random: Random): string {
  let text = value(random);
  for (let left = random.below(3); left > 0; left -= 1) {
    const count = random.below(3);
    const args = Array.from({ length: count }, () => value(random)).join(', ');
    text += ` | ${random.pick(filters)}${args ? `: ${args}` : ''}`;
  }
  return text;
}

function condition(random: Random): string {
  const parts = Array.from({ length: 1 + random.below(3) }, () =>
    random.chance(0.6) ? `${value(random)} ${random.pick(operators)} ${value(random)}` : value(random),
  );
  return parts.join(random.pick([' and ', ' or ']));
}

export function liquid(random: Random, depth = 3): string {
  const inner = (): string => (depth === 0 ? '' : liquid(random, depth - 1));
  switch (random.below(12)) {
    case 0:
      return `{% for i in ${random.chance(0.5) ? value(random) : `(1..${random.size(1_000_000)})`} %}${inner()}{% endfor %}`;
    case 1:
      return `{% if ${condition(random)} %}${inner()}{% else %}${inner()}{% endif %}`;
    case 2:
      return `{% assign ${random.pick(['a', 'x', 'b'])} = ${expression(random)} %}${inner()}`;
    case 3:
      return `{% capture ${random.pick(['x', 'a'])} %}${inner()}{% endcapture %}{{ x }}`;
    case 4:
      return `{% case ${value(random)} %}${`{% when ${value(random)}, ${value(random)} %}${inner()}`.repeat(random.size(50))}{% endcase %}`;
    case 5:
      return `{% tablerow i in (1..${random.size(100_000)}) cols:${random.size(10)} %}${inner()}{% endtablerow %}`;
    case 6:
      return `{% cycle ${`${value(random)}, `.repeat(random.size(100))}1 %}${inner()}`;
    case 7:
      return random.pick([
        '{% increment x %}',
        '{% decrement a %}',
        '{% break %}',
        '{% continue %}',
        '{% liquid\necho a\n%}',
      ]);
    case 8:
      return random.pick([
        '{% raw %}',
        '{% comment %}',
        '{% unless a %}',
        '{{',
        '{%',
        '{{ a | nothing }}',
        '{{ "',
        '{%- if -%}',
      ]);
    case 9:
      return hostileText(random, 20_000);
    default:
      return `{{ ${expression(random)} }}${inner()}`;
  }
}

/** More of the same: what a template is made of, many times or nested. */
function grown(random: Random, most: number): string {
  const text = liquid(random);
  const count = random.chance(0.5)
    ? random.size(Math.max(1, Math.min(2_500, most / Math.max(1, text.length))))
    : 1;
  const many = text.repeat(count).slice(0, most);
  if (random.chance(0.15)) return `${'{% if a %}'.repeat(random.size(900))}${many}`;
  return random.chance(0.3) ? `{% for i in (1..${random.size(100_000)}) %}${many}{% endfor %}` : many;
}

const structured = (random: Random): string =>
  random.pick([
    (inner: string) => `{"blocks":[${inner}]}`,
    (inner: string) => `[{"type":"section","text":{"type":"mrkdwn","text":"${inner}"}}]`,
    (inner: string) =>
      `{"type":"AdaptiveCard","version":"1.4","body":[{"type":"TextBlock","text":"${inner}"}]}`,
    (inner: string) => `{"embeds":[{"title":"${inner}","description":"{{ a }}"}]}`,
    (inner: string) => inner,
  ])(grown(random, 30_000));

export const channels = ['email', 'in_app', 'sms', 'webhook', 'chatone', 'chattwo', 'chatthree'];

function body(random: Random): JsonObject {
  const most = 60_000;
  return {
    subject_template: random.chance(0.7) ? 'Hello {{ name }}' : grown(random, most),
    ...(random.chance(0.6) ? { html_template: grown(random, most) } : {}),
    ...(random.chance(0.6) ? { text_template: grown(random, most) } : {}),
    ...(random.chance(0.4) ? { structured_template: structured(random) } : {}),
  };
}

const again = (tag: string, times = 90_000): string => `{% for i in (1..${times}) %}${tag}{% endfor %}`;
const numbersTo = (length: number): number[] => Array.from({ length }, (_, n) => (n * 7919) % 9_001);
const list = (length: number): JsonObject[] => Array.from({ length }, (_, a) => ({ a }));

/** Each is dearer than it looks. */
const bombs: [string, JsonObject][] = [
  [again('{{ x }}'), { x: 'a' }],
  [again('{{ a | sha256 }}'), { a: 'a' }],
  [again(`{% if a${' and a'.repeat(3_000)} %}1{% endif %}`), { a: 1 }],
  [again(`{% case a %}{% when ${'1,'.repeat(3_000)}2 %}{% endcase %}`), { a: 3 }],
  [again(`{{ a${' | upcase'.repeat(3_000)} }}`), { a: 'a' }],
  [again('{{ a | json }}'), { a: list(9_000) }],
  [again('{{ a | slugify: "latin" }}'), { a: 'é-'.repeat(30_000) }],
  [again('{{ a | number_of_words: "cjk" }}'), { a: '字'.repeat(30_000) }],
  [again('{{ a | strip_newlines }}'), { a: '\r\n'.repeat(20_000) }],
  [again('{{ a | sort }}'), { a: numbersTo(9_000) }],
  [again('{% if a contains "x" %}1{% endif %}'), { a: numbersTo(9_000) }],
  [again('{% if a == b %}1{% endif %}'), { a: numbersTo(9_000), b: numbersTo(9_000) }],
  [again('{{ a | where: "a", 5 }}'), { a: list(100) }],
  ['{{ "2026-01-01" | date: a }}', { a: '%B%Y'.repeat(20_000) }],
  [again('{{ a | escape }}'), { a: '&'.repeat(200) }],
  [`{% liquid\n${'echo a\n'.repeat(8_000)}%}`, { a: 1 }],
  [`${'{% if a %}'.repeat(990)}${'{% endif %}'.repeat(990)}`, { a: 1 }],
  [`{{ a }}${' '.repeat(40)}`.repeat(1_990), { a: 1 }],
  [`{{ a | default: ${'x, '.repeat(30_000)} y }}`, { a: 1 }],
  ['{% assign a = 1 %}'.repeat(1_990), { a: 1 }],
  [`{{ a${'.b'.repeat(40_000)} }}`, { a: 1 }],
  ['<b>'.repeat(30_000), {}],
  ['{{ a | raw }}', { a: '<b>'.repeat(30_000) }],
];

async function preview(trial: Trial, input: JsonObject): Promise<void> {
  await trial.ask('POST /v1/templates/preview', 'POST', '/v1/templates/preview', input);
}

/** A draft as the editor shows it: checked, rendered, and asked what it lacks. */
export const previews: Area = {
  name: 'template previews',
  sampleEvery: 3,
  known: bombs.map(([html_template, data], index) => ({
    channel: 'email',
    subject_template: 'x',
    html_template,
    data,
    strict: index % 2 === 0,
  })),
  fresh: (random) => ({
    channel: random.pick(channels),
    ...body(random),
    data: hostileData(random, 40_000),
    ...(random.chance(0.2) ? { locale: random.pick(['de', 'de-AT', 'ar', 'x']) } : {}),
    strict: random.chance(0.3),
  }),
  run: preview,
};

const key = 'fuzzed';

/** A saved body: checked, rendered, sent with, and promoted. */
export const templates: Area = {
  name: 'templates',
  sampleEvery: 6,
  known: bombs.map(([template, data], index) =>
    index % 2 === 0
      ? {
          channel: 'email',
          body: { subject_template: 'x', html_template: template, text_template: template },
          data,
        }
      : { channel: 'webhook', body: { structured_template: `["${template}"]` }, data },
  ),
  fresh: (random) => ({
    channel: random.pick(channels),
    body: body(random),
    data: hostileData(random, 40_000),
  }),
  async run(trial, { channel, body, data }) {
    const { status } = await trial.ask('GET template', 'GET', `/v1/templates/${key}`);
    if (status === 404)
      await trial.ask('POST /v1/templates', 'POST', '/v1/templates', {
        key,
        name: 'Fuzzed',
        subject_template: 'x',
        html_body_template: '<p>x</p>',
      });
    const path = `/v1/templates/${key}`;
    const put = await trial.ask('PUT template body', 'PUT', `${path}/bodies/${channel}`, body ?? null);
    if (put.status >= 300) return;
    const request = { channel: channel ?? null, data: data ?? null };
    await trial.ask('POST template render', 'POST', `${path}/render`, request);
    await trial.ask('POST template render, strict', 'POST', `${path}/render`, { ...request, strict: true });
    await trial.ask('POST template promote', 'POST', `${path}/promote`, { dry_run: true });
    await send(trial, { channel: channel ?? null, template_key: key, template_data: data ?? null });
  },
};

export const recipients: Record<string, JsonObject> = {
  email: { address: 'delivered@sandbox.test', name: 'Ada' },
  in_app: { external_user_id: 'ada' },
  sms: { address: '+15005550006' },
  webhook: { endpoint: 'https://example.com/hook', address: 'https://example.com/hook' },
  chatone: { chatone_channel_id: 'C0123456789' },
  chattwo: { chattwo_endpoint_id: 'fuzz' },
  chatthree: { chatthree_endpoint_id: 'fuzz' },
};

/** From acceptance to its end, and how it is shown afterwards. */
export async function send(trial: Trial, notification: JsonObject): Promise<void> {
  const { channel } = notification;
  const recipient = notification.recipient ?? recipients[String(channel)] ?? {};
  const accepted = await trial.ask('POST /v1/notifications', 'POST', '/v1/notifications', {
    ...notification,
    recipient,
  });
  if (accepted.status >= 300) return;
  const path = `/v1/notifications/${accepted.body.id}`;
  await trial.afterwards('delivery', async () => {
    const { body } = await trial.target.request('GET', path);
    return body.status !== 'queued' && body.status !== 'sending';
  });
  await trial.ask('GET notification', 'GET', path);
  await trial.ask('GET content', 'GET', `${path}/content`);
  await trial.ask('GET trace', 'GET', `${path}/trace`);
  await trial.ask('GET sandbox messages', 'GET', '/v1/sandbox/messages?limit=100');
}
