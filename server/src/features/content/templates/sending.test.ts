import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../test/harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

let count = 0;
async function template(more: object = {}): Promise<string> {
  const key = `sent-${++count}`;
  const body = {
    key,
    name: 'Sent',
    subject_template: 'Hi {{ name }}',
    html_body_template: '<p>{{ name }}</p>',
    ...more,
  };
  expect((await app.request('POST', '/v1/templates', { body })).status).toBe(201);
  return key;
}

const send = (body: object) =>
  app.request('POST', '/v1/notifications', {
    body: { channel: 'email', recipient: { address: 'delivered@sandbox.test' }, ...body },
  });
const patch = (path: string, body: object) => app.request('PATCH', path, { body });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const delivered = (n: { status: string }) => n.status === 'delivered';
const failed = (n: { status: string }) => n.status === 'failed';

describe('acceptance', () => {
  test('needs a template that exists and speaks the channel, and says so at once', async () => {
    const key = await template();
    expect((await send({ template_key: 'nothing' })).body.error).toMatchObject({
      code: 'template_not_found',
      param: 'template_key',
    });
    const sms = { channel: 'sms', recipient: { address: '+14155550123' }, template_key: key };
    expect((await send(sms)).body.error).toMatchObject({
      code: 'template_body_missing',
      param: 'template_key',
    });
    await app.request('PUT', `/v1/templates/${key}/bodies/sms`, { body: { text_template: 'Hi' } });
    expect((await send(sms)).status).toBe(202);
    await app.request('DELETE', `/v1/templates/${key}`);
    expect((await send(sms)).body.error.code).toBe('template_not_found');
    await app.request('POST', '/v1/templates', {
      body: { key, name: 'x', bodies: [{ channel: 'sms', text_template: 'Hi' }] },
    });
    expect((await send(sms)).status).toBe(202);
  });

  test('knows at once what another process saved, and what it added', async () => {
    const other = await startTestApp({ database: app.database, settings: { CARILLON_ROLES: 'api' } });
    try {
      const key = await template();
      const body = { channel: 'email', recipient: { address: 'delivered@sandbox.test' }, template_key: key };
      expect((await other.request('POST', '/v1/notifications', { body })).status).toBe(202);
      await app.request('PUT', `/v1/templates/${key}/bodies/sms`, { body: { text_template: 'Hi' } });
      const sms = { ...body, channel: 'sms', recipient: { address: '+14155550123' } };
      expect((await other.request('POST', '/v1/notifications', { body: sms })).status).toBe(202);
    } finally {
      await other.stop();
    }
  });

  test('ignores inline bodies, takes an inline subject, and renders nothing until it is sent', async () => {
    const key = await template();
    const { body } = await send({
      template_key: key,
      template_data: { name: 'Ada' },
      subject: 'Dear {{ name }}',
      html_body: 'inline',
      send_at: inAnHour(),
    });
    const injected = await send({ template_key: key, subject: 'Inline\r\nBcc: x@y.z' });
    expect([injected.status, injected.body.error?.param]).toEqual([400, 'subject']);
    expect(body).toMatchObject({
      template_key: key,
      template_data: { name: 'Ada' },
      subject: 'Dear {{ name }}',
      html_body: null,
      text_body: null,
    });
  });
});

