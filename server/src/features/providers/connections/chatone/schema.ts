import { type Static, Type } from 'typebox';
import { DateTime, Nullable, PageOf, pageQuery, Uuid } from '../../../../http/schema.ts';
import { pattern } from '../../../../kernel/patterns.ts';
import { health } from '../endpoints/schema.ts';

export const NewInstallation = Type.Object(
  {
    bot_token: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: pattern(
        '^(?:xoxb-|xoxe\\.xoxb-)[\\x21-\\x7e]+$',
        'a bot token, which begins with xoxb- or xoxe.xoxb-',
      ),
      description:
        'The token of an app that is already installed in the workspace. In Test, a token that begins with `xoxb-sandbox` is not checked.',
    }),
  },
  { title: 'NewChatoneInstallation', examples: [{ bot_token: 'xoxb-sandbox' }] },
);

export const InstallationChange = Type.Object(
  { auto_join_public_channels: Type.Boolean() },
  { title: 'ChatoneInstallationChange', examples: [{ auto_join_public_channels: true }] },
);

export const Installation = Type.Object(
  {
    id: Uuid,
    team_id: Type.String(),
    team_name: Type.String(),
    bot_user_id: Type.String(),
    app_id: Nullable(Type.String()),
    scopes: Type.Array(Type.String()),
    auto_join_public_channels: Type.Boolean({
      description: 'Join a public channel (C…) before posting if the bot is not a member.',
    }),
    installed_at: DateTime,
    installed_by_user_id: Uuid,
    ...health,
  },
  { title: 'ChatoneInstallation' },
);
export type Installation = Static<typeof Installation>;

export const InstallationPage = PageOf(Installation);
export const InstallationQuery = Type.Object(pageQuery);

const target = (description: string) => Type.Optional(Nullable(Type.String({ maxLength: 255, description })));

export const TestTargets = Type.Object(
  {
    chatone_user_id: target('Send a direct message to this user.'),
    chatone_channel_id: target('Post to this channel. With both, both are sent.'),
  },
  { title: 'ChatoneTestTargets', examples: [{ chatone_channel_id: 'C0123456789' }] },
);
export type TestTargets = Static<typeof TestTargets>;

export const InstallQuery = Type.Object({ env_id: Uuid });

export const CallbackQuery = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 1_000 })),
  state: Type.Optional(Type.String({ maxLength: 2_000 })),
  error: Type.Optional(Type.String({ maxLength: 200 })),
});
export type CallbackQuery = Static<typeof CallbackQuery>;
