import type { Sql } from '../../../db/sql.ts';
import type { SignedIn } from '../../../http/principal.ts';
import { type Role, roles } from '../../../http/scopes.ts';
import { notFound, Problem } from '../../../kernel/errors.ts';
import type { Author } from '../audit/index.ts';
import { findMember, lockOrganization, type MemberRow } from './team-store.ts';

/** The roles that each role may grant, change and remove: only an owner can add or remove an owner. */
export const grantable: Record<Role, readonly Role[]> = {
  owner: roles,
  admin: roles.filter((role) => role !== 'owner'),
  developer: [],
  viewer: [],
};

/** A person who acts on an organization, with the request. */
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

/** An organization does not exist for people who are not its members. */
export async function getOwnMembership(sql: Sql, { person, organizationId }: TeamCaller): Promise<MemberRow> {
  const member = await findMember(sql, organizationId, person.userId);
  if (!member) throw notFound('organization');
  return member;
}

/**
 * Serializes changes of a team, so that a check still holds at the write: two owners who demote each other at the same time
 * must not leave an organization without one.
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
  return new Problem('insufficient_scope', `This operation requires the role ${needed}.`);
}

/** Teams belong to the organization as a whole: the log shows their changes in each of its environments. */
export function authorOf({ person, organizationId, requestId }: TeamCaller): Author {
  return { principal: { kind: 'user', id: person.userId, organizationId, environmentId: null }, requestId };
}
