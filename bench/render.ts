// Sends/s from request to delivery with a template, against sends that bring the same words with them; and the same words from a
// template with a layout, a partial and translations.
import { startDatabase } from './harness/database.ts';
import { postRequests, runLoad } from './harness/load.ts';
import { createReport } from './harness/report.ts';
import { countWaiting, sentSince, until } from './harness/seed.ts';
import { startService, testKey } from './harness/service.ts';

const smoke = process.argv.includes('--smoke');
const rounds = smoke ? 1 : 5;
const roundMs = smoke ? 1_000 : 5_000;

const template = {
  key: 'order-shipped',
  name: 'Order shipped',
  subject_template: 'Your order {{ order.id }} has been shipped',
  html_body_template: `<h1>Dear {{ name }}</h1><p>${'The parcel left our warehouse this morning. '.repeat(10)}</p>
<ul>{% for item in order.items %}<li>{{ item.count }} × {{ item.name }}{% if item.gift %} (gift){% endif %}: {{ item.price | times: item.count | round: 2 }}</li>
{% endfor %}</ul>`,
  text_body_template: `Dear {{ name }}, your order {{ order.id }} is on its way.
{% for item in order.items %}{{ item.count }} × {{ item.name }}
{% endfor %}`,
};
const data = {
  name: 'Ada Lovelace',
  order: {
    id: 'A-1815',
    items: Array.from({ length: 5 }, (_, n) => ({
      name: `Engine part & gear ${n}`,
      count: n + 1,
      price: 9.99,
      gift: n === 2,
    })),
  },
};

/** The same words: a layout around the body, a partial for each item, and translations in German and English. */
const layout = {
  channel: 'email',
  html_template: `<h1>{{ 'greeting' | t: name: name }}</h1>{{ content }}`,
  text_template: `{{ 'shipped_text' | t: name: name, id: order.id }}\n{{ content }}`,
};
const partial = {
  template: `<li>{{ item.count }} × {{ item.name }}{% if item.gift %} ({{ 'gift' | t }}){% endif %}: {{ item.price | times: item.count | round: 2 }}</li>\n`,
};
const messages = {
  subject: 'Your order %{id} has been shipped',
  greeting: 'Dear %{name}',
  shipped_text: 'Dear %{name}, your order %{id} is on its way.',
  parcel: 'The parcel left our warehouse this morning. '.repeat(10),
  gift: 'gift',
};
const shared = {
  key: 'order-shipped-shared',
  name: 'Order shipped',
  bodies: [
    {
      channel: 'email',
      layout: 'bench',
      subject_template: "{{ 'subject' | t: id: order.id }}",
      html_template: `<p>{{ 'parcel' | t }}</p>\n<ul>{% render 'bench-item' for order.items as item %}</ul>`,
      text_template: '{% for item in order.items %}{{ item.count }} × {{ item.name }}\n{% endfor %}',
    },
  ],
};

const report = createReport('render');
const database = await startDatabase();
const service = await startService('worker.ts', database, { CARILLON_ROLES: 'api,worker' });
try {
  await api('POST', '/v1/templates', template);
  const words = await api('POST', `/v1/templates/${template.key}/render`, { data });
  await api('PUT', '/v1/translations/en', { messages });
  await api('PUT', '/v1/translations/de', { messages });
  await api('PUT', '/v1/partials/bench-item', partial);
  await api('PUT', '/v1/layouts/bench', layout);
  await api('POST', '/v1/templates', shared);
  const same = await api('POST', `/v1/templates/${shared.key}/render`, { data });
  if (JSON.stringify(same) !== JSON.stringify(words)) throw new Error('the two templates differ');
  const email = { channel: 'email', recipient: { address: 'delivered@sandbox.test', name: 'Ada Lovelace' } };
  const requests = {
    inline: postRequests('/v1/notifications', testKey, { ...email, ...words, template_data: {} }),
    template: postRequests('/v1/notifications', testKey, {
      ...email,
      template_key: template.key,
      template_data: data,
    }),
    shared: postRequests('/v1/notifications', testKey, {
      ...email,
      template_key: shared.key,
      template_data: { ...data, locale: 'de-AT' },
    }),
  };
  const kinds = ['inline', 'template', 'shared'] as const;
  for (const kind of kinds) await measure(requests[kind]);

  const rates: Record<(typeof kinds)[number], number[]> = { inline: [], template: [], shared: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of kinds) rates[kind].push(await measure(requests[kind]));
  }
  const inline = report.rounds('words in the request', rates.inline, 'sends/s');
  const rendered = report.rounds('words from a template', rates.template, 'sends/s');
  const composed = report.rounds('with layout, partial, translations', rates.shared, 'sends/s');
  report.goal('\nwith layout, partial and translations', composed / inline, { op: '>=', figure: 0.75 });
  report.close(rendered / inline, { op: '>=', figure: 0.7 });
} finally {
  await service.stop();
  await database.stop();
}

/** Sends as fast as they are accepted, waits for the last one, and counts over all of it. */
async function measure(nextRequest: () => string): Promise<number> {
  const since = new Date();
  await runLoad({ url: service.url, connections: 64, durationMs: roundMs, nextRequest, expectedStatus: 202 });
  await until(async () => (await countWaiting(database.pool)) === 0, 60_000);
  return (await sentSince(database.pool, since)).perSecond;
}

async function api(method: string, path: string, body: object): Promise<object> {
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as object;
}
