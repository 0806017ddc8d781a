import { randomBytes } from 'node:crypto';
import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { SignedIn } from '../../../http/principal.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { notFound, Problem } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Page, pageOf, pageRequest } from '../../../kernel/page.ts';
import { personActor, type RequestContext, recordFailedSignIn, recordForMember } from './member-log.ts';
import { hashPassword, isOutdated, verifyPassword } from './password.ts';
import {
  type AccountRow,
  deleteSession,
  findUserByEmail,
  insertSession,
  listSessions,
  type OwnSessionRow,
  sessionEnd,
  updatePassword,
} from './people-store.ts';
import type { Semaphores } from './semaphore.ts';
import { admitAttempt, forgiveAttempt, passwordSubjects, type ThrottleSubject } from './throttle.ts';

export const sessionSeconds = 7 * 24 * 3600;

type SessionDeps = Pick<Deps, 'pool' | 'clock' | 'log' | 'authenticator'>;

/** The context of a request that presents a password. */
export type AttemptContext = RequestContext & {
  client: NonNullable<RequestContext['client']>;
  /** The id of a browser in which this account was signed in to before. */
  deviceId: string | null;
};

export function emailOf(text: string): string {
  return text.trim().toLowerCase();
}

/** Returns the token of a new session. */
export function login(
  deps: SessionDeps,
  gates: Semaphores,
  { email, password }: { email: string; password: string },
  context: AttemptContext,
): Promise<string> {
  const { client, deviceId } = context;
  return gates.for(deviceId !== null).run(async () => {
    const subjects = passwordSubjects(email, client, deviceId);
    const failures = await admitAttempt(deps.pool, subjects);
    // The second round covers another sign-in that replaces an outdated hash between the check and the new session.
    for (let round = 0; round < 2; round += 1) {
      const user = await findUserByEmail(deps.pool, email);
      const isRight = await verifyPassword(password, user?.password_hash ?? null);
      if (!user || !isRight) {
        recordFailedSignIn(deps, user?.id, failures, context);
        throw wrongPassword();
      }
      const token = await openSession(deps, await renewHash(deps, user, password), subjects, context);
      if (token) return token;
    }
    throw wrongPassword();
  });
}

export function wrongPassword(): Problem {
  return new Problem('invalid_credentials', 'The email or the password is wrong.');
}

async function renewHash({ pool }: SessionDeps, user: AccountRow, password: string): Promise<AccountRow> {
  const before = user.password_hash;
  if (!isOutdated(before)) return user;
  const after = await hashPassword(password);
  return (await updatePassword(pool, user.id, { before, after })) ? { ...user, password_hash: after } : user;
}

function openSession(
  { pool, clock }: SessionDeps,
  user: AccountRow,
  subjects: readonly ThrottleSubject[],
  context: RequestContext,
): Promise<string | null> {
  return transaction(pool, async (tx) => {
    const token = await startSession(tx, user, clock(), context);
    if (token) await forgiveAttempt(tx, subjects);
    return token;
  });
}

/** Starts a session after the password was checked. Resolves to null when the password has changed since. */
export async function startSession(
  tx: Sql,
  user: AccountRow,
  now: number,
  context: RequestContext,
): Promise<string | null> {
  const token = randomBytes(32).toString('base64url');
  const id = newId(now);
  const started = await insertSession(tx, {
    id,
    tokenHash: sha256(token),
    userId: user.id,
    passwordHash: user.password_hash,
    expiresAt: new Date(now + sessionSeconds * 1000),
  });
  if (!started) return null;
  await recordForMember(tx, user.id, personActor(user.id), context, {
    action: 'member.signed_in',
    after: { session_id: id },
  });
  return token;
}

/** Ends one of the person's own sessions: by signing out, or from another device. */
export async function endSession(
  deps: SessionDeps,
  { userId }: SignedIn,
  id: string,
  context: RequestContext,
): Promise<void> {
  await transaction(deps.pool, async (tx) => {
    if (!(await deleteSession(tx, userId, id))) throw notFound('session');
    await recordForMember(tx, userId, personActor(userId), context, {
      action: 'member.signed_out',
      before: { session_id: id },
    });
  });
  deps.authenticator.forget();
}

/** Lists sessions, each with the end it has without further use. */
export async function listOwnSessions(
  { pool, clock, config }: Pick<Deps, 'pool' | 'clock' | 'config'>,
  { userId }: SignedIn,
  query: { cursor?: string; limit?: number },
): Promise<Page<OwnSessionRow>> {
  const idleMs = config.CARILLON_SESSION_IDLE_HOURS * 3_600_000;
  const list = `sessions:${userId}`;
  const page = pageRequest(list, query);
  const rows = await listSessions(pool, userId, { now: clock(), idleMs }, page);
  const ending = rows.map((row) => ({ ...row, expires_at: sessionEnd(row, idleMs) }));
  return pageOf(list, ending, page.limit);
}
