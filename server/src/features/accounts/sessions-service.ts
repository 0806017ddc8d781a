import { randomBytes } from 'node:crypto';
import { type Sql, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import type { SignedIn } from '../../http/principal.ts';
import { sha256 } from '../../kernel/crypto.ts';
import { notFound, Problem } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type Page, pageOf, pageRequest } from '../../kernel/page.ts';
import type { Gate } from './gate.ts';
import { verifyPassword } from './password.ts';
import { findUserByEmail, type UserRow } from './people-store.ts';
import { deleteSession, insertSession, listSessions, type OwnSessionRow } from './sessions-store.ts';
import { countTry, forgiveTry, type Trier } from './throttle.ts';

export const sessionSeconds = 7 * 24 * 3600;

/** Returns the token of a new session. */
export function login(
  { pool, clock }: Pick<Deps, 'pool' | 'clock'>,
  gate: Gate,
  attempt: { email: string; password: string; address: string },
): Promise<string> {
  return gate.run(async () => {
    const email = attempt.email.trim().toLowerCase();
    const byAddress: Trier = { by: 'address', name: attempt.address };
    const byEmail: Trier = { by: 'email', name: email };
    // The address goes first: a throttled one cannot fill the table with made-up emails.
    await countTry(pool, byAddress);
    await countTry(pool, byEmail);

    const user = await findUserByEmail(pool, email);
    const right = await verifyPassword(attempt.password, user?.password_hash ?? null);
    if (!user || !right) throw wrongPassword();

    return transaction(pool, async (tx) => {
      const token = await startSession(tx, user, clock());
      await forgiveTry(tx, byAddress);
      await forgiveTry(tx, byEmail);
      return token;
    });
  });
}

export function wrongPassword(): Problem {
  return new Problem('invalid_credentials', 'The email or the password is wrong.');
}

/** For somebody whose password was just checked. */
export async function startSession(tx: Sql, user: UserRow, now: number): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const started = await insertSession(tx, {
    id: newId(now),
    tokenHash: sha256(token),
    userId: user.id,
    passwordHash: user.password_hash,
    expiresAt: new Date(now + sessionSeconds * 1000),
  });
  if (!started) throw wrongPassword();
  return token;
}

/** One of their own: by signing out, or from another device. */
export async function endSession(
  deps: Pick<Deps, 'pool' | 'authenticator'>,
  { userId }: SignedIn,
  id: string,
): Promise<void> {
  if (!(await deleteSession(deps.pool, userId, id))) throw notFound('session');
  deps.authenticator.forget();
}

export async function listOwnSessions(
  { pool, clock }: Pick<Deps, 'pool' | 'clock'>,
  { userId }: SignedIn,
  query: { cursor?: string; limit?: number },
): Promise<Page<OwnSessionRow>> {
  const list = `sessions:${userId}`;
  const page = pageRequest(list, query);
  return pageOf(list, await listSessions(pool, userId, new Date(clock()), page), page.limit);
}
