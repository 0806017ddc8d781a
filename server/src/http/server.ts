import { createServer } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Deps } from '../deps.ts';
import { cutOff } from '../kernel/batcher.ts';
import { steadyClock } from '../kernel/clock.ts';
import { Problem } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { isLargerThan, isRecord } from '../kernel/json.ts';
import type { Span } from '../kernel/tracing.ts';
import { type Computations, createComputations } from './computations.ts';
import { allowCrossOrigin, answerPreflights } from './cors.ts';
import { parseJsonBytes, readBody, tinyBytes } from './json.ts';
import { jsonInPieces, pieceLength } from './large-json.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { andThen, type Principal, type Recipient, type SignedIn, type Soon } from './principal.ts';
import { httpProblemOf } from './problem.ts';
import type { RateLimiter, RateVerdict } from './rate-limit.ts';
import { identifyRecipient, isRecipientAccess } from './recipient-access.ts';
import type { Reply, Route, RouteCall } from './route.ts';
import { isHttps, sessionTokenOf } from './session-cookie.ts';
import { answerHalfOpen, createSockets, headerTimes } from './sockets.ts';
import { createEventStreams, type EventStreams } from './sse.ts';
import { compileRouteChecks } from './validation.ts';

const mebibyte = 1_048_576;
/** The body limit for callers without credentials, unless a provider's callbacks need more. */
const publicBodyLimit = 16_384;
const requestIdPattern = /^[\w.-]{1,128}$/;

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | Recipient | SignedIn | null;
    operation: string;
    /** By the steady clock. */
    startedAt: number;
    span: Span | null;
  }
  interface FastifyContextConfig {
    listApart?: string;
  }
}

type HttpDeps = Pick<
  Deps,
  'log' | 'metrics' | 'tracer' | 'authenticator' | 'recipients' | 'publicUrl' | 'tasks' | 'listReads'
> & {
  rateLimiter: RateLimiter;
};

interface ServerOptions {
  /** Called for URLs that match no operation; returns null when there is no page either. */
  pages?: ((request: FastifyRequest) => Reply | null) | undefined;
  /** The proxies whose forwarding headers are trusted. Null when there are none. */
  trustedProxies?: string[] | null;
}

/** Turns the table of routes into a server. This file decides only about HTTP, not about the product. */
export function createHttpServer(
  deps: HttpDeps,
  routes: Route[],
  options: ServerOptions = {},
): FastifyInstance {
  const sockets = createSockets();
  const app = fastify({
    logger: false,
    bodyLimit: mebibyte,
    trustProxy: options.trustedProxies ?? false,
    routerOptions: { maxParamLength: 2048, ignoreTrailingSlash: true },
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && requestIdPattern.test(given) ? given : newId();
    },
    requestTimeout: 60_000, // a body that trickles in slower than this is cut off
    keepAliveTimeout: 65_000, // longer than common load balancers, so that they close first
    forceCloseConnections: 'idle',
    return503OnClosing: false, // a request on an open connection is served, and the connection is closed after it
    frameworkErrors: answerError,
    clientErrorHandler: sockets.refuse,
    // A request without Host is refused below, with our own error.
    serverFactory: (handler, options) =>
      answerHalfOpen(
        createServer({ ...(options as object), ...headerTimes, requireHostHeader: false }, handler),
      ),
  });

  app.decorateRequest('principal', null);
  app.decorateRequest('operation', 'unknown');
  app.decorateRequest('startedAt', 0);
  app.decorateRequest('span', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const { listApart } = request.routeOptions.config;
    const body = bytes as Buffer;
    if (body.length > tinyBytes) {
      readBody(deps.tasks, ownerOf(request.principal), body, listApart).then(
        (value) => done(null, value),
        done,
      );
      return;
    }
    try {
      done(null, parseJsonBytes(body, listApart));
    } catch (error) {
      done(error as Error);
    }
  });

  // One hook for everything, and what belongs to the end of a request in `send`: each further hook costs every request 3 to 6 %.
  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = steadyClock();
    sockets.begin(request.raw);
    reply.header('x-request-id', request.id);
    // The proxy in front terminates TLS: browsers must use https only. They ignore the header over plain http.
    if (isHttps(deps.publicUrl())) reply.header('strict-transport-security', 'max-age=31536000');
    allowCrossOrigin(request, reply);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      done(new Problem('invalid_json', 'The request has no Host header.'));
    // An unknown path with another method is refused at once, regardless of its body. Only pages are looked up below.
    else if (request.is404 && request.method !== 'GET' && request.method !== 'HEAD') done(nothingAt(request));
    else done();
  });
  app.setErrorHandler(answerError);
  answerPreflights(app);
  const streams = createEventStreams(deps.metrics.openStreams);
  app.addHook('preClose', () => streams.stop());
  sockets.watch(app);
  app.setNotFoundHandler((request, reply) => {
    const page = options.pages?.(request);
    if (!page) throw nothingAt(request);
    request.operation = 'getPage';
    send(request, reply, page);
  });

  const context = { ...deps, streams, computations: createComputations(), send, finished };
  for (const route of routes) {
    if (!route.rawBody) register(app, context, route);
  }
  app.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
    for (const route of routes) {
      if (route.rawBody) register(raw, context, route);
    }
  });
  const methodNotAllowed = refuseOtherMethods(app, routes);
  return app;

  function nothingAt({ url }: FastifyRequest): Problem {
    return methodNotAllowed(url) ?? new Problem('route_not_found', 'The URL does not exist.');
  }

  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const problem = request.raw.errored ? cutOff() : httpProblemOf(error, request);
    if (problem.status >= 500)
      deps.log.error({ request_id: request.id, err: problem.cause }, problem.message);
    send(request, reply, replyOf(request, problem));
  }

  /** Every answer except preflights and streams is sent here. */
  function send(request: FastifyRequest, reply: FastifyReply, result: Reply): void {
    const { body } = result;
    const payload = body === undefined || result.contentType ? body : JSON.stringify(body);
    reply.code(result.status).header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    if (result.headers) reply.headers(result.headers);
    if (body !== undefined) reply.type(result.contentType ?? jsonType);
    if (sockets.areLeaving()) reply.header('connection', 'close');
    sockets.answer(request.raw);
    reply.send(payload);
    finished(request, result.status);
  }

  function finished(request: FastifyRequest, status: number): void {
    const { operation } = request;
    const now = steadyClock();
    const ms = now - (request.startedAt || now); // it has not started when its URL cannot be read
    deps.metrics.httpDuration.observe({ operation, status }, ms / 1000);
    request.span?.end(
      { 'http.response.status_code': status, 'carillon.request_id': request.id },
      status < 500,
    );
    // The one page with status 503 reports that the dashboard is still being built: nothing has failed.
    const isFailure = status >= 500 && operation !== 'getPage';
    if (!isFailure && !deps.log.isLevelEnabled('debug')) return;
    const line = { request_id: request.id, operation, status, ms: Math.round(ms) };
    if (isFailure) deps.log.error(line, 'request failed');
    else deps.log.debug(line, 'request');
  }
}

