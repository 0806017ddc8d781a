import { type Static, Type } from 'typebox';
import { emailProviders } from '../../../channels/registry.ts';
import { JsonObject, Nullable, OneOf, Uuid } from '../../../http/schema.ts';
import { pattern } from '../../../kernel/patterns.ts';
import { ProviderHealth } from '../../provider-health/index.ts';

const kinds = Object.keys(emailProviders);

export const ProviderParams = Type.Object({ envId: Uuid, id: Uuid });

const ProviderBody = Type.Object({
  id: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The id of an existing provider: it keeps its id, its name and the omitted secrets.',
    }),
  ),
  kind: OneOf(kinds),
  name: Type.Optional(
    Type.String({
      pattern: pattern(
        '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}$',
        '1 to 60 of A–Z, a–z, 0–9, space, “.”, “_” and “-”, the first a letter or a digit',
      ),
      description: 'Shown in events and traces; unique within the environment. Defaults to the kind.',
    }),
  ),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  config: Type.Optional(JsonObject),
});

export const EmailSettingsBody = Type.Object({
  from_address: Type.Optional(
    Nullable(
      Type.String({
        description:
          'The From address of every email, unless the operator’s server sends it (`managed_from` in the response).',
      }),
    ),
  ),
  from_name: Type.Optional(Nullable(Type.String({ description: 'The default display name.' }))),
  reply_to: Type.Optional(Nullable(Type.String({ maxLength: 320 }))),
  sender_locked: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Requests cannot change the display name. Always true while email is sent through the operator’s server; false is then rejected.',
    }),
  ),
  track_opens: Type.Optional(Type.Boolean({ default: false })),
  track_clicks: Type.Optional(Type.Boolean({ default: false })),
  providers: Type.Optional(Type.Array(ProviderBody, { maxItems: 10, description: 'Tried in this order.' })),
});
export type EmailSettingsBody = Static<typeof EmailSettingsBody>;
export type ProviderBody = Static<typeof ProviderBody>;

export const EmailSettingsView = Type.Object({
  from_address: Nullable(Type.String()),
  from_name: Nullable(Type.String()),
  reply_to: Nullable(Type.String()),
  sender_locked: Type.Boolean(),
  managed_from: Nullable(
    Type.String({
      description:
        'The sender of every email while the environment has no enabled provider and uses the operator’s server; `from_address` and `from_name` are then ignored. Otherwise null.',
    }),
  ),
  track_opens: Type.Boolean(),
  track_clicks: Type.Boolean(),
  providers: Type.Array(
    Type.Object({
      id: Uuid,
      kind: OneOf(kinds),
      name: Type.String(),
      enabled: Type.Boolean(),
      config: Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'Secrets show only their last characters.',
      }),
      callback_url: Nullable(
        Type.String({
          description: 'The URL for delivery reports of the provider; null for kinds without reports.',
        }),
      ),
      health: ProviderHealth,
    }),
  ),
});
export type EmailSettingsView = Static<typeof EmailSettingsView>;

export const VerifyView = Type.Object({ ok: Type.Boolean(), detail: Type.String() });
