// Sends/s from request to delivery with a template, against sends that bring the same words with them.
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

const report = createReport('render');
const database = await startDatabase();
const service = await startService('worker.ts', database, { CARILLON_ROLES: 'api,worker' });
try {
  await api('POST', '/v1/templates', template);
  const words = await api('POST', `/v1/templates/${template.key}/render`, { data });
  const email = { channel: 'email', recipient: { address: 'delivered@sandbox.test', name: 'Ada Lovelace' } };
  const requests = {
    inline: postRequests('/v1/notifications', testKey, { ...email, ...words, template_data: {} }),
    template: postRequests('/v1/notifications', testKey, {
      ...email,
      template_key: template.key,
      template_data: data,
    }),
  };
  await measure(requests.inline);
  await measure(requests.template);

  const rates = { inline: [] as number[], template: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    rates.inline.push(await measure(requests.inline));
    rates.template.push(await measure(requests.template));
  }
  const inline = report.rounds('words in the request', rates.inline, 'sends/s');
  const rendered = report.rounds('words from a template', rates.template, 'sends/s');
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
