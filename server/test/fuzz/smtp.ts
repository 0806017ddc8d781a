import { beginMessage, openSession, type SmtpSession, signedIn } from '../harness/smtp-session.ts';
import type { Random } from './random.ts';
import type { FuzzTarget } from './target.ts';
import type { Area, Trial } from './trial.ts';
import { hostileText, hostileValue, type JsonObject, spelled } from './values.ts';

/** Messages are longer than other inputs may be. */
const maxMessage = 24 * 1_048_576;
const maxRecipients = 100;

const boundary = 'b';
const multipart = (kind: string, parts: string[], name = boundary): string =>
  `Content-Type: multipart/${kind}; boundary="${name}"\r\n\r\n${parts.map((part) => `--${name}\r\n${part}\r\n`).join('')}--${name}--`;
const part = (type: string, text: string, encoding = '7bit'): string =>
  `Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${text}`;
const head = (more = ''): string =>
  `From: Ada <ada@example.com>\r\nTo: Bob <delivered@sandbox.test>\r\nSubject: Hi\r\n${more}`;
const nested = (depth: number, inner: string): string => {
  let text = inner;
  for (let level = depth; level > 0; level -= 1)
    text = multipart(level % 2 ? 'mixed' : 'alternative', [text], `b${level}`);
  return text;
};
const lines = (text: string, length = 76): string =>
  text.replace(new RegExp(`.{${length}}`, 'g'), (line) => `${line}\r\n`);
const base64 = (text: string): string => lines(Buffer.from(text).toString('base64'));

const charsets = ['utf-8', 'iso-8859-1', 'utf-16', 'utf-7', 'gb18030', 'shift_jis', 'x-nothing', 'us-ascii'];
const types = [
  'text/plain',
  'text/html',
  'image/png',
  'message/rfc822',
  'text/calendar; method=REQUEST',
].concat(...['text/enriched', 'application/pdf', 'multipart/mixed', 'a', '']);
const encodings = ['7bit', '8bit', 'base64', 'quoted-printable', 'x-nothing', 'BASE64'];
const headers = [
  'To',
  'Cc',
  'From',
  'Reply-To',
  'Subject',
  'Message-ID',
  'X-Carillon-Data',
  'X-Carillon-Category',
].concat(
  ...[
    'X-Carillon-Priority',
    'X-Carillon-Idempotency-Key',
    'X-Nothing',
    'Content-Type',
    'Content-Disposition',
    'Date',
  ],
);

const encodedWord = (random: Random): string =>
  random.pick([
    '=?utf-8?q?=41?= ',
    '=?utf-8?b?QQ==?= ',
    '=?iso-8859-1?q?=e4?=',
    '=?x?q?',
    '=?utf-8?b?',
    '=?utf-16?b?AEE=?=',
  ]);

function headerLines(random: Random): string {
  const value = random.pick([
    () => hostileText(random, 20_000).replaceAll('\n', '\n '),
    () => encodedWord(random).repeat(random.size(2_000)),
    () => `Ada <a${random.below(9)}@example.com>, `.repeat(random.size(1_500)),
    () => `a: b <c@d.e>${', x <y@z.w>'.repeat(random.size(1_500))};`,
    () => JSON.stringify(hostileValue(random, 20_000)),
    () => `x\r\n ${'y\r\n '.repeat(random.size(5_000))}`,
    () => `text/plain; charset=${random.pick(charsets)}${'; a="b"'.repeat(random.size(2_000))}`,
    () => `attachment; ${"filename*0*=utf-8''%41; ".repeat(random.size(1_000))}`,
  ])();
  return `${random.pick(headers)}: ${value}\r\n`.repeat(random.chance(0.2) ? random.size(50) : 1);
}

function anyPart(random: Random, depth: number): string {
  if (depth > 0 && random.chance(0.5)) {
    const inner = Array.from({ length: random.size(30) }, () => anyPart(random, depth - 1));
    return multipart(random.pick(['mixed', 'alternative', 'related', 'report']), inner, `b${depth}`);
  }
  const text = hostileText(random, 4_000);
  const encoding = random.pick(encodings);
  const type = `${random.pick(types)}; charset=${random.pick(charsets)}`;
  return part(type, encoding === 'base64' ? base64(text) : text, encoding);
}

