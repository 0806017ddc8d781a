import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, defaultProcesses, describeSettings, loadConfig } from '../config.ts';

const folder = mkdtempSync(join(tmpdir(), 'carillon-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function problemsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env, folder);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('everything has a default', () => {
  expect(loadConfig({}, folder)).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 8400,
    CARILLON_ROLES: ['api', 'worker'],
  });
});

test('every problem is reported at once, and secrets are not shown', () => {
  const problems = problemsOf({
    PORT: 'eighty',
    DATABASE_URL: 'mysql://root:hunter2@db',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://root:hunter2@traces',
    CARILLON_ENCRYPTION_KEY: 'c2hvcnQ=',
    CARILLON_ROLES: 'api,cook',
    CARILLON_RETRY_SCALE: '-1',
  });
  expect(problems.map((line) => line.split(' ')[0])).toEqual([
    'PORT',
    'DATABASE_URL',
    'CARILLON_ROLES',
    'CARILLON_ENCRYPTION_KEY',
    'CARILLON_RETRY_SCALE',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ]);
  expect(problems.join()).not.toMatch(/hunter2|c2hvcnQ/);
});

test('a malformed list of database hosts is refused with its fault, and without its password', () => {
  expect(problemsOf({ DATABASE_URL: 'postgres://u:hunter2@one,,two/name' })).toEqual([
    'DATABASE_URL has an empty host in its list',
  ]);
  const several = 'postgres://u:hunter2@one,two:5433/name?target_session_attrs=read-write';
  expect(loadConfig({ DATABASE_URL: several }, folder).DATABASE_URL).toBe(several);
});

test('a direct URL is only for a database behind a pooler', () => {
  const direct = { CARILLON_DATABASE_DIRECT_URL: 'postgres://u:hunter2@one/name' };
  expect(problemsOf(direct)).toEqual([expect.stringMatching(/^DATABASE_URL must also be set/)]);
  expect(loadConfig({ ...direct, DATABASE_URL: 'postgres://pooler/name' }, folder)).toMatchObject(direct);
});

test('trusted proxies are addresses and networks', () => {
  const read = (value: string) =>
    loadConfig({ CARILLON_TRUSTED_PROXIES: value }, folder).CARILLON_TRUSTED_PROXIES;
  expect(read('10.0.0.0/8, ::1')).toEqual(['10.0.0.0/8', '::1']);
  for (const value of ['proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.1/8/8', '::1/129', '10.0.0.1,,::1'])
    expect([value, problemsOf({ CARILLON_TRUSTED_PROXIES: value })]).toEqual([
      value,
      [expect.stringMatching(/^CARILLON_TRUSTED_PROXIES must be addresses or networks/)],
    ]);
});

test('STARTTLS needs the certificate and its key', () => {
  const [cert, key] = [{ CARILLON_SMTP_TLS_CERT: 'a.pem' }, { CARILLON_SMTP_TLS_KEY: 'a.key' }];
  expect(problemsOf({ ...cert, ...key })).toEqual([]);
  expect(problemsOf(cert)).toEqual([expect.stringMatching(/^CARILLON_SMTP_TLS_KEY must also be set/)]);
  expect(problemsOf(key)).toEqual([expect.stringMatching(/^CARILLON_SMTP_TLS_CERT must also be set/)]);
});

test('the managed SMS provider is set as a whole or not at all', () => {
  const whole = {
    CARILLON_MANAGED_SMS_KIND: 'smsone',
    CARILLON_MANAGED_SMS_ACCOUNT: `AC${'0'.repeat(32)}`,
    CARILLON_MANAGED_SMS_SECRET: 'hunter2',
    CARILLON_MANAGED_SMS_FROM: '+14155550100',
  };
  expect(problemsOf(whole)).toEqual([]);
  expect(problemsOf({ ...whole, CARILLON_MANAGED_SMS_FROM: 'Acme' })).toEqual([]);
  const { CARILLON_MANAGED_SMS_FROM: _, ...part } = whole;
  expect(problemsOf(part)).toEqual([expect.stringMatching(/^CARILLON_MANAGED_SMS_FROM must also be set/)]);
  const wrong = { CARILLON_MANAGED_SMS_ACCOUNT: 'AC/../x', CARILLON_MANAGED_SMS_FROM: '12345' };
  expect(problemsOf({ ...whole, ...wrong }).map((line) => line.split(' ')[0])).toEqual(Object.keys(wrong));
});

