import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import { parseEmailAddress } from '../../../channels/email/address.ts';
import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Client } from '../../../http/principal.ts';
import type { Role } from '../../../http/scopes.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { invalidParameter, notFound, Problem } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Page, pageOf, pageRequest } from '../../../kernel/page.ts';
import { recordAudit } from '../audit/index.ts';
import {
  countInvitations,
  deleteInvitation,
  deleteInvitationsBy,
  findInvitation,
  findInvitationByToken,
  findInvitationFor,
  type InvitationRow,
  insertInvitation,
  listInvitations,
} from './invitations-store.ts';
import { personActor, type RequestContext, recordFailedSignIn } from './member-log.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { describePerson } from './people-service.ts';
import { type AccountRow, findUserByEmail, insertUser } from './people-store.ts';
import { authorOf, getOwnMembership, lockTeam, mustGrant, mustManage, type TeamCaller } from './rights.ts';
import { type Acceptance, type InvitationPreview, type Person, passwordLength } from './schema.ts';
import type { Semaphores } from './semaphore.ts';
import { type AttemptContext, startSession, wrongPassword } from './sessions-service.ts';
import { findMemberByEmail, insertMembership, lockOrganization } from './team-store.ts';
import { admitAttempt, forgiveAttempt, networkSubject, passwordSubjects } from './throttle.ts';

const validMs = 7 * 24 * 3_600_000;
const openInvitations = 100;

type InvitationDeps = Pick<Deps, 'pool' | 'clock'>;

export async function listOpenInvitations(
  { pool, clock }: InvitationDeps,
  caller: TeamCaller,
  query: { cursor?: string; limit?: number },
): Promise<Page<InvitationRow>> {
  mustManage(await getOwnMembership(pool, caller));
  const list = `invitations:${caller.organizationId}`;
  const page = pageRequest(list, query);
  const rows = await listInvitations(pool, caller.organizationId, new Date(clock()), page);
  return pageOf(list, rows, page.limit);
}

/** The token is known only here; an earlier invitation of the same address stops working. */
export async function invite(
  { pool, clock }: InvitationDeps,
  caller: TeamCaller,
  request: { email: string; role: Role },
): Promise<{ row: InvitationRow; token: string }> {
  const { organizationId } = caller;
  const token = randomBytes(32).toString('base64url');
  const now = clock();
  const row: InvitationRow = {
    id: newId(now),
    organization_id: organizationId,
    email: emailOf(request.email),
    role: request.role,
    invited_by_user_id: caller.person.userId,
    expires_at: new Date(now + validMs),
  };
  await transaction(pool, async (tx) => {
    const own = await lockTeam(tx, caller);
    mustGrant(own, row.role);
    if (await findMemberByEmail(tx, organizationId, row.email)) {
      throw new Problem('already_member', 'This user is already a member of the organization.', {
        param: 'email',
      });
    }
    const former = await findInvitationFor(tx, organizationId, row.email);
    if (former) {
      mustGrant(own, former.role);
      await deleteInvitation(tx, former.id);
    }
    if ((await countInvitations(tx, organizationId, new Date(now))) >= openInvitations) {
      throw new Problem(
        'team_limit_reached',
        `An organization can have ${openInvitations} open invitations. Withdraw some first.`,
      );
    }
    await insertInvitation(tx, row, sha256(token));
    await recordAudit(tx, authorOf(caller), {
      action: 'invitation.created',
      target: `invitation:${row.id}`,
      before: former && auditViewOf(former),
      after: auditViewOf(row),
    });
  });
  return { row, token };
}

export async function withdraw({ pool }: InvitationDeps, caller: TeamCaller, id: string): Promise<void> {
  await transaction(pool, async (tx) => {
    const own = await lockTeam(tx, caller);
    mustManage(own);
    const row = await findInvitation(tx, caller.organizationId, id);
    if (!row) throw notFound('invitation');
    mustGrant(own, row.role);
    await deleteInvitation(tx, id);
    await recordWithdrawal(tx, caller, row);
  });
}

/**
 * Withdraws the invitations of a member who may no longer grant their roles. Expired ones are deleted without an audit entry.
 */
export async function withdrawAllBy(
  tx: Sql,
  caller: TeamCaller,
  userId: string,
  stillGrantable: readonly Role[],
  now: number,
): Promise<void> {
  for (const row of await deleteInvitationsBy(tx, caller.organizationId, userId, stillGrantable)) {
    if (row.expires_at.getTime() > now) await recordWithdrawal(tx, caller, row);
  }
}

function recordWithdrawal(tx: Sql, caller: TeamCaller, row: InvitationRow): Promise<void> {
  return recordAudit(tx, authorOf(caller), {
    action: 'invitation.withdrawn',
    target: `invitation:${row.id}`,
    before: auditViewOf(row),
  });
}

function auditViewOf({ email, role, expires_at }: InvitationRow): object {
  return { email, role, expires_at: expires_at.toISOString() };
}

