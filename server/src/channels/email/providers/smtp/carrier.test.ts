import PostalMime from 'postal-mime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localhostCertificate, localhostKey } from '../../../../../test/simulators/localhost-certificate.ts';
import {
  type SmtpSimulator,
  type SmtpSimulatorOptions,
  startRawServer,
  startSmtpSimulator,
} from '../../../../../test/simulators/smtp.ts';
import type { ProviderCarrier } from '../../../contract.ts';
import type { EmailMessage } from '../../../message.ts';
import { createSmtpCarrier, maxConnections, type SmtpOptions } from './carrier.ts';
import type { SmtpConfig } from './manifest.ts';
import { addressLiteral, mayCarryPassword } from './session.ts';

/** For servers that are silent on purpose; the others may take their time on a busy machine. */
const impatient = { timeouts: { greetingMs: 300, introductionMs: 300, envelopeMs: 400, socketMs: 600 } };
const never = (): AbortSignal => new AbortController().signal;
const cleanUp: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

async function simulate(options: SmtpSimulatorOptions = {}): Promise<SmtpSimulator> {
  const simulator = await startSmtpSimulator(options);
  cleanUp.push(() => simulator.stop());
  return simulator;
}

function carrierFor(
  port: number,
  config: Partial<SmtpConfig> = {},
  options: Partial<SmtpOptions> = {},
): ProviderCarrier {
  const carrier = createSmtpCarrier(
    'relay',
    { host: '127.0.0.1', port, secure: false, requireTls: false, auth: null, ...config },
    { policy: 'loopback', ...options },
  );
  cleanUp.push(() => carrier.close());
  return carrier;
}

function message(changes: Partial<EmailMessage> = {}): EmailMessage {
  return {
    channel: 'email',
    notificationId: '0198aaaa-0000-7000-8000-000000000001',
    environmentId: '0198aaaa-0000-7000-8000-00000000000e',
    attempt: 1,
    to: { address: 'ada@example.com', name: 'Ada' },
    from: { address: 'no-reply@acme.example', name: 'Acme' },
    replyTo: null,
    subject: 'Hello',
    html: '<p>Hello</p>',
    text: 'Hello',
    attachments: [],
    headers: {},
    ...changes,
  };
}

describe('a server that takes the message', () => {
  it('gets the envelope and the MIME message, and its reply is the detail', async () => {
    const server = await simulate();
    const outcome = await carrierFor(server.port).send(message(), never());
    expect(outcome).toMatchObject({
      kind: 'accepted',
      code: '250',
      detail: expect.stringContaining('queued as 1'),
    });
    expect(server.received).toMatchObject([{ from: 'no-reply@acme.example', to: ['ada@example.com'] }]);
    const parsed = await PostalMime.parse(server.received[0]?.raw ?? '');
    expect(parsed).toMatchObject({
      subject: 'Hello',
      messageId: '<0198aaaa-0000-7000-8000-000000000001@acme.example>',
    });
  });

  it('gets no message that cannot be built: a wrong header is final, a thread that ended is not', async () => {
    const server = await simulate();
    const run = async () => {
      throw new Error('the thread ended with exit code 1');
    };
    const wrong = await carrierFor(server.port).send(message({ headers: { Bcc: 'x' } }), never());
    expect(wrong).toMatchObject({ kind: 'rejected', code: 'mime' });
    const lost = await carrierFor(server.port, {}, { tasks: { run } }).send(message(), never());
    expect(lost).toMatchObject({ kind: 'retry', code: 'internal', internal: true });
    expect(server.received).toEqual([]);
  });

  it('gets many messages over few connections', async () => {
    const server = await simulate();
    const carrier = carrierFor(server.port);
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => carrier.send(message(), never())));
    expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(server.received).toHaveLength(40);
    expect(server.connections()).toBeLessThanOrEqual(maxConnections);
  });

  it('that hung up on the idle connection gets the next message over a new one', async () => {
    const server = await simulate();
    const carrier = carrierFor(server.port);
    await carrier.send(message(), never());
    server.dropAll();
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'accepted' });
    expect(server.received).toHaveLength(2);
  });

  it('that takes its leave of a connection gets the next message over a new one', async () => {
    const server = await simulate();
    const carrier = carrierFor(server.port);
    await carrier.send(message(), never());
    let goodbyes = 0;
    server.script.mail = () => (goodbyes++ === 0 ? { code: 421, text: '4.4.2 Idle for too long' } : null);
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'accepted' });
    expect(server.connections()).toBe(2);
  });

  it('gets a message of many megabytes whole', async () => {
    const server = await simulate();
    const bytes = Buffer.alloc(8_000_000, 'carillon');
    const attachments = [{ filename: 'big.bin', contentType: 'application/octet-stream', bytes }];
    expect(await carrierFor(server.port).send(message({ attachments }), never())).toMatchObject({
      kind: 'accepted',
    });
    const { attachments: parsed } = await PostalMime.parse(server.received[0]?.raw ?? '');
    expect(Buffer.from(parsed[0]?.content as ArrayBuffer).equals(bytes)).toBe(true);
  });
});

