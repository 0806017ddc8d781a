import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linearRegExp, UnsupportedPattern } from './linear-regexp.ts';

const texts = [
  ...[
    '',
    'a',
    'aa',
    'ab',
    'axb',
    'abc',
    'A',
    '1',
    '-',
    '[',
    '&',
    '^$',
    'x y',
    'foo bar',
    'a_b1',
    '/x',
    'a-b ',
  ],
  ...['a\nb', 'a\rb', 'a\u2028b', '\u00a0', ' ', '\ufeff', '\u0085', '\v\f\t\n\r', '\b', '\0', '\u0001'],
  ...['é', 'ééé', 'Ω', 'ω', '😀', '😀😀😀', 'a@b.co', 'a@b .co', '2026-11-17'],
];

describe('a pattern means what it means in ECMAScript', () => {
  test.each([
    ...[
      '^(a+)+$',
      '\\p{L}+',
      '^\\s*$',
      '^\\S+$',
      'a.b',
      '[\\s\\d]',
      '[^\\s]',
      '[\\S]',
      '[^\\S]',
      '[.]',
      '\\.',
    ],
    ...[
      '\\u00e9',
      '[\\u0041-\\u005a]+',
      '\\u{1F600}',
      '\\p{Lu}',
      '\\p{Script=Greek}',
      '\\p{gc=Lu}',
      '\\bfoo\\b',
    ],
    ...[
      '[\\]x]',
      '[^]',
      '[]',
      '^$',
      '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$',
      '\\/x',
      '^.{3}$',
      '(?:a|b){2,3}?',
      '\\cA',
    ],
    ...['[\\b]', '\\0', '\\x41', '^\\w+\\W\\d\\D$', '[\\-a]', '\\^\\$', '[&&]', '[[]', '\\P{L}', '(?<n>a)b'],
    ...['^\\d{4}-\\d{2}-\\d{2}$', '\\v\\f\\t\\n\\r', '[\\p{L}\\p{N}_-]+', '^a|b$'],
  ])('%s', (pattern) => {
    const native = new RegExp(pattern, 'u');
    const linear = linearRegExp(pattern);
    expect(texts.filter((text) => linear.test(text))).toEqual(texts.filter((text) => native.test(text)));
  });

  test('whatever it is put together from', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\s',
      '\\S',
      '\\w',
      '\\d',
      '[ab]',
      '[^a]',
      '[\\s.]',
      'é',
      '\\b',
    );
    const suffix = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '*?');
    const piece = fc.tuple(atom, suffix).map(([one, many]) => (one === '\\b' ? one : one + many));
    const branch = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''));
    const group = fc.tuple(branch, branch, suffix).map(([one, other, many]) => `(?:${one}|${other})${many}`);
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '\n', '\u00a0', '1', 'é', '\u2028'),
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.oneof(branch, group), text, (pattern, subject) => {
        expect(linearRegExp(pattern).test(subject)).toBe(new RegExp(pattern, 'u').test(subject));
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  'a(?=b)',
  'a(?!b)',
  '(?<=a)b',
  '(?<!a)b',
  '(a)\\1',
  '(?<n>a)\\k<n>',
  'a{1001}',
  '(?:a{100}){100}',
])('%s is not supported', (pattern) => {
  expect(() => linearRegExp(pattern)).toThrow(UnsupportedPattern);
});

test.each(['(', 'a**', '\\', '[b-a]', '\\-'])('%s is no pattern', (pattern) => {
  expect(() => linearRegExp(pattern)).toThrow(SyntaxError);
});

test('what makes others backtrack for ever takes time that grows with the text alone', () => {
  for (const pattern of ['^(a+)+$', '^(a|a)*$', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$'])
    expect(linearRegExp(pattern).test(`${'a'.repeat(3_000)}!`)).toBe(false);
});