/** Normalizes an email in the same way as sign-in. */
function emailOf(text: string): string {
  const email = text.trim().toLowerCase();
  const parsed = parseEmailAddress(email);
  if ('problem' in parsed) throw invalidParameter('email', `email ${parsed.problem}.`);
  return email;
}

type AcceptDeps = Pick<Deps, 'pool' | 'clock' | 'config' | 'log' | 'authenticator'>;

/**
 * The details of an invitation that the holder of its link may see before accepting. Whether the address has an account is none
 * of them: anyone can invite any address.
 */
export async function lookUpInvitation(
  { pool, clock }: AcceptDeps,
  token: string,
  client: Client,
): Promise<Static<typeof InvitationPreview>> {
  const subjects = [networkSubject(client)];
  await admitAttempt(pool, subjects);
  const invitation = await getOpen(pool, token, clock());
  await forgiveAttempt(pool, subjects);
  const { email, role, organization_name } = invitation;
  return { organization_name, email, role };
}

/** Joins and signs in: a new person chooses a name and a password, a known one enters theirs. */
export async function acceptInvitation(
  deps: AcceptDeps,
  gates: Semaphores,
  request: Static<typeof Acceptance>,
  { findDevice, ...context }: AcceptContext,
): Promise<{ person: Static<typeof Person>; sessionToken: string }> {
  const { pool, clock } = deps;
  const accepted = await gates.for(false).run(async () => {
    const network = networkSubject(context.client);
    await admitAttempt(pool, [network]);
    const invitation = await getOpen(pool, request.token, clock());
    const { email } = invitation;
    const known = await findUserByEmail(pool, email);
    const subjects = passwordSubjects(email, context.client, findDevice(email)).filter(
      ({ kind }) => kind !== 'network', // already counted
    );
    const failures = await admitAttempt(pool, subjects).catch(async (error) => {
      await forgiveAttempt(pool, [network]);
      throw error;
    });
    // Password hashing happens before the transaction: no request waits behind a lock for it.
    const problem = newcomerProblem(request);
    if (known || problem) {
      const isRight = await verifyPassword(request.password, known?.password_hash ?? null);
      if (!known || !isRight) {
        recordFailedSignIn(deps, known?.id, failures, context);
        throw problem ?? wrongPassword();
      }
    }
    const user = known ?? (await newcomer(request));

    return transaction(pool, async (tx) => {
      await lockOrganization(tx, invitation.organization_id);
      if (!(await deleteInvitation(tx, invitation.id))) throw notOpen();
      if (!known && !(await insertUser(tx, { ...user, email }))) throw accountMadeMeanwhile();
      await join(tx, invitation, user.id, context);
      const sessionToken = await startSession(tx, user, clock(), context);
      if (!sessionToken) throw wrongPassword();
      await forgiveAttempt(tx, [network, ...subjects]);
      const person = { userId: user.id, email, name: user.name };
      return { sessionToken, person: await describePerson(tx, deps.config, person) };
    });
  });
  deps.authenticator.forget(); // the cached answer that the organization does not exist is outdated
  return accepted;
}

type AcceptContext = Omit<AttemptContext, 'deviceId'> & {
  /** Returns the id of this device when the account was signed in to from it before. */
  findDevice(email: string): string | null;
};

async function getOpen(sql: Sql, token: string, now: number) {
  const found = await findInvitationByToken(sql, sha256(token));
  if (!found || found.expires_at.getTime() <= now) throw notOpen();
  return found;
}

function notOpen(): Problem {
  return new Problem('invitation_not_found', 'This invitation is no longer valid. Ask for a new one.');
}

/**
 * Why the request makes no new account; null when it does. It is the answer to a wrong password as well, also in its time and its
 * count: those who invite an address must not learn from it whether the address has an account.
 */
function newcomerProblem({ name, password }: Static<typeof Acceptance>): Problem | null {
  if (name === undefined)
    return new Problem(
      'invalid_credentials',
      'No account with this email has this password. For a new account, send a name as well.',
    );
  if (password.length >= passwordLength.min) return null;
  return invalidParameter('password', `password must have at least ${passwordLength.min} characters.`);
}

async function newcomer({ name, password }: Static<typeof Acceptance>): Promise<AccountRow> {
  return { id: newId(), name: name as string, password_hash: await hashPassword(password) };
}

function accountMadeMeanwhile(): Problem {
  return new Problem('invalid_credentials', 'This user already has an account. Accept with its password.');
}

async function join(
  tx: Sql,
  invitation: InvitationRow,
  userId: string,
  context: RequestContext,
): Promise<void> {
  const { organization_id: organizationId, email, role, invited_by_user_id } = invitation;
  const author = { principal: { ...personActor(userId), organizationId, environmentId: null }, ...context };
  await insertMembership(tx, { organizationId, userId, role });
  await recordAudit(tx, author, {
    action: 'member.added',
    target: `member:${userId}`,
    after: { email, role, invited_by_user_id },
  });
}
