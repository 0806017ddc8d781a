import { createServer } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Deps } from '../deps.ts';
import { truncatedJson } from '../kernel/batcher.ts';
import { steadyClock } from '../kernel/clock.ts';
import { Problem } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { isLargerThan, isRecord } from '../kernel/json.ts';
import type { Span } from '../kernel/tracing.ts';
import {
  authenticate,
  callerIdOf,
  challenge,
  createComputations,
  limitRate,
  ownerOf,
  type RateLimiter,
} from './access.ts';
import { parseJsonBytes, readBody, tinyBytes } from './json.ts';
import { jsonInPieces, pieceLength } from './large-json.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { type MaybePromise, type Principal, type Recipient, type SignedIn, whenReady } from './principal.ts';
import { httpProblemOf } from './problem.ts';
import type { Reply, Route, RouteCall } from './route.ts';
import { isHttps } from './session-cookie.ts';
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
    independentList?: string;
  }
}

type HttpDeps = Pick<
  Deps,
  'log' | 'metrics' | 'tracer' | 'authenticator' | 'recipients' | 'publicUrl' | 'tasks' | 'listReads'
> & {
  rateLimiter: RateLimiter;
};

/** What the steps of a request use. */
type ServerContext = HttpDeps & {
  sockets: ReturnType<typeof createSockets>;
  streams: EventStreams;
  computations: ReturnType<typeof createComputations>;
};

const noCompiler = (): never => {
  throw new Error('A route has a schema of fastify.');
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
  const streams = createEventStreams(deps.metrics.openStreams);
  const context: ServerContext = { ...deps, sockets, streams, computations: createComputations() };
  const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply): void =>
    sendError(context, request, reply, error);
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
    // Routes have checks of their own (validation.ts) and no schemas; fastify would load two compilers for those.
    schemaController: {
      compilersFactory: { buildValidator: () => noCompiler, buildSerializer: () => noCompiler },
    },
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
  parseJsonBodies(app, deps.tasks);

  const routeNotFound = ({ url }: FastifyRequest): Problem =>
    methodNotAllowed(url) ?? new Problem('route_not_found', 'The URL does not exist.');
  // One hook for everything, and what belongs to the end of a request in `send`: each further hook costs every request 3 to 6 %.
  app.addHook('onRequest', (request, reply, done) => {
    begin(context, request, reply);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      done(new Problem('invalid_json', 'The request has no Host header.'));
    // An unknown path with another method is refused at once, regardless of its body. Only pages are looked up below.
    else if (request.is404 && request.method !== 'GET' && request.method !== 'HEAD')
      done(routeNotFound(request));
    else done();
  });
  app.setErrorHandler(answerError);
  answerPreflights(app);
  app.addHook('preClose', () => streams.stop());
  sockets.watch(app);
  app.setNotFoundHandler((request, reply) => {
    const page = options.pages?.(request);
    if (!page) throw routeNotFound(request);
    request.operation = 'getPage';
    send(context, request, reply, page);
  });
  for (const route of routes) if (!route.rawBody) register(app, context, route);
  app.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
    for (const route of routes) if (route.rawBody) register(raw, context, route);
  });
  const methodNotAllowed = refuseOtherMethods(app, routes);
  return app;
}

function parseJsonBodies(app: FastifyInstance, tasks: Deps['tasks']): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const { independentList } = request.routeOptions.config;
    const body = bytes as Buffer;
    if (body.length > tinyBytes) {
      readBody(tasks, ownerOf(request.principal), body, independentList).then(
        (value) => done(null, value),
        done,
      );
      return;
    }
    try {
      done(null, parseJsonBytes(body, independentList));
    } catch (error) {
      done(error as Error);
    }
  });
}

function begin({ sockets, publicUrl }: ServerContext, request: FastifyRequest, reply: FastifyReply): void {
  request.startedAt = steadyClock();
  sockets.begin(request.raw);
  reply.header('x-request-id', request.id);
  // The proxy in front terminates TLS: browsers must use https only. They ignore the header over plain http.
  if (isHttps(publicUrl())) reply.header('strict-transport-security', 'max-age=31536000');
  allowCrossOrigin(request, reply);
}

