import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import type { Principal } from '../../../http/principal.ts';
import { shouldYield } from '../../../kernel/event-loop.ts';
import { inPlace } from '../../../threads/task.ts';
import { createPartReader } from '../parts/index.ts';
import { listedBodies } from './input.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

const preview = (body: object) => app.request('POST', '/v1/templates/preview', { body });

describe('previewing a body that is not saved', () => {
  test('shows what it would say, what it asks for and what the data lacks', async () => {
    const { status, body } = await preview({
      channel: 'email',
      subject_template: 'Order {{ order.id }}',
      html_template:
        '{% assign total = order.total %}<p>{{ name }}</p>{% for item in items %}{{ item.title }}{% endfor %}{{ total }}',
      data: { order: { id: 7 }, items: [{ title: '<b>' }] },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      subject: 'Order 7',
      html_body: '<p></p>&lt;b&gt;',
      structured: null,
      missing_translations: [],
      undefined_variables: ['name'],
      sms: null,
    });
    expect(body.variables).toEqual(expect.arrayContaining(['items', 'name', 'order.id', 'order.total']));
    expect(body.variables).not.toContain('total');
    expect(body.variables).not.toContain('item.title');
    expect((await app.request('GET', '/v1/templates')).body.data).toEqual([]);
  });

  test('what a range names is asked for too', async () => {
    const { status, body } = await preview({
      channel: 'sms',
      text_template: '{% for i in (first..order.count) %}{{ i }}{% endfor %}{{ (1..3) | join: "-" }}',
      data: { first: 2, order: { count: 4 } },
    });
    expect([status, body.text_body, body.variables]).toEqual([200, '2341-2-3', ['first', 'order.count']]);
  });

  test('a mistake is answered with its field, line and column', async () => {
    const { status, body } = await preview({
      channel: 'email',
      subject_template: 'Hi',
      html_template: '<p>\n  {% if name %}\n</p>',
    });
    expect([status, body.error.code, body.error.param]).toEqual([
      400,
      'template_syntax_error',
      'html_template',
    ]);
    expect(body.error.message).toContain('(line 2, column 3)');
  });

  test('a draft may lack what a saved body must have', async () => {
    const { status, body } = await preview({ channel: 'email', html_template: '<p>Hi</p>' });
    expect([status, body.subject, body.text_body]).toEqual([200, '', 'Hi']);
  });

  test('a draft that says nothing yet tells what it lacks', async () => {
    const draft = { channel: 'email', subject_template: '{{ a }}', html_template: '{{ b.c }}', data: {} };
    const { status, body } = await preview(draft);
    expect([status, body.html_body, body.undefined_variables]).toEqual([200, '', ['a', 'b']]);
  });

  test('a text message is counted as it travels', async () => {
    const { body } = await preview({
      channel: 'sms',
      text_template: '{{ text }}',
      data: { text: '🙂'.repeat(40) },
    });
    expect(body.sms).toEqual({ encoding: 'UCS-2', units: 80, segments: 2 });
  });

  test('structured bodies come as JSON, or say why the channel would refuse them', async () => {
    const body = '{"content":{{ name | json }}}';
    expect((await preview({ channel: 'chatthree', structured_template: body })).body.error).toMatchObject({
      param: 'structured_template',
    });
    const embeds = '[{"title":"{{ name }}"}]';
    const good = await preview({
      channel: 'chatthree',
      text_template: 'Hi',
      structured_template: embeds,
      data: { name: '"Ada"' },
    });
    expect(good.body.structured).toEqual([{ title: '"Ada"' }]);
  });

  test('a layout must exist for the channel', async () => {
    const body = { channel: 'sms', text_template: 'Hi', layout: 'sms_only' };
    expect(await preview(body)).toMatchObject({ status: 400, body: { error: { param: 'layout' } } });
    const layout = { channel: 'sms', text_template: '{{ content }} STOP' };
    await app.request('PUT', '/v1/layouts/sms_only', { body: layout });
    expect((await preview(body)).body.text_body).toBe('Hi STOP');
    expect((await preview({ ...body, channel: 'email' })).body.error).toMatchObject({
      code: 'parameter_invalid',
      param: 'layout',
    });
  });

  test('the locale is that of the body', async () => {
    const body = { channel: 'in-app', locale: 'de', text_template: '{{ "2026-03-01" | date: "%B" }}' };
    expect((await preview(body)).body.text_body).toBe('März');
    expect((await preview({ ...body, locale: '!' })).body.error.param).toBe('locale');
  });

  test('with strict, undefined variables are refused', async () => {
    const body = { channel: 'sms', text_template: '{{ name }}!', strict: true };
    expect((await preview(body)).body.error).toMatchObject({ code: 'parameter_invalid', param: 'data' });
  });

  test('what takes too much work is stopped, as in a send', async () => {
    const text = '{% for a in (1..10000) %}{% for b in (1..10000) %}{{ b }}{% endfor %}{% endfor %}';
    const { status, body } = await preview({ channel: 'sms', text_template: text });
    expect([status, body.error.code]).toEqual([400, 'template_render_failed']);
  });

  test('a channel that does not exist is refused', async () => {
    expect((await preview({ channel: 'pigeon', text_template: 'Hi' })).body.error.param).toBe('channel');
    expect((await preview({ text_template: 'Hi' })).body.error.code).toBe('parameter_missing');
  });
});

describe('when computations have held the event loop for a while, everybody else comes first', () => {
  /** True: the loop made a turn before the work was done. */
  async function waitsForATurn(work: () => Promise<unknown>): Promise<boolean> {
    let hasTurned = false;
    while (!shouldYield());
    setImmediate(() => {
      hasTurned = true;
    });
    await work();
    return hasTurned;
  }

  test('before a preview', async () => {
    const { preview: draw } = app.services.templates;
    expect(
      await waitsForATurn(() =>
        draw({ environmentId: app.testEnvironmentId } as Principal, { channel: 'sms', text_template: 'Hi' }),
      ),
    ).toBe(true);
  });

  test('before each body of a list', async () => {
    const list = () =>
      listedBodies(
        {
          pool: app.services.pool,
          tasks: inPlace,
          reader: createPartReader(app.services.pool),
          environmentId: app.testEnvironmentId,
        },
        { bodies: [{ channel: 'sms', text_template: 'Hi' }] },
      );
    expect(await waitsForATurn(list)).toBe(true);
  });
});
