import type { Static } from 'typebox';
import type { Config } from '../../../config.ts';
import { type Pool, type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { SignedIn } from '../../../http/principal.ts';
import { randomBase62 } from '../../../kernel/crypto.ts';
import { invalidParameter } from '../../../kernel/errors.ts';
import {
  isNoteworthy,
  personActor,
  type RequestContext,
  recordForMember,
  serviceActor,
} from './member-log.ts';
import { hashPassword, verifyPassword } from './password.ts';
import {
  deleteOtherSessions,
  findUserByEmail,
  replacePassword,
  updatePassword,
  updateUserName,
} from './people-store.ts';
import type { Organization, Person } from './schema.ts';
import type { Semaphores } from './semaphore.ts';
import { type EnvironmentRow, listMemberships } from './team-store.ts';
import { admitAttempt, forgiveAccount, forgiveAttempt, sessionSubject } from './throttle.ts';

export async function describePerson(
  sql: Sql,
  config: Pick<Config, 'CARILLON_SELF_SERVICE_ORGANIZATIONS'>,
  person: Pick<SignedIn, 'userId' | 'email' | 'name'>,
): Promise<Static<typeof Person>> {
  return {
    user_id: person.userId,
    email: person.email,
    name: person.name,
    organizations: await organizationsOf(sql, person.userId),
    may_create_organizations: config.CARILLON_SELF_SERVICE_ORGANIZATIONS === 'on',
  };
}

/** The organizations of a person with their environments, oldest first. */
export async function organizationsOf(sql: Sql, userId: string): Promise<Static<typeof Organization>[]> {
  const organizations = new Map<string, Static<typeof Organization>>();
  for (const row of await listMemberships(sql, userId)) {
    const organization = organizations.get(row.organization_id) ?? {
      id: row.organization_id,
      name: row.organization_name,
      role: row.role,
      environments: [],
    };
    organization.environments.push(environmentView(row));
    organizations.set(organization.id, organization);
  }
  return [...organizations.values()];
}

export async function rename(
  { pool, config }: Pick<Deps, 'pool' | 'config'>,
  person: SignedIn,
  name: string,
  context: RequestContext,
): Promise<Static<typeof Person>> {
  return transaction(pool, async (tx) => {
    await updateUserName(tx, person.userId, name);
    await recordForMember(tx, person.userId, personActor(person.userId), context, {
      action: 'member.updated',
      before: { name: person.name },
      after: { name },
    });
    return describePerson(tx, config, { ...person, name });
  });
}

/**
 * Changes the password and ends all other sessions of the person. Wrong guesses are counted for the session alone: a session
 * left open is no use for guessing the password, and guesses from elsewhere do not keep its owner from changing it.
 */
export async function changePassword(
  deps: Pick<Deps, 'pool' | 'authenticator'>,
  gates: Semaphores,
  person: SignedIn,
  request: { current_password: string; new_password: string },
  context: RequestContext,
): Promise<void> {
  const { userId, email, sessionId } = person;
  const record = (sql: Sql, action: string, after?: object) =>
    recordForMember(sql, userId, personActor(userId), context, { action, ...(after && { after }) });
  // The status is not 401: the session is valid, and a page that reads 401 would sign the person out.
  const wrong = invalidParameter('current_password', 'The current password is wrong.');
  await gates.for(true).run(async () => {
    const subjects = [sessionSubject(sessionId)];
    const { session: failures = 0 } = await admitAttempt(deps.pool, subjects);
    const user = await findUserByEmail(deps.pool, email);
    const before = user?.password_hash ?? null;
    if (!(await verifyPassword(request.current_password, before)) || before === null) {
      if (isNoteworthy(failures)) await record(deps.pool, 'member.password_change_failed', { failures });
      throw wrong;
    }
    const after = await hashPassword(request.new_password);
    await transaction(deps.pool, async (tx) => {
      if (!(await updatePassword(tx, userId, { before, after }))) throw wrong;
      await deleteOtherSessions(tx, userId, sessionId);
      await forgiveAttempt(tx, subjects);
      await record(tx, 'member.password_changed');
    });
  });
  deps.authenticator.forget();
}

/**
 * For the operator of the machine, who needs no permission: a new password for a person who forgot theirs. The reset ends all
 * their sessions, and every wait after too many guesses. Resolves to null when no account has this email.
 */
export async function resetPassword(pool: Pool, email: string): Promise<string | null> {
  const password = randomBase62(20);
  const hash = await hashPassword(password);
  return transaction(pool, async (tx) => {
    const user = await findUserByEmail(tx, email);
    if (!user) return null;
    await replacePassword(tx, user.id, hash);
    await deleteOtherSessions(tx, user.id, null);
    await forgiveAccount(tx, email);
    await recordForMember(
      tx,
      user.id,
      serviceActor,
      { requestId: null, client: null },
      {
        action: 'member.password_reset',
      },
    );
    return password;
  });
}

export function environmentView(row: EnvironmentRow) {
  return { id: row.id, name: row.name, kind: row.kind, created_at: row.created_at.toISOString() };
}