describe('authentication', () => {
  const user = { username: 'acme', password: 'a secret' };

  it('is made with the username and password', async () => {
    const server = await simulate({ user });
    expect(await carrierFor(server.port, { auth: user }).send(message(), never())).toMatchObject({
      kind: 'accepted',
    });
    expect(server.received[0]?.user).toBe('acme');
  });

  it('that fails is a broken configuration', async () => {
    const server = await simulate({ user });
    const carrier = carrierFor(server.port, { auth: { username: 'acme', password: 'wrong' } });
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'broken', code: '535 5.7.8' });
    expect(await carrier.verify()).toMatchObject({ ok: false, detail: expect.stringContaining('535') });
  });

  it.each([
    [true, '203.0.114.7', true],
    [true, undefined, true],
    [false, '203.0.114.7', false],
    [false, '2a00:1450:4001::1', false],
    [false, undefined, false],
    [false, '127.0.0.1', true],
    [false, '::1', true],
    [false, '10.0.0.25', true],
  ])('with TLS %s may be made at %s: %s', (encrypted, address, expected) => {
    expect(mayCarryPassword(encrypted, address)).toBe(expected);
  });

  it('that the server puts off is tried again', async () => {
    const server = await simulate({ user });
    server.script.auth = () => ({ code: 454, text: '4.7.0 Temporary authentication failure' });
    expect(await carrierFor(server.port, { auth: user }).send(message(), never())).toMatchObject({
      kind: 'retry',
      code: '454 4.7.0',
    });
  });

  it('that the server does not offer is a broken configuration, and nothing is sent without it', async () => {
    const server = await simulate();
    expect(await carrierFor(server.port, { auth: user }).send(message(), never())).toMatchObject({
      kind: 'broken',
      code: 'no_auth',
    });
    expect(server.received).toHaveLength(0);
  });
});

