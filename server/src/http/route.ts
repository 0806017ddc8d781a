import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { steadyClock } from '../kernel/clock.ts';
import type { ProblemCode } from '../kernel/errors.ts';
import type { Principal, Recipient, RecipientScope, SignedIn } from './principal.ts';
import type { Scope } from './scopes.ts';
import type { StreamStart } from './sse.ts';

/**
 * An operation of the API: its path, its access rule, its input and output. The same object registers the route, checks the
 * request, and writes the OpenAPI document, so the three cannot disagree.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Fastify form: `/v1/notifications/:id`. */
  path: string;
  /** Stable name, e.g. `sendNotification`: the OpenAPI operationId and the SDK method. */
  operation: string;
  /** Heading in the API reference, e.g. `Notifications`. */
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  /** A single-use ticket in the query (`?ticket=`) is accepted instead of a token, for callers that cannot send headers. */
  ticket?: true;
  body?: TSchema;
  /**
   * For a change of a resource: names that cannot change, besides those of the response, and what a caller can do instead. A
   * request with one of them is refused with this sentence.
   */
  fixed?: { names?: readonly string[]; instead: string };
  /** The whole body may be left out; the handler then sees `{}`. */
  bodyOptional?: boolean;
  /** A list in the body whose elements are independent: an element that cannot be accepted is replaced by its Problem. */
  independentList?: string;
  /** For routes without credentials whose URL contains a secret: called before the body is read, throws to refuse the call. */
  admit?: (request: FastifyRequest) => Promise<void>;
  /** Any media type is accepted, and the handler receives the body as a Buffer (undefined when there is none). */
  rawBody?: true;
  query?: TSchema;
  params?: TSchema;
  headers?: Record<string, { description: string; schema: TSchema }>;
  /** Success statuses and their bodies; null when there is no body. */
  responses: Record<number, TSchema | null>;
  /** Errors of the handler that do not follow from the shape of the route (see errorStatuses). */
  errors?: readonly ProblemCode[];
  /** May use seconds of a processor on the input of its caller, who has a few such requests at a time (access.ts). */
  computes?: true;
  /** The limit in bytes; by default 1 MiB, and 16 KiB for routes without credentials. */
  bodyLimit?: number;
  handler(call: RouteCall<unknown, unknown, unknown>): Promise<Reply> | Reply;
}

/**
 * A scope; or `key`: any valid credentials; or `public`: none; or `session`: a dashboard person, no environment needed; or
 * `recipient`: an end-user token, `recipient:inbox` one with that scope.
 */
export type Access = Scope | 'key' | 'session' | 'public' | RecipientAccess;
export type RecipientAccess = 'recipient' | `recipient:${RecipientScope}`;

export interface RouteCall<Body, Query, Params, Auth extends Access = Access> {
  principal: Auth extends 'public'
    ? null
    : Auth extends 'session'
      ? SignedIn
      : Auth extends RecipientAccess
        ? Recipient
        : Principal;
  body: Body;
  query: Query;
  params: Params;
  requestId: string;
  raw: FastifyRequest;
  reply: FastifyReply;
}

export interface Reply {
  status: number;
  /** The body is sent as JSON; with `contentType` a string is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string | string[]>;
  contentType?: string;
  /** The answer stays open: Server-Sent Events. */
  stream?: StreamStart;
}

/** A route with the types of its inputs, as far as they are declared. */
interface TypedRoute<Body extends TSchema, Query extends TSchema, Params extends TSchema, Auth extends Access>
  extends Route {
  access: Auth;
  body?: Body;
  query?: Query;
  params?: Params;
  // The handler is excluded from type inference, which would cost seconds of every type check.
  handler(
    call: NoInfer<RouteCall<Static<Body>, Static<Query>, Static<Params>, Auth>>,
  ): Promise<Reply> | Reply;
}

/** Checks the types of one route while the table holds all routes as one type. */
export function route<
  Body extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Params extends TSchema = TSchema,
  Auth extends Access = Access,
>(definition: TypedRoute<Body, Query, Params, Auth>): Route {
  return definition;
}

/** All operations for callers of ours. What other systems call back, and links in messages, may have names of theirs. */
export const refusesUnknownNames = ({ path, rawBody }: Route): boolean =>
  /^\/(?:v1|inbox\/v1|auth)\//.test(path) && !rawBody;

const halfOpenMs = 1_000;

/**
 * Tells whether the caller has closed the connection, from now on. A caller that only stopped sending looks the same, but it
 * still waits for its answer: a request that is answered within a second is answered to both.
 */
export function isAbandoned({ raw: { socket } }: FastifyRequest): () => boolean {
  const since = steadyClock();
  return () => socket.destroyed || (socket.readableEnded && steadyClock() - since > halfOpenMs);
}
