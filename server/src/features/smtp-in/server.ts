import { readFileSync, statSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { SMTPServer } from 'smtp-server';
import type { Log } from '../../kernel/log.ts';
import {
  addressKey,
  createConnectionCounts,
  createReceiver,
  createSignedInCounts,
  createSignInGuard,
  smtpLimits,
} from './limits.ts';
import { endIdle, handlersOf, type SmtpInDeps, type SmtpListener } from './session.ts';
import { unstuffInOnePass } from './unstuff.ts';

export interface SmtpIn {
  port: number;
  /** Answers the messages that are being received, and ends all other connections at once; resolves at the deadline at the latest. */
  stop(): Promise<void>;
}

/** Commands that the library answers with jokes of 1980s mail servers. */
const removedCommands = ['WIZ', 'SHELL', 'KILL'];

/**
 * A submission server (RFC 6409) for software that can only send mail: a message becomes an email notification for each recipient.
 * Replies are 250 only after the commit, so a client that gets none can repeat the message.
 */
export async function startSmtpIn(deps: SmtpInDeps, port: number, drainMs: number): Promise<SmtpIn> {
  const { config, log } = deps;
  const { CARILLON_SMTP_TLS_CERT: certPath, CARILLON_SMTP_TLS_KEY: keyPath } = config;
  const certificate = certPath && keyPath ? readCertificate(certPath, keyPath) : null;
  const listener: SmtpListener = {
    ...deps,
    hasCertificate: certificate !== null,
    disabledCommands: [...removedCommands, ...(certificate ? [] : ['STARTTLS'])],
    byAddress: createConnectionCounts(config.CARILLON_SMTP_CONNECTIONS_PER_ADDRESS),
    signedIn: createSignedInCounts({
      perKey: config.CARILLON_SMTP_CONNECTIONS_PER_KEY,
      perOrganization: smtpLimits.connectionsPerOrganization,
    }),
    delayOfFailure: createSignInGuard(),
    receiver: createReceiver(smtpLimits),
    sessions: new WeakMap(),
    isStopping: false,
    connectionOf: (session) => [...server.connections].find((connection) => connection.session === session),
  };

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
    disabledCommands: listener.disabledCommands,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    logger: false,
    ...(certificate && { ...certificate, minVersion: 'TLSv1.2' as const }),
    ...handlersOf(listener),
  });
  server.on('error', (error) => log.debug({ err: error }, 'an SMTP connection failed'));
  const sockets = trackSockets(server, listener);
  const listeningPort = await listen(server, config.HOST, port);
  log.info({ port: listeningPort, starttls: certificate !== null }, 'listening for SMTP');
  const onChange = (fresh: Certificate) => server.updateSecureContext(fresh);
  const stopWatching =
    certPath && keyPath ? watchCertificate([certPath, keyPath], { log, onChange }) : () => {};

  return {
    port: listeningPort,
    async stop() {
      if (listener.isStopping) return;
      listener.isStopping = true;
      stopWatching();
      const ended = new Promise<void>((resolve) => server.close(resolve));
      for (const { session } of [...server.connections]) endIdle(listener, session);
      await ended;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Counts the connections, and returns those that are open. */
function trackSockets({ server }: SMTPServer, { byAddress, metrics }: SmtpListener): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
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
  return sockets;
}

/** Resolves to the port. */
async function listen(server: SMTPServer, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', ({ message }) =>
      reject(new Error(`CARILLON_SMTP_PORT: cannot listen on port ${port} of ${host}: ${message}`)),
    );
    server.listen({ port, host }, () => resolve());
  });
  return (server.server.address() as AddressInfo).port;
}

/** The certificate and its key, in PEM. */
export interface Certificate {
  cert: Buffer;
  key: Buffer;
}

const checkEveryMs = 60_000;

/** Reads both files, and fails with a sentence when they cannot be used. */
export function readCertificate(certPath: string, keyPath: string): Certificate {
  try {
    const certificate = { cert: readFileSync(certPath), key: readFileSync(keyPath) };
    createSecureContext(certificate);
    return certificate;
  } catch (error) {
    throw new Error(
      `The certificate in CARILLON_SMTP_TLS_CERT and CARILLON_SMTP_TLS_KEY cannot be used: ${(error as Error).message}`,
    );
  }
}

/** Certificates are renewed every few weeks by replacing their files; a process that runs for months has to notice. */
export function watchCertificate(
  paths: [certPath: string, keyPath: string],
  { log, onChange }: { log: Log; onChange: (certificate: Certificate) => void },
  everyMs = checkEveryMs,
): () => void {
  const changedAt = (): string => paths.map((path) => statSync(path).mtimeMs).join();
  let known = changedAt();
  const timer = setInterval(() => {
    try {
      const seen = changedAt();
      if (seen === known) return;
      onChange(readCertificate(...paths));
      known = seen;
      log.info('the certificate for SMTP was replaced');
    } catch (error) {
      log.warn({ err: error }, 'the new certificate for SMTP cannot be used; the old one stays');
    }
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
