import { type Static, Type } from 'typebox';
import { DateTime, Nullable, OneOf, Uuid } from '../../../http/schema.ts';

export const smsKinds = ['managed', 'smsone', 'smstwo'] as const;
export type SmsKind = (typeof smsKinds)[number];

export const shownKinds = { managed: 'Managed', smsone: 'Smsone', smstwo: 'Smstwo' } as const;

const Text = (description: string) => Type.Optional(Nullable(Type.String({ maxLength: 200, description })));

export const SmsSettingsBody = Type.Object(
  {
    kind: Type.String({
      maxLength: 20,
      description: '`managed`, `smsone` (Twilio) or `smstwo` (Vonage), case-insensitive.',
    }),
    from_number: Text(
      'The sender number in E.164 format. Rejected with `managed` if the operator sets the sender.',
    ),
    from_sender_id: Text(
      'An alphanumeric sender: up to 11 letters and digits, with at least one letter. Used except for the United States and Canada, where messages are sent from `from_number`. Rejected with `managed` if the operator sets the sender.',
    ),
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

export const SmsSettingsView = Type.Object(
  {
    id: Uuid,
    kind: OneOf(Object.values(shownKinds)),
    from_number: Nullable(Type.String()),
    from_sender_id: Nullable(Type.String()),
    credentials_validated: Type.Boolean({
      description: 'Whether the provider accepted the credentials when they were saved.',
    }),
    credentials_validated_at: Nullable(DateTime),
    credentials_detail: Type.String({ description: 'The response of the provider to the check.' }),
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
