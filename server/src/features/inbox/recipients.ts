import { randomBytes } from 'node:crypto';
import type { Deps } from '../../deps.ts';
import type { Recipient, RecipientAuthenticator } from '../../http/principal.ts';
import { createCache } from '../../kernel/cache.ts';
import { sha256 } from '../../kernel/crypto.ts';
import { Problem } from '../../kernel/errors.ts';
import { findSigningKeys, type KeyDeps, type SigningKeys } from './keys-service.ts';
import { claimedEnvironment, refusal, verifyToken } from './token.ts';
import { insertTicket, takeTicket } from './tokens-store.ts';

/** How long keys are cached, which is how long a key without overlap still works after a rotation. */
const memoryMs = 1_000;
export const ticketSeconds = 30;

/**
 * Turns end-user tokens and tickets into a Recipient. A valid token costs no query when the keys of its environment were read
 * within a second.
 */
export function createRecipientAuthenticator(deps: KeyDeps): RecipientAuthenticator {
  const { pool, clock } = deps;
  const memory = createCache<SigningKeys>(10_000, memoryMs);

  async function readKeys(environmentId: string): Promise<SigningKeys | null> {
    const found = await findSigningKeys(deps, environmentId);
    if (found) memory.set(environmentId, found);
    return found;
  }

  async function recipientBy(
    token: string,
    environmentId: string,
    keys: SigningKeys | null | undefined,
  ): Promise<Recipient | null> {
    const claims = keys && (await verifyToken(token, keys.keys, clock()));
    return claims
      ? { kind: 'recipient', organizationId: keys.organizationId, environmentId, ...claims }
      : null;
  }

  return {
    async byToken(token) {
      const environmentId = claimedEnvironment(token);
      const recipient =
        (await recipientBy(token, environmentId, memory.get(environmentId))) ??
        // The key may be newer than the cached ones: a token must work from its first moment.
        (await recipientBy(token, environmentId, await readKeys(environmentId)));
      if (!recipient) throw refusal('was not signed with the inbox signing key of its environment');
      return recipient;
    },
    async byTicket(text) {
      const ticket = await takeTicket(pool, sha256(text), new Date(clock()));
      if (!ticket) throw new Problem('invalid_credentials', 'This ticket has been used or has expired.');
      return {
        kind: 'recipient',
        organizationId: ticket.organizationId,
        environmentId: ticket.environmentId,
        externalUserId: ticket.externalUserId,
        scopes: new Set(['inbox']),
        expiresAtMs: ticket.tokenExpiresAt.getTime(),
      };
    },
  };
}

/** Tickets are for EventSource, which cannot send a header: short-lived, valid once, and worthless in a log file afterwards. */
export async function issueTicket(
  { pool, clock }: Pick<Deps, 'pool' | 'clock'>,
  recipient: Recipient,
): Promise<string> {
  const text = randomBytes(32).toString('base64url');
  await insertTicket(
    pool,
    sha256(text),
    {
      environmentId: recipient.environmentId,
      externalUserId: recipient.externalUserId,
      tokenExpiresAt: new Date(recipient.expiresAtMs),
    },
    new Date(clock() + ticketSeconds * 1000),
  );
  return text;
}
