import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { inPlace } from '../../threads/task.ts';
import type { EmailMessage } from '../message.ts';
import { buildMime } from './mime.ts';

const now = new Date('2026-03-04T05:06:07Z');

function message(changes: Partial<EmailMessage> = {}): EmailMessage {
  return {
    channel: 'email',
    notificationId: '0198aaaa-0000-7000-8000-000000000001',
    environmentId: '0198aaaa-0000-7000-8000-00000000000e',
    attempt: 1,
    to: { address: 'ada@example.com', name: 'Ada' },
    from: { address: 'no-reply@bücher.example', name: 'Bücher' },
    replyTo: null,
    subject: 'Hello',
    html: '<p>Hello <b>Ada</b></p>',
    text: 'Hello Ada',
    attachments: [],
    headers: {},
    ...changes,
  };
}

async function parsed(changes: Partial<EmailMessage> = {}) {
  const { raw, ...rest } = await buildMime(inPlace, message(changes), now);
  return { ...rest, raw: raw.toString('utf8'), mail: await PostalMime.parse(raw) };
}

describe('a message', () => {
  it('carries names, subject and bodies in any script', async () => {
    const { mail } = await parsed({
      subject: 'Grüße aus 東京 🚀',
      from: { address: 'no-reply@bücher.example', name: 'Bücher, "und" mehr' },
      to: { address: 'ada@example.com', name: 'Ада' },
      replyTo: 'help@bücher.example',
      html: '<p>Größe 東京</p>',
      text: 'Größe 東京',
    });
    expect(mail).toMatchObject({
      subject: 'Grüße aus 東京 🚀',
      from: { name: 'Bücher, "und" mehr', address: 'no-reply@xn--bcher-kva.example' },
      to: [{ name: 'Ада', address: 'ada@example.com' }],
      replyTo: [{ name: '', address: 'help@xn--bcher-kva.example' }],
      html: expect.stringContaining('Größe 東京'),
      text: expect.stringContaining('Größe 東京'),
      date: '2026-03-04T05:06:07.000Z',
    });
  });

  it('has the same Message-ID each time, and an envelope in ASCII', async () => {
    const first = await parsed();
    const second = await parsed({ attempt: 2 });
    expect(first.messageId).toBe('<0198aaaa-0000-7000-8000-000000000001@xn--bcher-kva.example>');
    expect(second.messageId).toBe(first.messageId);
    expect(first.mail.messageId).toBe(first.messageId);
    expect(first.envelope).toEqual({ from: 'no-reply@xn--bcher-kva.example', to: 'ada@example.com' });
  });

  it('may have text alone', async () => {
    const { mail } = await parsed({ html: null, text: 'Only text' });
    expect(mail.text?.trim()).toBe('Only text');
    expect(mail.html).toBeUndefined();
  });

  it('carries attachments byte for byte, with names in any script', async () => {
    const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
    const { mail } = await parsed({
      attachments: [
        { filename: 'Überblick — 東京.pdf', contentType: 'application/pdf', bytes },
        { filename: 'mail.eml', contentType: 'message/rfc822', bytes },
        { filename: 'odd', contentType: 'multipart/mixed; boundary=x', bytes },
        { filename: 'table.csv', contentType: 'text/csv; charset=utf-8', bytes },
      ],
    });
    expect(mail.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
      ['Überblick — 東京.pdf', 'application/pdf'],
      ['mail.eml', 'application/octet-stream'],
      ['odd', 'application/octet-stream'],
      ['table.csv', 'text/csv'],
    ]);
    for (const { content } of mail.attachments)
      expect(Buffer.from(content as ArrayBuffer).equals(bytes)).toBe(true);
  });

  it('carries further headers', async () => {
    const unsubscribe = '<https://acme.example/u/1>, <mailto:u@acme.example>';
    const { mail } = await parsed({ headers: { 'List-Unsubscribe': unsubscribe } });
    expect(mail.headers).toContainEqual(
      expect.objectContaining({ key: 'list-unsubscribe', value: unsubscribe }),
    );
  });

  it('never has a line of 1000 octets or a bare line feed', async () => {
    const { raw, mail } = await parsed({
      subject: 'x'.repeat(3000),
      text: 'y'.repeat(3000),
      html: `<p>${'z'.repeat(3000)}</p>\n.\n..\nFrom here`,
      to: { address: 'ada@example.com', name: 'n'.repeat(3000) },
      attachments: [
        { filename: `${'f'.repeat(250)}.txt`, contentType: 'text/plain', bytes: Buffer.from('a\nb') },
      ],
    });
    expect(Math.max(...raw.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThan(999);
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(mail.subject).toBe('x'.repeat(3000));
    expect(mail.attachments[0]?.filename).toBe(`${'f'.repeat(250)}.txt`);
  });

  it('shows a subject that looks like an encoded word as it was written', async () => {
    expect((await parsed({ subject: 'see =?utf-8?Q?=0D=0ABcc:x?=' })).mail.subject).toBe(
      'see =?utf-8?Q?=0D=0ABcc:x?=',
    );
  });

  it('is the same bytes each time when the boundary is given', async () => {
    const first = await buildMime(inPlace, message(), now, 'fixed');
    expect((await buildMime(inPlace, message(), now, 'fixed')).raw.equals(first.raw)).toBe(true);
  });
});

describe('nothing can be smuggled in', () => {
  const evil = ['\r\n', '\n', '\r', '\r\n\r\n', '\u0000', '\u2028', '\u0085'].map(
    (end) => `a${end}Bcc: evil@example.com${end}b`,
  );

  it.each(evil)('through %j in any field', async (value) => {
    const { mail, raw } = await parsed({
      subject: value,
      from: { address: 'no-reply@acme.example', name: value },
      to: { address: 'ada@example.com', name: value },
      headers: { 'X-Evil': value },
      attachments: [{ filename: value, contentType: `text/plain${value}`, bytes: Buffer.from('x') }],
    });
    expect(mail.bcc).toBeUndefined();
    expect(mail.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(mail.subject).toMatch(/^a Bcc: evil@example\.com b$/);
    expect(mail.html).toContain('Hello');
    expect(mail.attachments).toHaveLength(1);
    expect(raw).not.toMatch(/^bcc:/im);
    expect(raw).not.toContain('\u0000');
  });

  it.each(['Bcc', 'to', 'Content-Type', 'Subject', 'X: y', 'X\r\nBcc', '', 'Ünicode'])(
    'by a header named %j',
    async (name) => {
      await expect(
        buildMime(inPlace, message({ headers: { [name]: 'evil@example.com' } }), now),
      ).rejects.toThrow(/header/);
    },
  );

  it('by text that contains what separates the parts', async () => {
    const { raw } = await buildMime(inPlace, message(), now, 'guess');
    const boundary = /boundary="(.+?)"/.exec(raw.toString())?.[1];
    const { mail } = await parsed({
      text: `a\r\n--${boundary}\r\nContent-Type: text/html\r\n\r\n<p>evil</p>`,
    });
    expect(mail.html).not.toContain('evil');
  });
});
