import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestResponse, waitUntil } from '../../../../../test/harness/app.ts';
import { newId } from '../../../../kernel/ids.ts';

type Json = TestResponse['body'];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const later = new Date(Date.now() + 3_600_000).toISOString();

async function post(path: string, body: object, key = app.testKey): Promise<Json> {
  const answer = await app.request('POST', path, { body, key });
  expect([path, answer.status, answer.body.error]).toEqual([path, answer.status, undefined]);
  return answer.body;
}
async function send(body: object, key = app.testKey): Promise<string> {
  return (await post('/v1/notifications', body, key)).id;
}
async function contentOf(id: string, key = app.testKey): Promise<Json> {
  const { status, body } = await app.request('GET', `/v1/notifications/${id}/content`, { key });
  expect([status, body.error?.code]).toEqual([200, undefined]);
  return body;
}
/** What every new template has. */
const email = { subject_template: 'Hello', html_body_template: '<p>Hello</p>' };
const isSettled = ({ status }: Json) => status === 'delivered';

describe('the content of a notification', () => {
  test('is what the recipient of a Test email was sent, as the sandbox kept it', async () => {
    const id = await send({
      channel: 'email',
      recipient: { address: 'delivered@sandbox.test', name: 'Ada' },
      subject: 'Hello',
      html_body: '<p>Hi <b>Ada</b></p><script>alert(1)</script>',
      reply_to: 'help@acme.example',
      from_name: 'Acme',
    });
    await app.waitFor(id, isSettled);
    const [kept] = (await app.request('GET', `/v1/sandbox/messages?notification_id=${id}`)).body.data;
    expect(await contentOf(id)).toEqual({
      notification_id: id,
      channel: 'email',
      rendered: true,
      error: null,
      source: 'sandbox',
      sandbox_message_id: kept.id,
      from: { address: 'no-reply@sandbox.test', name: 'Acme' },
      to: { address: 'delivered@sandbox.test', name: 'Ada' },
      reply_to: 'help@acme.example',
      headers: {},
      subject: 'Hello',
      html: '<p>Hi <b>Ada</b></p><script>alert(1)</script>',
      text: kept.payload.text,
      structured: null,
      sms: null,
    });
  });

  test('follows the template that it was accepted with, before and after it is sent', async () => {
    await post('/v1/templates', { key: 'greeting', name: 'Greeting', ...email });
    const bodyOf = (text: string) => ({
      subject_template: 'For {{ name }}',
      html_template: `<p>${text}</p>`,
    });
    const save = async (text: string) =>
      expect(
        (await app.request('PUT', '/v1/templates/greeting/bodies/email', { body: bodyOf(text) })).status,
      ).toBe(200);
    await save('one {{ name }}');
    const waiting = await send({
      channel: 'email',
      recipient: { address: 'delivered@sandbox.test' },
      template_key: 'greeting',
      template_data: { name: '<Ada>' },
      send_at: later,
    });
    await save('two {{ name }}');
    const shown = await contentOf(waiting);
    expect(shown).toMatchObject({
      rendered: true,
      source: 'rendered',
      sandbox_message_id: null,
      subject: 'For <Ada>',
      html: '<p>one &lt;Ada&gt;</p>',
      from: { address: 'no-reply@sandbox.test' },
    });
    const hurried = await app.request('PATCH', `/v1/notifications/${waiting}`, { body: { send_at: null } });
    expect(hurried.status).toBe(200);
    await app.waitFor(waiting, isSettled);
    expect(await contentOf(waiting)).toMatchObject({
      subject: shown.subject,
      html: shown.html,
      source: 'sandbox',
    });
  });

  test('says in words why it cannot be rendered', async () => {
    await post('/v1/templates', { key: 'empty', name: 'Empty', ...email });
    const saved = await app.request('PUT', '/v1/templates/empty/bodies/email', {
      body: { subject_template: 'Hello', text_template: '{% if shown %}words{% endif %}' },
    });
    expect(saved.status).toBe(200);
    const id = await send({
      channel: 'email',
      recipient: { address: 'ada@example.com' },
      template_key: 'empty',
      send_at: later,
    });
    expect(await contentOf(id)).toMatchObject({
      rendered: false,
      error: 'it renders to an empty text',
      subject: null,
      html: null,
      text: null,
    });
  });

  test('has no tracking in it: looking is not opening', async () => {
    const settings = { from_address: 'hello@acme.example', track_opens: true, track_clicks: true };
    await app.request('PUT', `/v1/environments/${app.testEnvironmentId}/email-settings`, { body: settings });
    const html = '<p><a href="https://acme.example/x">x</a></p>';
    // Settings take effect within a second.
    const id = await waitUntil(async () => {
      const sent = await send({
        channel: 'email',
        recipient: { address: 'delivered@sandbox.test' },
        subject: 'Hello',
        html_body: html,
      });
      await app.waitFor(sent, isSettled);
      const [kept] = (await app.request('GET', `/v1/sandbox/messages?notification_id=${sent}`)).body.data;
      return kept.payload.html === html ? new Error('not tracked yet') : sent;
    }, 15_000);
    expect(await contentOf(id)).toMatchObject({ html, from: { address: 'hello@acme.example' } });
  });

  test('of a text message comes with its parts', async () => {
    const id = await send({
      channel: 'sms',
      recipient: { address: '+15005550006' },
      text_body: `${'ж'.repeat(70)}!`,
    });
    await app.waitFor(id, isSettled);
    expect(await contentOf(id)).toMatchObject({
      channel: 'sms',
      from: { address: '+15005550000', name: null },
      text: `${'ж'.repeat(70)}!`,
      sms: { encoding: 'UCS-2', segments: 2, length: 71 },
      html: null,
    });
  });

  test('of an inbox item is sanitised, as the user sees it', async () => {
    const id = await send({
      channel: 'in_app',
      recipient: { external_user_id: 'ada' },
      subject: 'News',
      html_body: '<p onclick="x()">Hi</p><script>alert(1)</script>',
      action_url: '/news',
      template_data: { order: 7 },
    });
    expect(await contentOf(id)).toMatchObject({
      subject: 'News',
      html: '<p>Hi</p>',
      structured: { action_url: '/news', data: { order: 7 } },
    });
  });

  test('of a webhook is the JSON that is posted, and no secret', async () => {
    const id = await send({
      channel: 'webhook',
      recipient: { address: 'https://hooks.example.com/in' },
      subject: 'Order',
      text_body: 'shipped',
    });
    const body = await contentOf(id);
    expect(body.structured).toMatchObject({ id, type: 'notification', data: { text_body: 'shipped' } });
    expect(JSON.stringify(body)).not.toContain('whsec_');
  });

  test('of a chat message is the JSON that is posted', async () => {
    const endpoint = await post('/v1/chatthree-endpoints', {
      label: 'Ops',
      webhook_url: 'https://discord.com/api/webhooks/123456789012345678/abcDEF_ghi-jkl',
    });
    await post('/v1/templates', { key: 'alarm', name: 'Alarm', ...email });
    await app.request('PUT', '/v1/templates/alarm/bodies/chatthree', {
      body: { text_template: 'Fire in {{ room }}' },
    });
    const id = await send({
      channel: 'chatthree',
      recipient: { chatthree_endpoint_id: endpoint.key ?? endpoint.id },
      template_key: 'alarm',
      template_data: { room: '7' },
    });
    const body = await contentOf(id);
    expect(body).toMatchObject({ text: 'Fire in 7', structured: { content: 'Fire in 7' } });
    expect(JSON.stringify(body)).not.toContain('abcDEF');
  });

  test('is shown in Live too, with what stands in the way of sending it', async () => {
    const path = `/v1/environments/${app.liveEnvironmentId}/email-settings`;
    const save = (body: object) => app.request('PUT', path, { key: app.liveKey, body });
    await save({ from_address: 'hello@acme.example', providers: [{ kind: 'sandbox' }] });
    const id = await send(
      {
        channel: 'email',
        recipient: { address: 'ada@example.com' },
        subject: 'Hello',
        text_body: 'words',
        send_at: later,
      },
      app.liveKey,
    );
    await save({ providers: [] });
    expect(await contentOf(id, app.liveKey)).toMatchObject({
      rendered: true,
      source: 'rendered',
      error: expect.stringMatching(/^provider_not_configured: /),
      subject: 'Hello',
      text: 'words',
      from: null,
    });
  });

  test('is nobody else’s, and gone once it is erased', async () => {
    const words = { channel: 'email', subject: 'Hello', text_body: 'words' };
    const id = await send({
      ...words,
      recipient: { address: 'delivered@sandbox.test', external_user_id: 'eve' },
    });
    await app.waitFor(id, isSettled);
    const path = `/v1/notifications/${id}/content`;
    expect((await app.request('GET', path, { key: app.liveKey })).status).toBe(404);
    expect((await app.request('GET', `/v1/notifications/${newId()}/content`)).status).toBe(404);

    // As the erasure of a user leaves it.
    await app.pool.query(
      `with c as (update notification_contents set subject = null, text_body = null where notification_id = $1)
       update notifications set address = null where id = $1`,
      [id],
    );
    const erased = await app.request('GET', path);
    expect([erased.status, erased.body.error.code]).toEqual([404, 'resource_not_found']);

    const other = await send({ ...words, recipient: { address: 'delivered@sandbox.test' } });
    await app.waitFor(other, isSettled);
    await app.request('DELETE', `/v1/notifications/${other}`);
    expect((await app.request('GET', `/v1/notifications/${other}/content`)).status).toBe(404);
  });
});
