import type { FastifyRequest } from 'fastify';
import { Problem } from '../kernel/errors.ts';
import type { Recipient, RecipientAuthenticator, RecipientScope } from './principal.ts';
import type { Access, RecipientAccess, Route } from './route.ts';

/** Claims, header and signature of a token for the longest user id are shorter than this. */
const maxTokenLength = 4_096;

export function isRecipientAccess(access: Access): access is RecipientAccess {
  return access === 'recipient' || access.startsWith('recipient:');
}

/** The scope that an end-user token must have; null when any token is accepted. */
export function recipientScopeOf(access: RecipientAccess): RecipientScope | null {
  return access === 'recipient' ? null : (access.slice('recipient:'.length) as RecipientScope);
}

/** Identifies the recipient by an end-user token, or by the ticket that replaces one. */
export async function identifyRecipient(
  recipients: RecipientAuthenticator,
  { access, ticket }: { access: RecipientAccess; ticket?: Route['ticket'] },
  request: FastifyRequest,
): Promise<Recipient> {
  const recipient = await (ticket && request.headers.authorization === undefined
    ? byTicket(recipients, request)
    : byToken(recipients, request));
  const scope = recipientScopeOf(access);
  if (scope && !recipient.scopes.has(scope)) {
    throw new Problem('insufficient_scope', `This operation requires a token with the scope ${scope}.`);
  }
  return recipient;
}

function byToken(recipients: RecipientAuthenticator, request: FastifyRequest): Promise<Recipient> {
  const { authorization } = request.headers;
  if (authorization === undefined) {
    throw new Problem('missing_credentials', 'Send the header: Authorization: Bearer <end-user token>.');
  }
  const token = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1];
  if (!token || token.length > maxTokenLength) {
    throw new Problem('invalid_credentials', 'The Authorization header must be: Bearer <end-user token>.');
  }
  return recipients.byToken(token);
}

function byTicket(recipients: RecipientAuthenticator, request: FastifyRequest): Promise<Recipient> {
  const { ticket } = request.query as { ticket?: unknown };
  if (ticket === undefined) {
    throw new Problem(
      'missing_credentials',
      'Send the header Authorization: Bearer <end-user token>, or a ticket in the query.',
    );
  }
  if (typeof ticket !== 'string') throw new Problem('invalid_credentials', 'Send exactly one ticket.');
  return recipients.byTicket(ticket);
}
