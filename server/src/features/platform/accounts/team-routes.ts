import { type Static, Type } from 'typebox';
import type { Deps } from '../../../deps.ts';
import { clientOf } from '../../../http/principal.ts';
import { type Route, route } from '../../../http/route.ts';
import { pageQuery } from '../../../http/schema.ts';
import { idTime } from '../../../kernel/ids.ts';
import type { Devices } from './devices.ts';
import {
  acceptInvitation,
  invite,
  listOpenInvitations,
  lookUpInvitation,
  withdraw,
} from './invitations-service.ts';
import type { InvitationRow } from './invitations-store.ts';
import { createOrganization, renameOrganization } from './organizations.ts';
import { callerOf } from './rights.ts';
import {
  Acceptance,
  type Invitation,
  InvitationPage,
  InvitationParams,
  InvitationPreview,
  InvitationToken,
  InvitationWithLink,
  Member,
  MemberPage,
  MemberParams,
  MemberPatch,
  NewInvitation,
  Organization,
  OrganizationName,
  OrganizationParams,
  Person,
} from './schema.ts';
import type { Semaphores } from './semaphore.ts';
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

export function invitationRoutes(deps: Deps, gates: Semaphores, devices: Devices): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/organizations/:organizationId/invitations',
      operation: 'listInvitations',
      tag,
      summary: 'List open invitations',
      description: 'For owners and admins.',
      access: 'session',
      params: OrganizationParams,
      query: Type.Object(pageQuery),
      responses: { 200: InvitationPage },
      errors: ['insufficient_scope'],
      async handler({ query, ...call }) {
        const { data, next_cursor } = await listOpenInvitations(deps, callerOf(call), query);
        return { status: 200, body: { data: data.map(viewOf), next_cursor } };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/organizations/:organizationId/invitations',
      operation: 'createInvitation',
      tag,
      summary: 'Invite a member',
      description:
        'For owners and admins; only an owner can invite an owner. No email is sent: share `accept_url` yourself. The link works once, for 7 days; inviting the same address again replaces it. Up to 100 invitations can be open.',
      access: 'session',
      params: OrganizationParams,
      body: NewInvitation,
      responses: { 201: InvitationWithLink },
      async handler({ body, ...call }) {
        const { row, token } = await invite(deps, callerOf(call), body);
        // Without the address, and without the token, which signs in its holder.
        deps.log.info(
          {
            invitation_id: row.id,
            organization_id: row.organization_id,
            url: `${deps.publicUrl()}/invitation`,
          },
          'a member is invited: the link is in the response, and no email is sent',
        );
        const accept_url = `${deps.publicUrl()}/invitation#${token}`;
        return { status: 201, body: { ...viewOf(row), accept_url } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/auth/organizations/:organizationId/invitations/:id',
      operation: 'withdrawInvitation',
      tag,
      summary: 'Withdraw an invitation',
      description: 'For owners and admins. The link stops working.',
      access: 'session',
      params: InvitationParams,
      responses: { 204: null },
      async handler(call) {
        await withdraw(deps, callerOf(call), call.params.id);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/invitations/look-up',
      operation: 'lookUpInvitation',
      tag,
      summary: 'Look up an invitation',
      description: 'Throttled like signing in.',
      access: 'public',
      body: InvitationToken,
      responses: { 200: InvitationPreview },
      errors: ['invitation_not_found', 'rate_limited'],
      async handler({ body, raw }) {
        return { status: 200, body: await lookUpInvitation(deps, body.token, clientOf(raw)) };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/invitations/accept',
      operation: 'acceptInvitation',
      tag,
      summary: 'Accept an invitation',
      description:
        'New users send a `name` and a new `password`; existing users send their password. Sets a session cookie. Throttled like signing in.',
      access: 'public',
      body: Acceptance,
      responses: { 200: Person },
      errors: ['invalid_credentials', 'invitation_not_found', 'rate_limited'],
      async handler({ body, raw, requestId }) {
        const findDevice = (email: string) => devices.find(raw.headers.cookie, email);
        const context = { requestId, client: clientOf(raw), findDevice };
        const { person, sessionToken: token } = await acceptInvitation(deps, gates, body, context);
        return { status: 200, body: person, headers: devices.begin({ token, email: person.email }) };
      },
    }),
  ];
}

function viewOf(row: InvitationRow): Static<typeof Invitation> {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    invited_by_user_id: row.invited_by_user_id,
    created_at: new Date(idTime(row.id)).toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}
