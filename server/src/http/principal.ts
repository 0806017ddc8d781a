import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { notFound } from '../kernel/errors.ts';
import type { Scope } from './scopes.ts';

export type Plan = 'free' | 'pro' | 'scale' | 'unmetered';

/** The caller and its environment. */
export interface Principal {
  kind: 'key' | 'user';
  /** The key's id, or the user's when a dashboard session calls. */
  id: string;
  /** The person behind the caller: the creator of the key, or the user. */
  userId: string;
  organizationId: string;
  environmentId: string;
  environmentKind: 'test' | 'live';
  plan: Plan;
  preset: string | null;
  scopes: ReadonlySet<Scope>;
  /** The time at which the key ends, by its expiry or by the grace period after a rotation. */
  endsAt: Date | null;
}

/** Refuses a path that names another environment than that of the caller. */
export function checkEnvironment(principal: Principal, environmentId: string): void {
  if (environmentId.toLowerCase() !== principal.environmentId) throw notFound('environment');
}

/** The principal of a request that changes something, with the id under which the audit log names the request. */
export interface Caller {
  principal: Principal;
  requestId: string;
}

/** A person signed in to the dashboard, independent of the organization and environment on screen. */
export interface SignedIn {
  kind: 'person';
  userId: string;
  email: string;
  name: string;
  sessionId: string;
}

/** Identifies the caller of a request; the accounts feature provides it. Throws a Problem of type `authentication_error`. */
export interface Authenticator {
  byKey(secret: string): MaybePromise<Principal>;
  bySession(token: string, environmentId: string | undefined): Promise<Principal>;
  /** Always reads the database, never a cache. */
  personOf(token: string): Promise<SignedIn>;
  /** Clears the cache of this process, so that a revocation takes effect at once here (in other processes within a second). */
  forget(): void;
}

/** The possible scopes of an end-user token. */
export const recipientScopes = ['inbox', 'prefs'] as const;
export type RecipientScope = (typeof recipientScopes)[number];

/** An end user of an application, calling with an end-user token: sees only their own data. */
export interface Recipient {
  kind: 'recipient';
  externalUserId: string;
  organizationId: string;
  environmentId: string;
  scopes: ReadonlySet<RecipientScope>;
  expiresAtMs: number;
}

/** Identifies the recipient that is calling; the inbox feature provides it. Throws a Problem of type `authentication_error`. */
export interface RecipientAuthenticator {
  byToken(token: string): Promise<Recipient>;
  /** A ticket replaces a token where no header can be sent, and works once. */
  byTicket(ticket: string): Promise<Recipient>;
}

/** A value that is mostly there already: what is found in memory needs no promise, which costs every request a turn of the queue. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Goes on at once when the value is there. */
export function whenReady<In, Out>(
  value: MaybePromise<In>,
  next: (value: In) => MaybePromise<Out>,
): MaybePromise<Out> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The origin of a request, in the form that the audit log keeps. */
export interface Client {
  /** Null when a trusted proxy forwarded something that is not an address. */
  ipAddress: string | null;
  userAgent: string | null;
}

const longestUserAgent = 300;

export function clientOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Client {
  const userAgent = headers['user-agent'];
  return {
    ipAddress: isIP(ip) ? ip : null,
    // Browsers send only printable ASCII; anything else could only confuse a terminal or a page that shows it.
    userAgent: userAgent ? userAgent.slice(0, longestUserAgent).replaceAll(/[^\x20-\x7e]/g, '?') : null,
  };
}