describe('what is sent', () => {
  test('is what the template says, and GET shows it', async () => {
    const key = await template({
      subject_template: 'Hi {{ name }}\n{{ more }}\u0007',
      html_body_template: '<p title="{{ name }}">{{ name }}</p>',
      text_body_template: '{{ name }}',
    });
    const { body } = await send({
      template_key: key,
      template_data: { name: '<Ada> "&\'', more: 'a\r\nBcc: x@y.z' },
    });
    const done = await app.waitFor(body.id, delivered);
    const words = {
      subject: 'Hi <Ada> "&\' a Bcc: x@y.z',
      html_body: '<p title="&lt;Ada&gt; &#34;&amp;&#39;">&lt;Ada&gt; &#34;&amp;&#39;</p>',
      text_body: '<Ada> "&\'',
    };
    expect(done).toMatchObject(words);
    const sandbox = await app.request('GET', `/v1/sandbox/messages?notification_id=${body.id}`);
    expect(sandbox.body.data[0].payload).toMatchObject({
      subject: words.subject,
      html: words.html_body,
      text: words.text_body,
    });
    const trace = await app.request('GET', `/v1/notifications/${body.id}/trace`);
    expect(trace.body.entries.map((entry: { name: string }) => entry.name)).toContain('render');
  });

  test('is pinned: editing or deleting the template changes nothing that was accepted', async () => {
    const key = await template();
    const ids: string[] = [];
    for (const name of ['Ada', 'Bob']) {
      const { body } = await send({ template_key: key, template_data: { name }, send_at: inAnHour() });
      ids.push(body.id);
    }
    await patch(`/v1/templates/${key}`, { subject_template: 'Changed', html_body_template: 'changed' });
    await patch(`/v1/notifications/${ids[0]}`, { send_at: null });
    expect(await app.waitFor(ids[0] ?? '', delivered)).toMatchObject({
      subject: 'Hi Ada',
      html_body: '<p>Ada</p>',
    });
    await app.request('DELETE', `/v1/templates/${key}`);
    await patch(`/v1/notifications/${ids[1]}`, { send_at: null });
    expect(await app.waitFor(ids[1] ?? '', delivered)).toMatchObject({
      subject: 'Hi Bob',
      html_body: '<p>Bob</p>',
    });
  });

  test('has the data of an edit while it was queued', async () => {
    const key = await template();
    const { body } = await send({ template_key: key, template_data: { name: 'Ada' }, send_at: inAnHour() });
    const edited = await patch(`/v1/notifications/${body.id}`, {
      template_data: { name: 'Bob' },
      subject: 'Dear {{ name }}',
      send_at: null,
    });
    expect(edited.status).toBe(200);
    expect(await app.waitFor(body.id, delivered)).toMatchObject({
      subject: 'Dear Bob',
      html_body: '<p>Bob</p>',
    });
  });

  test('is rendered once; further rounds send the same words, unless the data was edited', async () => {
    const key = await template({ html_body_template: '{{ "now" | date: "%s%L" }} {{ name }}' });
    const { body } = await send({
      template_key: key,
      template_data: { name: 'Ada' },
      recipient: { address: 'retry@sandbox.test' },
    });
    const first = await app.waitFor(body.id, (n) => n.attempt_count >= 1);
    expect(first.html_body).toMatch(/^\d+ Ada$/);
    const second = await app.waitFor(body.id, (n) => n.attempt_count >= 2);
    expect(second.html_body).toBe(first.html_body);
    await waitUntil(async () => {
      const { rowCount } = await app.pool.query(
        `update queue_later set run_at = now() + interval '1 hour' where id = $1`,
        [body.id],
      );
      return rowCount === 1 || new Error('a round is under way');
    });
    const edited = await patch(`/v1/notifications/${body.id}`, { template_data: { name: 'Bob' } });
    expect(edited).toMatchObject({ status: 200, body: { html_body: null, subject: null } });
    await app.pool.query('update queue_later set run_at = now() where id = $1', [body.id]);
    const next = await app.waitFor(body.id, (n) => n.attempt_count > edited.body.attempt_count);
    expect(next).toMatchObject({ subject: 'Hi Bob', html_body: expect.stringMatching(/ Bob$/) });
  });

  test('speaks the language that the data or the stored user asks for', async () => {
    const key = await template();
    for (const [locale, word] of [
      ['it', 'Ciao'],
      ['de', 'Hallo'],
    ])
      await app.request('PUT', `/v1/templates/${key}/bodies/email?locale=${locale}`, {
        body: { subject_template: `${word} {{ name }}`, html_template: '<p>.</p>' },
      });
    const user = `user-${crypto.randomUUID()}`;
    await app.request('PUT', `/v1/users/${user}`, {
      body: { email: 'delivered@sandbox.test', locale: 'de-AT' },
    });
    const subjects = [];
    for (const request of [
      { template_data: { name: 'A', locale: 'it-CH' } },
      { template_data: { name: 'B' } },
      { template_data: { name: 'C' }, recipient: { external_user_id: user } },
      { template_data: { name: 'D', locale: 'it' }, recipient: { external_user_id: user } },
    ]) {
      const { body } = await send({ template_key: key, ...request });
      subjects.push((await app.waitFor(body.id, delivered)).subject);
    }
    expect(subjects).toEqual(['Ciao A', 'Hi B', 'Hallo C', 'Ciao D']);
  });
});