/** Browsers may call these operations from any page: they take a token in a header, never a cookie. */
const openPrefix = '/inbox/v1/';

const everywhere = {
  'access-control-allow-origin': '*',
  // Date lets a page measure how far off the clock of its user is.
  'access-control-expose-headers':
    'X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Date',
};

const preflight = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Last-Event-ID, Cache-Control, X-Request-Id',
  'access-control-max-age': '86400',
};

/** Errors have the headers too, otherwise the page could not read the error. */
function allowCrossOrigin(request: FastifyRequest, reply: FastifyReply): void {
  if (request.url.startsWith(openPrefix)) reply.headers(everywhere);
}

function answerPreflights(app: FastifyInstance): void {
  app.route({
    method: 'OPTIONS',
    url: `${openPrefix}*`,
    handler: (_request, reply) => reply.code(204).headers(preflight).send(),
  });
}

function sendError(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): void {
  const problem = request.raw.errored ? truncatedJson() : httpProblemOf(error, request);
  if (problem.status >= 500)
    context.log.error({ request_id: request.id, err: problem.cause }, problem.message);
  send(context, request, reply, replyOf(request, problem));
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

/** Every answer except preflights and streams is sent here. */
function send(context: ServerContext, request: FastifyRequest, reply: FastifyReply, result: Reply): void {
  const { body } = result;
  const payload = body === undefined || result.contentType ? body : JSON.stringify(body);
  reply.code(result.status).header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
  if (result.headers) reply.headers(result.headers);
  if (body !== undefined) reply.type(result.contentType ?? jsonType);
  if (context.sockets.isDraining()) reply.header('connection', 'close');
  context.sockets.answer(request.raw);
  reply.send(payload);
  finished(context, request, result.status);
}

function finished({ metrics, log }: ServerContext, request: FastifyRequest, status: number): void {
  const { operation } = request;
  const now = steadyClock();
  const ms = now - (request.startedAt || now); // it has not started when its URL cannot be read
  metrics.httpDuration.observe({ operation, status }, ms / 1000);
  request.span?.end({ 'http.response.status_code': status, 'carillon.request_id': request.id }, status < 500);
  // Pages with status 503 report that they are still being built: nothing has failed.
  const isFailure = status >= 500 && operation !== 'getPage' && operation !== 'getWidget';
  if (!isFailure && !log.isLevelEnabled('debug')) return;
  const line = { request_id: request.id, operation, status, ms: Math.round(ms) };
  if (isFailure) log.error(line, 'request failed');
  else log.debug(line, 'request');
}

function register(app: FastifyInstance, context: ServerContext, route: Route): void {
  const { checkBody, checkQuery, checkParams } = compileRouteChecks(route);

  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: route.bodyLimit ?? (route.access === 'public' ? publicBodyLimit : mebibyte),
    config: route.independentList ? { independentList: route.independentList } : {},
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
      const ended = route.computes && writer ? context.computations.begin(writer) : null;
      if (writer) context.listReads.wrote(writer);
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
        if (writer) context.listReads.wrote(writer);
      }
      if (result.stream) {
        context.streams.serve(request, reply, result.stream);
        reply.raw.once('close', () => finished(context, request, reply.raw.statusCode));
      } else send(context, request, reply, isLong(result, request.method) ? await written(result) : result);
    },
  });

  /** Returns nothing when the caller is known and has no rate limit, which is the case for nearly every request of a busy key. */
  function admit(request: FastifyRequest, reply: FastifyReply): MaybePromise<void> {
    request.operation = route.operation;
    const parent = request.headers.traceparent;
    request.span = context.tracer.start(
      route.operation,
      'server',
      typeof parent === 'string' ? parent : null,
    );
    if (request.headers['content-encoding'] && request.headers['content-encoding'] !== 'identity') {
      throw new Problem(
        'unsupported_media_type',
        'Compressed bodies are not supported; send uncompressed JSON.',
      );
    }
    return whenReady(authenticate(context, route, request), (principal) => {
      request.principal = principal;
      const limited = principal ? limitRate(context, principal, reply) : undefined;
      return route.admit ? whenReady(limited, () => route.admit?.(request)) : limited;
    });
  }
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
