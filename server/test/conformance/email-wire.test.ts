import { afterEach, describe, expect, it } from 'vitest';
import type { EmailMessage } from '../../src/channels/message.ts';
import { emailSimulations } from '../simulators/all.ts';
import type { EmailSimulation, SeenEmail } from '../simulators/simulation.ts';
import { type EmailBench, emailMessage, startEmailBench } from './email-bench.ts';

/** Examines how the parts of a message reach each provider. */
const providers = emailSimulations.map((simulation) => [simulation.kind, simulation] as const);

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
  html: '<p>Größe 東京<img src="cid:logo.png"></p>',
  text: 'Größe 東京',
  headers: unsubscribe,
  attachments: [
    { filename: 'logo.png', contentType: 'image/png', bytes, contentId: 'logo.png' },
    { filename: 'Überblick — "東京".pdf', contentType: 'application/pdf', bytes },
    { filename: 'mail.eml', contentType: 'message/rfc822', bytes },
  ],
};

const quotedName = '"Bücher, \\"und\\" mehr" <no-reply@xn--bcher-kva.example>';
const expected: SeenEmail = {
  from: quotedName,
  to: '"Ада" <ada@example.com>',
  replyTo: 'help@xn--bcher-kva.example',
  subject: 'Grüße aus 東京 🚀',
  text: 'Größe 東京',
  html: '<p>Größe 東京<img src="cid:logo.png"></p>',
  headers: unsubscribe,
  attachments: [
    { filename: 'logo.png', contentType: 'image/png', bytes, contentId: 'logo.png' },
    { filename: 'Überblick — "東京".pdf', contentType: 'application/pdf', bytes },
    { filename: 'mail.eml', contentType: 'application/octet-stream', bytes },
  ],
  tags: {
    notification_id: emailMessage().notificationId,
    environment_id: emailMessage().environmentId,
  },
};

let bench: EmailBench;
afterEach(() => bench.stop());

async function received(simulation: EmailSimulation): Promise<SeenEmail> {
  const seen = await simulation.read(bench.simulator.received[0]?.request);
  // Services and mail libraries add headers of their own.
  const headers = Object.entries(seen.headers).filter(([name]) => Object.hasOwn(unsubscribe, name));
  return { ...seen, headers: Object.fromEntries(headers) };
}

describe.each(providers)('%s', (_kind, simulation) => {
  async function deliver(changes: Partial<EmailMessage>): Promise<SeenEmail> {
    bench = await startEmailBench(simulation);
    const outcome = await bench.carrier().send(emailMessage(changes), new AbortController().signal);
    expect(outcome).toMatchObject({ kind: 'accepted' });
    return received(simulation);
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
    bench = await startEmailBench(simulation);
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
    bench = await startEmailBench(simulation);
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
  it.each(providers)('is sent to %s only where it takes one', async (_kind, simulation) => {
    bench = await startEmailBench(simulation);
    const outcome = await bench.carrier().send(emailMessage(changes), new AbortController().signal);
    if (field === 'to' && simulation.takesUtf8Recipients)
      return expect(outcome).toMatchObject({ kind: 'accepted' });
    expect(outcome).toMatchObject({
      kind: 'rejected',
      code: 'smtputf8',
      detail: expect.stringContaining(`${field} address`),
    });
    expect(bench.simulator.calls()).toBe(0);
  });
});

const lookAlike = '=?utf-8?B?QmFuaw==?=';

it.each(providers)(
  '%s gets no name or subject that a mail client would decode',
  async (_kind, simulation) => {
    bench = await startEmailBench(simulation);
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
    const seen = await received(simulation);
    expect([seen.from, seen.to, seen.subject].join()).not.toContain('Bank');
    expect(seen.subject).toContain('2+2=?');
    const wire = email?.request.mime?.toString() ?? JSON.stringify(email?.request);
    expect(wire).not.toContain(lookAlike);
  },
);

it.each(providers)(
  '%s repeats nothing of an answer that is not in its own form: base_url may lead anywhere',
  async (_kind, simulation) => {
    bench = await startEmailBench(simulation);
    for (const status of [200, 400, 401, 403, 404, 500]) {
      bench.simulator.fault = { status, headers: { 'content-type': 'text/plain' }, body: 'internal-host 7' };
      const { detail } = await bench.carrier().verify();
      const outcome = await bench.carrier().send(emailMessage(), new AbortController().signal);
      expect(`${detail} ${outcome.detail}`).not.toContain('internal-host');
    }
  },
);