type RouteContext = HttpDeps & {
  streams: EventStreams;
  computations: Computations;
  send(request: FastifyRequest, reply: FastifyReply, result: Reply): void;
  finished(request: FastifyRequest, status: number): void;
};

function register(app: FastifyInstance, deps: RouteContext, route: Route): void {
  const { checkBody, checkQuery, checkParams } = compileRouteChecks(route);

  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: route.bodyLimit ?? (route.access === 'public' ? publicBodyLimit : mebibyte),
    config: route.listApart ? { listApart: route.listApart } : {},
    // Access is checked before the body is read: an unauthenticated caller cannot make us parse 24 MiB.
    onRequest(request, reply, done) {
      try {
        const admitted = admit(request, reply);
        if (admitted) admitted.then(() => done(), done);
        else done();
      } catch (error) {
        done(error as Error);
      }
    },
    handler: async (request, reply) => {
      checkParams?.(request.params);
      checkQuery?.(request.query);
      let body = request.body;
      if (body === undefined && route.body) {
        if (!route.bodyOptional) throw new Problem('parameter_missing', 'A JSON body is required.');
        body = {};
      }
      checkBody?.(body);
      const writer = route.method === 'GET' ? null : callerIdOf(request.principal);
      const ended = route.computes && writer ? deps.computations.begin({ id: writer }) : null;
      if (writer) deps.listReads.wrote(writer);
      let result: Reply;
      try {
        result = await route.handler({
          principal: request.principal,
          body,
          query: request.query,
          params: request.params,
          requestId: request.id,
          raw: request,
          reply,
        } as RouteCall<unknown, unknown, unknown>);
      } finally {
        ended?.();
        if (writer) deps.listReads.wrote(writer);
      }
      if (result.stream) {
        deps.streams.serve(request, reply, result.stream);
        reply.raw.once('close', () => deps.finished(request, reply.raw.statusCode));
      } else deps.send(request, reply, isLong(result, request.method) ? await written(result) : result);
    },
  });

  /** Returns nothing when the caller is known and has no rate limit, which is the case for nearly every request of a busy key. */
  function admit(request: FastifyRequest, reply: FastifyReply): Soon<void> {
    request.operation = route.operation;
    const parent = request.headers.traceparent;
    request.span = deps.tracer.start(route.operation, 'server', typeof parent === 'string' ? parent : null);
    if (request.headers['content-encoding'] && request.headers['content-encoding'] !== 'identity') {
      throw new Problem(
        'unsupported_media_type',
        'Compressed bodies are not supported; send uncompressed JSON.',
      );
    }
    return andThen(authenticate(deps, route, request), (principal) => {
      request.principal = principal;
      const limited = principal ? limitRate(deps, principal, reply) : undefined;
      return route.admit ? andThen(limited, () => route.admit?.(request)) : limited;
    });
  }
}

