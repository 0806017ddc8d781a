import {
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { type Answer, type HttpSimulator, type ReceivedCall, startHttpSimulator } from './http-simulator.ts';

/**
 * The fault of one call. Either an answer; or `hang`: no answer; or `drop`: the connection breaks; or `goaway`: the session ends, and
 * this call was not begun; or `refuse`: only this call is refused; or `hang_after_accept`.
 */
type Http2Fault = Answer | 'hang' | 'drop' | 'goaway' | 'refuse' | 'hang_after_accept';

export interface Http2Simulator {
  port: number;
  url: string;
  /** Where the control calls go: HTTP/2 without TLS is not for curl. */
  control: HttpSimulator;
  faults: Http2Fault[];
  fault: Http2Fault | null;
  calls(): number;
  /** The number of sessions that were opened so far. */
  sessions(): number;
  openSessions(): number;
  /** The server announces its end: calls in progress are answered, later ones need another session. */
  goaway(): void;
  stop(): Promise<void>;
}

interface Http2SimulatorOptions {
  port?: number;
  controlPort?: number;
  handle(call: ReceivedCall): Answer | Promise<Answer>;
  controls?: Record<string, (body: Record<string, unknown>) => unknown>;
  /** Calls over HTTP/1.1, on the port of the controls. */
  handleHttp1?(call: ReceivedCall): Answer | Promise<Answer>;
}

/** A scripted service on a real socket that speaks HTTP/2 without TLS. */
export async function startHttp2Simulator(options: Http2SimulatorOptions): Promise<Http2Simulator> {
  const open = new Set<ServerHttp2Session>();
  let calls = 0;
  let sessions = 0;

  const server: Http2Server = createServer();
  server.on('session', (session) => {
    sessions += 1;
    open.add(session);
    session.on('error', () => {});
    session.on('close', () => open.delete(session));
  });
  server.on('sessionError', () => {});
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const body = Buffer.concat(chunks);
      const url = new URL(String(headers[':path']), 'http://simulator');
      void take(stream, {
        method: String(headers[':method']),
        path: url.pathname,
        query: url.searchParams,
        headers: headers as ReceivedCall['headers'],
        text: body.toString('utf8'),
        body,
      });
    });
  });

  async function take(stream: ServerHttp2Stream, call: ReceivedCall): Promise<void> {
    calls += 1;
    const fault = simulator.faults.shift() ?? simulator.fault;
    switch (fault) {
      case null:
        return reply(stream, await options.handle(call));
      case 'hang':
        return;
      case 'hang_after_accept':
        await options.handle(call);
        return;
      case 'drop':
        // Not within the callback of a stream: Node.js 20 frees the memory of the session twice then.
        setImmediate((session) => session?.destroy(), stream.session);
        return;
      case 'refuse':
        return stream.close(constants.NGHTTP2_REFUSED_STREAM);
      case 'goaway':
        stream.session?.goaway(constants.NGHTTP2_NO_ERROR, (stream.id ?? 1) - 1);
        return stream.close(constants.NGHTTP2_REFUSED_STREAM);
      default:
        return reply(stream, fault);
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const control = await startHttpSimulator({
    ...(options.controlPort === undefined ? {} : { port: options.controlPort }),
    handle: options.handleHttp1 ?? (() => ({ status: 404 })),
    controls: {
      ...options.controls,
      script({ faults, fault }) {
        if (Array.isArray(faults)) simulator.faults.push(...(faults as Http2Fault[]));
        if (fault !== undefined) simulator.fault = fault as Http2Fault | null;
        return { faults: simulator.faults, fault: simulator.fault };
      },
      goaway: () => simulator.goaway(),
    },
  });
  const simulator: Http2Simulator = {
    port,
    url: `http://127.0.0.1:${port}`,
    control,
    faults: [],
    fault: null,
    calls: () => calls,
    sessions: () => sessions,
    openSessions: () => open.size,
    goaway() {
      for (const session of open) session.goaway(constants.NGHTTP2_NO_ERROR);
    },
    async stop() {
      for (const session of open) session.destroy();
      await Promise.all([control.stop(), new Promise<void>((resolve) => server.close(() => resolve()))]);
    },
  };
  return simulator;
}

function reply(stream: ServerHttp2Stream, { status, headers = {}, body }: Answer): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': status, 'content-type': 'application/json', ...headers });
  stream.end(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
}
