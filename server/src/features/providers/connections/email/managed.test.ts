import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../../test/harness/app.ts';
import { type SmtpSimulator, startSmtpSimulator } from '../../../../../test/simulators/smtp.ts';

let app: TestApp;
let relay: SmtpSimulator;

beforeAll(async () => {
  relay = await startSmtpSimulator();
  app = await startTestApp({
    settings: {
      CARILLON_SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
      CARILLON_MANAGED_FROM: 'Operator <no-reply@operator.example>',
    },
  });
});
afterAll(async () => {
  await app.stop();
  await relay.stop();
});

const path = (): string => `/v1/environments/${app.liveEnvironmentId}/email-settings`;
const read = async () => (await app.request('GET', path(), { key: app.liveKey })).body;
const put = (body: unknown) => app.request('PUT', path(), { key: app.liveKey, body });
const own = { kind: 'smtp', config: { host: '127.0.0.1', port: 2525 } };

describe('an environment that sends through the operator’s server', () => {
  it('sends as the operator, in the header and in the envelope, and replies go to the tenant', async () => {
    await put({ from_address: 'ceo@victim.example', from_name: 'Victim' });
    await app.request('POST', '/v1/notifications', {
      key: app.liveKey,
      body: {
        channel: 'email',
        recipient: { address: 'ada@example.com' },
        from_name: 'Bank',
        reply_to: 'help@acme.example',
        subject: 'Hello',
        text_body: 'Hello',
      },
    });
    const mail = await waitUntil(async () => relay.received[0] ?? new Error('nothing came'), 20_000);
    expect(mail.from).toBe('no-reply@operator.example');
    const { from, replyTo, messageId } = await PostalMime.parse(mail.raw);
    expect(from).toMatchObject({ address: 'no-reply@operator.example', name: 'Operator' });
    expect(replyTo).toMatchObject([{ address: 'help@acme.example' }]);
    expect(messageId).toMatch(/@operator\.example>$/);
  });

  it('reads as locked, with the sender that is used', async () => {
    const locked = { sender_locked: true, managed_from: '"Operator" <no-reply@operator.example>' };
    expect((await put({ from_address: 'hello@acme.example' })).body).toMatchObject(locked);
    expect(await read()).toMatchObject({ ...locked, from_address: 'hello@acme.example' });
  });

  it('cannot unlock the sender', async () => {
    const { status, body } = await put({ sender_locked: false });
    expect([status, body.error.param]).toEqual([400, 'sender_locked']);
    expect(body.error.message).toContain('operator');
    const disabled = await put({ sender_locked: false, providers: [{ ...own, enabled: false }] });
    expect(disabled.status).toBe(400);
    expect((await read()).sender_locked).toBe(true);
    expect((await put({ sender_locked: true })).status).toBe(200);
  });

  it('gets the lock into its own hands with a provider of its own', async () => {
    const unlocked = { sender_locked: false, managed_from: null };
    await put({ sender_locked: true });
    expect((await put({ sender_locked: false, providers: [own] })).body).toMatchObject(unlocked);
    expect(await read()).toMatchObject(unlocked);
    expect((await put({ sender_locked: true, providers: [own] })).body.sender_locked).toBe(true);
    await put({ providers: [] });
  });

  it('is a Live one: in Test nothing is locked', async () => {
    const { body } = await app.request('GET', `/v1/environments/${app.testEnvironmentId}/email-settings`);
    expect(body).toMatchObject({ sender_locked: false, managed_from: null });
  });
});
