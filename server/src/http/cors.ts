import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

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
export function allowCrossOrigin(request: FastifyRequest, reply: FastifyReply): void {
  if (request.url.startsWith(openPrefix)) reply.headers(everywhere);
}

export function answerPreflights(app: FastifyInstance): void {
  app.route({
    method: 'OPTIONS',
    url: `${openPrefix}*`,
    handler: (_request, reply) => reply.code(204).headers(preflight).send(),
  });
}
