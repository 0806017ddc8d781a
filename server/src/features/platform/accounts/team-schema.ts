import { Type } from 'typebox';
import { DateTime, Nullable, OneOf, PageOf, Uuid } from '../../../http/schema.ts';
import { roles } from '../../../http/scopes.ts';
import { Name, passwordLength } from './schema.ts';

export const OrganizationParams = Type.Object({ organizationId: Uuid });
export const MemberParams = Type.Object({ organizationId: Uuid, userId: Uuid });
export const InvitationParams = Type.Object({ organizationId: Uuid, id: Uuid });

export const OrganizationName = Type.Object({ name: Name }, { examples: [{ name: 'Acme' }] });

export const Member = Type.Object(
  {
    user_id: Uuid,
    email: Type.String(),
    name: Type.String(),
    role: OneOf(roles),
    joined_at: DateTime,
    last_seen_at: Nullable(
      Type.String({ format: 'date-time', description: 'In this organization, accurate to the minute.' }),
    ),
  },
  { title: 'Member' },
);
export const MemberPage = PageOf(Member);
export const MemberPatch = Type.Object({ role: OneOf(roles) }, { examples: [{ role: 'admin' }] });

export const NewInvitation = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 320 }),
    role: OneOf(roles),
  },
  { examples: [{ email: 'grace@example.com', role: 'developer' }] },
);

const invitationFields = {
  id: Uuid,
  email: Type.String(),
  role: OneOf(roles),
  invited_by_user_id: Uuid,
  created_at: DateTime,
  expires_at: DateTime,
};
export const Invitation = Type.Object(invitationFields, { title: 'Invitation' });
export const InvitationPage = PageOf(Invitation);
export const InvitationWithLink = Type.Object(
  {
    ...invitationFields,
    accept_url: Type.String({
      description:
        'Share this link with the invited person; it is shown only in this response. Browsers do not send the part after the # to servers.',
    }),
  },
  { title: 'InvitationWithLink' },
);

const Token = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The part after the # in the link.',
});

export const InvitationToken = Type.Object(
  { token: Token },
  { examples: [{ token: 'the token of the link' }] },
);

export const InvitationPreview = Type.Object(
  {
    organization_name: Type.String(),
    email: Type.String(),
    role: OneOf(roles),
  },
  { title: 'InvitationPreview' },
);

export const Acceptance = Type.Object(
  {
    token: Token,
    name: Type.Optional(Name),
    password: Type.String({
      minLength: 1,
      maxLength: passwordLength.most,
      description: `Of the existing account; otherwise a new one, of at least ${passwordLength.least} characters.`,
    }),
  },
  {
    examples: [
      { token: 'the token of the link', name: 'Grace Hopper', password: 'correct horse battery staple' },
    ],
  },
);