describe('a refusal', () => {
  it.each([
    [
      'no such user',
      { code: 550, text: '5.1.1 No such user' },
      { kind: 'suppress', reason: 'hard_bounce', code: '550 5.1.1' },
    ],
    [
      'greylisting',
      { code: 450, text: '4.7.1 Greylisted, try later' },
      { kind: 'retry', atLeastMs: 300_000 },
    ],
    ['a full mailbox', { code: 452, text: '4.2.2 Mailbox full' }, { kind: 'retry', code: '452 4.2.2' }],
    ['policy', { code: 554, text: '5.7.1 Relay access denied' }, { kind: 'rejected', code: '554 5.7.1' }],
  ])('of the recipient for %s is classed by its code', async (_name, reply, expected) => {
    const server = await simulate();
    server.script.rcpt = () => reply;
    expect(await carrierFor(server.port).send(message(), never())).toMatchObject(expected);
  });

  it('of the sender never blames the recipient', async () => {
    const server = await simulate();
    server.script.mail = () => ({ code: 550, text: '5.1.8 Sender address rejected' });
    expect(await carrierFor(server.port).send(message(), never())).toMatchObject({ kind: 'broken' });
  });

  it('at the end of the message is classed by its code, and the connection serves the next message', async () => {
    const server = await simulate();
    const carrier = carrierFor(server.port);
    server.script.message = () => ({ code: 554, text: '5.7.1 Spam' });
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'rejected' });
    server.script = {};
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'accepted' });
    expect(server.connections()).toBe(1);
  });

  it('that is none, at the end of the message, leaves the outcome open, and the next message goes over a new connection', async () => {
    const server = await simulate();
    const carrier = carrierFor(server.port);
    server.script.message = () => ({ code: 354, text: 'Go ahead' });
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'ambiguous', code: '354' });
    server.script = {};
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'accepted' });
    expect(server.connections()).toBe(2);
  });

  it('for size is foreseen when the server announces its limit', async () => {
    const server = await simulate();
    const attachments = [{ filename: 'a', contentType: 'text/plain', bytes: Buffer.alloc(15_500_000) }];
    expect(await carrierFor(server.port).send(message({ attachments }), never())).toMatchObject({
      kind: 'rejected',
    });
  });

  it.each([
    ['to', { to: { address: 'zoë@example.com', name: null } }],
    ['from', { from: { address: 'zoë@acme.example', name: null } }],
    ['reply_to', { replyTo: 'zoë@acme.example' }],
  ])('of a %s address outside ASCII is foreseen', async (field, changes) => {
    const server = await simulate({ hideSmtpUtf8: true });
    expect(await carrierFor(server.port).send(message(changes), never())).toMatchObject({
      kind: 'rejected',
      code: 'smtputf8',
      detail: expect.stringMatching(new RegExp(`SMTPUTF8.*${field}`)),
    });
  });
});

describe('addresses outside ASCII', () => {
  it.each([
    ['to', { to: { address: 'zoë@bücher.example', name: null } }],
    ['reply_to', { replyTo: 'zoë@bücher.example' }],
  ])('as %s are declared to a server that takes them, with the domain in ASCII', async (_name, changes) => {
    const server = await simulate();
    const carrier = carrierFor(server.port);
    expect(await carrier.send(message(changes), never())).toMatchObject({ kind: 'accepted' });
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'accepted' });
    expect(server.received.map(({ utf8 }) => utf8)).toEqual([true, false]);
    const headers = String(server.received[0]?.raw).split('\r\n\r\n')[0];
    expect(headers).toContain('zoë@xn--bcher-kva.example');
    expect(headers).not.toContain('bücher');
  });

  it('before the @ only: a domain needs nothing declared', async () => {
    const server = await simulate({ hideSmtpUtf8: true });
    const outcome = await carrierFor(server.port).send(message({ replyTo: 'help@bücher.example' }), never());
    expect(outcome).toMatchObject({ kind: 'accepted' });
    expect(String(server.received[0]?.raw)).toContain('help@xn--bcher-kva.example');
  });
});

describe('the name given in EHLO', () => {
  it('is the one that is configured', async () => {
    const server = await simulate();
    const carrier = carrierFor(server.port, {}, { clientName: 'notify.acme.example' });
    await carrier.send(message(), never());
    expect(server.received[0]?.clientName).toBe('notify.acme.example');
  });

  it('is otherwise our address on that connection', async () => {
    const server = await simulate();
    await carrierFor(server.port).send(message(), never());
    expect(server.received[0]?.clientName).toBe('[127.0.0.1]');
    expect(addressLiteral('203.0.113.7')).toBe('[203.0.113.7]');
    expect(addressLiteral('::ffff:203.0.113.7')).toBe('[203.0.113.7]');
    expect(addressLiteral('2001:db8::7')).toBe('[IPv6:2001:db8::7]');
  });
});

