import type { Sql } from '../../db/sql.ts';
import type { SignedIn } from '../../http/principal.ts';
import { type Role, roles } from '../../http/scopes.ts';
import { notFound, Problem } from '../../kernel/errors.ts';
import type { Actor } from '../audit/index.ts';
import { findMember, lockOrganization, type MemberRow } from './team-store.ts';

/** Whom each role may make, change and remove: only an owner makes or unmakes an owner. */
export const grantable: Record<Role, readonly Role[]> = {
  owner: roles,
  admin: roles.filter((role) => role !== 'owner'),
  developer: [],
  viewer: [],
};

/** A person who does something to an organization, and with which request. */
export interface TeamCaller {
  person: SignedIn;
  organizationId: string;
  requestId: string;
}

export function callerOf(call: {
  principal: SignedIn;
  params: { organizationId: string };
  requestId: string;
}): TeamCaller {
  return {
    person: call.principal,
    organizationId: call.params.organizationId,
    requestId: call.requestId,
  };
}

/** An organization that somebody does not belong to is, for them, none. */
export async function getOwnMembership(sql: Sql, { person, organizationId }: TeamCaller): Promise<MemberRow> {
  const member = await findMember(sql, organizationId, person.userId);
  if (!member) throw notFound('organization');
  return member;
}

/**
 * One change of a team at a time, so that what was checked still holds when it is written: two owners who demote each other
 * at once must not leave an organization without one.
 */
export async function lockTeam(tx: Sql, caller: TeamCaller): Promise<MemberRow> {
  await lockOrganization(tx, caller.organizationId);
  return getOwnMembership(tx, caller);
}

export function mustManage({ role }: MemberRow): void {
  if (grantable[role].length === 0) throw lacksRole('owner or admin');
}

export function mustGrant(member: MemberRow, role: Role): void {
  mustManage(member);
  if (!grantable[member.role].includes(role)) throw lacksRole('owner');
}

function lacksRole(needed: string): Problem {
  return new Problem('insufficient_scope', `This operation needs the role ${needed}.`);
}

/** Teams belong to the organization as a whole: the log shows their changes in each of its environments. */
export function actorOf({ person, organizationId }: TeamCaller): Actor {
  return { kind: 'user', id: person.userId, organizationId, environmentId: null };
}