describe('what cannot be rendered', () => {
  test('fails with its reason, is not tried again, and does not hold up the others', async () => {
    const bomb = await template({
      html_body_template: '{% for i in (1..n) %}{% for j in (1..n) %}{{ i }}{% endfor %}{% endfor %}',
    });
    const good = await template();
    const sends = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        send(
          n % 20 === 0
            ? { template_key: bomb, template_data: { n: 99_999 } }
            : { template_key: good, template_data: { name: n } },
        ),
      ),
    );
    for (const [n, { body }] of sends.entries()) {
      const done = await app.waitFor(
        body.id,
        (each) => each.status !== 'queued' && each.status !== 'sending',
        60_000, // the thread has a low priority: on a busy machine even its start takes long
      );
      if (n % 20 !== 0) expect(done).toMatchObject({ status: 'delivered', subject: `Hi ${n}` });
      else
        expect(done).toMatchObject({
          status: 'failed',
          attempt_count: 0,
          html_body: null,
          last_error: expect.stringMatching(
            /^template_render_failed: html_template: it exceeds the work or memory limit/,
          ),
        });
    }
    const trace = await app.request('GET', `/v1/notifications/${sends[0]?.body.id}/trace`);
    expect(trace.body.entries.at(-1)).toMatchObject({ kind: 'gate', name: 'render', verdict: 'fail' });
    expect(trace.body.summary).toContain('template_render_failed');
  }, 90_000);

  test('a body that renders to nothing, or a subject that is too long, fails', async () => {
    const empty = await template({ html_body_template: '{% if never %}x{% endif %}' });
    const long = await template({ subject_template: '{{ name }}'.repeat(200) });
    const reasons = [
      [empty, 'it renders to an empty text'],
      [long, 'subject_template: it renders to more than 998 characters'],
    ];
    for (const [key, reason] of reasons) {
      const { body } = await send({ template_key: key, template_data: { name: 'five.' } });
      expect((await app.waitFor(body.id, failed)).last_error).toBe(`template_render_failed: ${reason}`);
    }
  });

  test('is rendered with the mended template when it is resent', async () => {
    const key = await template({ html_body_template: '{{ name | url_decode }}' });
    const { body } = await send({ template_key: key, template_data: { name: '%' } });
    await app.waitFor(body.id, failed);
    await patch(`/v1/templates/${key}`, { html_body_template: '<p>{{ name }}</p>' });
    const again = await app.request('POST', `/v1/notifications/${body.id}/resend`);
    expect(again.status).toBe(202);
    expect(await app.waitFor(again.body.id, delivered)).toMatchObject({ html_body: '<p>%</p>' });
  });

  test('what was rendered is resent as it was', async () => {
    const key = await template();
    const { body } = await send({
      template_key: key,
      template_data: { name: 'Ada' },
      recipient: { address: 'refused@sandbox.test' },
    });
    await app.waitFor(body.id, failed);
    await patch(`/v1/templates/${key}`, { html_body_template: 'changed' });
    const again = await app.request('POST', `/v1/notifications/${body.id}/resend`);
    expect(again.body).toMatchObject({ subject: 'Hi Ada', html_body: '<p>Ada</p>' });
  });
});
