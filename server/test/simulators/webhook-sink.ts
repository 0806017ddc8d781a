import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A call as it arrived. */
export interface ReceivedCall {
  path: string;
  headers: Record<string, string>;
  /** The exact text, which is what signatures are about. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any part of the body and asserts on it
  body: any;
  receivedAt: number;
}

/** A status with headers and a body; or a function that writes the response, for servers that misbehave. */
type SinkReply =
  | number
  | { status: number; headers?: Record<string, string>; body?: string | Buffer }
  | ((response: ServerResponse, socket: Socket) => void);

export interface WebhookSink {
  port: number;
  url(path?: string): string;
  received: ReceivedCall[];
  /** The number of connections so far. */
  connections(): number;
  /** The answers from now on. */
  reply: (call: ReceivedCall, number: number) => SinkReply;
  /** Closes all connections. */
  dropAll(): void;
  stop(): Promise<void>;
}

interface WebhookSinkOptions {
  tls?: { key: string; cert: string };
}

/** A scripted webhook receiver on a real socket. It accepts everything by default. */
export async function startWebhookSink(options: WebhookSinkOptions = {}): Promise<WebhookSink> {
  const sockets = new Set<Socket>();
  let connections = 0;

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const call: ReceivedCall = {
        path: request.url ?? '',
        headers: request.headers as Record<string, string>,
        text,
        body: parse(text),
        receivedAt: Date.now(),
      };
      sink.received.push(call);
      answer(sink.reply(call, sink.received.length), response, request.socket);
    });
  };
  const server = options.tls ? createHttpsServer(options.tls, handle) : createHttpServer(handle);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const sink: WebhookSink = {
    port,
    url: (path = '/') => `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}${path}`,
    received: [],
    connections: () => connections,
    reply: () => 204,
    dropAll,
    stop() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        dropAll();
      });
    },
  };
  return sink;
}

function answer(reply: SinkReply, response: ServerResponse, socket: Socket): void {
  if (typeof reply === 'function') reply(response, socket);
  else if (typeof reply === 'number') response.writeHead(reply).end();
  else response.writeHead(reply.status, reply.headers).end(reply.body);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
