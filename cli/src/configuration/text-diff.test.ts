import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffLines } from './text-diff.ts';

const lines = fc
  .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
  .map((each) => each.map((line) => `${line}\n`).join(''));

test('what a difference removes and adds makes one text of the other', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const shown = diffLines(before, after);
      const count = (text: string) => text.split('\n').length - 1;
      const added = shown.filter(({ mark }) => mark === '+').length;
      const removed = shown.filter(({ mark }) => mark === '-').length;
      expect(count(before) - removed + added).toBe(count(after));
      expect(shown.some(({ mark }) => mark === '+' || mark === '-')).toBe(before !== after);
    }),
  );
});

test('far away lines are left out, and said to be', () => {
  const before = Array.from({ length: 30 }, (_, index) => `${index}\n`).join('');
  const shown = diffLines(before, before.replace('\n15\n', '\nfifteen\n'));
  expect(shown.map(({ mark, text }) => mark + text)).toEqual([
    '@…',
    ' 12',
    ' 13',
    ' 14',
    '-15',
    '+fifteen',
    ' 16',
    ' 17',
    ' 18',
    '@…',
  ]);
});

test('texts too large to compare line by line are shown as replaced', () => {
  const many = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word}${index}\n`).join('');
  expect(diffLines(many('a'), many('b'))).toHaveLength(6000);
});
