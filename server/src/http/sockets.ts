import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';

/** Handles connections outside of requests: those that never send one, those that cannot be parsed, and their end. */
interface Sockets {
  /** Answers bytes that Node could not parse as a request. */
  refuse(error: Error, socket: Socket): void;
  watch(app: FastifyInstance): void;
  begin(request: IncomingMessage): void;
  /** Called right before a request is answered, whether it has arrived whole or not. */
  answer(request: IncomingMessage): void;
  /** A client that is answered now should not reuse its connection, and closing should not wait for it. */
  isDraining(): boolean;
}

/**
 * A client that sends its headers byte by byte is answered 408 after the first time, noticed within the second: Node's own
 * interval is 30 s.
 */
export const headerTimes = { headersTimeout: 15_000, connectionsCheckingInterval: 5_000 };

/** `lingerMs` is the time that a refusal gets to arrive. */
export function createSockets(lingerMs = 2_000): Sockets {
  /**
   * Browsers and load balancers open connections ahead of need. Node does not count a connection without a request as idle, and
   * closing would wait for it until its headers are overdue.
   */
  const silent = new Set<Socket>();
  /** Requests that were answered before they had arrived whole: an error in the rest needs no second answer. */
  const answeredEarly = new WeakMap<Socket, IncomingMessage>();
  let closing = false;
  let isListening = () => true;

  return {
    begin({ socket }) {
      silent.delete(socket);
    },
    answer(request) {
      if (!request.complete) answeredEarly.set(request.socket, request);
    },
    isDraining: () => closing || !isListening(),
    refuse(error, socket) {
      if (!socket.writable || answeredEarly.get(socket)?.complete === false) {
        socket.destroy();
        return;
      }
      const problem = problemOf(error);
      const body = JSON.stringify(problem.toBody());
      const head = [
        `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${newId()}`,
        'Cache-Control: no-store',
        'Connection: close',
        ...Object.entries(problem.headers).map(([name, value]) => `${name}: ${value}`),
      ];
      socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
      // Closing at once could lose the answer; without a timeout a client that never closes would hold the connection
      // indefinitely.
      socket.setTimeout(lingerMs, () => socket.destroy());
    },
    watch(app) {
      app.server.once('listening', () => {
        isListening = () => app.server.listening;
      });
      app.server.on('connection', (socket: Socket) => {
        if (closing) {
          socket.destroy();
          return;
        }
        silent.add(socket);
        socket.once('close', () => silent.delete(socket));
      });
      // An unknown expectation is ignored; Node would refuse it with an empty 417.
      app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
      app.addHook('preClose', async () => {
        closing = true;
        for (const socket of silent) socket.destroy();
      });
    },
  };
}

/**
 * A client with no further requests may close its half of the connection and wait for the answers (`nc -N`, simple probes).
 * Node would close the connection, although the request is still executed.
 */
export function answerHalfOpen(server: Server): Server {
  return Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Stops accepting connections for a process that another one has replaced. Callers on open connections get time to learn it from
 * the next response (`Connection: close`). Resolves when all have left, or at the deadline.
 */
export async function stopAccepting(app: FastifyInstance, deadlineMs: number): Promise<void> {
  // `close` of an HTTP server also cuts idle connections, on which a request may be on its way.
  const left = new Promise((resolve) => NetServer.prototype.close.call(app.server, resolve));
  await Promise.race([left, delay(deadlineMs)]);
}

/**
 * Resolves when all requests in progress are answered, or at the deadline without the remaining ones. Idle connections are cut
 * only after `leaveMs`: a request may be on its way on them, and its response says that the connection closes.
 */
export async function closeWithin(app: FastifyInstance, deadlineMs: number, leaveMs = 0): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), deadlineMs);
  if (leaveMs > 0) await stopAccepting(app, leaveMs);
  await app.close().finally(() => clearTimeout(timer));
}

function problemOf(error: Error): Problem {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('payload_too_large', 'The URL and the headers are larger than 16 KiB.');
    case 'HPE_INVALID_METHOD':
      return isRequestLine(error) ? unknownMethod() : notHttp();
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('invalid_json', 'The request was not complete in time.');
    default:
      return notHttp();
  }
}

const notHttp = () => new Problem('invalid_json', 'The request is not valid HTTP.');

/** Node knows some thirty methods, and parses no request with another one: its URL is not known here. */
const unknownMethod = () =>
  new Problem('method_not_allowed', 'No URL supports this HTTP method.', {
    headers: { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' },
  });

const isRequestLine = (error: Error & { rawPacket?: Buffer }): boolean =>
  /^[\w-]+ \S+ HTTP\/1\.[01]\r\n/.test(error.rawPacket?.toString('latin1') ?? '');
