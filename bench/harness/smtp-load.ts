import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { closedLoop, type OpenLoad } from './load.ts';

interface SmtpConnection {
  /** Submits a message and calls back after its last reply. */
  submit(message: string, accepted: () => void, failed: (error: Error) => void): void;
  close(): void;
}

const envelope = (recipient: string): string =>
  ['MAIL FROM:<shop@example.com>', `RCPT TO:<${recipient}>`, 'DATA', ''].join('\r\n');

/** A session as a mail server holds it: signed in once, one message after the other, the envelope in one write (RFC 2920). */
async function openConnection(port: number, key: string, recipient: string): Promise<SmtpConnection> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.setEncoding('latin1');
  let received = '';
  let onReply: (line: string) => void = () => {};
  socket.on('data', (text: string) => {
    received += text;
    for (let end = received.indexOf('\r\n'); end !== -1; end = received.indexOf('\r\n')) {
      const line = received.slice(0, end);
      received = received.slice(end + 2);
      if (line[3] !== '-') onReply(line);
    }
  });
  const reply = () =>
    new Promise<string>((resolve) => {
      onReply = resolve;
    });
  await reply();
  const signIn = ['EHLO bench', `AUTH PLAIN ${Buffer.from(`\0bench\0${key}`).toString('base64')}`];
  for (const line of signIn) {
    socket.write(`${line}\r\n`);
    const answer = await reply();
    if (!answer.startsWith('2')) throw new Error(answer);
  }
  const commands = envelope(recipient);
  return {
    submit(message, accepted, failed) {
      onReply = (line) => {
        if (line.startsWith('354')) socket.write(message, 'latin1');
        else if (line.startsWith('250 2.6.0')) accepted();
        else if (!line.startsWith('250')) failed(new Error(line));
      };
      socket.write(commands);
    },
    close: () => socket.destroy(),
  };
}

/** A message with everything but its Message-ID put together; each call gives one with a new id. */
export function mimeMessages({ subject, text_body, html_body }: Record<string, unknown>): () => string {
  const boundary = '=_carillon_bench';
  const part = (type: string, body: unknown) =>
    `--${boundary}\r\nContent-Type: text/${type}; charset=utf-8\r\n\r\n${body}\r\n`;
  const head = [
    'From: The shop <shop@example.com>',
    'To: Ada Lovelace <delivered@sandbox.test>',
    `Subject: ${subject}`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    `Message-ID: <${randomUUID()}.`,
  ].join('\r\n');
  const tail = `@bench.example>\r\n\r\n${part('plain', text_body)}${part('html', html_body)}--${boundary}--\r\n.\r\n`;
  let count = 0;
  return () => {
    count += 1;
    return head + count + tail;
  };
}

/** Counted like the load of HTTP requests. */
export async function openSmtpLoad(load: {
  port: number;
  key: string;
  recipient: string;
  connections: number;
  nextMessage: () => string;
}): Promise<OpenLoad> {
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => openConnection(load.port, load.key, load.recipient)),
  );
  return closedLoop(connections, (connection, answered, failed) =>
    connection.submit(load.nextMessage(), answered, failed),
  );
}
