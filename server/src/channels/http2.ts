import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { createClosingCache } from '../kernel/cache.ts';
import type { OutboundAnswer, OutboundFailure } from './http.ts';
import { AddressRefused, ConnectTimeout, connectAllowed, type NetworkPolicy } from './net.ts';

/**
 * HTTP/2 calls to services that expect many calls on one connection. The same rules as `Outbound`: checked addresses, verified
 * certificates, no redirects, one deadline; failures are returned. Calls of one account share a session, which is replaced when the
 * server ends it (GOAWAY): calls that the server did not begin are repeated on the next session.
 */
export interface Http2Client {
  post(call: Http2Call): Promise<OutboundAnswer | OutboundFailure>;
  stop(): Promise<void>;
}

export interface Http2Call {
  /** `https://host:port`; `http:` is HTTP/2 without TLS. */
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Calls of different accounts never share a session. */
  account: string;
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
}

export interface Http2Options {
  policy: NetworkPolicy;
  /** Certificates that are trusted in addition to the usual ones. */
  ca?: string;
  /** A session without a call for this long is closed. */
  idleMs?: number;
  /** Sessions that are open at the same time; the one that was used longest ago makes room. */
  maxSessions?: number;
}

const connectTimeoutMs = 10_000;
const defaultIdleMs = 5 * 60_000;
const defaultMaxSessions = 500;
/** A call that the server did not begin is tried on so many sessions. */
const maxSessionsOfCall = 3;

/** The server has not begun the request: it can be repeated without asking. */
class NotBegun extends Error {
  override readonly name = 'NotBegun';
}

interface SharedSession {
  ready: Promise<ClientHttp2Session>;
  /** When the server last answered. */
  heardAt: number;
  /** The last stream that the server will process, once it has announced its end. */
  lastStreamId: number;
  /** Later calls open another session. */
  forget(): void;
}

export function createHttp2Client({
  policy,
  ca,
  idleMs = defaultIdleMs,
  maxSessions = defaultMaxSessions,
}: Http2Options): Http2Client {
  const open = new Set<ClientHttp2Session>();
  const stopping = new AbortController();
  // Calls in progress are answered before the session is closed.
  const sessions = createClosingCache<SharedSession>(maxSessions, ({ ready }) => {
    ready.then(
      (session) => session.close(),
      () => {},
    );
  });

  async function connect(origin: string): Promise<ClientHttp2Session> {
    const { hostname, port, protocol } = new URL(origin);
    const host = hostname.replace(/^\[|\]$/g, '');
    const isTls = protocol === 'https:';
    const socket = await connectAllowed({
      host,
      port: Number(port) || (isTls ? 443 : 80),
      policy,
      timeoutMs: connectTimeoutMs,
      signal: stopping.signal,
    });
    const transport = isTls
      ? connectTls({ socket, servername: host, ALPNProtocols: ['h2'], ...(ca ? { ca } : {}) })
      : socket;
    return new Promise((resolve, reject) => {
      const session = connectHttp2(origin, { createConnection: () => transport });
      const timer = setTimeout(
        () => session.destroy(new ConnectTimeout('The host did not answer in time.')),
        connectTimeoutMs,
      );
      open.add(session);
      session.once('connect', () => {
        clearTimeout(timer);
        resolve(session);
      });
      session.on('error', reject); // stays: an error without a listener ends the process
      session.once('close', () => {
        clearTimeout(timer);
        open.delete(session);
        reject(new NotBegun('The session is closed.'));
      });
      session.setTimeout(idleMs, () => session.close());
    });
  }

  function sessionFor({ origin, account }: Http2Call): SharedSession {
    const key = `${origin} ${account}`;
    const known = sessions.get(key);
    if (known) return known;
    const shared: SharedSession = {
      ready: connect(origin),
      heardAt: 0,
      lastStreamId: Number.POSITIVE_INFINITY,
      forget() {
        if (sessions.get(key) === shared) sessions.delete(key);
      },
    };
    sessions.set(key, shared);
    shared.ready.then((session) => {
      // A server that announces its end takes no further requests, while those in progress may still be answered.
      session.once('goaway', (_code, lastStreamId = Number.POSITIVE_INFINITY) => {
        shared.lastStreamId = lastStreamId;
        shared.forget();
      });
      session.once('close', shared.forget);
    }, shared.forget);
    return shared;
  }

  async function attempt(call: Http2Call, startedAt: number): Promise<OutboundAnswer> {
    const shared = sessionFor(call);
    const session = await withDeadline(shared.ready, call, startedAt);
    if (session.closed || session.destroyed) {
      shared.forget();
      throw new NotBegun('The session is closed.');
    }
    return exchange(session, shared, call, startedAt);
  }

  return {
    async post(call) {
      const startedAt = performance.now();
      for (let tried = 1; ; tried += 1) {
        try {
          return await attempt(call, startedAt);
        } catch (error) {
          if (error instanceof NotBegun && tried < maxSessionsOfCall && !stopping.signal.aborted) continue;
          return failureOf(error as Error, Math.round(performance.now() - startedAt));
        }
      }
    },
    async stop() {
      stopping.abort(new Error('The service is stopping.'));
      for (const session of open) session.destroy();
    },
  };
}

