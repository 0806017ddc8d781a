import { createServer, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

/** The answer of the simulated server at one step: a reply (code and text), a closed connection, or no answer at all. */
export type Reply = { code: number; text: string } | 'drop' | 'hang';

/** The server accepts each step whose answer is null or absent. */
interface SmtpScript {
  auth?: (username: string, password: string) => Reply | null;
  mail?: (address: string) => Reply | null;
  rcpt?: (address: string) => Reply | null;
  /** After the whole message, at its final dot. */
  message?: (received: ReceivedMail) => Reply | null | Promise<Reply | null>;
  /** Once some bytes of the message have come. */
  body?: () => 'drop' | null;
}

export interface ReceivedMail {
  from: string;
  to: string[];
  raw: Buffer;
  user: string | null;
  secure: boolean;
  /** The name given in EHLO. */
  clientName: string;
  /** Whether SMTPUTF8 was declared with the sender. */
  utf8: boolean;
}

export interface SmtpSimulatorOptions {
  /** A free port when absent. */
  port?: number;
  /** The credentials that the server requires; none are required when absent. */
  user?: { username: string; password: string };
  /** TLS from the first byte. */
  secure?: boolean;
  /** Offers STARTTLS. */
  startTls?: boolean;
  /** PEM; the library's own self-signed certificate for localhost when absent. */
  key?: string;
  cert?: string;
  hideSmtpUtf8?: boolean;
}

export interface SmtpSimulator {
  port: number;
  /** Everything accepted, in order. */
  received: ReceivedMail[];
  /** The number of connections so far. */
  connections(): number;
  /** The answers from now on. */
  script: SmtpScript;
  /** Closes all connections. */
  dropAll(): void;
  stop(): Promise<void>;
}

/** A scripted mail server on a real socket. */
export async function startSmtpSimulator(options: SmtpSimulatorOptions = {}): Promise<SmtpSimulator> {
  const received: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  type Callback = (error?: Error | null) => void;
  function say(
    reply: Reply | null | undefined,
    session: SMTPServerSession,
    agree: () => void,
    refuse: Callback,
  ): void {
    if (!reply) agree();
    else if (reply === 'drop') dropSession(session);
    else if (reply !== 'hang') refuse(Object.assign(new Error(reply.text), { responseCode: reply.code }));
  }
  function dropSession(session: SMTPServerSession): void {
    for (const socket of sockets) if (socket.remotePort === session.remotePort) socket.destroy();
  }

  const server = new SMTPServer({
    secure: options.secure ?? false,
    ...(options.key ? { key: options.key, cert: options.cert } : {}),
    authOptional: !options.user,
    authMethods: ['PLAIN', 'LOGIN'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    hidePIPELINING: false,
    hideENHANCEDSTATUSCODES: true, // the scripts write their own
    hideSMTPUTF8: options.hideSmtpUtf8 ?? false,
    size: 20_000_000,
    disabledCommands: [...(options.startTls ? [] : ['STARTTLS']), ...(options.user ? [] : ['AUTH'])],
    logger: false,
    onAuth({ username = '', password }, session, callback) {
      const wrong = username !== options.user?.username || password !== options.user?.password;
      const reply = simulator.script.auth?.(username, password ?? '') ?? null;
      const refusal: Reply | null = wrong
        ? { code: 535, text: '5.7.8 Authentication credentials invalid' }
        : null;
      say(reply ?? refusal, session, () => callback(null, { user: username }), callback);
    },
    onMailFrom({ address }, session, callback) {
      say(simulator.script.mail?.(address), session, callback, callback);
    },
    onRcptTo({ address }, session, callback) {
      say(simulator.script.rcpt?.(address), session, callback, callback);
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (simulator.script.body?.() === 'drop') dropSession(session);
      });
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail: ReceivedMail = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks),
          user: session.user ?? null,
          secure: session.secure,
          clientName: session.hostNameAppearsAs,
          utf8: mailFrom !== false && 'SMTPUTF8' in (mailFrom.args || {}),
        };
        const refusal: Reply | null =
          !mail.utf8 && hasUtf8Headers(mail.raw)
            ? { code: 550, text: '5.6.7 Headers outside ASCII need SMTPUTF8' }
            : null;
        const agree = (): void => {
          received.push(mail);
          callback(null, `OK: queued as ${received.length}`);
        };
        void Promise.resolve(simulator.script.message?.(mail)).then((reply) =>
          say(reply ?? refusal, session, agree, callback),
        );
      });
    },
  });
  server.on('error', () => {}); // clients that hang up are the point of many a test
  server.server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });

  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const port = await new Promise<number>((resolve, reject) => {
    server.server.once('error', reject);
    const listening = server.listen(options.port ?? 0, '127.0.0.1', () => {
      const address = listening.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
  const simulator: SmtpSimulator = {
    port,
    received,
    connections: () => connections,
    script: {},
    dropAll,
    stop() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        dropAll();
      });
    },
  };
  return simulator;
}

function hasUtf8Headers(raw: Buffer): boolean {
  return raw.subarray(0, raw.indexOf('\r\n\r\n')).some((byte) => byte > 0x7f);
}

/** A port that answers each connection with this greeting, or with nothing. */
export async function startRawServer(
  greeting: string | null,
): Promise<{ port: number; connected: Promise<void>; stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let onConnected = (): void => {};
  const connected = new Promise<void>((resolve) => {
    onConnected = resolve;
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    onConnected();
    socket.on('error', () => {});
    if (greeting !== null) socket.write(greeting);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    connected,
    stop() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      });
    },
  };
}
