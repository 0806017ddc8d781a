import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../harness/app.ts';
import { type ReceivedMail, type SmtpSimulator, startSmtpSimulator } from '../simulators/smtp.ts';
import { configureMail } from './messages.ts';
import { buildService, createServiceProcess, type ServiceProcess } from './service-process.ts';

let app: TestApp;
let worker: ServiceProcess;
let mailServer: SmtpSimulator;
let folder: string;

beforeAll(async () => {
  await buildService();
  folder = mkdtempSync(join(tmpdir(), 'carillon-smtp-crash-'));
  mailServer = await startSmtpSimulator();
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  worker = await createServiceProcess({
    name: 'worker',
    logFile: join(folder, 'worker.log'),
    settings: {
      DATABASE_URL: app.database.url,
      CARILLON_DATA_DIR: folder,
      CARILLON_ROLES: 'worker',
      CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      CARILLON_RETRY_SCALE: '0.001',
      CARILLON_BRAKE_RECIPIENT_LIMIT: '0',
    },
  });
  await worker.start();
  await configureMail(app.url, mailServer.port);
});

afterAll(async () => {
  await worker.stop();
  await app.stop();
  await mailServer.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function send(priority: string): Promise<string> {
  const body = {
    channel: 'email',
    recipient: { address: 'ada@example.com' },
    subject: `A ${priority} one`,
    text_body: 'It rings.',
    priority,
  };
  const response = await app.request('POST', '/v1/notifications', { key: app.liveKey, body });
  expect(response.status).toBe(202);
  return response.body.id;
}

const read = async (path: string) =>
  (await app.request('GET', `/v1/notifications/${path}`, { key: app.liveKey })).body;

async function attemptsAndDecisions(id: string): Promise<object[]> {
  const { entries } = await read(`${id}/trace`);
  return entries.filter((entry: { kind: string }) => entry.kind !== 'gate');
}

function becomes(id: string, status: string) {
  return waitUntil(async () => {
    const seen = await read(id);
    return seen.status === status ? seen : new Error(`still ${JSON.stringify(seen)}`);
  }, 20_000);
}

const messageId = (mail: ReceivedMail | undefined) =>
  /^Message-ID: (.+)$/im.exec(mail?.raw.toString() ?? '')?.[1];

test('what was handed over without an answer is not sent blindly again, unless it is critical', {
  timeout: 60_000,
}, async () => {
  const unanswered: ReceivedMail[] = [];
  mailServer.script.message = (mail) => {
    unanswered.push(mail);
    return 'hang';
  };
  const normal = await send('normal');
  const critical = await send('critical');
  await waitUntil(async () =>
    unanswered.length === 2 ? true : new Error(`${unanswered.length} of 2 messages came`),
  );
  expect(await read(normal)).toMatchObject({ status: 'sending' });
  await worker.kill();
  mailServer.script = {};
  await worker.start();

  const failed = await becomes(normal, 'failed');
  expect(failed.last_error).toMatch(/^outcome_unknown: /);
  expect(failed.attempt_count).toBe(1);
  expect(await attemptsAndDecisions(normal)).toMatchObject([
    { kind: 'attempt', provider_kind: 'smtp', verdict: 'ambiguous' },
    { kind: 'decision', name: 'outcome_unknown', verdict: 'prefer_loss' },
  ]);

  const sent = await becomes(critical, 'sent');
  expect(sent.attempt_count).toBe(2);
  expect(await attemptsAndDecisions(critical)).toMatchObject([
    { kind: 'attempt', verdict: 'ambiguous' },
    { kind: 'decision', name: 'outcome_unknown', verdict: 'prefer_duplicate' },
    { kind: 'attempt', verdict: 'accepted' },
  ]);
  // The same Message-ID both times, so that a recipient's side that looks can tell.
  expect(mailServer.received).toHaveLength(1);
  expect(unanswered.map(messageId)).toContain(messageId(mailServer.received[0]));

  const again = await app.request('POST', `/v1/notifications/${normal}/resend`, { key: app.liveKey });
  await becomes(again.body.id, 'sent');
});