test('the object store is set as a whole or not at all', () => {
  const whole = {
    CARILLON_S3_BUCKET: 'acme',
    CARILLON_S3_ACCESS_KEY_ID: 'AKIA',
    CARILLON_S3_SECRET_ACCESS_KEY: 'hunter2',
  };
  const read = (more: object = {}) => loadConfig({ ...whole, ...more }, folder);
  expect(loadConfig({}, folder).objectStore).toBeNull();
  expect(read().objectStore).toMatchObject({ bucket: 'acme', endpoint: null, forcePathStyle: false });
  const endpoint = { CARILLON_S3_ENDPOINT: 'http://127.0.0.1:9000/' };
  expect(read(endpoint).objectStore).toMatchObject({
    endpoint: 'http://127.0.0.1:9000',
    forcePathStyle: true,
  });
  expect(read({ CARILLON_S3_SSE: 'aws:kms:arn:aws:kms:eu:1:key/2' }).objectStore?.encryption).toEqual({
    algorithm: 'aws:kms',
    keyId: 'arn:aws:kms:eu:1:key/2',
  });
  expect(read({ CARILLON_S3_SSE: 'aws:kms' }).objectStore?.encryption).toEqual({
    algorithm: 'aws:kms',
    keyId: null,
  });
  expect(problemsOf(endpoint)).toEqual([
    'CARILLON_S3_BUCKET, CARILLON_S3_ACCESS_KEY_ID, CARILLON_S3_SECRET_ACCESS_KEY must also be set: the object store needs the bucket and both keys',
  ]);
  const wrong = {
    CARILLON_S3_BUCKET: 'a/b',
    CARILLON_S3_PREFIX: 'a/../b',
    CARILLON_S3_SSE: 'aws:kms:',
    CARILLON_S3_BODY_THRESHOLD: '1',
  };
  expect(problemsOf({ ...whole, ...wrong }).map((line) => line.split(' ')[0])).toEqual(Object.keys(wrong));
});

describe('the file', () => {
  const write = (text: string): void => writeFileSync(join(folder, 'carillon.config.json'), text);

  test('gives settings, and the environment wins', () => {
    write('{"PORT": 9000, "LOG_LEVEL": "warn"}');
    expect(loadConfig({ PORT: '9001' }, folder)).toMatchObject({ PORT: 9001, LOG_LEVEL: 'warn' });
  });

  test.each([
    ['{', 'is not valid JSON'],
    ['[]', 'must contain one object'],
    ['{"PORTT": 1}', 'PORTT is not a setting'],
    ['{"PORT": {}}', 'PORT must be a string or a number'],
  ])('%s: %s', (text, problem) => {
    write(text);
    expect(problemsOf({}).join()).toContain(problem);
    write('{}');
  });
});