describe('a connection that breaks', () => {
  it('at the recipient is tried again later', async () => {
    const server = await simulate();
    server.script.rcpt = () => 'drop';
    expect(await carrierFor(server.port).send(message(), never())).toMatchObject({
      kind: 'retry',
      code: 'lost',
    });
  });

  it('in the middle of the message is tried again later: the server cannot have it', async () => {
    const server = await simulate();
    server.script.body = () => 'drop';
    const attachments = [{ filename: 'a', contentType: 'text/plain', bytes: Buffer.alloc(12_000_000, 'a') }];
    expect(await carrierFor(server.port).send(message({ attachments }), never())).toMatchObject({
      kind: 'retry',
      code: 'lost',
    });
  });

  it('after the final dot leaves the outcome open', async () => {
    const server = await simulate();
    server.script.message = () => 'drop';
    expect(await carrierFor(server.port).send(message(), never())).toMatchObject({
      kind: 'ambiguous',
      code: 'lost',
    });
  });

  it('by silence after the final dot leaves the outcome open', async () => {
    const server = await simulate();
    server.script.message = () => 'hang';
    expect(await carrierFor(server.port, {}, impatient).send(message(), never())).toMatchObject({
      kind: 'ambiguous',
      code: 'timeout',
    });
  });

  it('is given up when one message takes too long, however lively the server', async () => {
    const server = await simulate();
    server.script.message = () => 'hang';
    const carrier = carrierFor(server.port, {}, { timeouts: { messageMs: 300 } });
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'ambiguous', code: 'timeout' });
  });

  it('by silence before the message is tried again later', async () => {
    const server = await simulate();
    server.script.rcpt = () => 'hang';
    expect(await carrierFor(server.port, {}, impatient).send(message(), never())).toMatchObject({
      kind: 'retry',
      code: 'timeout',
    });
  });
});

