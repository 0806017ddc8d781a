import type { Scope } from './scopes.ts';

export type Plan = 'free' | 'pro' | 'scale' | 'unmetered';

/** Who is calling, and for which environment. */
export interface Principal {
  kind: 'key' | 'user';
  /** The key's id, or the user's when a dashboard session calls. */
  id: string;
  /** The person behind it: the key's maker, or the user. */
  userId: string;
  organizationId: string;
  environmentId: string;
  environmentKind: 'test' | 'live';
  plan: Plan;
  preset: string | null;
  scopes: ReadonlySet<Scope>;
  /** When the key ends, be it by its expiry or by the grace after a rotation. */
  endsAt: Date | null;
}

/** Someone who is signed in to the dashboard, whatever the organization and environment they look at. */
export interface SignedIn {
  kind: 'person';
  userId: string;
  email: string;
  name: string;
  sessionId: string;
}

/** How the HTTP layer learns who is calling; the accounts feature provides it. Throws a Problem of type A. */
export interface Authenticator {
  byKey(secret: string): Promise<Principal>;
  bySession(token: string, environmentId: string | undefined): Promise<Principal>;
  /** Never from memory. */
  personOf(token: string): Promise<SignedIn>;
  /** Drops what this process remembers, so that a revocation is felt at once here (elsewhere within a second). */
  forget(): void;
}

/** What an end-user token may be good for. */
export const recipientScopes = ['inbox', 'prefs'] as const;
export type RecipientScope = (typeof recipientScopes)[number];

/** One of the people an application writes to, calling with an end-user token: sees what is their own and nothing else. */
export interface Recipient {
  kind: 'recipient';
  externalUserId: string;
  organizationId: string;
  environmentId: string;
  scopes: ReadonlySet<RecipientScope>;
  expiresAtMs: number;
}

/** How the HTTP layer learns which recipient is calling; the inbox feature provides it. Throws a Problem of type A. */
export interface RecipientAuthenticator {
  byToken(token: string): Promise<Recipient>;
  /** A ticket stands for a token where no header can be sent, and works once. */
  byTicket(ticket: string): Promise<Recipient>;
}
