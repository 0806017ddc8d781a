import { Type } from 'typebox';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/route.ts';
import { pageQuery } from '../../../http/schema.ts';
import { createOrganization, renameOrganization } from './organizations.ts';
import { callerOf } from './rights.ts';
import { Organization } from './schema.ts';
import {
  Member,
  MemberPage,
  MemberParams,
  MemberPatch,
  OrganizationName,
  OrganizationParams,
} from './team-schema.ts';
import { changeRole, listTeam, memberView, removeMember } from './team-service.ts';

const tag = 'Team';

export function teamRoutes(deps: Deps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/auth/organizations',
      operation: 'createOrganization',
      tag,
      summary: 'Create an organization',
      description:
        'Creates a Test and a Live environment without keys; you become the owner. Up to 20 organizations per user. Returns 403 `self_service_disabled` if only the operator can create organizations.',
      access: 'session',
      body: OrganizationName,
      responses: { 201: Organization },
      async handler({ principal, body, requestId }) {
        return { status: 201, body: await createOrganization(deps, principal, body.name, requestId) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/auth/organizations/:organizationId',
      operation: 'updateOrganization',
      tag,
      summary: 'Rename an organization',
      description: 'For owners and admins.',
      access: 'session',
      params: OrganizationParams,
      body: OrganizationName,
      responses: { 200: Organization },
      async handler({ body, ...call }) {
        return { status: 200, body: await renameOrganization(deps, callerOf(call), body.name) };
      },
    }),
    route({
      method: 'GET',
      path: '/auth/organizations/:organizationId/members',
      operation: 'listMembers',
      tag,
      summary: 'List the members of an organization',
      description: 'For all members.',
      access: 'session',
      params: OrganizationParams,
      query: Type.Object(pageQuery),
      responses: { 200: MemberPage },
      async handler({ query, ...call }) {
        const { data, next_cursor } = await listTeam(deps, callerOf(call), query);
        return { status: 200, body: { data: data.map(memberView), next_cursor } };
      },
    }),
    route({
      method: 'PATCH',
      path: '/auth/organizations/:organizationId/members/:userId',
      operation: 'updateMember',
      tag,
      summary: 'Change the role of a member',
      description:
        'For owners and admins; only an owner can add or remove owners. The new role applies to open sessions within two seconds. Returns 409 `last_owner` if there is no other owner.',
      access: 'session',
      params: MemberParams,
      body: MemberPatch,
      responses: { 200: Member },
      async handler({ body, ...call }) {
        const changed = await changeRole(deps, callerOf(call), call.params.userId, body.role);
        return { status: 200, body: memberView(changed) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/auth/organizations/:organizationId/members/:userId',
      operation: 'removeMember',
      tag,
      summary: 'Remove a member or leave',
      description:
        'For owners and admins; all members can remove themselves, and only an owner can remove an owner. Open invitations of the member are withdrawn; API keys that the member created belong to the environment and keep working. Returns 409 `last_owner` if there is no other owner.',
      access: 'session',
      params: MemberParams,
      responses: { 204: null },
      async handler(call) {
        await removeMember(deps, callerOf(call), call.params.userId);
        return { status: 204 };
      },
    }),
  ];
}
