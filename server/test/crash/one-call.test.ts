import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../harness/app.ts';
import { type ChatoneSimulator, startChatoneSimulator } from '../simulators/chatone.ts';
import { type ChatthreeSimulator, startChatthreeSimulator } from '../simulators/chatthree.ts';
import { type ChattwoSimulator, startChattwoSimulator } from '../simulators/chattwo.ts';
import type { HttpSimulator } from '../simulators/http-simulator.ts';
import { type SmsoneSimulator, startSmsoneSimulator } from '../simulators/smsone.ts';
import { buildService, createServiceProcess, type ServiceProcess } from './service-process.ts';

/** The services that recognise no repeat: text messages and the three chats, each with one worker that dies during a call. */
let app: TestApp;
let worker: ServiceProcess;
let smsone: SmsoneSimulator;
let chatone: ChatoneSimulator;
let chattwo: ChattwoSimulator;
let chatthree: ChatthreeSimulator;
let folder: string;

beforeAll(async () => {
  await buildService();
  folder = mkdtempSync(join(tmpdir(), 'carillon-calls-crash-'));
  [smsone, chatone, chattwo, chatthree] = await Promise.all([
    startSmsoneSimulator(),
    startChatoneSimulator(),
    startChattwoSimulator(),
    startChatthreeSimulator(),
  ]);
  const settings = {
    CARILLON_SMSONE_API_URL: smsone.url,
    CARILLON_CHATONE_API_URL: chatone.apiUrl,
    CARILLON_CHATTWO_URL_PATTERNS: chattwo.patterns,
    CARILLON_CHATTHREE_URL_PATTERNS: chatthree.patterns,
  };
  app = await startTestApp({ settings: { ...settings, CARILLON_ROLES: 'api' } });
  worker = await createServiceProcess({
    name: 'worker',
    logFile: join(folder, 'worker.log'),
    settings: {
      ...settings,
      DATABASE_URL: app.database.url,
      CARILLON_DATA_DIR: folder,
      CARILLON_ROLES: 'worker',
      CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      CARILLON_RETRY_SCALE: '0.001',
      CARILLON_BRAKE_RECIPIENT_LIMIT: '0',
    },
  });
  await worker.start();
  await set('PUT', `/v1/environments/${app.liveEnvironmentId}/sms-settings`, {
    kind: 'smsone',
    from_number: '+14155550100',
    smsone_account_sid: smsone.accountSid,
    smsone_auth_token: smsone.authToken,
  });
  await set('POST', '/v1/chatone/installations', { bot_token: chatone.addToken().token });
  await set('POST', '/v1/chattwo-endpoints', { label: 'Ops', webhook_url: chattwo.addFlow().url });
  await set('POST', '/v1/chatthree-endpoints', { label: 'Ops', webhook_url: chatthree.addWebhook().url });
  await set('POST', '/v1/templates', {
    key: 'hello',
    name: 'Hello',
    bodies: [
      { channel: 'chatone', structured_template: '[{"type": "divider"}]' },
      {
        channel: 'chattwo',
        structured_template:
          '{"type": "AdaptiveCard", "version": "1.5", "body": [{"type": "TextBlock", "text": "Hello"}]}',
      },
      { channel: 'chatthree', text_template: 'Hello' },
    ],
  });
}, 60_000);

afterAll(async () => {
  await worker.stop();
  await app.stop();
  await Promise.all([smsone.stop(), chatone.stop(), chattwo.stop(), chatthree.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function set(method: string, path: string, body: object): Promise<void> {
  const { status, body: answer } = await app.request(method, path, { key: app.liveKey, body });
  expect([path, status, answer.error]).toEqual([path, expect.any(Number), undefined]);
}

const read = async (path: string) =>
  (await app.request('GET', `/v1/notifications/${path}`, { key: app.liveKey })).body;

async function send(body: object): Promise<string> {
  const response = await app.request('POST', '/v1/notifications', { key: app.liveKey, body });
  expect([response.status, response.body.error]).toEqual([202, undefined]);
  return response.body.id;
}

test('what was handed over when the worker died is not sent blindly again, unless it is critical', {
  timeout: 120_000,
}, async () => {
  const channels: { message: object; service: HttpSimulator; taken(): number }[] = [
    {
      message: { channel: 'sms', recipient: { address: '+447700900123' }, text_body: 'Hello' },
      service: smsone,
      taken: () => smsone.received.length,
    },
    {
      message: { channel: 'chatone', recipient: { chatone_user_id: 'U0ADA' }, template_key: 'hello' },
      service: chatone,
      taken: () => chatone.posts.length,
    },
    {
      message: { channel: 'chattwo', recipient: { endpoint: 'ops' }, template_key: 'hello' },
      service: chattwo,
      taken: () => chattwo.runs.length,
    },
    {
      message: { channel: 'chatthree', recipient: { endpoint: 'ops' }, template_key: 'hello' },
      service: chatthree,
      taken: () => chatthree.posts.length,
    },
  ];
  for (const { service } of channels) service.fault = 'hang_after_accept';
  const sent = await Promise.all(
    channels.map(async ({ message }) => ({
      normal: await send({ ...message, priority: 'normal' }),
      critical: await send({ ...message, priority: 'critical' }),
    })),
  );
  await waitUntil(async () => {
    const taken = channels.map((channel) => channel.taken());
    return taken.every((count) => count === 2) || new Error(`taken: ${taken}`);
  }, 30_000);
  await worker.kill();
  for (const { service } of channels) service.fault = null;
  await worker.start();

  for (const [index, { normal, critical }] of sent.entries()) {
    const channel = channels[index];
    const done = (id: string) =>
      waitUntil(async () => {
        const seen = await read(id);
        return ['queued', 'sending'].includes(seen.status) ? new Error(JSON.stringify(seen)) : seen;
      }, 30_000);
    expect(await done(normal)).toMatchObject({
      status: 'failed',
      attempt_count: 1,
      last_error: expect.stringMatching(/^outcome_unknown: /),
    });
    expect(await done(critical)).toMatchObject({ attempt_count: 2, last_error: null });
    const decisions = async (id: string) =>
      (await read(`${id}/trace`)).entries
        .filter(({ name }: { name: string }) => name === 'outcome_unknown')
        .map(({ verdict }: { verdict: string }) => verdict);
    expect(await decisions(normal)).toEqual(['prefer_loss']);
    expect(await decisions(critical)).toEqual(['prefer_duplicate']);
    expect(channel?.taken()).toBe(3); // both before the crash, and the critical one again
  }
});
