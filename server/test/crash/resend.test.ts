import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../harness/app.ts';
import { type ResendSimulator, startResendSimulator } from '../simulators/resend.ts';
import { type SmtpSimulator, startSmtpSimulator } from '../simulators/smtp.ts';
import { buildService, createServiceProcess, type ServiceProcess } from './service-process.ts';

let app: TestApp;
let worker: ServiceProcess;
let recognising: ResendSimulator;
let mailServer: SmtpSimulator;
let folder: string;

beforeAll(async () => {
  await buildService();
  folder = mkdtempSync(join(tmpdir(), 'carillon-resend-crash-'));
  [recognising, mailServer] = await Promise.all([
    startResendSimulator({ apiKey: 're_crash' }),
    startSmtpSimulator(),
  ]);
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
  const { status } = await app.request('PUT', `/v1/environments/${app.liveEnvironmentId}/email-settings`, {
    key: app.liveKey,
    body: {
      from_address: 'bells@example.com',
      providers: [
        { kind: 'resend', config: { api_key: 're_crash', base_url: recognising.url } },
        { kind: 'smtp', config: { host: '127.0.0.1', port: mailServer.port } },
      ],
    },
  });
  expect(status).toBe(200);
});

afterAll(async () => {
  await worker.stop();
  await app.stop();
  await Promise.all([recognising.stop(), mailServer.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

test('what a provider accepted that recognises repeats is handed to it again after a crash, and arrives once', {
  timeout: 60_000,
}, async () => {
  recognising.faults.push('hang_after_accept');
  const { status, body } = await app.request('POST', '/v1/notifications', {
    key: app.liveKey,
    body: {
      channel: 'email',
      recipient: { address: 'ada@example.com' },
      subject: 'Once',
      text_body: 'It rings.',
    },
  });
  expect(status).toBe(202);
  await recognising.hung();
  await worker.kill();
  await worker.start();

  const read = async (path: string) =>
    (await app.request('GET', `/v1/notifications/${path}`, { key: app.liveKey })).body;
  const sent = await waitUntil(async () => {
    const seen = await read(body.id);
    return seen.status === 'sent' ? seen : new Error(`still ${JSON.stringify(seen)}`);
  }, 30_000);
  expect(sent.attempt_count).toBe(2);
  const { entries } = await read(`${body.id}/trace`);
  expect(entries.filter((entry: { kind: string }) => entry.kind !== 'gate')).toMatchObject([
    { kind: 'attempt', name: 'resend', verdict: 'ambiguous' },
    { kind: 'decision', name: 'outcome_unknown', verdict: 'retry' },
    { kind: 'attempt', name: 'resend', verdict: 'accepted' },
  ]);
  // Asked twice with the same key, it took one message; and nobody else was asked.
  expect(recognising.calls()).toBe(2);
  expect(recognising.received).toHaveLength(1);
  expect(mailServer.received).toHaveLength(0);
});
