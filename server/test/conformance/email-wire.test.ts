import PostalMime, { type Address } from 'postal-mime';
import { afterEach, describe, expect, it } from 'vitest';
import type { EmailMessage } from '../../src/channels/contract.ts';
import {
  type EmailBench,
  emailMessage,
  mailgunBench,
  postmarkBench,
  resendBench,
  sendgridBench,
  sesBench,
} from './email-benches.ts';

/** What reaches the provider of one message that has everything, in the terms of that message. */
interface Seen {
  from: string;
  to: string;
  replyTo: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
  attachments: { filename: string; contentType: string; bytes: Buffer }[];
  tags: Record<string, string>;
}

const unsubscribe = {
  'List-Unsubscribe': '<https://notify.example/u/token>',
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
};
const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 256));
const full: Partial<EmailMessage> = {
  from: { address: 'no-reply@bücher.example', name: 'Bücher, "und" mehr' },
  to: { address: 'ada@example.com', name: 'Ада' },
  replyTo: 'help@bücher.example',
  subject: 'Grüße aus 東京 🚀',
  html: '<p>Größe 東京</p>',
  text: 'Größe 東京',
  headers: unsubscribe,
  attachments: [
    { filename: 'Überblick — "東京".pdf', contentType: 'application/pdf', bytes },
    { filename: 'mail.eml', contentType: 'message/rfc822', bytes },
  ],
};

const base64 = (text: string): Buffer => Buffer.from(text, 'base64');
const quotedName = '"Bücher, \\"und\\" mehr" <no-reply@xn--bcher-kva.example>';
const expected: Seen = {
  from: quotedName,
  to: '"Ада" <ada@example.com>',
  replyTo: 'help@xn--bcher-kva.example',
  subject: 'Grüße aus 東京 🚀',
  text: 'Größe 東京',
  html: '<p>Größe 東京</p>',
  headers: unsubscribe,
  attachments: [
    { filename: 'Überblick — "東京".pdf', contentType: 'application/pdf', bytes },
    { filename: 'mail.eml', contentType: 'application/octet-stream', bytes },
  ],
  tags: {
    notification_id: emailMessage().notificationId,
    environment_id: emailMessage().environmentId,
  },
};

type Json = EmailBench['simulator']['received'][number]['request'];
const boxed = ({ email, name }: Json): string => `"${name.replace(/["\\]/g, '\\$&')}" <${email}>`;

const providers: Record<
  string,
  [start: () => Promise<EmailBench>, see: (request: Json) => Partial<Seen> | Promise<Partial<Seen>>]
> = {
  ses: [
    sesBench,
    async ({ mime, EmailTags }) => {
      const mail = await PostalMime.parse(mime);
      const box = (person?: Address): string =>
        `"${(person?.name ?? '').replace(/["\\]/g, '\\$&')}" <${person?.address}>`;
      return {
        from: box(mail.from),
        to: box(mail.to?.[0]),
        replyTo: mail.replyTo?.[0]?.address ?? '',
        subject: mail.subject ?? '',
        text: mail.text?.trim() ?? '',
        html: mail.html?.trim() ?? '',
        headers: Object.fromEntries(
          Object.keys(unsubscribe).map((name) => [
            name,
            mail.headers.find(({ key }) => key === name.toLowerCase())?.value ?? '',
          ]),
        ),
        attachments: mail.attachments.map(({ filename, mimeType, content }) => ({
          filename: filename ?? '',
          contentType: mimeType,
          bytes: Buffer.from(content as ArrayBuffer),
        })),
        tags: Object.fromEntries(EmailTags.map(({ Name, Value }: Json) => [Name, Value])),
      };
    },
  ],
  sendgrid: [
    sendgridBench,
    (request) => ({
      from: boxed(request.from),
      to: boxed(request.personalizations[0].to[0]),
      replyTo: request.reply_to.email,
      subject: request.subject,
      text: request.content[0].value,
      html: request.content[1]?.value,
      headers: request.headers,
      attachments: request.attachments.map(({ filename, type, content }: Json) => ({
        filename,
        contentType: type,
        bytes: base64(content),
      })),
      tags: request.custom_args,
    }),
  ],
  postmark: [
    postmarkBench,
    (request) => ({
      from: request.From,
      to: request.To,
      replyTo: request.ReplyTo,
      subject: request.Subject,
      text: request.TextBody,
      html: request.HtmlBody,
      headers: Object.fromEntries(request.Headers.map(({ Name, Value }: Json) => [Name, Value])),
      attachments: request.Attachments.map(({ Name, ContentType, Content }: Json) => ({
        filename: Name,
        contentType: ContentType,
        bytes: base64(Content),
      })),
      tags: request.Metadata,
    }),
  ],
  resend: [
    resendBench,
    (request) => ({
      from: request.from,
      to: request.to[0],
      replyTo: request.reply_to,
      subject: request.subject,
      text: request.text,
      html: request.html,
      headers: request.headers,
      attachments: request.attachments.map(({ filename, content_type, content }: Json) => ({
        filename,
        contentType: content_type,
        bytes: base64(content),
      })),
      tags: Object.fromEntries(request.tags.map(({ name, value }: Json) => [name, value])),
    }),
  ],
  mailgun: [
    mailgunBench,
    (request) => ({
      from: request.from,
      to: request.to,
      replyTo: request['h:Reply-To'],
      subject: request.subject,
      text: request.text,
      html: request.html,
      headers: Object.fromEntries(Object.keys(unsubscribe).map((name) => [name, request[`h:${name}`]])),
      attachments: request.files,
      tags: { notification_id: request['v:notification_id'], environment_id: request['v:environment_id'] },
    }),
  ],
};

