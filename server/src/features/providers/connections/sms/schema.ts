import { type Static, Type } from 'typebox';
import { DateTime, Nullable, OneOf, Uuid } from '../../../../http/schema.ts';
import { ChainBody, ChainView } from '../chain/schema.ts';
import { smsKinds } from './provider.ts';

const kinds = Object.keys(smsKinds);

/** The kinds that the settings of a single provider have fields for. */
export const singleKinds = ['managed', 'smsone', 'smstwo'] as const;
export type SingleKind = (typeof singleKinds)[number];

/** The settings of a single provider show their kind with a capital letter. */
export const shownKind = (kind: string): string => kind.charAt(0).toUpperCase() + kind.slice(1);

const Text = (description: string) => Type.Optional(Nullable(Type.String({ maxLength: 200, description })));

const sender = {
  from_number: Text(
    'The sender number in E.164 format. Rejected with `managed` if the operator sets the sender.',
  ),
  from_sender_id: Text(
    'An alphanumeric sender: up to 11 letters and digits, with at least one letter. Used except for the United States and Canada, where messages are sent from `from_number`. Rejected with `managed` if the operator sets the sender.',
  ),
};

export const SmsSettingsBody = Type.Object(
  {
    kind: Type.String({
      maxLength: 20,
      description: '`managed`, `smsone` (Twilio) or `smstwo` (Vonage), case-insensitive.',
    }),
    ...sender,
    smsone_account_sid: Text('For Twilio. Required with `smsone`, unless already set.'),
    smsone_auth_token: Text('For Twilio. Required with `smsone`, unless already set for this account.'),
    smstwo_api_key: Text('For Vonage. Required with `smstwo`, unless already set.'),
    smstwo_api_secret: Text('For Vonage. Required with `smstwo`, unless already set for this key.'),
    smstwo_signature_secret: Text('If set, delivery receipts must be signed with it. null removes it.'),
  },
  {
    title: 'SmsSettingsRequest',
    examples: [
      {
        kind: 'smsone',
        from_number: '+14155550123',
        smsone_account_sid: 'AC00000000000000000000000000000000',
        smsone_auth_token: 'the auth token',
      },
    ],
  },
);
export type SmsSettingsBody = Static<typeof SmsSettingsBody>;

const checked = {
  credentials_validated: Type.Boolean({
    description: 'Whether the provider accepted the credentials when they were last checked.',
  }),
  credentials_validated_at: Nullable(DateTime),
  credentials_detail: Type.String({ description: 'The response of the provider to the check.' }),
};

export const SmsSettingsView = Type.Object(
  {
    id: Uuid,
    kind: OneOf(kinds.map(shownKind)),
    from_number: Nullable(Type.String()),
    from_sender_id: Nullable(Type.String()),
    ...checked,
    callback_url: Nullable(
      Type.String({
        description:
          'The URL for receipts and replies. Receipts are requested with every message; for replies (STOP), set this URL at the provider for incoming messages.',
      }),
    ),
  },
  { title: 'SmsSettings' },
);
export type SmsSettingsView = Static<typeof SmsSettingsView>;

export const SmsProvidersBody = Type.Object(
  { providers: ChainBody(kinds, sender) },
  {
    title: 'SmsProvidersRequest',
    examples: [
      {
        providers: [
          {
            kind: 'smsone',
            from_number: '+14155550123',
            config: { account_sid: 'AC00000000000000000000000000000000', auth_token: 'the auth token' },
          },
          {
            kind: 'smstwo',
            from_number: '+14155550124',
            config: { api_key: 'the API key', api_secret: 'the API secret' },
          },
        ],
      },
    ],
  },
);
export type SmsProvidersBody = Static<typeof SmsProvidersBody>;

export const SmsProvidersView = Type.Object(
  {
    providers: ChainView(kinds, {
      from_number: Nullable(Type.String()),
      from_sender_id: Nullable(Type.String()),
      ...checked,
    }),
  },
  { title: 'SmsProviders' },
);
export type SmsProvidersView = Static<typeof SmsProvidersView>;
