import PostalMime, { type Address } from 'postal-mime';
import { afterEach, describe, expect, it } from 'vitest';
import type { EmailMessage } from '../../src/channels/contract.ts';
import { createMailgunCarrier } from '../../src/channels/email/providers/mailgun/carrier.ts';
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
      tags: request.personalizations[0].custom_args,
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

  it('gets text alone as it is', async () => {
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

describe.each([
  ['to', { to: { address: 'zoë@example.com', name: null } }],
  ['from', { from: { address: 'zoë@acme.example', name: null } }],
  ['reply_to', { replyTo: 'zoë@acme.example' }],
] as const)('an address outside ASCII as %s', (field, changes) => {
  const takesRecipients: Record<string, boolean> = { mailgun: field === 'to' };
  it.each(Object.entries(providers))('is sent to %s only where it takes one', async (provider, [start]) => {
    bench = await start();
    const outcome = await bench.carrier().send(emailMessage(changes), new AbortController().signal);
    if (takesRecipients[provider]) return expect(outcome).toMatchObject({ kind: 'accepted' });
    expect(outcome).toMatchObject({
      kind: 'rejected',
      code: 'smtputf8',
      detail: expect.stringContaining(`${field} address`),
    });
    expect(bench.simulator.calls()).toBe(0);
  });
});

const lookAlike = '=?utf-8?B?QmFuaw==?=';

it.each(Object.entries(providers))(
  '%s gets no name or subject that a mail client would decode',
  async (_provider, [start, see]) => {
    bench = await start();
    const message = emailMessage({
      from: { address: 'no-reply@acme.example', name: lookAlike },
      to: { address: 'ada@example.com', name: `Ada ${lookAlike}` },
      replyTo: 'help@acme.example',
      subject: `${lookAlike} 2+2=?`,
      headers: unsubscribe,
      attachments: full.attachments ?? [],
    });
    expect(await bench.carrier().send(message, new AbortController().signal)).toMatchObject({
      kind: 'accepted',
    });
    const [email] = bench.simulator.received;
    const seen = await see(email?.request);
    expect([seen.from, seen.to, seen.subject].join()).not.toContain('Bank');
    expect(seen.subject).toContain('2+2=?');
    const wire = email?.request.mime?.toString() ?? JSON.stringify(email?.request);
    expect(wire).not.toContain(lookAlike);
  },
);

it.each(Object.entries(providers))(
  '%s repeats nothing of an answer that is not in its own form: base_url may lead anywhere',
  async (_provider, [start]) => {
    bench = await start();
    for (const status of [200, 400, 401, 403, 404, 500]) {
      bench.simulator.fault = { status, headers: { 'content-type': 'text/plain' }, body: 'internal-host 7' };
      const { detail } = await bench.carrier().verify();
      const outcome = await bench.carrier().send(emailMessage(), new AbortController().signal);
      expect(`${detail} ${outcome.detail}`).not.toContain('internal-host');
    }
  },
);

describe('sendgrid', () => {
  const deliver = async (changes: Partial<EmailMessage>) => {
    bench = await sendgridBench();
    return bench.carrier().send(emailMessage(changes), new AbortController().signal);
  };

  it.each(['Lovelace, Ada', 'a; b', 'say "hi", \\ Ada'])(
    'keeps the recipient %j one recipient',
    async (name) => {
      expect(await deliver({ to: { address: 'ada@example.com', name } })).toMatchObject({ kind: 'accepted' });
      expect(bench.simulator.received[0]?.request.personalizations[0].to).toEqual([
        { email: 'ada@example.com', name: `"${name.replace(/["\\]/g, '\\$&')}"` },
      ]);
    },
  );

  it('is never given an empty attachment', async () => {
    const attachments = [{ filename: 'empty.csv', contentType: 'text/csv', bytes: Buffer.alloc(0) }];
    expect(await deliver({ attachments })).toMatchObject({
      kind: 'rejected',
      code: 'message',
      detail: expect.stringContaining('empty.csv'),
    });
    expect(bench.simulator.calls()).toBe(0);
  });
});

it('ses writes From as it was asked to, with the display name', async () => {
  bench = await sesBench();
  const from = { address: 'no-reply@bücher.example', name: 'Bücher, "und" mehr' };
  await bench.carrier().send(emailMessage({ from }), new AbortController().signal);
  const request = bench.simulator.received[0]?.request;
  expect((await PostalMime.parse(request.mime)).from).toMatchObject({
    name: from.name,
    address: 'no-reply@xn--bcher-kva.example',
  });
  expect(request.FromEmailAddress).toMatch(/^[\x20-\x7e]+ <no-reply@xn--bcher-kva\.example>$/);
});

describe('the check of a mailgun key', () => {
  it('takes a sending key, which may read nothing', async () => {
    const { apiKey, domain } = { apiKey: 'key-mailgun-sending', domain: 'mg.acme.example' };
    const mailgun = await mailgunBench();
    bench = mailgun;
    const config = { apiKey, domain, baseUrl: mailgun.simulator.url };
    const carrier = createMailgunCarrier('mailgun', config, { outbound: mailgun.outbound, clock: Date.now });
    expect(await carrier.verify()).toMatchObject({ ok: true, detail: expect.stringContaining('sending') });
    expect(await carrier.send(emailMessage(), new AbortController().signal)).toMatchObject({
      kind: 'accepted',
    });
  });

  it('does not take a domain that is not active', async () => {
    const mailgun = await mailgunBench();
    bench = mailgun;
    mailgun.simulator.state = 'unverified';
    expect(await mailgun.carrier().verify()).toEqual({
      ok: false,
      detail: 'The key is good, but the domain is unverified.',
    });
  });
});

it('resend knows a notification by its id', async () => {
  bench = await resendBench();
  await bench.carrier().send(emailMessage(), new AbortController().signal);
  expect(bench.simulator.received[0]?.request.idempotencyKey).toBe(emailMessage().notificationId);
});