let bench: EmailBench;
afterEach(() => bench.stop());

describe.each(Object.entries(providers))('%s', (_provider, [start, see]) => {
  async function deliver(changes: Partial<EmailMessage>): Promise<Partial<Seen>> {
    bench = await start();
    const outcome = await bench.carrier().send(emailMessage(changes), new AbortController().signal);
    expect(outcome).toMatchObject({ kind: 'accepted' });
    return see(bench.simulator.received[0]?.request);
  }

  it('gets a message with everything as it was written', async () => {
    expect(await deliver(full)).toEqual(expected);
  });

  it('gets a text part also when only HTML was written, and text alone as it is', async () => {
    expect((await deliver({ ...full, text: null, html: '<p>Größe</p>' })).text).toBe('Größe');
    await bench.stop();
    expect((await deliver({ ...full, html: null, text: 'Only text' })).text).toBe('Only text');
  });

  it.each(['\r\n', '\n', '\u0000', '\u2028'])('cannot be smuggled anything by %j', async (end) => {
    const evil = `a${end}Bcc: evil@example.com${end}b`;
    const seen = await deliver({
      ...full,
      subject: evil,
      from: { address: 'no-reply@acme.example', name: evil },
      to: { address: 'ada@example.com', name: evil },
      headers: { 'X-Evil': evil },
      attachments: [{ filename: evil, contentType: `text/plain${evil}`, bytes }],
    });
    const line = 'a Bcc: evil@example.com b';
    expect(seen).toMatchObject({
      subject: line,
      from: `"${line}" <no-reply@acme.example>`,
      to: `"${line}" <ada@example.com>`,
      attachments: [{ filename: line, contentType: 'application/octet-stream' }],
    });
  });

  it('refuses a header that is not for callers to set, without calling', async () => {
    bench = await start();
    for (const name of ['Bcc', 'To', 'Content-Type', 'X: y', 'X\r\nBcc', '']) {
      const message = emailMessage({ headers: { [name]: 'evil@example.com' } });
      expect(await bench.carrier().send(message, new AbortController().signal)).toMatchObject({
        kind: 'rejected',
        code: 'message',
      });
    }
    expect(bench.simulator.calls()).toBe(0);
  });

  it('carries fifteen megabytes, or says that it cannot', async () => {
    bench = await start();
    const attachments = [
      { filename: 'big.bin', contentType: 'application/zip', bytes: Buffer.alloc(15 * 1_048_576, 'c') },
    ];
    const outcome = await bench.carrier().send(emailMessage({ attachments }), new AbortController().signal);
    expect(['accepted', 'rejected']).toContain(outcome.kind);
  });
});

it('ses is not asked about addresses that it cannot take', async () => {
  bench = await sesBench();
  const message = emailMessage({ to: { address: 'zoë@example.com', name: null } });
  expect(await bench.carrier().send(message, new AbortController().signal)).toMatchObject({
    kind: 'rejected',
  });
  expect(bench.simulator.calls()).toBe(0);
});

it('resend knows a notification by its id', async () => {
  bench = await resendBench();
  await bench.carrier().send(emailMessage(), new AbortController().signal);
  expect(bench.simulator.received[0]?.request.idempotencyKey).toBe(emailMessage().notificationId);
});
