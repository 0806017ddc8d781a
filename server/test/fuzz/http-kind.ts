import { liquid } from './templates.ts';
import type { Area, Trial } from './trial.ts';
import { hostileText, hostileValue, type Json, type JsonObject, spelled } from './values.ts';

/** Of the body of a callback. */
const maxCallback = 1_048_576;

const pointers = ['items', 'id', 'status', 'event', 'time', 'detail'].map(
  (name) => `callback_${name}_pointer`,
);
const replyPointers = ['reply_from_pointer', 'reply_text_pointer'];

/** Settings with which callbacks are taken: the URL is the credential. */
const settings: JsonObject = {
  body: '{"to":"{{ to }}","text":"{{ text }}"}',
  callback_auth: 'url',
  callback_status_pointer: '/status',
  callback_id_pointer: '/id',
  callback_statuses: { ok: 'delivered', bad: 'bounced' },
  reply_from_pointer: '/from',
  reply_text_pointer: '/text',
};
const statuses = Object.fromEntries(
  Array.from({ length: 50 }, (_, n) => [`${n}${'É'.repeat(90)}`, 'delivered']),
);
const deepPointers = Object.fromEntries(
  [...pointers.slice(1), ...replyPointers].map((name) => [name, '/a'.repeat(100)]),
);

const list = (unit: string, times: number): JsonObject => ({
  before: '[',
  unit: `${unit},`,
  times,
  after: '1]',
});
const callback = (given: Json, config: JsonObject = {}): JsonObject => ({
  config: { ...settings, ...config },
  callback: given,
});

async function save(trial: Trial, { channel, config, providers }: JsonObject): Promise<JsonObject | null> {
  const { target } = trial;
  const by = { key: target.liveKey };
  const me = await target.request('GET', '/v1/me', undefined, by);
  const count = Math.max(1, Math.min(10, Number(providers) || 1));
  const base = `/v1/environments/${me.body.environment_id}`;
  const chain = Array.from({ length: count }, () => ({
    kind: 'http',
    ...(channel === 'email' ? {} : { from_number: '+14155550100' }),
    config: { url: `${target.gateway.url}/send`, ...(config as JsonObject) },
  }));
  const saved =
    channel === 'email'
      ? await trial.ask(
          'PUT email settings',
          'PUT',
          `${base}/email-settings`,
          { from_address: 'a@example.com', providers: chain },
          by,
        )
      : await trial.ask(
          'PUT sms providers',
          'PUT',
          `${base}/sms-settings/providers`,
          { providers: chain },
          by,
        );
  if (saved.status >= 300) return null;
  const [first] = saved.body.providers;
  if (channel !== 'email')
    await trial.ask('POST verify', 'POST', `${base}/sms-settings/providers/${first.id}/verify`, {}, by);
  return first;
}

async function sendThrough(trial: Trial, { channel, text, data, copies, answer }: JsonObject): Promise<void> {
  const { target } = trial;
  const by = { key: target.liveKey };
  target.gateway.answers(
    Number((answer as JsonObject)?.status) || 200,
    spelled((answer as JsonObject)?.body, 100_000),
  );
  const words = spelled(text ?? 'Hello', 100_000);
  const notification: JsonObject =
    channel === 'email'
      ? {
          channel: 'email',
          recipient: { address: 'ada@example.com' },
          subject: 'x',
          html_body: words,
          text_body: words,
        }
      : { channel: 'sms', recipient: { address: '+447700900123' }, text_body: words };
  const notifications = Array.from({ length: Math.max(1, Math.min(20, Number(copies) || 1)) }, () => ({
    ...notification,
    template_data: data ?? {},
  }));
  const sent = await trial.ask('POST batch', 'POST', '/v1/notifications/batch', { notifications }, by);
  const id = sent.body.data?.[0]?.notification?.id;
  if (!id) return;
  await trial.afterwards('delivery', async () => {
    const { body } = await target.request('GET', `/v1/notifications/${id}`, undefined, by);
    return body.status !== 'queued' && body.status !== 'sending';
  });
  await trial.ask('GET trace', 'GET', `/v1/notifications/${id}/trace`, undefined, by);
}

