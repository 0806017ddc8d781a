import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestResponse, waitUntil } from '../../../../test/harness/app.ts';
import { startWorkflows, type Workflows } from '../../workflows/runs/test-harness.ts';

type Body = TestResponse['body'];

let app: Workflows;
beforeAll(async () => {
  app = await startWorkflows();
  await app.request('POST', '/v1/preferences/categories', {
    body: { key: 'news', name: 'News', default_channels: ['email', 'sms', 'in_app'] },
  });
  await app.request('POST', '/v1/templates', {
    body: {
      key: 'shipped',
      name: 'Shipped',
      subject_template: 'Order {{ order }}',
      html_body_template: '<p>{{ order }}</p>',
    },
  });
});
afterAll(() => app.stop());

const call = (method: string, path: string, body?: object) =>
  app.request(method, path, body === undefined ? {} : { body });
const email = {
  channel: 'email',
  recipient: { address: 'delivered@sandbox.test' },
  subject: 'Hi {{ name }}',
  html_body: '<p>Dear {{ name }}</p>',
  text_body: 'Dear {{ name }}',
};
const later = () => new Date(Date.now() + 3_600_000).toISOString();
const post = (body: object) => call('POST', '/v1/notifications', body);
async function send(more: object = {}): Promise<string> {
  const { status, body } = await post({ ...email, ...more });
  expect([status, body.error]).toEqual([202, undefined]);
  return body.id;
}
const find = async (id: string): Promise<Body> => (await call('GET', `/v1/notifications/${id}`)).body;
const settled = (id: string) => app.waitFor(id, ({ status }) => !['queued', 'sending'].includes(status));
const contentOf = ({ subject, html_body, text_body }: Body) => [subject, html_body, text_body];
const patch = (id: string, body: object) => call('PATCH', `/v1/notifications/${id}`, body);
const rows = async (sql: string, ...values: unknown[]) => (await app.pool.query(sql, values)).rows;

describe('the content of a request with template_data', () => {
  test('is rendered once, and HTML is escaped', async () => {
    const id = await send({ template_data: { name: '<b>Ada {{ name }}</b>' } });
    expect(contentOf(await settled(id))).toEqual([
      'Hi <b>Ada {{ name }}</b>',
      '<p>Dear &lt;b&gt;Ada {{ name }}&lt;/b&gt;</p>',
      'Dear <b>Ada {{ name }}</b>',
    ]);
    const { body } = await call('GET', `/v1/notifications/${id}/trace`);
    expect(body.entries).toContainEqual(expect.objectContaining({ name: 'render', verdict: 'pass' }));
    const sandbox = await call('GET', `/v1/sandbox/messages?notification_id=${id}`);
    expect(JSON.stringify(sandbox.body.data[0].payload)).toContain('Dear &lt;b&gt;Ada');
  });

  test('is rendered with empty data, and literal without', async () => {
    expect(contentOf(await settled(await send({ template_data: {} })))).toEqual([
      'Hi',
      '<p>Dear </p>',
      'Dear ',
    ]);
    for (const more of [{}, { template_data: null }])
      expect(contentOf(await settled(await send(more)))).toEqual([
        email.subject,
        email.html_body,
        email.text_body,
      ]);
  });

  test.each([
    [{ subject: 'Hi {{ name' }, 'subject'],
    [{ html_body: '<p>\n{% if %}</p>' }, 'html_body'],
    [{ text_body: '{{ name | nothing }}' }, 'text_body'],
    [{ text_body: "{% render 'footer' %}" }, 'text_body'],
    [{ text_body: "{{ 'greeting' | t }}" }, 'text_body'],
  ])('is refused with a mistake in it: %j', async (fields, param) => {
    const { status, body } = await post({ ...email, ...fields, template_data: {} });
    expect([status, body.error.code, body.error.param]).toEqual([400, 'template_syntax_error', param]);
    if (param === 'html_body') expect(body.error.message).toContain('line 2');
    // Without data it is text.
    expect((await post({ ...email, ...fields })).status).toBe(202);
  });

  test('has the size limit of a template', async () => {
    const html_body = `{{ name }}${'x'.repeat(262_144)}`;
    const { status, body } = await post({ ...email, html_body, template_data: {} });
    expect([status, body.error.code, body.error.param]).toEqual([400, 'parameter_invalid', 'html_body']);
  });

  test('cannot reach prototypes, and has a budget', async () => {
    const reach = '{{ name.constructor }}{{ name.__proto__ }}{{ constructor }}|';
    const reached = await settled(await send({ text_body: reach, template_data: { name: 'Ada' } }));
    expect(reached.text_body).toBe('|');
    const bomb = '{% for a in (1..1000) %}{% for b in (1..1000) %}{{ b }}{% endfor %}{% endfor %}';
    const failed = await settled(await send({ text_body: bomb, template_data: {} }));
    expect(failed.status).toBe('failed');
    expect(failed.last_error).toMatch(/^template_render_failed: text_body: /);
  });

  test('fails when it renders to nothing', async () => {
    const body = { channel: 'sms', recipient: { address: '+15005550006' }, text_body: '{{ name }}' };
    const sent = await post({ ...body, template_data: {} });
    expect(await settled(sent.body.id)).toMatchObject({
      status: 'failed',
      last_error: 'template_render_failed: it renders to an empty text',
    });
  });

  test('can show the unsubscribe link of its category', async () => {
    const html_body = '<a href="{{ unsubscribe_url }}">Stop</a>';
    const done = await settled(await send({ html_body, category: 'news', template_data: {} }));
    expect(done.html_body).toMatch(/^<a href="http.+\/u\/.+">Stop<\/a>$/);
  });

  test('is shown rendered before it is sent', async () => {
    const id = await send({ template_data: { name: 'Ada' }, send_at: later() });
    expect((await find(id)).subject).toBe(email.subject);
    const { body } = await call('GET', `/v1/notifications/${id}/content`);
    expect(body).toMatchObject({ subject: 'Hi Ada', html: '<p>Dear Ada</p>', text: 'Dear Ada', error: null });
  });

  test('is rendered in a batch', async () => {
    const element = { ...email, template_data: { name: 'Ada' } };
    const { body } = await call('POST', '/v1/notifications/batch', {
      notifications: [element, { ...element, subject: '{{' }],
    });
    expect(body.data[1].error).toMatchObject({
      code: 'template_syntax_error',
      param: 'notifications[1].subject',
    });
    expect((await settled(body.data[0].notification.id)).subject).toBe('Hi Ada');
  });

  test('keeps what was rendered when it is resent', async () => {
    const id = await send({ template_data: { name: '{{ 1 | plus: 1 }}' } });
    await settled(id);
    await app.pool.query(`update notifications set status = 'failed' where id = $1`, [id]);
    const { body } = await call('POST', `/v1/notifications/${id}/resend`);
    expect((await settled(body.id)).subject).toBe('Hi {{ 1 | plus: 1 }}');
  });
});

