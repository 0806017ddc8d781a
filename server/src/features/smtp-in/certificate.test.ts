import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { waitUntil } from '../../../test/harness/app.ts';
import { localhostCertificate, localhostKey } from '../../../test/simulators/localhost-certificate.ts';
import { createLog } from '../../kernel/log.ts';
import { type Certificate, readCertificate, watchCertificate } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'carillon-certificate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const paths: [string, string] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];

/** The clock of the file system may not have moved on since the last write. */
function write(cert: string, key: string, second: number): void {
  for (const [path, text] of [[paths[0], cert] as const, [paths[1], key] as const]) {
    writeFileSync(path, text);
    utimesSync(path, second, second);
  }
}

test('a certificate that cannot be used stops the start with a sentence', () => {
  expect(() => readCertificate(join(folder, 'missing.pem'), paths[1])).toThrow(
    /^The certificate in CARILLON_SMTP_TLS_CERT and CARILLON_SMTP_TLS_KEY cannot be used: ENOENT/,
  );
  write('no certificate', localhostKey, 1);
  expect(() => readCertificate(...paths)).toThrow(/cannot be used/);
});

test('replaced files are used, and a broken pair is not', async () => {
  write(localhostCertificate, localhostKey, 2);
  const used: Certificate[] = [];
  const warnings: string[] = [];
  const log = createLog('warn', { write: (line: string) => void warnings.push(line) });
  const stop = watchCertificate(paths, { log, onChange: (fresh) => used.push(fresh) }, 5);
  try {
    write('half written', localhostKey, 3);
    await waitUntil(async () => warnings.length > 0 || new Error('no warning'));
    expect(used).toEqual([]);
    write(localhostCertificate, localhostKey, 4);
    await waitUntil(async () => used.length > 0 || new Error('not used'));
    expect(used[0]?.cert.toString()).toBe(localhostCertificate);
  } finally {
    stop();
  }
});
