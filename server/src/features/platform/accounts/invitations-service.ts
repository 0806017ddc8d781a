import { randomBytes } from 'node:crypto';
import { parseEmailAddress } from '../../../channels/email/address.ts';
import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
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
  findInvitationFor,
  type InvitationRow,
  insertInvitation,
  listInvitations,
} from './invitations-store.ts';
import { authorOf, getOwnMembership, lockTeam, mustGrant, mustManage, type TeamCaller } from './rights.ts';
import { findMemberByEmail } from './team-store.ts';

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