/** The key or the person, whose lists show what it has just written; null for callers without lists. */
function callerIdOf(principal: FastifyRequest['principal']): string | null {
  if (principal === null || principal.kind === 'recipient') return null;
  return principal.kind === 'person' ? principal.userId : principal.id;
}

/** The owner of the thread tasks that read large bodies. */
function ownerOf(principal: FastifyRequest['principal']): string {
  if (principal === null) return 'public';
  return principal.kind === 'person' ? principal.userId : principal.environmentId;
}

/** Lists are long regardless of their content; of other answers only reads: answers to writes are small, and more frequent. */
function isLong({ body, contentType }: Reply, method: string): boolean {
  if (contentType || !isRecord(body)) return false;
  if (Array.isArray(body.data) && body.data.length > 1) return true;
  return method === 'GET' && isLargerThan(body, pieceLength);
}

async function written(result: Reply): Promise<Reply> {
  const body = await jsonInPieces(result.body);
  return { ...result, contentType: jsonType, body };
}

const jsonType = 'application/json; charset=utf-8';

function authenticate(
  deps: HttpDeps,
  { access, ticket }: Route,
  request: FastifyRequest,
): Soon<Principal | Recipient | SignedIn | null> {
  if (access === 'public') return null;
  if (access === 'session') {
    return deps.authenticator.personOf(sessionToken(deps, request, 'Sign in to the dashboard first.'));
  }
  if (isRecipientAccess(access)) return identifyRecipient(deps.recipients, { access, ticket }, request);
  return andThen(identify(deps, request), (principal) => {
    if (access !== 'key' && !principal.scopes.has(access)) {
      throw new Problem('insufficient_scope', `This operation requires the scope ${access}.`);
    }
    return principal;
  });
}

function identify(deps: HttpDeps, request: FastifyRequest): Soon<Principal> {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const secret = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization)?.[1];
    if (!secret) {
      throw new Problem('invalid_credentials', 'The Authorization header must be: Bearer <key>.', {
        headers: challenge,
      });
    }
    return deps.authenticator.byKey(secret);
  }
  const token = sessionToken(deps, request, 'Send the header: Authorization: Bearer <key>.');
  const environment = request.headers['x-environment-id'];
  return deps.authenticator.bySession(token, typeof environment === 'string' ? environment : undefined);
}

/**
 * The session token of the cookie; a write must also have a header that other sites cannot send, which proves that it comes
 * from our own page.
 */
function sessionToken(deps: HttpDeps, request: FastifyRequest, otherwise: string): string {
  const token = sessionTokenOf(request.headers.cookie, deps.publicUrl());
  if (!token) throw new Problem('missing_credentials', otherwise);
  if (request.method !== 'GET' && request.method !== 'HEAD' && request.headers['x-carillon-csrf'] !== '1') {
    throw new Problem(
      'csrf_required',
      'Writes with a dashboard session require the header X-Carillon-CSRF: 1.',
    );
  }
  return token;
}

const challenge = { 'www-authenticate': 'Bearer' };

const limitedCallers = {
  key: 'This key',
  user: 'A person',
  person: 'A person',
  recipient: 'An end user',
} as const satisfies Record<NonNullable<FastifyRequest['principal']>['kind'], string>;

function limitRate(
  deps: HttpDeps,
  principal: NonNullable<FastifyRequest['principal']>,
  reply: FastifyReply,
): Soon<void> {
  return andThen(deps.rateLimiter.take(principal), (verdict) => {
    if (verdict) applyLimit(verdict, principal, reply);
  });
}

function applyLimit(
  verdict: RateVerdict,
  principal: NonNullable<FastifyRequest['principal']>,
  reply: FastifyReply,
): void {
  const headers = {
    'ratelimit-limit': String(verdict.limit),
    'ratelimit-remaining': String(verdict.remaining),
    'ratelimit-reset': String(verdict.resetSeconds),
  };
  if (!verdict.allowed) {
    throw new Problem(
      'rate_limited',
      `${limitedCallers[principal.kind]} can make ${verdict.ratePerSecond} requests per second. Try again later.`,
      {
        headers: { ...headers, 'retry-after': String(verdict.retryAfterSeconds) },
      },
    );
  }
  reply.headers(headers);
}

function replyOf(request: FastifyRequest, problem: Problem): Reply {
  return {
    status: problem.status,
    headers: {
      'x-request-id': request.id,
      ...(problem.status === 401 ? challenge : {}),
      ...problem.headers,
    },
    body: problem.toBody(),
  };
}
