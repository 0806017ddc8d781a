import { type Static, Type } from 'typebox';
import type { Deps } from '../../../deps.ts';
import { clientOf } from '../../../http/client.ts';
import { type Route, route } from '../../../http/route.ts';
import { pageQuery } from '../../../http/schema.ts';
import { idTime } from '../../../kernel/ids.ts';
import { acceptInvitation, lookUpInvitation } from './acceptance.ts';
import { createCookies } from './cookies.ts';
import type { Devices } from './devices.ts';
import { invite, listOpenInvitations, withdraw } from './invitations-service.ts';
import type { InvitationRow } from './invitations-store.ts';
import { callerOf } from './rights.ts';
import { Person } from './schema.ts';
import type { Semaphores } from './semaphore.ts';
import {
  Acceptance,
  type Invitation,
  InvitationPage,
  InvitationParams,
  InvitationPreview,
  InvitationToken,
  InvitationWithLink,
  NewInvitation,
  OrganizationParams,
} from './team-schema.ts';

const tag = 'Team';

export function invitationRoutes(deps: Deps, gates: Semaphores, devices: Devices): Route[] {
  const cookies = createCookies(deps, devices);
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
        // Neither the address nor the token, which signs in whoever has it.
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
        return { status: 200, body: person, headers: cookies.start({ token, email: person.email }) };
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