const many = (unit: string, times: number): JsonObject => ({ unit, times });
/** `more` stands between the two halves of a message. */
const message = (before: string, more: JsonObject, after = '', recipients = 1): JsonObject => ({
  recipients,
  message: before,
  more,
  after,
});
const html = (unit: string): JsonObject =>
  message(`${head()}Content-Type: text/html\r\n\r\n`, many(unit, Math.floor(90_000 / unit.length)));

const sessions = new WeakMap<FuzzTarget, SmtpSession>();

async function sessionOf(target: FuzzTarget): Promise<SmtpSession> {
  const open = sessions.get(target);
  if (open?.socket.writable) return open;
  const session = await signedIn(target.smtpPort, target.testKey);
  sessions.set(target, session);
  return session;
}

async function submit(trial: Trial, { recipients, ...input }: JsonObject): Promise<string | null> {
  const text = `${input.message ?? ''}${spelled(input.more, maxMessage)}${input.after ?? ''}`;
  const addresses = Array.from(
    { length: Math.max(1, Math.min(maxRecipients, Number(recipients) || 1)) },
    (_, n) => `delivered+${n}@sandbox.test`,
  );
  const session = await sessionOf(trial.target);
  await trial.tell('SMTP envelope', async () => {
    await session.ask('RSET');
    await beginMessage(session, addresses);
    return true;
  });
  let reply = '';
  await trial.tell('SMTP message', async () => {
    const bytes = Buffer.from(text, input.latin1 ? 'latin1' : 'utf8').toString('latin1');
    session.socket.write(Buffer.from(`${bytes.replace(/(^|\n)\./g, '$1..')}\r\n.\r\n`, 'latin1'));
    reply = await session.reply();
    return reply.startsWith('250');
  });
  if (reply === '') session.socket.destroy();
  return /Queued as (\S+)/.exec(reply)?.[1] ?? null;
}

/** What a client says without waiting for the answers. */
async function say(trial: Trial, commands: string): Promise<void> {
  const session = await openSession(trial.target.smtpPort);
  await trial.tell('SMTP commands', async () => {
    session.socket.write(`EHLO x\r\n${commands}\r\nQUIT\r\n`);
    for (let reply = 'x'; reply !== '' && !/^(?:221|421|5\d\d 5\.5\.[0-9] )/.test(reply); )
      reply = await session.reply();
    return true;
  });
  session.socket.destroy();
}

