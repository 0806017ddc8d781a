import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A call as it arrived. */
export interface ReceivedCall {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | undefined>;
  text: string;
  /** The same, byte for byte. */
  body: Buffer;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** The connection breaks in the middle of the body. */
  cut?: boolean;
}

/**
 * The fault of one call. Either an answer; or `hang`, `drop`: nothing is done, and no answer is sent; or `hang_after_accept`,
 * `drop_after_accept`: the work is done, and no answer is sent; or the work is not done and the answer is `html` (an error
 * page), `malformed`, `empty` or `half` of one (each a success by its status).
 */
export type Fault =
  | Answer
  | 'hang'
  | 'drop'
  | 'hang_after_accept'
  | 'drop_after_accept'
  | 'html'
  | 'malformed'
  | 'empty'
  | 'half';

export interface HttpSimulator {
  port: number;
  url: string;
  /** The faults of the next calls, in order. */
  faults: Fault[];
  /** The fault of every call once `faults` are used up; null when there is none. */
  fault: Fault | null;
  /** The number of calls so far, failed ones included. */
  calls(): number;
  /** Resolves once a call was left without an answer. */
  hung(): Promise<void>;
  /** Closes all connections. */
  dropAll(): void;
  stop(): Promise<void>;
}

export interface HttpSimulatorOptions {
  /** A free port when absent. */
  port?: number;
  /** The provider's own behaviour. */
  handle(call: ReceivedCall): Answer | Promise<Answer>;
  /** Further control calls beside `/__script`: POST `/__NAME` with a JSON body. */
  controls?: Record<string, (body: Record<string, unknown>) => unknown>;
}

/**
 * A scripted provider on a real socket, controlled by its object or over the wire: `POST /__script` with
 * `{"faults": [...]}` for the next calls (in place of those that are left) or `{"fault": ...}` for all after them.
 */
export async function startHttpSimulator(options: HttpSimulatorOptions): Promise<HttpSimulator> {
  const sockets = new Set<Socket>();
  let calls = 0;
  let left = 0;
  const waiting: (() => void)[] = [];

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void take(callOf(request, Buffer.concat(chunks)), response));
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });

  function leave(): void {
    left += 1;
    for (const wake of waiting.splice(0)) wake();
  }

  async function take(call: ReceivedCall, response: ServerResponse): Promise<void> {
    if (call.path.startsWith('/__')) return control(call, response);
    calls += 1;
    const fault = simulator.faults.shift() ?? simulator.fault;
    switch (fault) {
      case null:
        return reply(response, await options.handle(call));
      case 'hang':
        return leave();
      case 'drop':
        response.socket?.destroy();
        return;
      case 'hang_after_accept':
        await options.handle(call);
        return leave();
      case 'drop_after_accept':
        await options.handle(call);
        response.socket?.destroy();
        return;
      case 'html':
        return reply(response, {
          status: 200,
          headers: { 'content-type': 'text/html' },
          body: '<!doctype html><title>Sorry</title><h1>Something went wrong</h1>',
        });
      case 'malformed':
        return reply(response, { status: 200, body: '{"messages": [' });
      case 'empty':
        return reply(response, { status: 200, body: '' });
      case 'half':
        return cut(response, 200);
      default:
        return fault.cut ? cut(response, fault.status) : reply(response, fault);
    }
  }

  function cut(response: ServerResponse, status: number): void {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"sid": "SM');
    setTimeout(() => response.socket?.destroy(), 20);
  }

  async function control(call: ReceivedCall, response: ServerResponse): Promise<void> {
    const name = call.path.slice(3);
    const body = objectOf(call.text);
    const own =
      options.controls && Object.hasOwn(options.controls, name) ? options.controls[name] : undefined;
    if (call.method !== 'POST' || !body || (name !== 'script' && !own)) {
      return reply(response, {
        status: 404,
        body: { controls: ['script', ...Object.keys(options.controls ?? {})] },
      });
    }
    try {
      if (own) return reply(response, { status: 200, body: (await own(body)) ?? {} });
      if (Array.isArray(body.faults)) simulator.faults = body.faults as Fault[];
      if ('fault' in body) simulator.fault = body.fault as Fault | null;
      reply(response, { status: 200, body: { faults: simulator.faults, fault: simulator.fault } });
    } catch (error) {
      reply(response, { status: 400, body: { error: String(error) } });
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const simulator: HttpSimulator = {
    port,
    url: `http://127.0.0.1:${port}`,
    faults: [],
    fault: null,
    calls: () => calls,
    hung: () =>
      left > 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
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

function callOf(request: IncomingMessage, body: Buffer): ReceivedCall {
  const url = new URL(request.url ?? '/', 'http://simulator');
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers as ReceivedCall['headers'],
    text: body.toString('utf8'),
    body,
  };
}

/** Returns null when the text is not a JSON object. */
export function objectOf(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text || '{}');
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function reply(response: ServerResponse, { status, headers = {}, body }: Answer): void {
  const text = typeof body === 'string' || body === undefined ? (body ?? '') : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}
