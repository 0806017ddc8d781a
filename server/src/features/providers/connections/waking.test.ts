import { afterAll, expect, test } from 'vitest';
import { waitUntil } from '../../../../test/harness/app.ts';
import { startSendgridSimulator } from '../../../../test/simulators/sendgrid.ts';
import { startSmsoneSimulator } from '../../../../test/simulators/smsone.ts';
import { isDone, type Json, useChats } from './test-harness.ts';

/** Retries take as long as in life: nothing here may wait for one. */
const sms = await startSmsoneSimulator();
const mail = await startSendgridSimulator({ apiKey: 'SG.right' });
const chats = useChats({ CARILLON_RETRY_SCALE: '1', CARILLON_SMSONE_API_URL: sms.url });
afterAll(() => Promise.all([sms.stop(), mail.stop()]));

const put = (path: string, body: object) =>
  chats.live('PUT', `/v1/environments/${chats.app.liveEnvironmentId}/${path}`, body);

const emailSettings = (apiKey: string) => ({
  from_address: 'hello@acme.example',
  providers: [{ kind: 'sendgrid', name: 'main', config: { api_key: apiKey, base_url: mail.url } }],
});

async function send(body: object): Promise<string> {
  const answer = await chats.live('POST', '/v1/notifications', body);
  expect([answer.status, answer.body.error]).toEqual([202, undefined]);
  return answer.body.id;
}
const sendEmail = () =>
  send({ channel: 'email', recipient: { address: 'ada@example.com' }, subject: 'Hi', text_body: 'Hi' });

/** Once it waits for its next round, that is in 18 hours, as the last one is. */
async function waitsLong(id: string): Promise<void> {
  await waitUntil(async () => {
    const { rowCount } = await chats.app.pool.query(
      `update queue_later set run_at = now() + interval '18 hours',
         note = jsonb_set(note, '{due}', to_jsonb((extract(epoch from now() + interval '18 hours') * 1000)::bigint))
       where id = $1 and kind = 1`,
      [id],
    );
    return rowCount === 1 ? true : new Error('it does not wait');
  }, 30_000);
}

async function expectWokenAndSent(id: string): Promise<void> {
  const { status } = await chats.until(id, isDone);
  expect(['sent', 'delivered']).toContain(status);
  const { body } = await chats.live('GET', `/v1/notifications/${id}/trace`);
  const woken = body.entries.filter(({ verdict }: Json) => verdict === 'woken');
  expect(woken).toMatchObject([{ kind: 'decision', name: 'connection' }]);
}

test('a chat endpoint that gets a new URL is tried at once with what waits for it', async () => {
  const [gone, webhook] = [chats.chatthree.addWebhook(), chats.chatthree.addWebhook()];
  const made = await chats.live('POST', '/v1/chatthree-endpoints', { label: 'Gone', webhook_url: gone.url });
  gone.isDeleted = true;
  const { body } = await chats.send('chatthree', { endpoint: 'gone' });
  await waitsLong(body.id);
  const path = `/v1/chatthree-endpoints/${made.body.id}`;
  expect((await chats.live('PUT', path, { webhook_url: webhook.url })).status).toBe(200);
  await expectWokenAndSent(body.id);
});

test('a chatone installation that is made again is tried at once with what waits for it', async () => {
  const old = chats.chatone.addToken({ teamId: 'T0WAKE' });
  const install = (token: string) => chats.live('POST', '/v1/chatone/installations', { bot_token: token });
  const { body: installation } = await install(old.token);
  old.refusal = 'token_revoked';
  const { body } = await chats.send('chatone', { chatone_user_id: 'U0ADA', endpoint: installation.id });
  await waitsLong(body.id);
  expect((await install(chats.chatone.addToken({ teamId: 'T0WAKE' }).token)).status).toBe(200);
  await expectWokenAndSent(body.id);
});

test('new SMS settings are tried at once with what waits', async () => {
  const settings = { kind: 'smsone', from_number: '+14155550100', smsone_account_sid: sms.accountSid };
  await put('sms-settings', { ...settings, smsone_auth_token: 'wrong' });
  const id = await send({ channel: 'sms', recipient: { address: '+447700900123' }, text_body: 'Hi' });
  await waitsLong(id);
  expect((await put('sms-settings', { ...settings, smsone_auth_token: sms.authToken })).status).toBe(200);
  await expectWokenAndSent(id);
});

test('new email settings are tried at once with what waits, and so is a provider that is verified', async () => {
  await put('email-settings', emailSettings('SG.wrong'));
  const first = await sendEmail();
  await waitsLong(first);
  const { body: settings } = await put('email-settings', emailSettings('SG.right'));
  await expectWokenAndSent(first);

  mail.faults.push({ status: 401, body: { errors: [{ message: 'suspended', field: null, help: null }] } });
  const second = await sendEmail();
  await waitsLong(second);
  const verify = `email-settings/providers/${settings.providers[0].id}/verify`;
  const { body } = await chats.live('POST', `/v1/environments/${chats.app.liveEnvironmentId}/${verify}`);
  expect(body.ok).toBe(true);
  await expectWokenAndSent(second);
});

test('a try before its time that fails uses up no round and moves nothing', async () => {
  await put('email-settings', emailSettings('SG.wrong'));
  const id = await sendEmail();
  await waitsLong(id);
  const stateOf = async () => {
    const { rows } = await chats.app.pool.query(
      'select n.round, n.attempt_count, l.run_at from notifications n left join queue_later l on l.id = n.id where n.id = $1',
      [id],
    );
    return rows[0];
  };
  const before = await stateOf();
  expect(before).toMatchObject({ round: 1, attempt_count: 1 });
  for (const attempts of [2, 3]) {
    await put('email-settings', emailSettings(`SG.wrong-${attempts}`));
    const after = await waitUntil(async () => {
      const state = await stateOf();
      return state.attempt_count === attempts && state.run_at ? state : new Error(JSON.stringify(state));
    }, 30_000);
    expect(after.round).toBe(1);
    expect(Math.abs(after.run_at - before.run_at)).toBeLessThan(10);
  }
});
