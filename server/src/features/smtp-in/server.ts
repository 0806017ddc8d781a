import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SMTPServer, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { channelSpecs } from '../../channels/specs.ts';
import type { Deps } from '../../deps.ts';
import type { Principal } from '../../http/principal.ts';
import { problemOf } from '../../http/problem.ts';
import type { RateLimiter } from '../../http/rate-limit.ts';
import { Problem } from '../../kernel/errors.ts';
import type { NotificationService } from '../notifications/notifications/index.ts';
import { readCertificate, watchCertificate } from './certificate.ts';
import {
  addressKey,
  createConnectionCounts,
  createSignedInCounts,
  createSignInGuard,
  smtpLimits,
} from './limits.ts';
import { createReceiver } from './receiver.ts';
import { isTemporary, replyTo, type SmtpError, type SmtpStep, smtpError } from './replies.ts';
import { submit } from './submission.ts';
import { unstuffInOnePass } from './unstuff.ts';

export interface SmtpIn {
  port: number;
  /** Answers the messages that are being received, and ends all other connections at once; resolves at the deadline at the latest. */
  stop(): Promise<void>;
}

type SmtpInDeps = Pick<
  Deps,
  'config' | 'log' | 'metrics' | 'tracer' | 'authenticator' | 'tasks' | 'listReads'
> & { rateLimiter: RateLimiter; notifications: NotificationService };

/** Commands that the library answers with jokes of 1980s mail servers. */
const removedCommands = ['WIZ', 'SHELL', 'KILL'];
const stopping = 'The server is restarting. Connect again.';

/**
 * A submission server (RFC 6409) for software that can only send mail: a message becomes an email notification for each recipient.
 * Replies are 250 only after the commit, so a client that gets none can repeat the message.
 */
