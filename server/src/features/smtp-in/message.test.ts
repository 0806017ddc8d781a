import { describe, expect, test } from 'vitest';
import { readMessage } from './message.ts';

const read = (...lines: string[]) => readMessage(Buffer.from(lines.join('\r\n')));

describe('a message', () => {
  test('in an old character set and encoding is read as it was meant', async () => {
    const { content } = await read(
      'From: =?iso-8859-1?Q?Caf=E9_M=FCnchen?= <cafe@example.com>',
      'Subject: =?utf-8?B?R3LDvMOfZQ==?=',
      ' =?utf-8?Q?_aus_Rom?=',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Gr=FC=DFe',
    );
    expect(content).toMatchObject({
      from_name: 'Café München',
      subject: 'Grüße aus Rom',
      html_body: null,
      text_body: 'Grüße',
    });
  });

  test('without subject, text or headers is still a message', async () => {
    for (const lines of [['', ''], ['From: cron@example.com', '', ''], ['']])
      expect((await read(...lines)).content).toMatchObject({
        subject: '(no subject)',
        text_body: '\n',
        html_body: null,
        attachments: null,
      });
  });

  test('shows the images of its HTML within it, and everything else is a file', async () => {
    const part = (...headers: string[]) => [
      '--b',
      ...headers,
      'Content-Transfer-Encoding: base64',
      '',
      'YWJj',
    ];
    const { content } = await read(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '',
      '<img src="cid:logo@acme">',
      ...part('Content-Type: image/png', 'Content-ID: <logo@acme>', 'Content-Disposition: inline'),
      ...part('Content-Type: image/png; name="../../etc/pass\u0001wd"', 'Content-ID: <other@acme>'),
      ...part('Content-Type: not a type'),
      ...part('Content-Type: text/calendar; method=request'),
      '--b',
      'Content-Type: message/rfc822',
      '',
      'Subject: inside',
      '',
      'the forwarded text',
      '--b--',
    );
    expect(content.html_body).toBe('<img src="cid:logo@acme">');
    expect(content.attachments).toEqual([
      {
        filename: 'attachment-1',
        content_type: 'image/png',
        content_base64: 'YWJj',
        content_id: 'logo@acme',
      },
      { filename: '.._.._etc_pass wd', content_type: 'image/png', content_base64: 'YWJj' },
      { filename: 'attachment-3', content_type: 'application/octet-stream', content_base64: 'YWJj' },
      {
        filename: 'attachment-4',
        content_type: 'text/calendar; method=REQUEST; charset=utf-8',
        content_base64: Buffer.from('abc\n').toString('base64'),
      },
      { filename: 'attachment-5.eml', content_type: 'message/rfc822', content_base64: expect.any(String) },
    ]);
  });

  test('carries data in a folded header, white space included', async () => {
    const { content } = await read(
      'X-Carillon-Data: {"text": "two  spaces",',
      '\t"name": "=?utf-8?Q?Ren=C3=A9e?="}',
      '',
      '',
    );
    expect(content.template_data).toEqual({ text: 'two  spaces', name: 'Renée' });
  });

  test.each([
    ['X-Carillon-Data: [1]', 'X-Carillon-Data must be a JSON object.'],
    ['X-Carillon-Data: {', expect.stringContaining('X-Carillon-Data is not valid JSON')],
    ['X-Carillon-Data: {"__proto__": 1}', '"__proto__" is not allowed as a field name.'],
    ['X-Carillon-Category: a\r\nX-Carillon-Category: b', 'X-Carillon-Category must not appear twice.'],
    [
      'X-Carillon-Categroy: a',
      'x-carillon-categroy is not one of X-Carillon-Category, X-Carillon-Template, X-Carillon-Data, X-Carillon-Priority, X-Carillon-Idempotency-Key.',
    ],
    [`X: ${'x'.repeat(600_000)}`, 'The message is not valid MIME.'],
  ])('with the header %s is refused', async (line, message) => {
    await expect(read(line, '', '')).rejects.toMatchObject({ name: 'Problem', message });
  });

  test('has the key of its header, or else its Message-ID', async () => {
    expect((await read('Message-ID: <1@acme>', '', '')).idempotencyKey).toBe('<1@acme>');
    expect(
      (await read('Message-ID: <1@acme>', 'X-Carillon-Idempotency-Key: order-1', '', '')).idempotencyKey,
    ).toBe('order-1');
    expect((await read('Message-ID: ', '', '')).idempotencyKey).toBeNull();
  });

  test('names its recipients in To and Cc, in groups too', async () => {
    const { names, content } = await read(
      'To: "Ada, L." <Ada@Example.com>, Team: Bob <bob@example.com>;',
      'Cc: eve@example.com',
      'Reply-To: Help <help@example.com>, second@example.com',
      '',
      '',
    );
    expect([...names]).toEqual([
      ['ada@example.com', 'Ada, L.'],
      ['bob@example.com', 'Bob'],
    ]);
    expect(content.reply_to).toBe('help@example.com');
  });
});
