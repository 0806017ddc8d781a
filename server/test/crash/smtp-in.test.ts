import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { beginMessage, signedIn } from '../harness/smtp-session.ts';
import { buildService, createServiceProcess, freePort, type ServiceProcess } from './service-process.ts';

const key = 'crl_test_smtpsmtpsmtpsmtpsmtpsmtp';
const recipients = ['ada@example.com', 'bob@example.com', 'eve@example.com'];

let database: TestDatabase;
let service: ServiceProcess;
let port: number;
let folder: string;
beforeAll(async () => {
  await buildService();
  folder = mkdtempSync(join(tmpdir(), 'carillon-smtp-crash-'));
  database = await createTestDatabase();
  port = await freePort();
  service = await createServiceProcess({
    name: 'api',
    logFile: join(folder, 'api.log'),
    settings: {
      DATABASE_URL: database.url,
      CARILLON_DATA_DIR: folder,
      CARILLON_ROLES: 'api',
      CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      CARILLON_BOOTSTRAP_TEST_KEY: key,
      CARILLON_SMTP_PORT: String(port),
    },
  });
  await service.start();
}, 60_000);
afterAll(async () => {
  await service.stop();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const count = async (id: string): Promise<number> =>
  (await database.pool.query('select from notifications where idempotency_key like $1', [`${id} %`]))
    .rowCount ?? 0;

async function retry(id: string): Promise<string> {
  const session = await signedIn(port, key);
  await beginMessage(session, recipients);
  const reply = await session.ask(messageOf(id));
  session.socket.destroy();
  return reply;
}

const messageOf = (id: string): string =>
  [`Message-ID: ${id}`, 'Subject: Hello', '', 'It rings.', '.'].join('\r\n');

test.each([
  ['as soon as the message is complete', async () => {}],
  [
    'as soon as the message is committed, before the client has read the 250',
    async (id: string) => {
      await waitUntil(async () => (await count(id)) === recipients.length || new Error('not yet'));
    },
  ],
])(
  'a service killed %s makes one notification of the message and its retry',
  {
    timeout: 120_000,
  },
  async (when, moment) => {
    const id = `<${when.length}@example.com>`;
    const session = await signedIn(port, key);
    await beginMessage(session, recipients);
    session.socket.pause();
    session.socket.write(`${messageOf(id)}\r\n`);
    await moment(id);
    await service.kill();
    session.socket.destroy();

    await service.start();
    expect(await retry(id)).toMatch(/^250 2\.6\.0 Queued as \S+ and 2 more/);
    expect(await count(id)).toBe(recipients.length);
    expect(await retry(id)).toMatch(/^250/);
    expect(await count(id)).toBe(recipients.length);
  },
);
