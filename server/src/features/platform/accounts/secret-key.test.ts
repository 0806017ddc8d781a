import { expect, test } from 'vitest';
import { checksumOf, couldBeSecretKey, newSecretKey } from './secret-key.ts';

test('a new key is its prefix, 32 random characters and their checksum', () => {
  for (const kind of ['test', 'live'] as const) {
    const parts = /^crl_(test|live)_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(newSecretKey(kind));
    expect(parts?.[1]).toBe(kind);
    expect(parts?.[3]).toBe(checksumOf(parts?.[2] ?? ''));
  }
  expect(newSecretKey('test')).not.toBe(newSecretKey('test'));
});

test('the checksum is CRC-32 (IEEE) as six base62 digits, most significant first', () => {
  // CRC-32 of "123456789" is 0xCBF43926 = 3421780262, the check value of every catalogue.
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const value = [...checksumOf('123456789')].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
  expect(value).toBe(0xcbf43926);
  expect(checksumOf('')).toBe('000000');
});

test.each([
  ['crl_test_0123456789abcdefghij', true],
  [`crl_live_${'x'.repeat(200)}`, true],
  ['crl_test_0123456789abcdefghi', false],
  [`crl_live_${'x'.repeat(201)}`, false],
  ['crl_prod_0123456789abcdefghij', false],
  ['crl_test_0123456789abcdefghij ', false],
  ['crl_test_0123456789abcdefghi-', false],
  ['', false],
])('%j could be a key: %j', (text, expected) => {
  expect(couldBeSecretKey(text)).toBe(expected);
});
