import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';

/** What happens on connections outside of requests: those that never ask, those that cannot be understood, and their end. */
export interface Sockets {
  /** For what Node could not read as a request. */
  refuse(error: Error, socket: Socket): void;
  watch(app: FastifyInstance): void;
}

/** `lingerMs`: a refusal gets so long to arrive. */
export function createSockets(lingerMs = 2_000): Sockets {
  /**
   * Browsers and balancers open connections ahead of need. For Node one that has not asked anything is not idle, and closing
   * would wait for it until its headers are overdue.
   */
  const silent = new Set<Socket>();
  /** Answered before the whole request was there: whatever is wrong with its rest, nobody is waiting for another answer. */
  const answered = new WeakSet<Socket>();
  let closing = false;

  function begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    silent.delete(socket);
    answered.delete(socket);
    response.once('finish', () => {
      if (!request.complete) answered.add(socket);
    });
  }

  return {
    refuse(error, socket) {
      if (!socket.writable || answered.has(socket)) {
        socket.destroy();
        return;
      }
      const problem = problemOf(error);
      const body = JSON.stringify(problem.toBody());
      const head = [
        `HTTP/1.1 ${problem.status} ${problem.status === 413 ? 'Payload Too Large' : 'Bad Request'}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${newId()}`,
        'Cache-Control: no-store',
        'Connection: close',
      ];
      socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
      // Hanging up at once could tear the answer from the wire; and whoever never does would keep the connection for ever.
      socket.setTimeout(lingerMs, () => socket.destroy());
    },
    watch(app) {
      app.server.on('connection', (socket: Socket) => {
        if (closing) {
          socket.destroy();
          return;
        }
        silent.add(socket);
        socket.once('close', () => silent.delete(socket));
      });
      app.server.on('request', begin);
      // An expectation that we do not know is none of ours; Node would refuse it without a word.
      app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
      app.addHook('preClose', async () => {
        closing = true;
        for (const socket of silent) socket.destroy();
      });
      // Whoever is answered while we close should not ask here again, and the connection should not wait for it.
      app.addHook('onSend', (_request, reply, _payload, done) => {
        if (closing) reply.header('connection', 'close');
        done();
      });
    },
  };
}

/**
 * Whoever has nothing more to ask may close its half of the connection and wait for the answers (`nc -N`, simple probes). Node
 * would hang up on it, and what it asked for would be done all the same.
 */
export function answerHalfOpen(server: Server): Server {
  return Object.assign(server, { httpAllowHalfOpen: true });
}

/** Ends when all requests under way are answered, or at the deadline without those that are left. */
export async function closeWithin(app: FastifyInstance, deadlineMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), deadlineMs);
  await app.close().finally(() => clearTimeout(timer));
}

function problemOf(error: Error): Problem {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('payload_too_large', 'The address and the headers are larger than 16 KiB.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('invalid_json', 'The request did not arrive whole within the time for it.');
    default:
      return new Problem('invalid_json', 'The request is not valid HTTP.');
  }
}
