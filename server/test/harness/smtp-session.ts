import { connect, type Socket } from 'node:net';

/** A client that speaks SMTP line by line, for what mail libraries hide. */
export interface SmtpSession {
  socket: Socket;
  /** Sends a line and resolves to the whole reply. */
  ask(line: string): Promise<string>;
  /** Resolves to a reply that was not asked for; to the empty text when the connection is closed without one. */
  reply(): Promise<string>;
}

export async function openSession(port: number, host = '127.0.0.1'): Promise<SmtpSession> {
  const socket = connect({ host, port });
  socket.on('error', () => {});
  let received = '';
  let wake = (): void => {};
  const news = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
    wake();
  });
  socket.on('close', () => wake());

  async function reply(): Promise<string> {
    for (;;) {
      const end = /^\d{3}(?: .*)?\r\n/m.exec(received);
      if (end) {
        const length = end.index + end[0].length;
        const text = received.slice(0, length);
        received = received.slice(length);
        return text;
      }
      if (socket.closed) return '';
      await news();
    }
  }

  const session: SmtpSession = {
    socket,
    reply,
    ask(line) {
      if (socket.writable) socket.write(`${line}\r\n`);
      return reply();
    },
  };
  await reply();
  return session;
}

/** A session that has signed in. */
export async function signedIn(port: number, key: string): Promise<SmtpSession> {
  const session = await openSession(port);
  await session.ask('EHLO client.example');
  const reply = await session.ask(`AUTH PLAIN ${plain(key)}`);
  if (!reply.startsWith('235')) throw new Error(reply);
  return session;
}

export const plain = (key: string): string => Buffer.from(`\0apikey\0${key}`).toString('base64');

/** Begins a message: what is left to send are its lines and the final dot. */
export async function beginMessage({ ask }: SmtpSession, recipients: string[]): Promise<void> {
  await ask('MAIL FROM:<shop@example.com>');
  for (const address of recipients) await ask(`RCPT TO:<${address}>`);
  const reply = await ask('DATA');
  if (!reply.startsWith('354')) throw new Error(reply);
}
