import { describe, expect, test } from 'vitest';
import { emailKey, emailSpellings, parseAddressKey } from './address-key.ts';

describe('spellings of one address have one key', () => {
  test.each([
    ['ada@example.com', 'Ada@Example.COM'],
    ['jörg@bücher.example', 'JÖRG@xn--bcher-kva.example'],
    ['jörg@bücher.example', 'jo\u0308rg@Bücher.example'],
    ['info@παράδειγμα.example', 'info@xn--hxajbheg2az3al.example'],
  ])('%s and %s', (one, other) => {
    const [a, b] = [parseAddressKey(one), parseAddressKey(other)];
    expect(a).toEqual(b);
    expect(a).toHaveProperty('key');
  });

  test.each([
    ['ada@example.com', 'ada+news@example.com'],
    ['ada@example.com', 'a.da@example.com'],
    ['ada@example.com', 'ada@mail.example.com'],
  ])('%s and %s are two', (one, other) => {
    expect(emailKey(one)).not.toBe(emailKey(other));
  });

  test('a key is its own key', () => {
    for (const address of ['Jörg@Bücher.example', 'ADA@EXAMPLE.com'])
      expect(emailKey(emailKey(address))).toBe(emailKey(address));
  });
});

test('an address is searched for in few spellings', () => {
  expect(emailSpellings('Ada@example.com')).toEqual(['Ada@example.com']);
  expect(emailSpellings('ada@xn--bcher-kva.de')).toEqual([
    'ada@xn--bcher-kva.de',
    'ada@bücher.de',
    'ada@bu\u0308cher.de',
  ]);
  expect(emailSpellings('jörg@bücher.de')).toHaveLength(6);
});

test.each([
  '',
  ' ',
  'ada',
  'ada@',
  '@example.com',
  '0171 234',
  '+',
  '+0123',
  '4155550123',
  'a b@c.de',
  'a@b.co\n',
])('%j is no address', (text) => {
  expect(parseAddressKey(text)).toHaveProperty('problem');
});

test('a phone number is its E.164 form', () => {
  expect(parseAddressKey('+14155550123')).toEqual({ key: '+14155550123' });
});