/** Mail as software submits it: a message from DATA to its reply, and its notifications afterwards. */
export const smtp: Area = {
  name: 'smtp',
  sampleEvery: 6,
  known: [
    message(`${head()}\r\n`, many('Hello.\r\n', 10)),
    ...['<b>', '<p>', '<table><tr><td>', '<a href="x">', '<', '&amp;', '<!--', '<li>', '<br>'].map(html),
    // Other messages than a single text: the parser makes HTML of text, and text of HTML.
    ...['<b>', '<', '&lt;', 'http://x ', ' ', '\r\n', '> '].map((unit) =>
      message(
        head(),
        {},
        multipart('mixed', [
          part('text/html', unit.repeat(30_000 / unit.length)),
          part('text/plain', unit.repeat(30_000 / unit.length)),
          part('text/html', '<p>x'),
        ]),
      ),
    ),
    message(head(), {}, nested(200, part('text/plain', 'x'))),
    message(
      head(),
      {},
      multipart(
        'mixed',
        Array.from({ length: 2_000 }, () => part('text/plain', 'x')),
      ),
    ),
    message(
      head(),
      {},
      multipart(
        'mixed',
        Array.from({ length: 2_000 }, () => part('image/png', 'QQ==', 'base64')),
      ),
    ),
    // 60,000 attachments, each of nothing.
    message(
      `${head()}Content-Type: multipart/mixed; boundary=b\r\n\r\n`,
      many('--b\r\nContent-Type: a/b\r\n\r\n\r\n', 60_000),
      '--b--',
    ),
    message(`${head()}Content-Type: multipart/mixed; boundary=b\r\n\r\n`, many('--b\r\n', 100_000), '--b--'),
    message(
      `${head()}Content-Type: multipart/mixed; boundary=${'b'.repeat(50_000)}\r\n\r\n`,
      many(`--${'b'.repeat(4_000)}\r\n`, 1_000),
    ),
    ...[
      'To',
      'Cc',
      'Reply-To',
      'X-Nothing',
      'X-Carillon-Data',
      'X-Carillon-Category',
      'Subject',
      'Message-ID',
    ].map((name) => message(`${head()}${name}: `, many('x <y@z.w>, ', 45_000), '\r\n\r\nx')),
    ...['=?utf-8?q?=41?= ', '=?utf-8?b?QQ==?=', '=?', '"', '(', '<', ',', ':;', '\\', '\r\n ', '=?x?q?'].map(
      (unit) =>
        message(
          `To: ${unit.repeat(40_000 / unit.length)}\r\nFrom: `,
          many(unit, 40_000 / unit.length),
          '\r\n\r\nx',
        ),
    ),
    message('', many('X-A: b\r\n', 60_000), '\r\nx'),
    // Within the size that is read at once.
    ...['=?utf-8?q?=41?= ', '(', '"', '<a@b>,', ';', '\r\n ', '=?', '@', 'content-type: '].map((unit) =>
      message(`Subject: x\r\nTo: ${unit.repeat(3_900 / unit.length)}\r\n\r\nx`, {}, '', 100),
    ),
    message(`${head()}Content-Transfer-Encoding: quoted-printable\r\n\r\n`, many('=41=\r\n', 300_000)),
    message(`${head()}Content-Transfer-Encoding: base64\r\n\r\n`, many(`${'QUJD'.repeat(19)}\r\n`, 280_000)),
    message(`${head()}\r\n`, many('.\r\n', 30_000)),
    message(`${head()}\r\n`, many('..\r\n', 30_000)),
    // The same content for every recipient.
    message(`${head()}\r\n`, many('Hello. ', 12_000), '', 100),
    message(`${head()}Content-Type: text/html\r\n\r\n`, many('<p>Hello ', 10_000), '', 100),
    message(`${head()}X-Carillon-Data: {"a":[`, many('1,', 9_000), '1]}\r\n\r\nx', 100),
    message(`${head()}X-Carillon-Data: {"a":[`, many('{},', 9_000), '1]}\r\n\r\nx', 100),
    message(`${head()}X-Carillon-Data: {"a":`, many('[', 5_000), '\r\n\r\nx'),
    message(
      head(),
      {},
      multipart(
        'mixed',
        Array.from({ length: 10 }, () => part('image/png', base64('x'.repeat(5_000)), 'base64')),
      ),
      100,
    ),
    { commands: 'NOOP\r\n'.repeat(16_000) },
    { commands: `MAIL FROM:<${'@a,'.repeat(5_000)}@b:c@d.e>` },
    { commands: `EHLO ${'a.'.repeat(8_000)}` },
    { commands: `AUTH PLAIN ${'A'.repeat(16_000)}\r\n`.repeat(3) },
  ],
  fresh(random) {
    if (random.chance(0.1))
      return {
        commands: random
          .pick([
            'NOOP\r\n',
            'RSET\r\n',
            'VRFY x\r\n',
            'MAIL FROM:<x@y.z>\r\n',
            `${hostileText(random, 2_000)}\r\n`,
            'HELP\r\n',
          ])
          .repeat(random.size(5_000))
          .slice(0, 90_000),
      };
    const top = Array.from({ length: random.below(4) }, () => headerLines(random)).join('');
    const text = random.chance(0.6)
      ? anyPart(random, random.below(4))
      : `${random.pick(['', 'Content-Type: text/html\r\n', 'Content-Transfer-Encoding: quoted-printable\r\n'])}\r\n${hostileText(random, 60_000)}`;
    return {
      recipients: random.size(maxRecipients),
      message: head(top.slice(0, 60_000)) + text.slice(0, 80_000),
      latin1: random.chance(0.3),
    };
  },
  async run(trial, input) {
    if (typeof input.commands === 'string') return say(trial, input.commands);
    const id = await submit(trial, input);
    if (!id) return;
    const path = `/v1/notifications/${id}`;
    await trial.afterwards('delivery', async () => {
      const { body } = await trial.target.request('GET', path);
      return body.status !== 'queued' && body.status !== 'sending';
    });
    await trial.ask('GET notification', 'GET', path);
    await trial.ask('GET content', 'GET', `${path}/content`);
    await trial.ask('GET notifications', 'GET', '/v1/notifications?limit=100');
    await trial.ask('GET sandbox messages', 'GET', '/v1/sandbox/messages?limit=100');
  },
};
