import { PassThrough } from 'node:stream';
import type { SMTPServerDataStream } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTcpProxy, type TcpProxy, targetOf } from '../../../test/failover/tcp-proxy.ts';
import { startTestApp, type TestApp, waitUntil } from '../../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts';
import { beginMessage, openSession, type SmtpSession, signedIn } from '../../../test/harness/smtp-session.ts';
import { createReceiver, createSignedInCounts, createSignInGuard } from './limits.ts';

/** What clients see of a service at its limits, without its database, and on its way out. */
let database: TestDatabase;
let proxy: TcpProxy;
let app: TestApp;
let port: number;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startTcpProxy(targetOf(database.url));
  const url = new URL(database.url);
  url.searchParams.delete('host');
  url.host = `127.0.0.1:${proxy.port}`;
  app = await startTestApp({
    database: { ...database, url: url.toString() },
    settings: {
      CARILLON_ROLES: 'api',
      CARILLON_SMTP_PORT: '0',
      CARILLON_RATE_LIMIT: '2',
      CARILLON_SMTP_CONNECTIONS_PER_ADDRESS: '3',
      CARILLON_SMTP_CONNECTIONS_PER_KEY: '2',
    },
  });
  port = app.app.smtpPort ?? 0;
});
afterAll(async () => {
  await proxy.stop();
  await app.stop();
  await database.drop();
});

const count = async (id: string): Promise<number> =>
  (await database.pool.query('select from notifications where idempotency_key like $1', [`<${id}>%`]))
    .rowCount ?? 0;

const close = async ({ socket }: SmtpSession): Promise<void> => {
  if (socket.closed) return;
  await new Promise((resolve) => socket.once('close', resolve).destroy());
};

/** Waits for a token of the rate limit. */
const begin = (session: SmtpSession) =>
  waitUntil(() => beginMessage(session, ['ada@example.com']).catch(() => new Error('limited')));

test('a fourth connection from one address is refused, and the next one after a close is not', async () => {
  const open = await Promise.all([openSession(port), openSession(port), openSession(port)]);
  const fourth = await openSession(port);
  expect(await fourth.ask('EHLO me')).toBe('');
  for (const session of open) await close(session);
  await close(
    await waitUntil(async () => {
      const session = await openSession(port);
      return (await session.ask('EHLO me')) ? session : new Error('still refused');
    }),
  );
});

test('a third connection cannot sign in with a key, and after a close it can', async () => {
  const open = [await signedIn(port, app.testKey), await signedIn(port, app.testKey)];
  await expect(signedIn(port, app.testKey)).rejects.toThrow(
    /^454 4\.7\.0 This key or its organization has too many connections.* \[rate_limited\]/,
  );
  for (const session of open) await close(session);
  const next = await waitUntil(() => signedIn(port, app.testKey).catch(() => new Error('still refused')));
  await close(next);
});

test('the keys of one organization share its connections, and leave those of others alone', () => {
  const counts = createSignedInCounts({ perKey: 2, perOrganization: 3 });
  const open = (id: string, organizationId = 'busy') => counts.open({ id, organizationId });
  const first = open('one');
  expect([first, open('one'), open('two')]).not.toContain(null);
  expect([open('one'), open('two')]).toEqual([null, null]);
  expect(open('other', 'quiet')).not.toBeNull();
  first?.();
  expect(open('two')).not.toBeNull();
});

test('a message beyond the size is refused and the connection ended, without its final dot', async () => {
  const session = await signedIn(port, app.testKey);
  await begin(session);
  const { socket } = session;
  const mebibyte = Buffer.alloc(1_048_576, `${'x'.repeat(76)}\r\n`);
  let sent = 0;
  for (; sent < 100 && socket.writable; sent += 1)
    await new Promise<void>((resolve) => {
      socket.once('close', resolve);
      socket.write(mebibyte, () => {
        socket.off('close', resolve);
        resolve();
      });
    });
  expect(await session.reply()).toMatch(/^552 5\.\d\.\d .*message size/);
  expect(await session.reply()).toBe('');
  // Some of it was on its way when the connection was ended.
  expect(sent).toBeLessThan(60);
});

test('a message counts as one request of its key, and beyond the rate the client tries again', async () => {
  const session = await signedIn(port, app.testKey);
  const replies: string[] = [];
  for (let index = 0; index < 6; index += 1) {
    replies.push(await session.ask('MAIL FROM:<a@example.com>'));
    await session.ask('RSET');
  }
  expect(replies.at(-1)).toMatch(/^451 4\.3\.0 This key can make 2 requests per second.* \[rate_limited\]/);
  await close(session);
});

test('without its database the service asks to try again, and nothing is half written', async () => {
  const session = await signedIn(port, app.testKey);
  await begin(session);
  proxy.redirect({ port: 1 });
  proxy.cut();
  expect(await session.ask('Message-ID: <outage>\r\n\r\nHello\r\n.')).toMatch(
    /^451 4\.3\.0 The database is temporarily unavailable\. Try again\. \[temporarily_unavailable\]/,
  );
  proxy.redirect(targetOf(database.url));
  expect(await count('outage')).toBe(0);
  await begin(session);
  expect(await session.ask('Message-ID: <outage>\r\n\r\nHello\r\n.')).toMatch(/^250 2\.6\.0 Queued as /);
  expect(await count('outage')).toBe(1);
  await close(session);
});

test('after twenty failed sign-ins of a network, each further one is answered five seconds later', () => {
  const delayOf = createSignInGuard();
  for (let failures = 0; failures < 20; failures += 1) expect(delayOf('192.0.2.1')).toBe(0);
  expect(delayOf('192.0.2.77')).toBe(5_000);
  expect(delayOf('198.51.100.1')).toBe(0);
});

test('the messages of one environment take a share of the memory, and leave the rest to others', async () => {
  const receiver = createReceiver({ bytesInProgress: 40, bytesInProgressPerEnvironment: 10 });
  const open = (environmentId: string) => {
    const stream = new PassThrough();
    const message = stream as unknown as SMTPServerDataStream;
    return { stream, size: receiver.read(environmentId, message, async ({ length }) => length) };
  };
  const slow = open('busy');
  slow.stream.write('123456');
  await waitUntil(async () => slow.stream.readableLength === 0 || new Error('not read yet'));
  const second = open('busy');
  second.stream.end('12345');
  await expect(second.size).rejects.toThrow('Too many messages');
  const other = open('quiet');
  other.stream.end('1234567890');
  expect(await other.size).toBe(10);
  slow.stream.end('7890');
  expect(await slow.size).toBe(10);
  const next = open('busy');
  next.stream.end('1234567890');
  expect(await next.size).toBe(10);
});

test('a stop answers the message that is being received, and ends idle connections at once', async () => {
  const [idle, sending] = [await signedIn(port, app.testKey), await signedIn(port, app.testKey)];
  await begin(sending);
  sending.socket.write('Message-ID: <last>\r\n\r\nHel');
  const stopped = app.app.stop();
  expect(await idle.reply()).toMatch(/^421 .*restarting/);
  expect(await sending.ask('lo\r\n.')).toMatch(/^250 2\.6\.0 Queued as /);
  expect(await sending.reply()).toMatch(/^421 .*restarting/);
  await stopped;
  expect(await count('last')).toBe(1);
});