describe('a server that cannot be used', () => {
  it('because it never greets is tried again later', async () => {
    const server = await startRawServer(null);
    cleanUp.push(() => server.stop());
    expect(await carrierFor(server.port, {}, impatient).send(message(), never())).toMatchObject({
      kind: 'retry',
      code: 'timeout',
    });
  });

  it('because it falls silent during the introductions is tried again later, without the patience for a message', async () => {
    const patient = { timeouts: { ...impatient.timeouts, socketMs: 60_000 } };
    const server = await startRawServer('220 Welcome\r\n');
    cleanUp.push(() => server.stop());
    expect(await carrierFor(server.port, {}, patient).send(message(), never())).toMatchObject({
      kind: 'retry',
      code: 'timeout',
    });

    const user = { username: 'acme', password: 'a secret' };
    const doorkeeper = await simulate({ user });
    doorkeeper.script.auth = () => 'hang';
    expect(await carrierFor(doorkeeper.port, { auth: user }, patient).send(message(), never())).toMatchObject(
      { kind: 'retry', code: 'timeout' },
    );
  });

  it('because it has too many guests is throttled, because it does not want us is broken', async () => {
    const busy = await startRawServer('421 4.3.2 Too many connections\r\n');
    const closed = await startRawServer('554 No SMTP service here\r\n');
    cleanUp.push(
      () => busy.stop(),
      () => closed.stop(),
    );
    expect(await carrierFor(busy.port).send(message(), never())).toMatchObject({
      kind: 'throttled',
      code: '421 4.3.2',
    });
    expect(await carrierFor(closed.port).send(message(), never())).toMatchObject({
      kind: 'broken',
      code: '554',
    });
  });

  it.each([
    'HTTP/1.1 400 Bad Request\r\n\r\n',
    'SSH-2.0-OpenSSH_9.9 internal-host\r\n',
    '-ERR unknown command, internal-host\r\n',
    '20250101 internal-host\r\n',
    '700 internal-host\r\n',
  ])('because it greets with %j is reported without its greeting', async (greeting) => {
    const server = await startRawServer(greeting);
    cleanUp.push(() => server.stop());
    const carrier = carrierFor(server.port);
    const detail = 'The server does not speak SMTP.';
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'retry', code: 'lost', detail });
    expect(await carrier.verify()).toEqual({ ok: false, detail });
  });

  it('because the port is closed is tried again later', async () => {
    const server = await startRawServer(null);
    await server.stop();
    expect(await carrierFor(server.port).send(message(), never())).toMatchObject({
      kind: 'retry',
      detail: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('because its address is not allowed is a broken configuration, and it is not called', async () => {
    const server = await simulate();
    const outcome = await carrierFor(server.port, { host: 'localhost' }, { policy: 'none' }).send(
      message(),
      never(),
    );
    expect(outcome).toMatchObject({ kind: 'broken', code: 'blocked' });
    expect(server.connections()).toBe(0);
  });
});

describe('TLS', () => {
  const own = { key: localhostKey, cert: localhostCertificate };
  const trusted = { tls: { ca: localhostCertificate } };

  it.each([
    ['by STARTTLS when the server offers it', { startTls: true }, false],
    ['from the first byte when secure', { secure: true }, true],
  ])('is used %s', async (_name, options, secure) => {
    const server = await simulate({ ...own, ...options });
    const carrier = carrierFor(server.port, { host: 'localhost', secure }, trusted);
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'accepted' });
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'accepted' });
    expect(server.received.every((mail) => mail.secure)).toBe(true);
    expect(server.connections()).toBe(1);
  });

  it.each([
    ['by STARTTLS', { startTls: true }, false],
    ['from the first byte', { secure: true }, true],
  ])('with an untrusted certificate is refused %s, and nothing is sent', async (_name, options, secure) => {
    const server = await simulate({ ...own, ...options });
    expect(await carrierFor(server.port, { secure }).send(message(), never())).toMatchObject({
      kind: 'retry',
      code: 'tls',
    });
    expect(server.received).toHaveLength(0);
  });

  it('that is required is not done without: nothing is sent to a server that does not offer it', async () => {
    const plain = await simulate();
    const carrier = carrierFor(plain.port, { requireTls: true });
    const detail = 'The server offers no TLS on this port, and require_tls is set.';
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'broken', code: 'no_tls', detail });
    expect(await carrier.verify()).toEqual({ ok: false, detail });
    expect(plain.received).toHaveLength(0);
  });

  it.each([
    ['by STARTTLS', { startTls: true }, false],
    ['from the first byte', { secure: true }, true],
  ])('that is required may come %s, with a certificate that holds', async (_name, options, secure) => {
    const server = await simulate({ ...own, ...options });
    const config = { host: 'localhost', secure, requireTls: true };
    expect(await carrierFor(server.port, config, trusted).send(message(), never())).toMatchObject({
      kind: 'accepted',
    });
    expect(await carrierFor(server.port, config).send(message(), never())).toMatchObject({ code: 'tls' });
  });

  it('at a port that does not speak it is tried again later', async () => {
    const server = await simulate();
    expect(await carrierFor(server.port, { secure: true }).send(message(), never())).toMatchObject({
      kind: 'retry',
      code: 'tls',
      detail: expect.stringContaining('does not use TLS from the first byte'),
    });
  });
});

describe('a reservation', () => {
  it('waits for a connection, and is worth one message', async () => {
    const server = await simulate();
    const carrier = carrierFor(server.port);
    const reserve = async () => {
      const reserved = await carrier.reserve?.(never(), false);
      if (!reserved || 'kind' in reserved) throw new Error(`no reservation: ${JSON.stringify(reserved)}`);
      return reserved;
    };
    const held = await Promise.all(Array.from({ length: maxConnections }, reserve));
    let last = false;
    const late = reserve().then((reservation) => {
      last = true;
      return reservation;
    });
    expect(await held[0]?.send(message(), never())).toMatchObject({ kind: 'accepted' });
    const reservation = await late;
    expect(last).toBe(true);
    for (const each of [...held.slice(1), reservation]) each.release();
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'accepted' });
    expect(server.connections()).toBe(maxConnections);
  });

  it('that is urgent passes those that are not, and no other', async () => {
    const server = await simulate();
    const carrier = carrierFor(server.port);
    const order: string[] = [];
    const reserve = async (name: string, urgent: boolean) => {
      const reserved = await carrier.reserve?.(never(), urgent);
      if (!reserved || 'kind' in reserved) throw new Error(`no reservation: ${JSON.stringify(reserved)}`);
      order.push(name);
      return reserved;
    };
    const held = await Promise.all(Array.from({ length: maxConnections }, () => reserve('first', false)));
    const waiting = [
      reserve('plain', false),
      reserve('plain again', false),
      reserve('urgent', true),
      reserve('urgent again', true),
    ];
    for (const each of held) each.release();
    for (const each of await Promise.all(waiting)) each.release();
    expect(order.slice(maxConnections)).toEqual(['urgent', 'urgent again', 'plain', 'plain again']);
  });

  it('is not available where the port is closed', async () => {
    const server = await startRawServer(null);
    await server.stop();
    expect(await carrierFor(server.port).reserve?.(never(), false)).toMatchObject({ kind: 'retry' });
  });
});

