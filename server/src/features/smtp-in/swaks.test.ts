import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { localhostCertificate, localhostKey } from '../../../test/simulators/localhost-certificate.ts';

const { hasSwaks } = await import(new URL('../../../../scripts/swaks.mjs', import.meta.url).href);
const isMissing = !hasSwaks();
if (isMissing) test.skip('swaks: install it (Debian: apt-get install swaks libnet-ssleay-perl)', () => {});

describe.skipIf(isMissing)('swaks', () => {
  let app: TestApp;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-swaks-'));
    writeFileSync(join(folder, 'cert.pem'), localhostCertificate);
    writeFileSync(join(folder, 'key.pem'), localhostKey);
    writeFileSync(join(folder, 'note.txt'), 'It rings.');
    app = await startTestApp({
      settings: {
        CARILLON_SMTP_PORT: '0',
        CARILLON_SMTP_TLS_CERT: join(folder, 'cert.pem'),
        CARILLON_SMTP_TLS_KEY: join(folder, 'key.pem'),
      },
    });
  });
  afterAll(async () => {
    await app.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ['PLAIN', []],
    ['LOGIN', ['--tls']],
    ['PLAIN', ['--tls', '--pipeline']],
  ])('submits a message with AUTH %s and %j', async (method, options) => {
    const { stdout } = await promisify(execFile)('swaks', [
      ...['--server', `127.0.0.1:${app.app.smtpPort}`, '--from', 'shop@example.com'],
      ...['--to', 'delivered@sandbox.test', '--header', `Subject: By ${method}`, '--body', 'Hello'],
      ...['--attach', `@${join(folder, 'note.txt')}`],
      ...['--auth', method, '--auth-user', 'apikey', '--auth-password', app.testKey, ...options],
    ]);
    const id = /250 2\.6\.0 Queued as (\S+)/.exec(stdout)?.[1];
    expect((await app.request('GET', `/v1/notifications/${id}`)).body).toMatchObject({
      subject: `By ${method}`,
      text_body: 'Hello',
      attachments: [{ filename: 'note.txt', size_bytes: 9 }],
    });
  });
});
