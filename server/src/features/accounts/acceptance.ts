import type { Static } from 'typebox';
import { type Sql, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { sha256 } from '../../kernel/crypto.ts';
import { invalidParameter, missingParameter, Problem } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { recordAudit } from '../audit/index.ts';
import type { Gate } from './gate.ts';
import { deleteInvitation, findInvitationByToken, type InvitationRow } from './invitations-store.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { describePerson } from './people-service.ts';
import { findUserByEmail, insertUser, type UserRow } from './people-store.ts';
import { type Person, passwordLength } from './schema.ts';
import { startSession, wrongPassword } from './sessions-service.ts';
import type { Acceptance, InvitationPreview } from './team-schema.ts';
import { lockOrganization } from './team-store.ts';
import { insertMembership } from './tenants-store.ts';
import { countTry, forgiveTry, type Trier } from './throttle.ts';

type AcceptDeps = Pick<Deps, 'pool' | 'clock' | 'authenticator'>;

/** What the holder of a link may know before they accept. */
export async function lookUpInvitation(
  { pool, clock }: AcceptDeps,
  token: string,
  address: string,
): Promise<Static<typeof InvitationPreview>> {
  const byAddress: Trier = { by: 'address', name: address };
  await countTry(pool, byAddress);
  const invitation = await getOpen(pool, token, clock());
  await forgiveTry(pool, byAddress);
  const { email, role, organization_name } = invitation;
  return { organization_name, email, role, has_account: !!(await findUserByEmail(pool, email)) };
}

/** Joins and signs in: somebody new chooses a name and a password, somebody known shows theirs. */
export async function acceptInvitation(
  deps: AcceptDeps,
  gate: Gate,
  request: Static<typeof Acceptance>,
  { address, requestId }: { address: string; requestId: string },
): Promise<{ person: Static<typeof Person>; sessionToken: string }> {
  const { pool, clock } = deps;
  const accepted = await gate.run(async () => {
    const byAddress: Trier = { by: 'address', name: address };
    await countTry(pool, byAddress);
    const invitation = await getOpen(pool, request.token, clock());
    const byEmail: Trier = { by: 'email', name: invitation.email };
    const known = await findUserByEmail(pool, invitation.email);
    if (known) await countTry(pool, byEmail);
    // Passwords are worked on before the transaction: nobody waits behind a lock for that.
    const user = known ? await mustShowPassword(known, request.password) : await newcomer(request);

    return transaction(pool, async (tx) => {
      await lockOrganization(tx, invitation.organization_id);
      if (!(await deleteInvitation(tx, invitation.id))) throw notOpen();
      if (!known && !(await insertUser(tx, { ...user, email: invitation.email })))
        throw accountMadeMeanwhile();
      await join(tx, invitation, user.id, requestId);
      const sessionToken = await startSession(tx, user, clock());
      await forgiveTry(tx, byAddress);
      await forgiveTry(tx, byEmail);
      const { email } = invitation;
      return { sessionToken, person: await describePerson(tx, { userId: user.id, email, name: user.name }) };
    });
  });
  deps.authenticator.forget(); // who asked for the organization a moment ago was told that there is none
  return accepted;
}

async function getOpen(sql: Sql, token: string, now: number) {
  const found = await findInvitationByToken(sql, sha256(token));
  if (!found || found.expires_at.getTime() <= now) throw notOpen();
  return found;
}

function notOpen(): Problem {
  return new Problem(
    'invitation_not_found',
    'This invitation is not open any more. Ask whoever invited you for a new one.',
  );
}

async function mustShowPassword(user: UserRow, password: string): Promise<UserRow> {
  if (!(await verifyPassword(password, user.password_hash))) throw wrongPassword();
  return user;
}

async function newcomer({ name, password }: Static<typeof Acceptance>): Promise<UserRow> {
  if (name === undefined) throw missingParameter('name');
  if (password.length < passwordLength.least) {
    throw invalidParameter('password', `password must have at least ${passwordLength.least} characters.`);
  }
  return { id: newId(), name, password_hash: await hashPassword(password) };
}

function accountMadeMeanwhile(): Problem {
  return new Problem('invalid_credentials', 'This person got an account just now. Accept with its password.');
}

async function join(tx: Sql, invitation: InvitationRow, userId: string, requestId: string): Promise<void> {
  const { organization_id: organizationId, email, role, invited_by_user_id } = invitation;
  await insertMembership(tx, { organizationId, userId, role });
  await recordAudit(tx, {
    principal: { kind: 'user', id: userId, organizationId, environmentId: null },
    requestId,
    action: 'member.added',
    target: `member:${userId}`,
    before: null,
    after: { email, role, invited_by_user_id },
  });
}
