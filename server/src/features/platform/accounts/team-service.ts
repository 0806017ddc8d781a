import type { Static } from 'typebox';
import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Role } from '../../../http/scopes.ts';
import { notFound, Problem } from '../../../kernel/errors.ts';
import { type Page, pageOf, pageRequest } from '../../../kernel/page.ts';
import { recordAudit } from '../audit/index.ts';
import { withdrawAllBy } from './invitations-service.ts';
import { authorOf, getOwnMembership, grantable, lockTeam, mustGrant, type TeamCaller } from './rights.ts';
import type { Member } from './schema.ts';
import {
  deleteMembership,
  findMember,
  hasOtherOwner,
  listMembers,
  type MemberRow,
  updatePlanOwner,
  updateRole,
} from './team-store.ts';

type TeamDeps = Pick<Deps, 'pool' | 'clock' | 'authenticator'>;

export async function listTeam(
  { pool }: TeamDeps,
  caller: TeamCaller,
  query: { cursor?: string; limit?: number },
): Promise<Page<MemberRow>> {
  await getOwnMembership(pool, caller);
  const list = `members:${caller.organizationId}`;
  const page = pageRequest(list, query);
  return pageOf(list, await listMembers(pool, caller.organizationId, page), page.limit);
}

export async function changeRole(
  deps: TeamDeps,
  caller: TeamCaller,
  userId: string,
  role: Role,
): Promise<MemberRow> {
  const { organizationId } = caller;
  const changed = await transaction(deps.pool, async (tx) => {
    const own = await lockTeam(tx, caller);
    const member = await getMember(tx, organizationId, userId);
    mustGrant(own, member.role);
    mustGrant(own, role);
    if (member.role === role) return member;
    await mustLeaveAnOwner(tx, organizationId, member);
    await updateRole(tx, organizationId, userId, role);
    if (member.role === 'owner') await updatePlanOwner(tx, organizationId, userId);
    await withdrawAllBy(tx, caller, userId, grantable[role], deps.clock());
    await recordAudit(tx, authorOf(caller), {
      action: 'member.role_changed',
      target: `member:${userId}`,
      before: { email: member.email, role: member.role },
      after: { email: member.email, role },
    });
    return { ...member, role };
  });
  deps.authenticator.forget();
  return changed;
}

/** Every member may leave. */
export async function removeMember(deps: TeamDeps, caller: TeamCaller, userId: string): Promise<void> {
  const { organizationId } = caller;
  await transaction(deps.pool, async (tx) => {
    const own = await lockTeam(tx, caller);
    const member = await getMember(tx, organizationId, userId);
    if (member.id !== own.id) mustGrant(own, member.role);
    await mustLeaveAnOwner(tx, organizationId, member);
    await deleteMembership(tx, organizationId, userId);
    await updatePlanOwner(tx, organizationId, userId);
    // Otherwise an invitation that they sent to another address of their own would let them back in.
    await withdrawAllBy(tx, caller, userId, [], deps.clock());
    await recordAudit(tx, authorOf(caller), {
      action: 'member.removed',
      target: `member:${userId}`,
      before: { email: member.email, role: member.role },
    });
  });
  deps.authenticator.forget();
}

async function getMember(tx: Sql, organizationId: string, userId: string): Promise<MemberRow> {
  const member = await findMember(tx, organizationId, userId);
  if (!member) throw notFound('member');
  return member;
}

async function mustLeaveAnOwner(tx: Sql, organizationId: string, { id, role }: MemberRow): Promise<void> {
  if (role === 'owner' && !(await hasOtherOwner(tx, organizationId, id))) {
    throw new Problem('last_owner', 'This is the only owner. Add another owner first.');
  }
}

export function memberView(row: MemberRow): Static<typeof Member> {
  return {
    user_id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    joined_at: row.joined_at.toISOString(),
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
  };
}
