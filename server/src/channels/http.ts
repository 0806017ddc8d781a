import { isIP, type LookupFunction } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
// The whole package has a fetch, for which Node would load its own, and much else: 3 MB.
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { skipContinue } from './continue.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { AddressRefused, assertAllowedAddress, type NetworkPolicy, resolveAllowed } from './net.ts';

/**
 * The only way to make outbound HTTP calls. The URL usually comes from a tenant and the answer from an untrusted server, so
 * addresses are checked and pinned (net.ts), redirects are not followed, certificates are verified, and one deadline covers
 * everything from the DNS lookup to the last byte. Failures are returned, never thrown.
 */
export interface Outbound {
  request(call: OutboundCall): Promise<OutboundAnswer | OutboundFailure>;
  /**
   * Returns, once, the last exchange made with this signal, for a caller that gave the signal to a carrier and cannot see its
   * calls.
   */
  takeExchange(signal: AbortSignal): Exchange | null;
  /** Aborts the calls in progress. */
  stop(): Promise<void>;
}

export interface OutboundCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Path segments that contain one of these are not shown in the exchange. */
  secrets?: readonly string[];
  /** The limit for the whole call: DNS lookup, connection, request and answer. */
  timeoutMs: number;
  /** The number of bytes kept of the answer's body. */
  maxBytes: number;
  /** Aborts the call: a failure of the class `stopped`. */
  signal?: AbortSignal;
}

export interface OutboundAnswer {
  kind: 'answer';
  status: number;
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  /** The first `maxBytes` of the body. */
  body: Buffer;
  latencyMs: number;
}

/**
 * blocked: the network policy forbids the address · dns: the name has no address · connect: the host does not accept the
 * connection · tls: the certificate or the handshake is bad · timeout · closed: closed before the end of the answer · protocol:
 * the answer is not HTTP · invalid: the request is malformed for every host · stopped: the caller aborted.
 */
export type FailureClass =
  | 'blocked'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'closed'
  | 'protocol'
  | 'invalid'
  | 'stopped';

export interface OutboundFailure {
  kind: 'failure';
  failure: FailureClass;
  /** A sentence for people; names no address. */
  detail: string;
  /** The request may have taken effect: it was being sent or had been sent when the call failed. */
  reached: boolean;
  /** The status, when the answer had begun; otherwise null. */
  status: number | null;
  /** As far as they came. */
  headers: OutboundAnswer['headers'];
  body: Buffer;
  latencyMs: number;
}

/** Longer bodies are read up to this size and discarded, so that the connection can be reused; even longer ones are cut off. */
const drainBytes = 65_536;
const connectTimeoutMs = 10_000;
const resolveTtlMs = 10_000;

interface OutboundOptions {
  policy: NetworkPolicy;
  /** Certificates that are trusted in addition to the usual ones. */
  ca?: string;
  /** Connections to one host; further calls wait within their deadline. Unlimited when absent. */
  maxConnections?: number;
}

export function createOutbound({ policy, ca, maxConnections }: OutboundOptions): Outbound {
  // Lookups of one name share the answer, also while it is pending: they run on a few threads that the whole process shares,
  // and one name with dead name servers must not occupy all of them.
  const addresses = new LRUCache<string, string[]>({
    max: 2_000,
    ttl: resolveTtlMs,
    fetchMethod: (host) => resolveAllowed(host, policy),
  });
  const lookup: LookupFunction = (host, _options, callback) => {
    addresses.fetch(host).then(
      (found = []) =>
        callback(
          null,
          found.map((address) => ({ address, family: isIP(address) })),
        ),
      (error) => callback(error, []),
    );
  };
  const connect = buildConnector({
    lookup,
    autoSelectFamily: true,
    timeout: connectTimeoutMs,
    maxCachedSessions: 0, // a TLS session made with one server must not vouch for another of the same name
    ...(ca ? { ca } : {}),
  });
  const agent = new Agent({
    // The deadline of the call is stricter than these timeouts could be.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 60_000,
    ...(maxConnections === undefined ? {} : { connections: maxConnections }),
    connect(options, callback) {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host)) {
        // Sockets skip the lookup, and with it the check, when the host is an IP address.
        try {
          assertAllowedAddress(host, policy);
        } catch (error) {
          callback(error as Error, null);
          return;
        }
      }
      connect(options, (...result) => {
        if (result[1]) skipContinue(result[1]);
        callback(...result);
      });
    },
  });
  const exchanges = new WeakMap<AbortSignal, Exchange>();
  return {
    async request(call) {
      const result = await dispatch(agent, call);
      if (call.signal) exchanges.set(call.signal, exchangeOf(call, result));
      return result;
    },
    takeExchange(signal) {
      const exchange = exchanges.get(signal) ?? null;
      exchanges.delete(signal);
      return exchange;
    },
    stop: () => agent.destroy(),
  };
}

