import { isIPv6, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { ConnectTimeout, connectAllowed, isAllowedAddress, type NetworkPolicy } from '../../../net.ts';
import type { Mime } from '../../mime.ts';
import type { SmtpReply, SmtpStage } from './classify.ts';
import { failureOf, oneLineReply, SmtpFailure } from './failure.ts';
import type { SmtpConfig } from './manifest.ts';

export interface Timeouts {
  connectMs: number;
  greetingMs: number;
  /** The limit from the greeting to the end of EHLO and STARTTLS; the same limit applies again to the authentication. */
  introductionMs: number;
  /** The limit from MAIL FROM to the server's 354 for the message itself. */
  envelopeMs: number;
  /** The limit for silence on an open connection. */
  socketMs: number;
  /** The limit for one whole message: a server that trickles is never silent. */
  messageMs: number;
}

interface SessionOptions {
  policy: NetworkPolicy;
  clientName?: string | null;
  timeouts: Timeouts;
  tls?: ConnectionOptions;
}

/** One open, authenticated connection to a server; carries one message at a time. */
export interface Session {
  sent: number;
  /** False once the connection is gone, or in a state that the next message must not inherit. */
  usable(): boolean;
  /** Resolves with the server's reply; throws SmtpFailure. */
  deliver(mime: Mime, signal: AbortSignal): Promise<string>;
  close(): void;
  /** Closes without QUIT; a delivery in progress fails as lost. */
  destroy(): void;
}

export async function openSession(
  config: SmtpConfig,
  { policy, clientName, timeouts, tls }: SessionOptions,
  signal: AbortSignal,
): Promise<Session> {
  const { host, port, secure, requireTls, auth } = config;
  const socket = await connectAllowed({ host, port, policy, timeoutMs: timeouts.connectMs, signal }).catch(
    (error: unknown) => {
      throw new SmtpFailure(failureOf('connect', error, signal));
    },
  );
  const connection = new SMTPConnection({
    connection: socket,
    name: clientName ?? addressLiteral(socket.localAddress ?? '127.0.0.1'),
    host,
    port,
    secure,
    connectionTimeout: timeouts.connectMs + timeouts.greetingMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.socketMs,
    maxResponseSize: 64 * 1024,
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...tls },
    logger: false,
  });
  connection.on('error', () => {}); // each step below handles the error itself
  const secrets = auth ? secretsOf(auth) : [];
  const run = stepsOf(connection, socket, signal, secrets);
  try {
    const { greetingMs, introductionMs } = timeouts;
    await run('greeting', greetingMs + introductionMs, (done) => connection.connect(done));
    const offersUtf8 = /^250[ -]SMTPUTF8\s*$/im.test(String(connection.lastServerResponse));
    if (requireTls && !connection.secure) throw new SmtpFailure(tlsRequired);
    if (auth) {
      if (!connection.allowsAuth) throw new SmtpFailure(noAuth);
      if (!mayCarryPassword(connection.secure, socket.remoteAddress)) throw new SmtpFailure(noTls);
      const credentials = { user: auth.username, pass: auth.password };
      await run('auth', introductionMs, (done) => connection.login({ credentials }, done));
    }
    return sessionOn(connection, socket, { offersUtf8, secrets, timeouts });
  } catch (error) {
    connection.close();
    socket.destroy();
    throw error;
  }
}

/** The name of a client that has no host name (RFC 5321 4.1.3). */
export function addressLiteral(address: string): string {
  const ip = address.replace(/^::ffff:(?=\d+\.)/, '');
  return isIPv6(ip) ? `[IPv6:${ip}]` : `[${ip}]`;
}

/** The password in every form in which it was sent, and in which a server may repeat it. */
function secretsOf({ username, password }: NonNullable<SmtpConfig['auth']>): string[] {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return [base64(`\0${username}\0${password}`), base64(password), password];
}

/**
 * An attacker between us and a public server could remove its offer of STARTTLS and read the password. On the machine or in the
 * private network, which the operator has to allow, servers without TLS are common and such an attacker is unlikely.
 */
export function mayCarryPassword(encrypted: boolean, remoteAddress: string | undefined): boolean {
  return encrypted || (remoteAddress !== undefined && !isAllowedAddress(remoteAddress, 'none'));
}

const noAnswer = 'The server did not answer in time.';

/** How long a server may take for a QUIT or RSET before the connection is dropped. */
const goodbyeMs = 2_000;

const noAuth: SmtpReply = {
  stage: 'auth',
  kind: 'no_auth',
  reply: '',
  detail:
    'A username is configured, but the server does not offer authentication (on this port, or without TLS).',
};

const noTls: SmtpReply = {
  stage: 'auth',
  kind: 'no_tls',
  reply: '',
  detail: 'The server offers no TLS on this port, and the password is only sent over TLS.',
};

const tlsRequired: SmtpReply = {
  stage: 'greeting',
  kind: 'no_tls',
  reply: '',
  detail: 'The server offers no TLS on this port, and require_tls is set.',
};

/**
 * Runs a step of the dialogue until its callback, an error, the end of the connection, an abort of `signal`, or the timeout.
 */