describe('stopping', () => {
  let server: SmtpSimulator;
  beforeEach(async () => {
    server = await simulate();
  });

  it('before the message was handed over gives it back', async () => {
    server.script.rcpt = () => 'hang';
    expect(await carrierFor(server.port).send(message(), AbortSignal.timeout(50))).toMatchObject({
      kind: 'retry',
      code: 'stopped',
    });
  });

  it('after it was handed over leaves the outcome open', async () => {
    const { arrived } = holdMessages();
    const stop = new AbortController();
    const sent = carrierFor(server.port).send(message(), stop.signal);
    await arrived;
    stop.abort();
    expect(await sent).toMatchObject({ kind: 'ambiguous', code: 'stopped' });
  });

  it('while waiting for a connection gives it back and costs the others nothing', async () => {
    server.script.rcpt = (address) => (address === 'slow@example.com' ? 'hang' : null);
    const carrier = carrierFor(server.port, {}, impatient);
    const slow = Array.from({ length: maxConnections }, () =>
      carrier.send(message({ to: { address: 'slow@example.com', name: null } }), never()),
    );
    expect(await carrier.send(message(), AbortSignal.timeout(50))).toMatchObject({
      kind: 'retry',
      code: 'stopped',
    });
    await Promise.all(slow);
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'accepted' });
  });

  /** Resolves when the server has a whole message; until `answer` is called it says nothing. */
  function holdMessages(): { arrived: Promise<void>; answer: () => void } {
    let answer = (): void => {};
    const released = new Promise<null>((resolve) => {
      answer = () => resolve(null);
    });
    const arrived = new Promise<void>((resolve) => {
      server.script.message = () => {
        resolve();
        return released;
      };
    });
    return { arrived, answer };
  }

  it('the carrier lets what is under way finish, and takes nothing more', async () => {
    const { arrived, answer } = holdMessages();
    const carrier = carrierFor(server.port);
    const underWay = carrier.send(message(), never());
    await arrived;
    const closing = carrier.close();
    expect(await carrier.send(message(), never())).toMatchObject({ kind: 'retry', code: 'stopped' });
    answer();
    await closing;
    expect(await underWay).toMatchObject({ kind: 'accepted' });
  });

  it('the carrier ends what takes too long', async () => {
    const silent = await startRawServer(null);
    cleanUp.push(() => silent.stop());
    const { arrived } = holdMessages();
    const [greeting, handedOver] = [silent.port, server.port].map((port) =>
      carrierFor(port, {}, { closeGraceMs: 20 }),
    );
    const sends = [greeting, handedOver].map((carrier) => carrier?.send(message(), never()));
    await Promise.all([silent.connected, arrived]);
    await Promise.all([greeting, handedOver].map((carrier) => carrier?.close()));
    expect((await Promise.all(sends)).map((outcome) => outcome?.kind)).toEqual(['retry', 'ambiguous']);
  });
});

it('verify connects and authenticates without sending', async () => {
  const user = { username: 'acme', password: 'a secret' };
  const server = await simulate({ user });
  expect(await carrierFor(server.port, { auth: user }).verify()).toEqual({
    ok: true,
    detail: 'Connected and authenticated.',
  });
  expect(server.received).toHaveLength(0);
});
