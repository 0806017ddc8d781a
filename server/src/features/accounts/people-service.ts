import type { Static } from 'typebox';
import { type Pool, type Sql, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import type { SignedIn } from '../../http/principal.ts';
import { randomBase62 } from '../../kernel/crypto.ts';
import { invalidParameter } from '../../kernel/errors.ts';
import { type Actor, recordAudit } from '../audit/index.ts';
import type { Gate } from './gate.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { findUserByEmail, replacePassword, updatePassword, updateUserName } from './people-store.ts';
import type { Organization, Person } from './schema.ts';
import { deleteOtherSessions } from './sessions-store.ts';
import { listMemberships, listOrganizationIds } from './tenants-store.ts';
import { countTry, forgiveTry, type Trier } from './throttle.ts';
import { environmentView } from './view.ts';

export async function describePerson(
  sql: Sql,
  person: Pick<SignedIn, 'userId' | 'email' | 'name'>,
): Promise<Static<typeof Person>> {
  return {
    user_id: person.userId,
    email: person.email,
    name: person.name,
    organizations: await organizationsOf(sql, person.userId),
  };
}

/** With the environments of each, oldest first. */
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
  { pool }: Pick<Deps, 'pool'>,
  person: SignedIn,
  name: string,
  requestId: string,
): Promise<Static<typeof Person>> {
  return transaction(pool, async (tx) => {
    await updateUserName(tx, person.userId, name);
    await recordEverywhere(tx, person.userId, byThemselves(person), requestId, {
      action: 'member.updated',
      before: { name: person.name },
      after: { name },
    });
    return describePerson(tx, { ...person, name });
  });
}

/** Ends all their sessions but the one that asks. */
export async function changePassword(
  deps: Pick<Deps, 'pool' | 'authenticator'>,
  gate: Gate,
  person: SignedIn,
  request: { current_password: string; new_password: string },
  requestId: string,
): Promise<void> {
  const byEmail: Trier = { by: 'email', name: person.email };
  await gate.run(async () => {
    // A session that somebody left open must not be good for guessing the password.
    await countTry(deps.pool, byEmail);
    const user = await findUserByEmail(deps.pool, person.email);
    const before = user?.password_hash ?? null;
    // Not 401: the session is good, and a page that reads 401 would sign the person out.
    const wrong = invalidParameter('current_password', 'This is not the current password.');
    if (!(await verifyPassword(request.current_password, before)) || before === null) throw wrong;
    const after = await hashPassword(request.new_password);
    await transaction(deps.pool, async (tx) => {
      if (!(await updatePassword(tx, person.userId, { before, after }))) throw wrong;
      await deleteOtherSessions(tx, person.userId, person.sessionId);
      await forgiveTry(tx, byEmail);
      await recordEverywhere(tx, person.userId, byThemselves(person), requestId, {
        action: 'member.password_changed',
        before: null,
        after: null,
      });
    });
  });
  deps.authenticator.forget();
}

/**
 * For the operator of the machine, who needs no leave of ours: a new password for somebody who forgot theirs. It ends all their
 * sessions, and the wait after too many guesses. Null: nobody has this email.
 */
export async function resetPassword(pool: Pool, email: string): Promise<string | null> {
  const password = randomBase62(20);
  const hash = await hashPassword(password);
  return transaction(pool, async (tx) => {
    const user = await findUserByEmail(tx, email);
    if (!user) return null;
    await replacePassword(tx, user.id, hash);
    await deleteOtherSessions(tx, user.id, null);
    await forgiveTry(tx, { by: 'email', name: email });
    await recordEverywhere(tx, user.id, { kind: 'system', id: null }, null, {
      action: 'member.password_reset',
      before: null,
      after: null,
    });
    return password;
  });
}

function byThemselves({ userId }: SignedIn): Pick<Actor, 'kind' | 'id'> {
  return { kind: 'user', id: userId };
}

/** A person is one in all their organizations, so each of these learns of it. */
async function recordEverywhere(
  tx: Sql,
  userId: string,
  actor: Pick<Actor, 'kind' | 'id'>,
  requestId: string | null,
  entry: { action: string; before: object | null; after: object | null },
): Promise<void> {
  for (const organizationId of await listOrganizationIds(tx, userId)) {
    await recordAudit(tx, {
      ...entry,
      principal: { ...actor, organizationId, environmentId: null },
      requestId,
      target: `member:${userId}`,
    });
  }
}
