import { type Static, Type } from 'typebox';
import { emailProviders } from '../../../../channels/registry.ts';
import { Nullable } from '../../../../http/schema.ts';
import { ChainBody, ChainView } from '../chain/schema.ts';

const kinds = Object.keys(emailProviders);

export const EmailSettingsBody = Type.Object(
  {
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
    providers: Type.Optional(ChainBody(kinds, {})),
  },
  {
    examples: [
      {
        from_address: 'hello@example.com',
        from_name: 'Acme',
        providers: [
          { kind: 'smtp', name: 'Main', enabled: true, config: { host: 'smtp.example.com', port: 587 } },
        ],
      },
    ],
  },
);
export type EmailSettingsBody = Static<typeof EmailSettingsBody>;

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
  providers: ChainView(kinds, {}),
});
export type EmailSettingsView = Static<typeof EmailSettingsView>;
