import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { httpEmail } from '../../../../test/simulators/http-email.ts';
import { httpSms } from '../../../../test/simulators/http-sms.ts';

const options = {
  port: 0,
  secretFor: (field: string) => `the ${field} of the service, which is long enough`,
};
const [mail, sms] = await Promise.all([httpEmail.start(options), httpSms.start(options)]);
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.stop();
  await Promise.all([mail.simulator.stop(), sms.simulator.stop()]);
});

const path = (more: string) => `/v1/environments/${app.liveEnvironmentId}/${more}`;
const call = (method: string, more: string, body?: unknown) =>
  app.request(method, path(more), { key: app.liveKey, ...(body === undefined ? {} : { body }) });
const putSms = (config: object, more: object = {}) =>
  call('PUT', 'sms-settings/providers', {
    providers: [{ kind: 'http', name: 'gateway', from_number: '+14155550100', config, ...more }],
  });
const putEmail = (config: object, more: object = {}) =>
  call('PUT', 'email-settings', {
    from_address: 'hello@acme.example',
    providers: [{ kind: 'http', config, ...more }],
  });

async function send(body: object) {
  const { status, body: made } = await app.request('POST', '/v1/notifications', { key: app.liveKey, body });
  expect([status, made.error]).toEqual([202, undefined]);
  return app.waitFor(made.id, (seen) => !['queued', 'sending'].includes(seen.status));
}
const sendSms = (address = '+447700900123') =>
  send({ channel: 'sms', recipient: { address }, text_body: 'It "rings" & more' });
const sendEmail = () =>
  send({
    channel: 'email',
    recipient: { address: 'ada@example.com' },
    subject: 'Hi',
    html_body: '<p>"Hi"</p>',
  });

describe('an SMS gateway that Carillon does not know', () => {
  test('gets messages, and its reports and replies count', async () => {
    const saved = await putSms(sms.config);
    expect([saved.status, saved.body.error]).toEqual([200, undefined]);
    const [provider] = saved.body.providers;
    const verified = await call('POST', `sms-settings/providers/${provider.id}/verify`);
    expect(verified.body).toMatchObject({ ok: true });

    const { id, status } = await sendSms();
    expect(status).toBe('sent');
    const [message] = sms.simulator.received;
    expect(message).toMatchObject({ to: '447700900123', from: '+14155550100', text: 'It "rings" & more' });
    if (!message) throw new Error('nothing was received');
    expect(await sms.simulator.receipt(message, 'delivered', undefined, { signature: 'wrong' })).toBe(401);
    expect(await sms.simulator.receipt(message, 'delivered')).toBe(200);
    await app.waitFor(id, (seen) => seen.status === 'delivered');

    const reply = await fetch(provider.callback_url, {
      method: 'POST',
      headers: { 'x-report-key': String(sms.config.callback_secret) },
      body: new URLSearchParams({ sender: '447700900124', words: 'STOP' }),
    });
    expect(reply.status).toBe(200);
    expect(await sendSms('+447700900124')).toMatchObject({ status: 'suppressed' });
  });

  test('is the first provider in the settings of a single one', async () => {
    await putSms(sms.config);
    expect((await call('GET', 'sms-settings')).body).toMatchObject({
      kind: 'Http',
      callback_url: expect.stringContaining('/hooks/http/'),
    });
  });
});

describe('a mail service that Carillon does not know', () => {
  test('gets messages, and its reports count', async () => {
    const saved = await putEmail(mail.config);
    expect([saved.status, saved.body.error]).toEqual([200, undefined]);
    const [provider] = saved.body.providers;
    const { id, status } = await sendEmail();
    expect(status).toBe('sent');
    const [email] = mail.simulator.received;
    expect(email?.request).toMatchObject({ subject: 'Hi', html: '<p>"Hi"</p>', reference: id });
    if (!email) throw new Error('nothing was received');
    expect(await mail.simulator.emit(provider.callback_url, 'delivered', email)).toBe(200);
    await app.waitFor(id, (seen) => seen.status === 'delivered');
  });

  test('that asks for a login cannot be read through its errors', async () => {
    await putEmail({ ...mail.config, error_message_pointer: null });
    mail.simulator.fault = { status: 500, body: { error: { message: 'internal detail' } } };
    const { body } = await app.request('POST', '/v1/notifications', {
      key: app.liveKey,
      body: { channel: 'email', recipient: { address: 'ada@example.com' }, subject: 'Hi', text_body: 'Hi' },
    });
    const seen = await app.waitFor(body.id, ({ attempt_count }) => attempt_count > 0);
    expect(JSON.stringify(seen)).not.toContain('internal detail');
    mail.simulator.fault = null;
  });
});

describe('the settings', () => {
  test('seal the secrets, and show only how they end', async () => {
    const { body } = await putSms(sms.config);
    expect(body.providers[0].config).toMatchObject({
      url: sms.config.url,
      secret: '••••ough',
      callback_secret: '••••ough',
      headers: { 'X-Api-Key': '{{ secret }}' },
    });
    const { rows } = await app.pool.query('select providers::text as stored from sms_settings');
    expect(rows[0].stored).not.toContain('of the service');
  });

  test('ask for the secret again when the URL changes', async () => {
    const [{ id, config }] = (await putSms(sms.config)).body.providers;
    expect((await putSms({ ...config, success_value: 'OK' }, { id })).status).toBe(200);
    const moved = await putSms({ ...config, url: 'https://elsewhere.example/', check_url: null }, { id });
    expect([moved.status, moved.body.error.param]).toEqual([400, 'providers[0].config.secret']);
  });

  test.each([
    ['a list as a map', { headers: ['a'] }, 'headers'],
    ['numbers in a map', { form: { a: 1 } }, 'form'],
    [
      'too many entries',
      { form: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`f${i}`, 'x'])) },
      'form',
    ],
    ['a method that is none', { method: 'TRACE' }, 'method'],
    ['a line break in a header', { headers: { 'X-A': 'a\r\nb' } }, 'headers'],
    ['a wrong template', { form: { a: '{{ to' } }, 'form'],
  ])('with %s are refused by the name of the field', async (_title, changes, field) => {
    const { status, body } = await putSms({ ...sms.config, ...changes });
    expect([status, body.error.param]).toEqual([400, `providers[0].config.${field}`]);
  });

  test('lead to no private network', async () => {
    const urls = { url: 'http://10.0.0.1/send', check_url: 'http://10.0.0.1/' };
    const [{ id }] = (await putSms({ ...sms.config, ...urls })).body.providers;
    const { body } = await call('POST', `sms-settings/providers/${id}/verify`);
    expect(body).toMatchObject({ ok: false, detail: expect.stringContaining('PRIVATE_NETWORK') });
  });
});