/** Providers of the kind `http`: their templates, the answers to their calls, and their callbacks. */
export const httpKind: Area = {
  name: 'http providers',
  sampleEvery: 4,
  known: [
    {
      ...callback({ unit: '{"id":"x","status":"ok"},', times: 0, before: '{"id":"x","status":"ok"}' }),
      text: 'Hello',
    },
    // Items, each of which is read by every pointer.
    callback(list('{"a":1}', 1_990), deepPointers),
    callback(list('{"a":{"a":{"a":{"a":1}}}}', 1_990), deepPointers),
    callback(list('{"id":"x","status":"ok"}', 1_990), { callback_statuses: statuses }),
    callback(list('{"id":"01890000-0000-7000-8000-000000000000","status":"ok"}', 1_990)),
    callback(list('{"from":"+447700900123","text":"STOP"}', 1_990)),
    callback(
      { before: '{"id":"x","status":"', unit: 'É', times: 400_000, after: '"}' },
      { callback_statuses: statuses },
    ),
    // A reply that almost ends with what is left out at its end.
    callback({ before: '{"from":"447700900123","text":"', unit: '!', times: 900_000, after: 'x"}' }),
    callback({ before: '{"from":"447700900123","text":"', unit: ' ', times: 900_000, after: 'x"}' }),
    callback({ before: '{"from":"447700900123","text":"', unit: 'e\u0301', times: 300_000, after: 'x"}' }),
    callback({ before: '{"from":"', unit: '1', times: 900_000, after: 'x","text":"STOP"}' }),
    callback(
      { before: '{"id":"x","status":"ok","time":"', unit: '1', times: 900_000, after: 'x"}' },
      { callback_time_pointer: '/time' },
    ),
    callback(
      { before: '{"id":"x","status":"ok","time":"', unit: '1 ', times: 400_000, after: '"}' },
      { callback_time_pointer: '/time' },
    ),
    callback({ before: '{"a":', unit: '[', times: 30_000 }),
    callback({ before: '{"id":"x","status":"ok"', keys: 39_000, after: '}' }),
    { ...callback({ unit: 'a=b&', times: 250_000 }), form: true },
    { ...callback({ unit: 'status=ok&', times: 100_000 }), form: true },
    {
      ...callback({ unit: 'a=b&', times: 250_000 }),
      contentType: 'application/x-www-form-urlencoded; json',
    },
    { ...callback({ before: 'a=', unit: '%C3%89', times: 170_000 }), form: true },
    // Ten providers, each with as many templates as fit.
    {
      providers: 10,
      config: {
        ...settings,
        headers: Object.fromEntries(
          Array.from({ length: 20 }, (_, n) => [`x-${n}`, '{% for i in (1..90000) %}{{ i }}{% endfor %}']),
        ),
      },
      text: 'x',
    },
    { providers: 10, config: { ...settings, url: `http://127.0.0.1/${'{{ to }}'.repeat(200)}` }, text: 'x' },
    { config: { ...settings, body: '[{% for i in (1..60000) %}{},{% endfor %}1]' }, text: 'x', copies: 10 },
    {
      config: { ...settings, body: '["{% for i in (1..4000) %}{{ text }}{% endfor %}"]' },
      text: { unit: '"', times: 400 },
      copies: 10,
    },
    {
      config: {
        callback_auth: 'url',
        callback_status_pointer: '/a',
        callback_statuses: { ok: 'delivered' },
        form: { a: '{{ text }}', b: '{{ text | upcase }}' },
      },
      text: { unit: '字', times: 400 },
      copies: 10,
    },
    // Answers.
    ...['{"a":', '[', '{"error":"', '<b>', '9', '\\u0041'].map((unit) => ({
      config: {
        ...settings,
        error_message_pointer: '/error',
        message_id_pointer: '/id',
        success_pointer: '/a',
      },
      text: 'x',
      answer: { status: 200, body: { unit, times: 90_000 } },
    })),
    {
      channel: 'email',
      config: { body: '{"html":"{{ html }}","text":"{{ text }}"}' },
      text: { unit: '<b>"', times: 20_000 },
      copies: 10,
    },
    {
      channel: 'email',
      config: { form: { html: '{{ html }}' } },
      text: { unit: '字', times: 30_000 },
      copies: 10,
    },
  ],
  fresh(random) {
    const template = (): Json =>
      random.chance(0.5) ? liquid(random, 2).slice(0, 4_000) : hostileText(random, 4_000);
    const pointer = (): string =>
      random.chance(0.5)
        ? `/${random.pick(['a', 'id', 'status', '0'])}`.repeat(random.size(60))
        : hostileText(random, 190);
    return {
      channel: random.pick(['sms', 'sms', 'email']),
      providers: random.size(10),
      config: {
        ...settings,
        ...(random.chance(0.4) ? { body: template() } : {}),
        ...(random.chance(0.2)
          ? {
              headers: Object.fromEntries(
                Array.from({ length: random.size(50) }, (_, n) => [`x-${n}`, template()]),
              ),
            }
          : {}),
        ...(random.chance(0.3)
          ? Object.fromEntries(
              [...pointers, ...replyPointers]
                .filter(() => random.chance(0.5))
                .map((name) => [name, pointer()]),
            )
          : {}),
        ...(random.chance(0.2) ? { callback_statuses: statuses } : {}),
      },
      text: hostileText(random, 1_500),
      answer: {
        status: random.pick([200, 200, 400, 500]),
        body: random.chance(0.5) ? hostileText(random, 60_000) : JSON.stringify(hostileValue(random, 60_000)),
      },
      callback: random.chance(0.5)
        ? list(JSON.stringify(hostileValue(random, 200)), random.size(2_000))
        : random.chance(0.5)
          ? JSON.stringify({
              status: hostileText(random, 20_000),
              id: 'x',
              from: '447700900123',
              text: hostileText(random, 60_000),
            })
          : hostileText(random, 60_000),
      form: random.chance(0.3),
    };
  },
  async run(trial, input) {
    const provider = await save(trial, input);
    if (!provider) return;
    if (input.text !== undefined) await sendThrough(trial, input);
    if (input.callback === undefined || !provider.callback_url) return;
    const { pathname } = new URL(String(provider.callback_url));
    const text = spelled(input.callback, maxCallback - 1_000);
    const keys = Number((input.callback as JsonObject)?.keys) || 0;
    const wide = Array.from({ length: Math.min(keys, 39_000) }, (_, n) => `,"k${n}":1`).join('');
    const body = wide ? text.replace('}', `${wide}}`) : text;
    const contentType = String(
      input.contentType ?? (input.form ? 'application/x-www-form-urlencoded' : 'application/json'),
    );
    await trial.ask('POST callback', 'POST', pathname, Buffer.from(body), { contentType });
    await trial.ask('GET callback', 'GET', `${pathname}?${text.slice(0, 4_000).replace(/[^\w=&%.-]/g, '')}`);
  },
};