test.each([
  [{}, 'loopback'],
  [{ HOST: 'localhost' }, 'loopback'],
  [{ HOST: '::1', PUBLIC_URL: 'http://[::1]:8400' }, 'loopback'],
  [{ PUBLIC_URL: 'http://localhost:8400' }, 'loopback'],
  [{ PUBLIC_URL: 'http://carillon.localhost' }, 'loopback'],
  [{ HOST: '0.0.0.0' }, 'none'],
  [{ HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost:8400' }, 'none'],
  [{ PUBLIC_URL: 'https://notify.acme.example' }, 'none'],
  [{ PUBLIC_URL: 'https://127.acme.example' }, 'none'],
  [{ HOST: '0.0.0.0', CARILLON_ALLOW_PRIVATE_NETWORK: 'all' }, 'all'],
])('with %j outbound calls may reach: %s', (env, allowed) => {
  expect(loadConfig(env, folder).CARILLON_ALLOW_PRIVATE_NETWORK).toBe(allowed);
});

test.each([
  [{}, null],
  [{ PUBLIC_URL: 'https://Notify.acme.example:8443' }, 'notify.acme.example'],
  [{ PUBLIC_URL: 'https://bücher.example' }, 'xn--bcher-kva.example'],
  [{ PUBLIC_URL: 'http://203.0.113.7' }, '[203.0.113.7]'],
  [{ PUBLIC_URL: 'http://[2001:db8::7]' }, '[IPv6:2001:db8::7]'],
  [{ PUBLIC_URL: 'http://localhost:8400' }, null],
  [{ PUBLIC_URL: 'http://127.0.0.1:8400' }, null],
  [{ PUBLIC_URL: 'http://carillon:8400' }, null],
  [{ PUBLIC_URL: 'https://a.example', CARILLON_SMTP_NAME: 'mail.acme.example' }, 'mail.acme.example'],
  [{ CARILLON_SMTP_NAME: '[203.0.113.7]' }, '[203.0.113.7]'],
])('with %j mail servers are greeted as %s', (env, name) => {
  expect(loadConfig(env, folder).CARILLON_SMTP_NAME).toBe(name);
});

test.each(['mail server', 'a\r\nMAIL FROM:<x@y>', '[127.0.0.1', 'mail_.acme.example'])(
  'mail servers cannot be greeted as %j',
  (name) => {
    expect(problemsOf({ CARILLON_SMTP_NAME: name })).toEqual([
      expect.stringMatching(/^CARILLON_SMTP_NAME must be a host name/),
    ]);
  },
);

test('the managed relay has a sender of its own', () => {
  const relay = { CARILLON_SMTP_URL: 'smtp://relay.acme.example' };
  expect(problemsOf(relay)).toEqual([expect.stringMatching(/^CARILLON_MANAGED_FROM must also be set/)]);
  const senderOf = (from: string) =>
    loadConfig({ ...relay, CARILLON_MANAGED_FROM: from }, folder).CARILLON_MANAGED_FROM;
  expect(senderOf('no-reply@ACME.example')).toEqual({ address: 'no-reply@acme.example', name: null });
  const named = { address: 'no-reply@acme.example', name: 'Acme, Inc.' };
  expect(senderOf('Acme, Inc. <no-reply@acme.example>')).toEqual(named);
  expect(senderOf('"Acme, Inc." <no-reply@acme.example>')).toEqual(named);
  for (const wrong of ['acme', 'a@b', 'Acme <no-reply>', '<a@acme.example> <b@acme.example>'])
    expect(problemsOf({ ...relay, CARILLON_MANAGED_FROM: wrong })[0]).toMatch(/^CARILLON_MANAGED_FROM must/);
});

test('the only option of the managed relay is require_tls', () => {
  const from = { CARILLON_MANAGED_FROM: 'no-reply@acme.example' };
  const url = (query: string) => ({ ...from, CARILLON_SMTP_URL: `smtp://relay.acme.example:587${query}` });
  for (const query of ['', '?require_tls=true', '?require_tls=false'])
    expect(problemsOf(url(query))).toEqual([]);
  for (const query of ['?requireTls=true', '?require_tls=yes', '?require_tls=true&x=1'])
    expect(problemsOf(url(query))).toEqual([expect.stringContaining('require_tls=true')]);
});

test('further chat URLs are patterns for a whole URL, with a flavour for chattwo', () => {
  const config = loadConfig(
    {
      CARILLON_CHATTWO_URL_PATTERNS:
        'A=https://a\\.example/.+, B=https://b\\.example/.+, https://c\\.example/.+',
      CARILLON_CHATTHREE_URL_PATTERNS: 'https://d\\.example/.+',
    },
    folder,
  );
  expect(config.CARILLON_CHATTWO_URL_PATTERNS.map(({ flavour }) => flavour)).toEqual(['A', 'B', 'B']);
  expect(config.CARILLON_CHATTWO_URL_PATTERNS[2]?.pattern.test('https://c.example/x')).toBe(true);
  expect(config.CARILLON_CHATTHREE_URL_PATTERNS[0]?.test('https://d.example/x')).toBe(true);
  expect(config.CARILLON_CHATTHREE_URL_PATTERNS[0]?.test('https://e.example/?https://d.example/x')).toBe(
    false,
  );
  expect(problemsOf({ CARILLON_CHATTHREE_URL_PATTERNS: '(' }).join()).toContain('regular expressions');
});

test('half the cores get a process each: one below four cores, at most eight', () => {
  expect([1, 2, 3, 4, 5, 8, 16, 17, 64].map(defaultProcesses)).toEqual([1, 1, 1, 2, 2, 4, 8, 8, 8]);
  expect(loadConfig({ CARILLON_PROCESSES: '3' }, folder).CARILLON_PROCESSES).toBe(3);
  expect(problemsOf({ CARILLON_PROCESSES: '0' }).join()).toContain('must be a whole number from 1 to 64');
});

test('every setting says what it means', () => {
  for (const { name, meaning } of describeSettings())
    expect([name, meaning.length > 10]).toEqual([name, true]);
});

test('an unknown setting is refused, with the name that was meant; those of other programs are not', () => {
  expect(
    problemsOf({
      CARILLON_RETENTON_DAYS: '30',
      CARILLON_NONSENSE: '1',
      CARILLON_SMPT_PORT: '2525',
      PORT: 'x',
    }),
  ).toEqual([
    expect.stringMatching(/^PORT /),
    'CARILLON_RETENTON_DAYS is not a setting; did you mean CARILLON_RETENTION_DAYS?',
    'CARILLON_NONSENSE is not a setting',
    'CARILLON_SMPT_PORT is not a setting; did you mean CARILLON_SMTP_PORT?',
  ]);
  expect(
    problemsOf({
      CARILLON_API_KEY: 'crl_test_x',
      CARILLON_URL: 'http://127.0.0.1:8400',
      CARILLON_SERVICE_HOST: '10.0.0.1',
      CARILLON_SERVICE_PORT_HTTP: '8400',
      CARILLON_PORT: 'tcp://10.0.0.1:8400',
      CARILLON_PORT_8400_TCP_ADDR: '10.0.0.1',
    }),
  ).toEqual([]);
  writeFileSync(join(folder, 'carillon.config.json'), '{"CARILLON_ROLE":"api"}');
  expect(problemsOf({})).toEqual([
    'carillon.config.json: CARILLON_ROLE is not a setting; did you mean CARILLON_ROLES?',
  ]);
  rmSync(join(folder, 'carillon.config.json'));
});

test('the public URL has no path', () => {
  expect(loadConfig({ PUBLIC_URL: 'https://notify.acme.example/' }, folder).PUBLIC_URL).toBe(
    'https://notify.acme.example',
  );
  expect(problemsOf({ PUBLIC_URL: 'https://acme.example/notify' })).toEqual([
    expect.stringMatching(
      /^PUBLIC_URL must be a host without a path: Carillon needs a \(sub\)domain of its own/,
    ),
  ]);
});

test('the headers for the collector are decoded, and a problem with them does not show them', () => {
  const given = 'authorization=Bearer%20hunter2, x-scope=a';
  const config = loadConfig({ OTEL_EXPORTER_OTLP_HEADERS: given }, folder);
  expect(config.OTEL_EXPORTER_OTLP_HEADERS).toEqual({ authorization: 'Bearer hunter2', 'x-scope': 'a' });
  expect(problemsOf({ OTEL_EXPORTER_OTLP_HEADERS: 'hunter2' })).toEqual([
    'OTEL_EXPORTER_OTLP_HEADERS must be headers as name=value, comma-separated, with percent-encoded values',
  ]);
});