function dispatch(agent: Dispatcher, call: OutboundCall): Promise<OutboundAnswer | OutboundFailure> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const url = new URL(call.url);
    const chunks: Buffer[] = [];
    let kept = 0;
    let seen = 0;
    let status: number | null = null;
    let headers: OutboundAnswer['headers'] = {};
    let controller: Dispatcher.DispatchController | null = null;
    let settled = false;

    const settle = (result: (latencyMs: number, body: Buffer) => OutboundAnswer | OutboundFailure): void => {
      if (settled) return;
      settled = true;
      clearTimeout(deadline);
      call.signal?.removeEventListener('abort', stop);
      resolve(result(Math.round(performance.now() - startedAt), Buffer.concat(chunks)));
    };
    const answered = (): void =>
      settle((latencyMs, body) => ({ kind: 'answer', status: status ?? 0, headers, body, latencyMs }));
    const failed = (failure: FailureClass, detail: string): void =>
      settle((latencyMs, body) => ({
        kind: 'failure',
        failure,
        detail,
        reached: controller !== null,
        status,
        headers,
        body,
        latencyMs,
      }));

    const deadline = setTimeout(() => {
      failed('timeout', `No complete response within ${call.timeoutMs / 1000} s.`);
      controller?.abort(new Error('deadline'));
    }, call.timeoutMs);
    const stop = (): void => {
      failed('stopped', 'Stopped before the response was complete.');
      controller?.abort(new Error('stopped'));
    };
    if (call.signal?.aborted) {
      stop();
      return;
    }
    call.signal?.addEventListener('abort', stop);

    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: call.method,
        ...(call.headers ? { headers: call.headers } : {}),
        ...(call.body === undefined ? {} : { body: call.body }),
      },
      {
        onRequestStart(given) {
          // A call cannot be aborted while its connection is being made; the deadline may have passed by now.
          if (settled) given.abort(new Error('deadline'));
          else controller = given;
        },
        onResponseStart(_controller, code, received) {
          if (code < 200) return; // informational; the answer follows
          status = code;
          headers = received;
        },
        onResponseData(given, chunk) {
          seen += chunk.length;
          if (kept < call.maxBytes) {
            const part = chunk.subarray(0, call.maxBytes - kept);
            chunks.push(part);
            kept += part.length;
          }
          if (seen <= call.maxBytes + drainBytes) return;
          answered();
          given.abort(new Error('enough'));
        },
        onResponseEnd: answered,
        onResponseError(_controller, error) {
          const { failure, detail } = classify(error, controller !== null);
          failed(failure, detail);
        },
      },
    );
  });
}

/**
 * undici's error codes for headers that it does not send. The rest of a request is a URL and a body, which are always valid.
 */
const unsendable: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

function classify(error: Error, reached: boolean): { failure: FailureClass; detail: string } {
  if (error instanceof AddressRefused) return { failure: 'blocked', detail: error.message };
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const named = code ? ` (${code})` : '';
  if (syscall === 'getaddrinfo')
    return { failure: 'dns', detail: `The name of the host cannot be resolved${named}.` };
  if (['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'].includes(code))
    return { failure: 'timeout', detail: `No connection in time${named}.` };
  if (unsendable.has(code))
    return { failure: 'invalid', detail: `The request has a header that cannot be sent${named}.` };
  if (error.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW')
    return { failure: 'protocol', detail: `The response is not valid HTTP${named}.` };
  if (reached)
    return { failure: 'closed', detail: `The connection closed before the response was complete${named}.` };
  if (/CERT|SSL|TLS|^EPROTO$|SIGNATURE|^UNABLE_TO|^HOSTNAME_MISMATCH$/.test(code))
    return { failure: 'tls', detail: `A trusted TLS connection cannot be made${named}.` };
  return { failure: 'connect', detail: `No connection can be made${named}.` };
}

const longestWaitMs = 24 * 3_600_000;

/** Parses seconds or a date (RFC 9110 10.2.3), up to a day; returns null when the header is not readable. */
export function parseRetryAfter(header: string | string[] | undefined, now: number): number | null {
  if (typeof header !== 'string') return null;
  const ms = /^\d{1,10}$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) || ms < 0 ? null : Math.min(ms, longestWaitMs);
}