export async function startSmtpIn(deps: SmtpInDeps, port: number, drainMs: number): Promise<SmtpIn> {
  const { config, log, metrics } = deps;
  const { CARILLON_SMTP_TLS_CERT: certPath, CARILLON_SMTP_TLS_KEY: keyPath } = config;
  const certificate = certPath && keyPath ? readCertificate(certPath, keyPath) : null;
  const disabledCommands = [...removedCommands, ...(certificate ? [] : ['STARTTLS'])];
  const byAddress = createConnectionCounts(config.CARILLON_SMTP_CONNECTIONS_PER_ADDRESS);
  const signedIn = createSignedInCounts({
    perKey: config.CARILLON_SMTP_CONNECTIONS_PER_KEY,
    perOrganization: smtpLimits.connectionsPerOrganization,
  });
  const delayOfFailure = createSignInGuard();
  const receiver = createReceiver(smtpLimits);
  /** The key of the session. It is looked up for each message: once revoked, it must not send any more. */
  const keys = new WeakMap<SMTPServerSession, { secret: string; environmentId: string }>();
  const signOuts = new WeakMap<SMTPServerSession, () => void>();
  const failedSignIns = new WeakMap<SMTPServerSession, number>();
  const signInTimers = new WeakMap<SMTPServerSession, NodeJS.Timeout>();
  const closed = new WeakSet<SMTPServerSession>();
  /** The sessions with a message that is being received or written. */
  const busy = new Set<SMTPServerSession>();
  const sockets = new Set<Socket>();
  let isStopping = false;

  // The library is loaded only where it is used: a service without SMTP does not pay for it.
  const { SMTPServer } = await import('smtp-server');
  unstuffInOnePass((await import('smtp-server/lib/smtp-stream.js')).SMTPStream);
  const server: SMTPServer = new SMTPServer({
    name: config.CARILLON_SMTP_NAME ?? 'carillon',
    heloResponse: '%s greets %s',
    size: smtpLimits.messageBytes,
    rejectOversized: true,
    maxRecipients: smtpLimits.recipients,
    maxClients: smtpLimits.connections,
    socketTimeout: smtpLimits.idleMs,
    closeTimeout: drainMs,
    authMethods: ['PLAIN', 'LOGIN'],
    authRequiredMessage: 'Sign in first: the password is an API key.',
    allowInsecureAuth: true, // decided for each connection, in onConnect
    disabledCommands,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    logger: false,
    ...(certificate && { ...certificate, minVersion: 'TLSv1.2' as const }),

    onConnect(session, callback) {
      if (byAddress.isOver(addressKey(session.remoteAddress)))
        return callback(smtpError(421, 'Too many connections from your address. Try again later.'));
      if (!mayUsePlaintext(session)) session.disabledCommands = [...disabledCommands, 'AUTH'];
      const timer = setTimeout(() => end(session, 'No sign-in in time.'), smtpLimits.signInMs);
      signInTimers.set(session, timer.unref());
      callback();
    },

    onSecure(_socket, session, callback) {
      session.disabledCommands = disabledCommands;
      callback();
    },

    onAuth({ password }, session, callback) {
      answer('auth', signIn(password ?? '', session)).then((error) => {
        if (error) callback(error);
        else callback(null, { user: 'key' });
      });
    },

    onMailFrom(_address, session, callback) {
      answer('mail', admit(session)).then(callback);
    },

    onRcptTo({ address }, _session, callback) {
      try {
        channelSpecs.email.recipient.targetOf({ address }, null);
        callback();
      } catch (error) {
        callback(replyTo(problemOf(error), 'rcpt'));
      }
    },

    onData(stream, session, callback) {
      busy.add(session);
      const span = deps.tracer.start('submitMessage', 'server');
      receive(stream, session)
        .then(
          (ids) => {
            metrics.smtpMessages.inc({ outcome: 'accepted' });
            span.end({ 'carillon.notifications': ids.length }, true);
            const [first, ...others] = ids;
            callback(null, `Queued as ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`);
          },
          (error: unknown) => {
            const reply = replyOf(error, 'data');
            metrics.smtpMessages.inc({ outcome: isTemporary(reply) ? 'deferred' : 'rejected' });
            span.end({ 'smtp.code': reply.responseCode }, !isTemporary(reply));
            callback(reply);
            // The client may never come to the final dot: nothing of what it sends from here on is of use.
            if (stream.sizeExceeded) connectionOf(session)?.close();
          },
        )
        .finally(() => {
          busy.delete(session);
          if (isStopping) setImmediate(() => end(session, stopping));
        });
    },

    onClose(session) {
      closed.add(session);
      clearTimeout(signInTimers.get(session));
      signOuts.get(session)?.();
    },
  });

  server.on('error', (error) => log.debug({ err: error }, 'an SMTP connection failed'));
  server.server.on('connection', (socket: Socket) => {
    const address = addressKey(socket.remoteAddress ?? '');
    byAddress.open(address);
    metrics.smtpConnections.inc();
    sockets.add(socket);
    socket.once('close', () => {
      byAddress.close(address);
      metrics.smtpConnections.dec();
      sockets.delete(socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', ({ message }) =>
      reject(new Error(`CARILLON_SMTP_PORT: cannot listen on port ${port} of ${config.HOST}: ${message}`)),
    );
    server.listen({ port, host: config.HOST }, () => resolve());
  });
  const listening = server.server.address() as AddressInfo;
  log.info({ port: listening.port, starttls: certificate !== null }, 'listening for SMTP');
  const stopWatching =
    certPath && keyPath
      ? watchCertificate([certPath, keyPath], {
          log,
          onChange: (fresh) => server.updateSecureContext(fresh),
        })
      : () => {};

  return {
    port: listening.port,
    async stop() {
      if (isStopping) return;
      isStopping = true;
      stopWatching();
      const ended = new Promise<void>((resolve) => server.close(resolve));
      for (const { session } of [...server.connections]) if (!busy.has(session)) end(session, stopping);
      await ended;
      for (const socket of sockets) socket.destroy();
    },
  };

  /** A key in the clear can be read on the way; on the machine itself there is no way. */
  function mayUsePlaintext({ remoteAddress }: SMTPServerSession): boolean {
    return (
      config.CARILLON_SMTP_PLAINTEXT === 'all' || remoteAddress === '::1' || remoteAddress.startsWith('127.')
    );
  }

  async function signIn(secret: string, session: SMTPServerSession): Promise<void> {
    try {
      const principal = await principalOf(secret);
      if (!closed.has(session)) countIn(principal, session);
      keys.set(session, { secret, environmentId: principal.environmentId });
    } catch (error) {
      const { status } = problemOf(error);
      if (status === 401 || status === 403) await punish(session);
      throw error;
    }
    clearTimeout(signInTimers.get(session));
    metrics.smtpSignIns.inc({ outcome: 'accepted' });
  }

  function countIn(principal: Principal, session: SMTPServerSession): void {
    const signOut = signedIn.open(principal);
    if (!signOut)
      throw new Problem(
        'rate_limited',
        'This key or its organization has too many connections. Try again later.',
      );
    signOuts.set(session, signOut);
  }

  async function punish(session: SMTPServerSession): Promise<void> {
    metrics.smtpSignIns.inc({ outcome: 'rejected' });
    const failures = (failedSignIns.get(session) ?? 0) + 1;
    failedSignIns.set(session, failures);
    await delay(delayOfFailure(session.remoteAddress), null, { ref: false });
    if (failures >= smtpLimits.failedSignInsPerConnection)
      setImmediate(() => end(session, 'Too many failed sign-ins.'));
  }

  async function principalOf(secret: string) {
    const principal = await deps.authenticator.byKey(secret);
    if (!principal.scopes.has('notifications:send'))
      throw new Problem('insufficient_scope', 'The key needs the scope notifications:send.');
    return principal;
  }

  /** A message counts as one request of its key, like a batch. */
  async function admit(session: SMTPServerSession): Promise<void> {
    const { secret } = keys.get(session) ?? {};
    if (!secret || !session.user) throw signInFirst(session);
    const verdict = await deps.rateLimiter.take(await principalOf(secret));
    if (verdict && !verdict.allowed)
      throw new Problem(
        'rate_limited',
        `This key can make ${verdict.ratePerSecond} requests per second. Try again later.`,
      );
  }

  function signInFirst(session: SMTPServerSession): Problem {
    if (session.secure || mayUsePlaintext(session))
      return new Problem('missing_credentials', 'Sign in first: the password is an API key.');
    return new Problem(
      'missing_credentials',
      certificate
        ? 'Start TLS first (STARTTLS), then sign in with an API key.'
        : 'This server has no certificate, and takes keys without TLS from its own machine only.',
    );
  }

  /** Returns the ids of the notifications. */
  async function receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string[]> {
    const recipients = session.envelope.rcptTo.map(({ address }) => address);
    const { secret = '', environmentId = '' } = keys.get(session) ?? {};
    const late = setTimeout(() => end(session, 'The message took too long.'), smtpLimits.receiveMs);
    try {
      return await receiver.read(environmentId, stream, async (bytes) => {
        clearTimeout(late);
        const principal = await principalOf(secret);
        return submit(deps, { principal, recipients, bytes, isAbandoned: () => closed.has(session) });
      });
    } finally {
      clearTimeout(late);
    }
  }

  /** Resolves to the reply for a failure; to null when the step succeeded. */
  async function answer(step: SmtpStep, work: Promise<void>): Promise<SmtpError | null> {
    try {
      await work;
      return null;
    } catch (error) {
      return replyOf(error, step);
    }
  }

  function replyOf(error: unknown, step: SmtpStep): SmtpError {
    const problem = problemOf(error);
    if (problem.status >= 500) log.error({ err: problem.cause }, problem.message);
    return replyTo(problem, step);
  }

  function end(session: SMTPServerSession, reason: string): void {
    connectionOf(session)?.send(421, reason);
  }

  function connectionOf(session: SMTPServerSession) {
    return [...server.connections].find((connection) => connection.session === session);
  }
}