describe('the subject of a request beside a template', () => {
  test('replaces that of the template', async () => {
    const { subject: _, html_body: __, text_body: ___, ...rest } = email;
    const from = { ...rest, template_key: 'shipped' };
    const rendered = await post({ ...from, subject: 'Yours: {{ order }}', template_data: { order: '<7>' } });
    expect(await settled(rendered.body.id)).toMatchObject({
      subject: 'Yours: <7>',
      html_body: '<p>&lt;7&gt;</p>',
    });
    const literal = await post({ ...from, subject: 'Yours: {{ order }}' });
    expect((await settled(literal.body.id)).subject).toBe('Yours: {{ order }}');
    const refused = await post({ ...from, subject: '{{ order', template_data: {} });
    expect(refused.body.error).toMatchObject({ code: 'template_syntax_error', param: 'subject' });
    const id = (await post({ ...from, template_data: { order: 7 } })).body.id;
    expect((await settled(id)).subject).toBe('Order 7');
  });
});

describe('a change of a queued notification', () => {
  const dueNow = async (id: string) => {
    await patch(id, { send_at: null });
    return settled(id);
  };

  test('with template_data renders, and content that is Liquid stays so', async () => {
    const literal = await send({ send_at: later() });
    const renewed = { subject: 'Hi {{ name }}', html_body: '{{ name }}!', text_body: '{{ name }}!' };
    expect((await patch(literal, { ...renewed, template_data: { name: 'Ada' } })).status).toBe(200);
    expect(contentOf(await dueNow(literal))).toEqual(['Hi Ada', 'Ada!', 'Ada!']);

    const liquid = await send({ template_data: { name: 'Ada' }, send_at: later() });
    expect((await patch(liquid, { template_data: { name: 'Eve' } })).status).toBe(200);
    expect((await patch(liquid, { subject: 'Bye {{ name }}' })).status).toBe(200);
    const broken = await patch(liquid, { subject: 'Bye {{' });
    expect(broken.body.error).toMatchObject({ code: 'template_syntax_error', param: 'subject' });
    expect(contentOf(await dueNow(liquid))).toEqual(['Bye Eve', '<p>Dear Eve</p>', 'Dear Eve']);
  });

  test('never reads stored text as Liquid', async () => {
    const id = await send({ send_at: later() });
    const refused = await patch(id, { template_data: { name: 'Ada' } });
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
      400,
      'parameter_missing',
      'subject',
    ]);
    expect((await patch(id, { subject: 'Hi' })).status).toBe(200);
    expect(contentOf(await dueNow(id))).toEqual(['Hi', email.html_body, email.text_body]);
  });

  test('of rendered content keeps it, or asks for the whole of it', async () => {
    const id = await send({
      recipient: { address: 'refused-once@sandbox.test' },
      template_data: { name: '{{ 1 | plus: 1 }}' },
      send_at: later(),
    });
    // As after a first round: rendered and waiting.
    await app.pool.query(
      `update notification_contents set subject = 'Hi {{ 1 | plus: 1 }}', html_body = 'h', text_body = 't', rendered_at = now()
       where notification_id = $1`,
      [id],
    );
    const refused = await patch(id, { template_data: { name: 'Eve' } });
    expect(refused.body.error).toMatchObject({ code: 'parameter_missing', param: 'subject' });
    expect((await patch(id, { action_url: 'https://acme.example/' })).status).toBe(200);
    const [kept] = await rows('select * from notification_contents where notification_id = $1', id);
    expect(kept).toMatchObject({ subject: 'Hi {{ 1 | plus: 1 }}', rendered_at: expect.any(Date) });
    const whole = { subject: '{{ name }}', html_body: '{{ name }}', text_body: '{{ name }}' };
    expect((await patch(id, { ...whole, template_data: { name: 'Eve' } })).status).toBe(200);
    expect(contentOf(await dueNow(id))).toEqual(['Eve', 'Eve', 'Eve']);
  });
});

