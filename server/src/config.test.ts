import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, describeSettings, loadConfig, maskedConfig } from './config.ts';

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
  expect(problemsOf(part)).toEqual([expect.stringMatching(/^CARILLON_MANAGED_SMS_FROM must be set as well/)]);
  const wrong = { CARILLON_MANAGED_SMS_ACCOUNT: 'AC/../x', CARILLON_MANAGED_SMS_FROM: '12345' };
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
    ['[]', 'must hold one object'],
    ['{"PORTT": 1}', 'PORTT is not a setting'],
    ['{"PORT": {}}', 'PORT must be a string or a number'],
  ])('%s: %s', (text, problem) => {
    write(text);
    expect(problemsOf({}).join()).toContain(problem);
    write('{}');
  });
});

test('outbound calls may reach loopback exactly when the service listens there', () => {
  expect(loadConfig({ HOST: 'localhost' }, folder).CARILLON_ALLOW_PRIVATE_NETWORK).toBe('loopback');
  expect(loadConfig({ HOST: '0.0.0.0' }, folder).CARILLON_ALLOW_PRIVATE_NETWORK).toBe('none');
  expect(
    loadConfig({ HOST: '0.0.0.0', CARILLON_ALLOW_PRIVATE_NETWORK: 'all' }, folder)
      .CARILLON_ALLOW_PRIVATE_NETWORK,
  ).toBe('all');
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

test('masking leaves no secret behind', () => {
  const secret = Buffer.alloc(32, 9).toString('base64');
  const config = loadConfig(
    {
      CARILLON_ENCRYPTION_KEY: secret,
      CARILLON_ADMIN_PASSWORD: 'correct horse',
      DATABASE_URL: 'postgres://u:pw@h/d',
    },
    folder,
  );
  const shown = JSON.stringify(maskedConfig(config));
  expect(shown).not.toMatch(/correct horse|pw@h/);
  expect(shown).not.toContain(secret);
});

test('every setting says what it means', () => {
  for (const { name, meaning } of describeSettings())
    expect([name, meaning.length > 10]).toEqual([name, true]);
});
