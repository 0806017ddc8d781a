import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { ProblemCode } from '../kernel/errors.ts';
import type { Principal, Recipient, RecipientScope, SignedIn } from './principal.ts';
import type { Scope } from './scopes.ts';
import type { StreamStart } from './sse.ts';

/**
 * An operation of the API: where it is, who may call it, what goes in and out. The same object registers the route, checks
 * the request, and writes the OpenAPI document, so the three cannot disagree.
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
  /** A single-use ticket in the query (`?ticket=`) will do instead of a token, for callers that cannot send headers. */
  ticket?: true;
  body?: TSchema;
  /** The whole body may be left out; the handler then sees `{}`. */
  bodyOptional?: boolean;
  /** A list in the body whose elements stand alone: in place of one that cannot be taken over comes its Problem. */
  listApart?: string;
  /** For routes without credentials whose address holds a secret: asked before the body is read, throws to refuse the call. */
  admit?: (request: FastifyRequest) => Promise<void>;
  /** Any media type is taken, and the body comes as a Buffer (undefined when there is none) for the handler to read. */
  rawBody?: true;
  query?: TSchema;
  params?: TSchema;
  headers?: Record<string, { description: string; schema: TSchema }>;
  /** Success statuses and their bodies (null: no body). */
  responses: Record<number, TSchema | null>;
  /** Errors that the handler answers with and the shape of the route does not tell (see errorStatuses). */
  errors?: readonly ProblemCode[];
  /** Bytes; unless told 1 MiB, and 16 KiB for those without credentials. */
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
  /** Sent as JSON; with `contentType` a string is sent as it is. */
  body?: unknown;
  headers?: Record<string, string | string[]>;
  contentType?: string;
  /** The answer stays open: Server-Sent Events. */
  stream?: StreamStart;
}

/** A route with the types of what goes in, as far as they are told. */
interface TypedRoute<Body extends TSchema, Query extends TSchema, Params extends TSchema, Auth extends Access>
  extends Route {
  access: Auth;
  body?: Body;
  query?: Query;
  params?: Params;
  // Not where types are found out: that would cost seconds of every type check.
  handler(
    call: NoInfer<RouteCall<Static<Body>, Static<Query>, Static<Params>, Auth>>,
  ): Promise<Reply> | Reply;
}

/** Keeps the types of one route together while the table holds them all alike. */
export function route<
  Body extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Params extends TSchema = TSchema,
  Auth extends Access = Access,
>(definition: TypedRoute<Body, Query, Params, Auth>): Route {
  return definition;
}