test('a send step is evaluated once: data is never read as Liquid', async () => {
  const content = { subject: '{{ trigger.name }}', text_body: 'Dear {{ trigger.name }}' };
  const step = { id: 'mail', kind: 'send', channel: 'email', recipient: email.recipient, ...content };
  await app.define('once', [{ ...step, template_data: { secret: '42' } }]);
  const run = await app.reaches(
    await app.trigger('once', { name: '{{ secret }}{{ broken' }),
    'completed',
    'failed',
  );
  const done = await settled(run.steps[0].notification_id);
  expect([done.subject, done.text_body]).toEqual(['{{ secret }}{{ broken', 'Dear {{ secret }}{{ broken']);
  // Nor by a change of something else.
  const waiting = { ...step, id: 'wait', send_at: later() };
  await app.define('held', [{ ...waiting, template_data: { secret: '42' } }]);
  const held = await app.reaches(await app.trigger('held', { name: '{{ secret }}' }), 'completed', 'failed');
  const id = held.steps[0].notification_id;
  await patch(id, { subject: 'New {{ secret }}', send_at: null });
  expect((await settled(id)).text_body).toBe('Dear {{ secret }}');
});

describe('a broadcast', () => {
  const audience = { topic: 'inline' };
  const definition = {
    name: 'News',
    channels: ['email'],
    audience,
    category: 'news',
    subject: '{{ user.name }}: {{ product }}{{ missing }}',
    html_body: '<p>{{ user.name }}</p><a href="{{ unsubscribe_url }}">Stop</a>',
    template_data: { product: 'Bell' },
  };
  beforeAll(async () => {
    await call('POST', '/v1/topics', { key: 'inline', name: 'Inline' });
    for (const [user, name] of [
      ['ada', '<Ada>'],
      ['eve', '{{ product }}'],
    ] as const)
      await call('PUT', `/v1/users/${user}`, { email: `${user}@example.com`, name });
    await call('POST', '/v1/topics/inline/subscribers', { external_user_ids: ['ada', 'eve'] });
  });

  test('renders its content for each recipient', async () => {
    const { status, body } = await call('POST', '/v1/broadcasts', definition);
    expect([status, body.error]).toEqual([201, undefined]);
    await waitUntil(async () => {
      const { body: now } = await call('GET', `/v1/broadcasts/${body.id}`);
      return now.status === 'done' || new Error(JSON.stringify(now));
    }, 30_000);
    const { body: sent } = await call('GET', `/v1/notifications?broadcast_id=${body.id}`);
    const found = sent.data.map(({ subject, html_body }: Body) => [subject, html_body]).sort();
    expect(found).toEqual([
      ['<Ada>: Bell', expect.stringMatching(/^<p>&lt;Ada&gt;<\/p><a href="http.+">Stop<\/a>$/)],
      ['{{ product }}: Bell', expect.stringMatching(/^<p>{{ product }}<\/p><a href="http.+">Stop<\/a>$/)],
    ]);
  });

  test('is refused with a mistake in it, and its dry run lists what resolved to nothing', async () => {
    const broken = await call('POST', '/v1/broadcasts', { ...definition, subject: '{{' });
    expect(broken.body.error).toMatchObject({ code: 'template_syntax_error', param: 'subject' });
    const { status, body } = await call('POST', '/v1/broadcasts/dry-run', definition);
    expect([status, body.error]).toEqual([200, undefined]);
    expect(body.samples[0]).toMatchObject({
      subject: '<Ada>: Bell',
      undefined_variables: ['missing'],
      error: null,
    });
    const { subject: _, html_body: __, ...rest } = definition;
    const dry = { ...rest, template_key: 'shipped', subject: 'For {{ user.name }}' };
    const template = await call('POST', '/v1/broadcasts/dry-run', dry);
    expect(template.body.samples[0]).toMatchObject({
      subject: 'For <Ada>',
      html_body: '<p></p>',
      undefined_variables: ['order'],
    });
  });
});