function stepsOf(
  connection: SMTPConnection,
  socket: Socket,
  signal: AbortSignal,
  secrets: readonly string[],
) {
  return (
    stage: SmtpStage,
    limitMs: number,
    start: (done: (error?: Error | null) => void) => void,
  ): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (error?: unknown): void => {
        clearTimeout(timer);
        connection.off('error', settle);
        connection.off('end', onEnd);
        signal.removeEventListener('abort', onAbort);
        if (error) reject(new SmtpFailure(failureOf(stage, error, signal, secrets)));
        else resolve();
      };
      const onEnd = (): void => settle(new Error('The server closed the connection.'));
      const giveUp = (reason: unknown): void => {
        settle(reason);
        socket.destroy();
      };
      const onAbort = (): void => giveUp(signal.reason);
      const timer = setTimeout(() => giveUp(new ConnectTimeout(noAnswer)), limitMs);
      connection.on('error', settle);
      connection.on('end', onEnd);
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
      else start(settle);
    });
}

interface SessionTraits {
  offersUtf8: boolean;
  secrets: readonly string[];
  timeouts: Timeouts;
}

function sessionOn(
  connection: SMTPConnection,
  socket: Socket,
  { offersUtf8, secrets, timeouts: { envelopeMs, messageMs } }: SessionTraits,
): Session {
  let clean = true;
  const declareUtf8 = utf8Declaration(connection);

  async function deliver({ envelope, utf8, raw }: Mime, signal: AbortSignal): Promise<string> {
    if (!offersUtf8 && utf8.length > 0) {
      throw new SmtpFailure({
        stage: 'rcpt',
        kind: 'smtputf8',
        reply: '',
        detail: `The server does not support non-ASCII addresses (SMTPUTF8), and the ${utf8[0]} address is one.`,
      });
    }
    clean = false;
    declareUtf8(utf8.length > 0);
    const body = readableOf(raw);
    try {
      const reply = await new Promise<string>((resolve, reject) => {
        const giveUp = (reason: unknown): void => {
          reject(reason);
          socket.destroy();
        };
        const onAbort = (): void => giveUp(signal.reason);
        const timer = setTimeout(
          () => giveUp(new ConnectTimeout('The server took too long over the message.')),
          messageMs,
        );
        const envelopeTimer = setTimeout(() => {
          if (!body.readableDidRead) giveUp(new ConnectTimeout(noAnswer));
        }, envelopeMs);
        signal.addEventListener('abort', onAbort);
        if (signal.aborted) onAbort();
        connection.send({ from: envelope.from, to: [envelope.to], size: raw.length }, body, (error, info) => {
          clearTimeout(timer);
          clearTimeout(envelopeTimer);
          signal.removeEventListener('abort', onAbort);
          if (error) reject(error);
          else resolve(info.response);
        });
      });
      // A reply before the end of the body cannot be about this message.
      if (!body.readableEnded) throw new Error('The server replied before the end of the message.');
      clean = true;
      return oneLineReply(reply, secrets);
    } catch (error) {
      const failure = failureOf(stageOf(error, body), error, signal, secrets);
      // Any other reply was not expected: later replies could no longer be matched to their commands.
      const isRefusal = /^[45]/.test(failure.reply);
      if (isRefusal && (body.readableEnded || !body.readableDidRead)) clean = await reset();
      throw new SmtpFailure(failure);
    }
  }

  /** After a refusal the connection is reusable, once RSET has made the server forget the message. */
  function reset(): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isReset: boolean): void => {
        clearTimeout(timer);
        connection.off('end', onEnd);
        resolve(isReset);
      };
      const onEnd = (): void => settle(false);
      const timer = setTimeout(onEnd, goodbyeMs);
      connection.on('end', onEnd);
      connection.reset((error) => settle(!error));
    });
  }

  return {
    sent: 0,
    usable: () => clean && !connection.destroyed && !socket.destroyed,
    deliver,
    close() {
      connection.quit();
      setTimeout(() => socket.destroy(), goodbyeMs).unref();
    },
    destroy: () => socket.destroy(),
  };
}

/**
 * Declares SMTPUTF8 with the sender of a message whose headers need it. nodemailer does so for addresses of the envelope alone
 * and has no option for the rest, so the command is completed as it is written.
 */
function utf8Declaration(connection: SMTPConnection): (isNeeded: boolean) => void {
  const commands = connection as unknown as { _sendCommand(command: string, shown?: string): void };
  const sendCommand = commands._sendCommand.bind(connection);
  let declares = false;
  commands._sendCommand = (command, shown) =>
    sendCommand(
      declares && /^MAIL FROM:(?!.* SMTPUTF8)/.test(command) ? `${command} SMTPUTF8` : command,
      shown,
    );
  return (isNeeded) => {
    declares = isNeeded;
  };
}

/** The body is read only after the server's 354, so the amount read shows how far the message got. */
function readableOf(raw: Buffer): Readable {
  const chunk = 64 * 1024;
  let offset = 0;
  return new Readable({
    read() {
      this.push(offset < raw.length ? raw.subarray(offset, offset + chunk) : null);
      offset += chunk;
    },
  });
}

/** The server's reply names the command that it answers; a broken connection does not, but the body does. */
function stageOf(error: unknown, body: Readable): SmtpStage {
  const { command, code } = error as { command?: string; code?: string };
  if (command === 'MAIL FROM') return 'mail';
  if (command === 'RCPT TO') return 'rcpt';
  if (body.readableEnded) return 'handed_over';
  return body.readableDidRead || (command === 'DATA' && code === 'EENVELOPE') ? 'data' : 'rcpt';
}
