import fc from 'fast-check';
import MailComposer from 'nodemailer/lib/mail-composer';
import PostalMime, { addressParser, decodeWords } from 'postal-mime';
import { expect, test } from 'vitest';
import { isSimple, readSimple } from './simple-message.ts';

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

const functions = { addressParser, decodeWords };

/** What the service uses of a message. */
async function compared(bytes: Buffer) {
  const fast = readSimple(bytes, functions);
  const {
    from,
    to = [],
    cc = [],
    replyTo = [],
    subject = '',
    messageId = '',
    ...email
  } = await PostalMime.parse(bytes);
  const { html = '', text = '', headerLines } = email;
  const slow = { from, to, cc, replyTo, subject, messageId, html, text, headerLines };
  const body = (content = '') => content.replace(/\n$/, '');
  return {
    fast: fast && {
      ...{ from: fast.from, to: fast.to, cc: fast.cc, replyTo: fast.replyTo, headerLines: fast.headerLines },
      ...{ subject: fast.subject, messageId: fast.messageId, html: body(fast.html), text: body(fast.text) },
    },
    slow: { ...slow, html: body(html), text: body(text) },
  };
}

test('messages of mail software are read as the parser reads them', async () => {
  const words = fc.string({ unit: 'grapheme', maxLength: 60 }).map((each) => each.replace(/\p{C}/gu, ' '));
  const lines = fc.array(words, { maxLength: 6 }).map((each) => `${each.join('\n')}x`);
  let simple = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        subject: words,
        text: fc.option(lines, { nil: undefined }),
        html: fc.option(lines, { nil: undefined }),
        name: words,
        textEncoding: fc.constantFrom('quoted-printable' as const, 'base64' as const),
      }),
      async ({ name, ...mail }) => {
        const addresses = {
          from: { name, address: 'a@example.com' },
          to: 'Ada <ada@example.com>, b@example.com',
        };
        const bytes = await new MailComposer({ ...mail, ...addresses }).compile().build();
        const { fast, slow } = await compared(bytes);
        if (fast === null) return;
        simple += 1;
        expect(fast).toEqual(slow);
      },
    ),
    { numRuns: 200 },
  );
  expect(simple).toBeGreaterThan(150);
});

test.each([
  ['Subject: a\r\n folded\r\n\tline\r\n\r\n..dots\r\n\r\nend'],
  ['\r\nno headers'],
  [
    'Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe=\r\n!',
  ],
  ['Content-Type: text/html; charset="utf-8"\nContent-Transfer-Encoding: base64\n\nPHA+\nR3LDvMOfZTwvcD4=\n'],
  [`${alternative.join('\r\n')}\r\n----_NmP-1-Part_1--\r\nepilogue`],
  ['Subject: one\r\nSubject: two\r\n\r\ntext'],
  ['Content-Type: text/plain; charset=koi8-r\r\n\r\n\xc1'],
  ['Content-Disposition: attachment\r\n\r\ntext'],
  ['Content-Transfer-Encoding: quoted-printable\r\n\r\n=ZZ ='],
])('what is read fast is read right: %j', async (message) => {
  const { fast, slow } = await compared(Buffer.from(message, 'latin1'));
  if (fast !== null) expect(fast).toEqual(slow);
});
