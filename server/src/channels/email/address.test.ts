import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayNameProblem, domainOf, envelopeAddress, parseEmailAddress, parseReplyTo } from './address.ts';

describe('an email address', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    ['Ada.Lovelace+tag@EXAMPLE.Com', 'Ada.Lovelace+tag@example.com'],
    ["o'neil!#$%&*/=?^_`{|}~-@example.co.uk", "o'neil!#$%&*/=?^_`{|}~-@example.co.uk"],
    ['zoë@example.com', 'zoë@example.com'],
    ['用户@例子.公司', '用户@例子.公司'],
    ['ada@BÜCHER.example', 'ada@bücher.example'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@a-b.c1.example', 'ada@a-b.c1.example'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
    ['почта@пример.рф', 'почта@пример.рф'],
  ])('%s is taken', (text, address) => {
    expect(parseEmailAddress(text)).toEqual({ address });
  });

  it.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@localhost',
    'Ada <ada@example.com>',
    '<ada@example.com>',
    '"ada"@example.com',
    'ada(comment)@example.com',
    'ada@example.com,bob@example.com',
    'ada@example.com;bob@example.com',
    'ada@@example.com',
    'ada@bob@example.com',
    '.ada@example.com',
    'ada.@example.com',
    'a..da@example.com',
    'ada @example.com',
    ' ada@example.com',
    'ada@example.com ',
    'ada@example.com\r\nBcc: bob@example.com',
    'ada\u0000@example.com',
    'ada\u00a0@example.com',
    'ada\u200b@example.com',
    'ada\u202e@example.com',
    'ada\ud800@example.com',
    'ada@exam ple.com',
    'ada@example..com',
    'ada@.example.com',
    'ada@example.com.',
    'ada@-example.com',
    'ada@example-.com',
    'ada@exam_ple.com',
    'ada@example.c',
    'ada@127.0.0.1',
    'ada@１２７.０.０.１',
    'ada@0x7f.1',
    'ada@[127.0.0.1]',
    'ada@example.com/evil.example',
    'ada@exam%70le.com',
    'ada@xn--a.example',
    'ada@xn--pple-43d.example', // the same as аpple below
    'ada@аpple.example', // a Cyrillic а before Latin letters
    `${'a'.repeat(65)}@example.com`,
    `${'é'.repeat(33)}@example.com`,
    `ada@${'a'.repeat(64)}.example`,
    `ada@${'a.'.repeat(125)}example`,
  ])('%j is refused', (text) => {
    expect(parseEmailAddress(text)).toEqual({ problem: expect.any(String) });
  });

  it.each([
    ['"ada"@example.com', 'must not have quotes before the @: mail providers refuse such addresses'],
    ['"a b"@example.com', 'must not have quotes before the @: mail providers refuse such addresses'],
    ['ada@[127.0.0.1]', 'must have a domain after the @, not an IP address in brackets'],
    ['ada@[IPv6:::1]', 'must have a domain after the @, not an IP address in brackets'],
    [' ada@example.com', 'must not have spaces before or after it'],
    ['ada@example.com ', 'must not have spaces before or after it'],
    ['\u00a0ada@example.com\n', 'must not have spaces before or after it'],
  ])('%j is refused with the reason', (text, problem) => {
    expect(parseEmailAddress(text)).toEqual({ problem });
  });

  it('for replies has at most 320 characters: 64 before the @ and 255 after it', () => {
    const local = 'a'.repeat(64);
    const domain = `${'d'.repeat(63)}.`.repeat(3) + 'd'.repeat(63);
    const longest = `${local}@${domain}`;
    expect(longest).toHaveLength(320);
    expect(parseReplyTo(longest)).toEqual({ address: longest });
    expect(parseReplyTo(`a${longest}`)).toEqual({ problem: 'must have at most 320 characters' });
    expect(parseReplyTo(longest.slice(1).replace('@', '@d.'))).toEqual({ problem: expect.any(String) });
    expect(parseEmailAddress(longest)).toEqual({ problem: 'must have at most 254 characters' });
  });

  it('that is taken can never break out of a header or a command', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.emailAddress()),
        fc.string({ unit: 'binary' }),
        (head, tail) => {
          for (const text of [head, `${head}${tail}`, `${head}@${tail}.example`]) {
            const parsed = parseEmailAddress(text);
            if ('address' in parsed)
              expect(envelopeAddress(parsed.address)).toMatch(/^[^\s<>"(),:;\p{C}@]+@[a-z0-9.-]+$/u);
          }
        },
      ),
    );
  });

  it('goes over the wire with its domain in ASCII', () => {
    expect(envelopeAddress('ada@bücher.example')).toBe('ada@xn--bcher-kva.example');
    expect(envelopeAddress('zoë@example.com')).toBe('zoë@example.com');
    expect(domainOf('zoë@例子.公司')).toBe('xn--fsqu00a.xn--55qx5d');
  });
});

it('a display name has no angle brackets and no control characters, and 200 characters at most', () => {
  expect(displayNameProblem('Zoë "Z" O’Neil, Acme')).toBeNull();
  expect(displayNameProblem('x'.repeat(200))).toBeNull();
  expect(displayNameProblem('🎉'.repeat(200))).toBeNull();
  expect(displayNameProblem('🎉'.repeat(201))).toBe('must have at most 200 characters');
  for (const name of ['x'.repeat(201), 'a<b', 'a>b', 'a\r\nb', 'a\u0000b', 'a\tb', 'a\u2028b']) {
    expect(displayNameProblem(name)).toEqual(expect.any(String));
  }
});
