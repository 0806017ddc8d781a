import { Type } from 'typebox';
import { DateTime, Nullable, OneOf, PageOf, Uuid } from '../../../http/schema.ts';
import { type Preset, presets, roles, scopes } from '../../../http/scopes.ts';
import { oneLine, pattern } from '../../../kernel/patterns.ts';

const presetNames = Object.keys(presets) as Preset[];

export const Me = Type.Object({
  organization_id: Uuid,
  environment_id: Uuid,
  environment_kind: OneOf(['test', 'live']),
  key_id: Nullable(Uuid),
  key_scope: Nullable(
    OneOf([...presetNames, 'custom'], {
      description: 'The preset of the key, or `custom`; null for a dashboard session.',
    }),
  ),
  scopes: Type.Array(OneOf(scopes)),
  key_type: OneOf(['secret', 'session'], {
    description: '`secret`: an API key. `session`: a dashboard user.',
  }),
});

export const Environment = Type.Object({
  id: Uuid,
  name: Type.String(),
  kind: OneOf(['test', 'live']),
  created_at: DateTime,
});
export const EnvironmentPage = PageOf(Environment);

export const NewApiKey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, pattern: oneLine }),
    preset: Type.Optional(
      OneOf(presetNames, {
        description:
          'Set this or `scopes`. `full_access`: every scope, including promotion to Live. `send_only`: `notifications:send` and `workflows:trigger`. `read_only`: every `:read`.',
      }),
    ),
    scopes: Type.Optional(
      Type.Array(OneOf(scopes), { minItems: 1, maxItems: 100, description: 'Set this or `preset`.' }),
    ),
    expires_at: Type.Optional(
      Nullable(
        Type.String({
          format: 'date-time',
          description: 'In the future; by default the key does not expire.',
        }),
      ),
    ),
  },
  { examples: [{ name: 'Web shop', preset: 'send_only' }] },
);

const keyFields = {
  id: Uuid,
  name: Type.String(),
  preset: Nullable(OneOf(presetNames)),
  scopes: Type.Array(OneOf(scopes)),
  last4: Type.String({ description: 'The last 4 characters, to identify the key.' }),
  created_by_user_id: Uuid,
  created_at: DateTime,
  expires_at: Nullable(DateTime),
  last_used_at: Nullable(Type.String({ format: 'date-time', description: 'Accurate to the minute.' })),
};
export const ApiKey = Type.Object(keyFields);
export const ApiKeyPage = PageOf(ApiKey);
export const ApiKeyWithSecret = Type.Object({
  ...keyFields,
  key: Type.String({ description: 'The secret key. Shown only in this response.' }),
});

export const Rotation = Type.Object(
  {
    grace_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 0,
        description: 'How long the old key keeps working.',
      }),
    ),
  },
  { examples: [{ grace_seconds: 86_400 }] },
);

/** The limits apply to new passwords; older, shorter ones keep working. */
export const passwordLength = { min: 10, max: 200 } as const;

const Password = Type.String({ minLength: 1, maxLength: passwordLength.max });
const NewPassword = Type.String({ minLength: passwordLength.min, maxLength: passwordLength.max });
/** The name of a person or an organization. */
const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: pattern('^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$', 'one line of text, and not only spaces'),
});

export const Login = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 320 }),
    password: Password,
  },
  { examples: [{ email: 'ada@example.com', password: 'correct horse battery staple' }] },
);

export const Organization = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    role: OneOf(roles, { description: 'Your role.' }),
    environments: Type.Array(Environment),
  },
  { title: 'Organization' },
);

export const Person = Type.Object(
  {
    user_id: Uuid,
    email: Type.String(),
    name: Type.String(),
    organizations: Type.Array(Organization),
    may_create_organizations: Type.Boolean({
      description:
        'False if only the operator can create organizations (`CARILLON_SELF_SERVICE_ORGANIZATIONS`).',
    }),
  },
  { title: 'Person' },
);

export const PersonPatch = Type.Object({ name: Name }, { examples: [{ name: 'Ada Lovelace' }] });

export const PasswordChange = Type.Object(
  { current_password: Password, new_password: NewPassword },
  {
    examples: [
      { current_password: 'correct horse battery staple', new_password: 'a longer sentence is better' },
    ],
  },
);

const Session = Type.Object(
  {
    id: Uuid,
    created_at: DateTime,
    last_seen_at: Type.String({ format: 'date-time', description: 'Accurate to the minute.' }),
    expires_at: Type.String({
      format: 'date-time',
      description: 'Extended with use, up to 7 days after the sign-in.',
    }),
    current: Type.Boolean({ description: 'The session of this request.' }),
  },
  { title: 'Session' },
);
export const SessionPage = PageOf(Session);

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
      maxLength: passwordLength.max,
      description: `Of the existing account; otherwise a new one, of at least ${passwordLength.min} characters.`,
    }),
  },
  {
    examples: [
      { token: 'the token of the link', name: 'Grace Hopper', password: 'correct horse battery staple' },
    ],
  },
);