class CallTimeout extends Error {}
class CallStopped extends Error {}

/** Waits for a session that others wait for, too: the deadline ends the wait, not the connection. */
function withDeadline<Value>(
  promise: Promise<Value>,
  { timeoutMs, signal }: Http2Call,
  startedAt: number,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new CallStopped());
    const left = timeoutMs - (performance.now() - startedAt);
    const timer = setTimeout(() => reject(new CallTimeout()), Math.max(left, 0));
    const clean = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    };
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    promise.then(resolve, reject).finally(clean);
  });
}

function exchange(
  session: ClientHttp2Session,
  shared: SharedSession,
  call: Http2Call,
  startedAt: number,
): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const { signal } = call;
    const stream: ClientHttp2Stream = session.request({
      ...call.headers,
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: call.path,
    });
    const chunks: Buffer[] = [];
    let kept = 0;
    let headers: IncomingHttpHeaders | null = null;

    const cancel = (error: Error): void => {
      reject(error);
      stream.close(constants.NGHTTP2_CANCEL);
    };
    const stop = (): void => cancel(new CallStopped());
    const sentAt = performance.now();
    const timer = setTimeout(
      () => {
        cancel(new CallTimeout());
        // A connection that has died without a word would take every further call with it.
        if (shared.heardAt >= sentAt) return;
        shared.forget();
        session.destroy();
      },
      Math.max(call.timeoutMs - (performance.now() - startedAt), 0),
    );
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();

    stream.on('response', (received) => {
      headers = received;
      shared.heardAt = performance.now();
    });
    stream.on('data', (chunk: Buffer) => {
      if (kept >= call.maxBytes) return;
      const part = chunk.subarray(0, call.maxBytes - kept);
      chunks.push(part);
      kept += part.length;
    });
    stream.on('end', () => {
      if (!headers) return;
      resolve({
        kind: 'answer',
        status: Number(headers[':status'] ?? 0),
        headers: headers as OutboundAnswer['headers'],
        body: Buffer.concat(chunks),
        latencyMs: Math.round(performance.now() - startedAt),
      });
    });
    stream.on('error', (error) => reject(wasBegun() ? error : new NotBegun(error.message)));
    stream.on('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      reject(wasBegun() ? new Error('The stream closed before the response.') : new NotBegun('refused'));
    });
    stream.end(call.body);

    /** RFC 9113 8.7: a refused stream, and those after the last one that GOAWAY names, were not processed. */
    function wasBegun(): boolean {
      if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM || stream.id === undefined) return false;
      return stream.id <= shared.lastStreamId;
    }
  });
}

function failureOf(error: Error, latencyMs: number): OutboundFailure {
  const common = { kind: 'failure', status: null, headers: {}, body: Buffer.alloc(0), latencyMs } as const;
  if (error instanceof AddressRefused)
    return { ...common, failure: 'blocked', detail: error.message, reached: false };
  if (error instanceof CallTimeout)
    return { ...common, failure: 'timeout', detail: 'No complete response in time.', reached: true };
  if (error instanceof CallStopped)
    return {
      ...common,
      failure: 'stopped',
      detail: 'Stopped before the response was complete.',
      reached: true,
    };
  if (error instanceof ConnectTimeout)
    return { ...common, failure: 'timeout', detail: 'No connection in time.', reached: false };
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const named = code ? ` (${code})` : '';
  if (syscall === 'getaddrinfo')
    return {
      ...common,
      failure: 'dns',
      detail: `The name of the host cannot be resolved${named}.`,
      reached: false,
    };
  if (/CERT|SSL|TLS|^EPROTO$|SIGNATURE|^UNABLE_TO|^HOSTNAME_MISMATCH$/.test(code))
    return {
      ...common,
      failure: 'tls',
      detail: `A trusted TLS connection cannot be made${named}.`,
      reached: false,
    };
  if (error instanceof NotBegun || syscall === 'connect')
    return { ...common, failure: 'connect', detail: `No connection can be made${named}.`, reached: false };
  return {
    ...common,
    failure: 'closed',
    detail: `The connection closed before the response${named}.`,
    reached: true,
  };
}
