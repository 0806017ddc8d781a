import { expect, test } from 'vitest';
import { isSimple } from './tasks.ts';

const simple = (...lines: string[]): boolean => isSimple(Buffer.from(lines.join('\r\n')));
const alternative = [
  'Content-Type: multipart/alternative;',
  ' boundary="--_NmP-1-Part_1"',
  '',
  '----_NmP-1-Part_1',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'text',
  '----_NmP-1-Part_1',
  'Content-Type: text/html; charset="utf-8"',
  '',
  '<p>',
];

test('a short text, and one with its HTML alternative, are read on the main thread', () => {
  expect(simple('Subject: Hello', '', 'text')).toBe(true);
  expect(simple('content-type: TEXT/html', '', '<p>')).toBe(true);
  expect(simple(...alternative)).toBe(true);
});

test.each([
  ['long', ['', 'x'.repeat(4_100)]],
  ['with attachments', ['Content-Type: multipart/mixed; boundary=b', '', '--b', ...alternative]],
  ['with two alternatives', [...alternative, ...alternative]],
  ['with many parts', ['', ...'--b '.repeat(9).split(' ')]],
  ['of a type in disguise', ['Content-Type: text/(a comment)html', '', '<p>']],
  ['of a quoted type', ['Content-Type: "text/html"', '', '<p>']],
  [
    'with a type before another',
    ['Content-Type: text/html', 'Content-Type: multipart/mixed; boundary=b', '', '<p>'],
  ],
  ['with a folded type', ['Content-Type:', ' multipart/mixed; boundary=b', '', '<p>']],
])('a message %s is read in a thread', (_what, lines) => {
  expect(simple(...lines)).toBe(false);
});
